#!/usr/bin/python3 -BS
"""Attaches the first programs of a BPF object to a function, or as many as that can take, if any, until it is killed.

usage: tests/vm/crowd.py OBJECT PROGRAMS FUNCTION

Prints "ready" and how many they are when they are attached.
"""
import errno
import signal
import sys

from libbpf import call, programs_of

# The kernel's own: before Linux 6.6, it attaches nothing to a function of seven arguments.
ENOTSUPP = 524

path, programs, function = sys.argv[1:]
attached = 0
try:
    for program in programs_of(path, function=function)[:int(programs)]:
        call("bpf_program__attach", program)
        attached += 1
except OSError as error:
    if error.errno not in (errno.E2BIG, ENOTSUPP):
        raise
print("ready", attached, flush=True)
signal.pause()
