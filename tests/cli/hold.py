#!/usr/bin/python3 -B
"""Holds a lock as apt does, until it is killed: tests/cli/hold.py FILE

Says "held" once it has it.
"""
import fcntl
import signal
import sys

with open(sys.argv[1], "w") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    signal.pause()
