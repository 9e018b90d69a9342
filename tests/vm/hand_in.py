#!/usr/bin/python3 -B
"""Hands packets to an interface of this network namespace as if a network card had received and stamped them.

usage: tests/vm/hand_in.py OBJECT INTERFACE PACKETS MS [AHEAD]

Each was stamped MS ago, by a clock that is AHEAD seconds ahead of the wall clock. The program hand_in of OBJECT
(restamp.bpf.c) does it, run with BPF_PROG_TEST_RUN: its context has the card's stamp since Linux 5.16.
"""
import ctypes
import socket
import struct
import sys
import time

from libbpf import failure, libbpf, programs_of

SCHED_CLS = 3  # BPF_PROG_TYPE_SCHED_CLS
SIZE_OF_CONTEXT = 192
IFINDEX_AT, HWTSTAMP_AT = 40, 184


class TestRunOptions(ctypes.Structure):
    """struct bpf_test_run_opts"""
    _fields_ = [("sz", ctypes.c_size_t), ("data_in", ctypes.c_void_p), ("data_out", ctypes.c_void_p),
                ("data_size_in", ctypes.c_uint32), ("data_size_out", ctypes.c_uint32),
                ("ctx_in", ctypes.c_void_p), ("ctx_out", ctypes.c_void_p),
                ("ctx_size_in", ctypes.c_uint32), ("ctx_size_out", ctypes.c_uint32),
                ("retval", ctypes.c_uint32), ("repeat", ctypes.c_int), ("duration", ctypes.c_uint32),
                ("flags", ctypes.c_uint32), ("cpu", ctypes.c_uint32), ("batch_size", ctypes.c_uint32)]


def hand_in(program, interface, stamp_ns):
    mac = bytes.fromhex(open(f"/sys/class/net/{interface}/address").read().strip().replace(":", ""))
    packet = mac + bytes(6) + b"\x08\x00" + bytes([0x45]) + bytes(63)
    context = bytearray(SIZE_OF_CONTEXT)
    struct.pack_into("=I", context, IFINDEX_AT, socket.if_nametoindex(interface))
    struct.pack_into("=Q", context, HWTSTAMP_AT, stamp_ns)
    buffers = [ctypes.create_string_buffer(bytes(of), len(of)) for of in (packet, context)]
    data, ctx = (ctypes.cast(buffer, ctypes.c_void_p) for buffer in buffers)
    options = TestRunOptions(sz=ctypes.sizeof(TestRunOptions), data_in=data, data_size_in=len(packet),
                             ctx_in=ctx, ctx_size_in=len(context), repeat=1)
    error = libbpf.bpf_prog_test_run_opts(program, ctypes.byref(options))
    if error or options.retval:
        raise failure("bpf_prog_test_run_opts")


path, interface, packets, ms, *ahead = sys.argv[1:]
program, = programs_of(path, SCHED_CLS, name="hand_in")
program = libbpf.bpf_program__fd(program)
for _ in range(int(packets)):
    hand_in(program, interface, time.time_ns() - int(ms) * 10**6 + sum(map(int, ahead)) * 10**9)
