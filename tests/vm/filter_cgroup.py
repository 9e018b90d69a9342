#!/usr/bin/python3 -B
"""Lets no packet into the sockets of a cgroup, or all of them late, by a BPF program that stays with it.

usage: tests/vm/filter_cgroup.py CGROUP [CALLS]
  CALLS   lets them in after as many calls of a helper
"""
import ctypes
import os
import struct
import sys

from libbpf import failure, libbpf

BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS = 8, 0
BPF_FUNC_KTIME_GET_NS = 5


def instruction(opcode, immediate):
    return struct.pack("<BBhi", opcode, 0, 0, immediate)


def program_of(calls):
    """A row of calls, as a loop would need BTF; then r0 = whether they are let in; exit."""
    return calls * instruction(0x85, BPF_FUNC_KTIME_GET_NS) + instruction(0xb7, calls > 0) + instruction(0x95, 0)


program = program_of(int(sys.argv[2]) if sys.argv[2:] else 0)
loaded = libbpf.bpf_prog_load(BPF_PROG_TYPE_CGROUP_SKB, None, b"GPL", program, ctypes.c_size_t(len(program) // 8), None)
if loaded < 0:
    raise failure("bpf_prog_load")
if libbpf.bpf_prog_attach(loaded, os.open(sys.argv[1], os.O_RDONLY), BPF_CGROUP_INET_INGRESS, 0):
    raise failure("bpf_prog_attach")
