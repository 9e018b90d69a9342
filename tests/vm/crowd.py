#!/usr/bin/python3 -BS
"""Attaches the first programs of a BPF object, until it is killed.

usage: tests/vm/crowd.py OBJECT PROGRAMS

Prints "ready" when they are attached.
"""
import signal
import sys

from libbpf import call, programs_of

path, programs = sys.argv[1:]
for program in programs_of(path)[:int(programs)]:
    call("bpf_program__attach", program)
print("ready", flush=True)
signal.pause()
