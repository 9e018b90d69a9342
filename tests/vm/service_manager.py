#!/usr/bin/python3 -BS
"""A service manager that waits for readiness (sd_notify(3)), once.

usage: tests/vm/service_manager.py SOCKET PROGRAM
           says "bound"; then what it is told, and how many BPF programs of this name there are at that time
"""
import os
import socket
import sys

path, program = sys.argv[1:]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
# A name that is no path is for all: who tells is nobody by then.
manager.bind(path.replace("@", "\0", 1))
print("bound", flush=True)
print(manager.recv(64).decode(), os.popen("bpftool prog show").read().count(program), flush=True)
