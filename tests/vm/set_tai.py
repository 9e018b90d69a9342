#!/usr/bin/python3
"""Sets the kernel's TAI offset, as chronyd does. usage: set_tai.py SECONDS"""
import ctypes
import sys

ADJ_TAI = 0x0080
# struct timex (adjtimex(2)): 26 words of 8 bytes on 64-bit machines; modes is word 0, constant word 6.
timex = (ctypes.c_long * 26)()
timex[0] = ADJ_TAI
timex[6] = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
if libc.adjtimex(timex) < 0:
    sys.exit(f"adjtimex: error {ctypes.get_errno()}")
