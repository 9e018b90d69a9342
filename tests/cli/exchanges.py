#!/usr/bin/python3 -B
"""Counts atomic exchanges in a file of BPF code: tests/cli/exchanges.py FILE"""
import sys

code = open(sys.argv[1], "rb").read()
# BPF_STX | BPF_ATOMIC | BPF_DW with BPF_XCHG.
print(sum(code[i] == 0xdb and code[i + 4:i + 8] == b"\xe1\0\0\0" for i in range(0, len(code) - 7, 8)))
