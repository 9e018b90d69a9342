#!/usr/bin/python3 -BS
"""Attaches the first programs of a BPF object, or as many as its function can take, until it is killed.

usage: tests/vm/crowd.py OBJECT PROGRAMS

Prints "ready" and how many they are when they are attached.
"""
import errno
import signal
import sys

from libbpf import call, programs_of

path, programs = sys.argv[1:]
attached = 0
try:
    for program in programs_of(path)[:int(programs)]:
        call("bpf_program__attach", program)
        attached += 1
except OSError as error:
    if error.errno != errno.E2BIG:
        raise
print("ready", attached, flush=True)
signal.pause()
