#!/usr/bin/python3
"""Prints the kernel's TAI offset in seconds, or sets it.

usage: tai.py [SECONDS | leap]
           sets it as chronyd does, or inserts a leap second: the wall clock is set back by one, TAI goes on
"""
import ctypes
import sys

ADJ_TAI = 0x0080
ADJ_SETOFFSET = 0x0100
# struct timex (adjtimex(2)) on 64-bit machines: 26 words of 8 bytes, of which modes is word 0,
# constant word 6, time.tv_sec word 9 and tai the lower half of word 20.
timex = (ctypes.c_long * 26)()
libc = ctypes.CDLL(None, use_errno=True)


def adjtimex():
    if libc.adjtimex(timex) < 0:
        sys.exit(f"adjtimex: error {ctypes.get_errno()}")
    return timex[20] & 0xFFFFFFFF


if sys.argv[1:] == ["leap"]:
    timex[6] = adjtimex() + 1
    timex[9] = -1
    timex[0] = ADJ_TAI | ADJ_SETOFFSET
elif len(sys.argv) > 1:
    timex[0] = ADJ_TAI
    timex[6] = int(sys.argv[1])
print(adjtimex())
