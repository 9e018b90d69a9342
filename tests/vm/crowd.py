#!/usr/bin/python3 -BS
"""Attaches the first programs of a BPF object, until it is killed.

usage: tests/vm/crowd.py OBJECT PROGRAMS

Prints "ready" when they are attached.
"""
import ctypes
import signal
import sys

libbpf = ctypes.CDLL("libbpf.so.1", use_errno=True)


def call(name, *arguments):
    """A function that returns a pointer."""
    function = getattr(libbpf, name)
    function.restype = ctypes.c_void_p
    pointer = function(*arguments)
    if not pointer:
        raise OSError(ctypes.get_errno(), name)
    return ctypes.c_void_p(pointer)


path, programs = sys.argv[1:]
crowd = call("bpf_object__open_file", path.encode(), None)
if libbpf.bpf_object__load(crowd):
    raise OSError(ctypes.get_errno(), "bpf_object__load")
program = None
for _ in range(int(programs)):
    program = call("bpf_object__next_program", crowd, program)
    call("bpf_program__attach", program)
print("ready", flush=True)
signal.pause()
