#!/usr/bin/python3 -B
"""Lets no packet into the sockets of a cgroup, by a BPF program that stays with it.

usage: tests/vm/filter_cgroup.py CGROUP
"""
import ctypes
import os
import struct
import sys

from libbpf import failure, libbpf

BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS = 8, 0
# r0 = 0; exit
TAKE_NONE = struct.pack("<BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0)

program = libbpf.bpf_prog_load(BPF_PROG_TYPE_CGROUP_SKB, None, b"GPL", TAKE_NONE, ctypes.c_size_t(2), None)
if program < 0:
    raise failure("bpf_prog_load")
if libbpf.bpf_prog_attach(program, os.open(sys.argv[1], os.O_RDONLY), BPF_CGROUP_INET_INGRESS, 0):
    raise failure("bpf_prog_attach")
