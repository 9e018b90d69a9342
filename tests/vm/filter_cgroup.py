#!/usr/bin/python3 -B
"""Has a program of filter_cgroup.bpf.c see all packets of a cgroup's sockets, for as long as that is there.

usage: tests/vm/filter_cgroup.py CGROUP PROGRAM
"""
import os
import sys

from libbpf import failure, libbpf, programs_of

cgroup, name = sys.argv[1:]
program, = programs_of(".output/tests/vm/filter_cgroup.bpf.o", name=name)
attach_type = libbpf.bpf_program__get_expected_attach_type(program)
if libbpf.bpf_prog_attach(libbpf.bpf_program__fd(program), os.open(cgroup, os.O_RDONLY), attach_type, 0):
    raise failure("bpf_prog_attach")
