#!/usr/bin/python3
"""Prints the kernel's TAI offset in seconds, or sets it as chronyd does. usage: tai.py [SECONDS]"""
import ctypes
import sys

ADJ_TAI = 0x0080
# struct timex (adjtimex(2)) on 64-bit machines: 26 words of 8 bytes, of which modes is word 0,
# constant word 6 and tai the lower half of word 20.
timex = (ctypes.c_long * 26)()
if len(sys.argv) > 1:
    timex[0] = ADJ_TAI
    timex[6] = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
if libc.adjtimex(timex) < 0:
    sys.exit(f"adjtimex: error {ctypes.get_errno()}")
print(timex[20] & 0xFFFFFFFF)
