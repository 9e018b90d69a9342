#!/usr/bin/python3 -B
"""Holds a lock as apt does: tests/cli/hold.py FILE SECONDS

Says "held" once it has it.
"""
import fcntl
import sys
import time

with open(sys.argv[1], "w") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
