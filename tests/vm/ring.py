"""io_uring, without a library for its system calls."""
import ctypes
import mmap
import os
import struct

SYS_IO_URING_SETUP, SYS_IO_URING_ENTER, SYS_IO_URING_REGISTER = 425, 426, 427
IORING_SETUP_SQPOLL, IORING_SQ_NEED_WAKEUP = 1 << 1, 1 << 0
IORING_OFF_SQES, IORING_ENTER_GETEVENTS, IORING_ENTER_SQ_WAKEUP, IORING_REGISTER_PBUF_RING = 0x10000000, 1, 2, 22
IORING_OP_SEND, IORING_OP_RECV = 26, 27

libc = ctypes.CDLL(None, use_errno=True)


def system_call(number, *args):
    result = libc.syscall(number, *(ctypes.c_ulong(arg) if isinstance(arg, int) else arg for arg in args))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def address_of(buffer):
    return ctypes.addressof(buffer)


class Ring:
    """The rings of io_uring, with one request at a time. With POLLS_MS, a thread of the kernel's polls for requests,
    and sleeps when none has come for as long."""

    def __init__(self, polls_ms=0):
        parameters = ctypes.create_string_buffer(120)
        self.polls = polls_ms > 0
        struct.pack_into("8xI4xI", parameters, 0, IORING_SETUP_SQPOLL if self.polls else 0, polls_ms)
        self.fd = system_call(SYS_IO_URING_SETUP, 256, parameters)
        fields = struct.unpack("10I 8IQ 8IQ", parameters.raw)
        self.sq, self.cq = fields[10:], fields[19:]
        size = max(self.sq[6] + 4 * fields[0], self.cq[5] + 16 * fields[1])
        self.rings = mmap.mmap(self.fd, size)
        self.entries = mmap.mmap(self.fd, 64 * fields[0], offset=IORING_OFF_SQES)

    def get(self, offset):
        return struct.unpack_from("I", self.rings, offset)[0]

    def put(self, offset, value):
        struct.pack_into("I", self.rings, offset, value)

    def submit(self, operation, fd, kind, flags, address, size):
        tail = self.get(self.sq[1])
        i = tail & self.get(self.sq[2])
        struct.pack_into("BBHiQQIIQHHIQQ", self.entries, 64 * i, operation, flags, kind, fd, 0, address, size, 0, 0, 0,
                         0, 0, 0, 0)
        self.put(self.sq[6] + 4 * i, i)
        self.put(self.sq[1], tail + 1)
        if not self.polls:
            system_call(SYS_IO_URING_ENTER, self.fd, 1, 0, 0, 0, 0)
        elif self.get(self.sq[4]) & IORING_SQ_NEED_WAKEUP:
            system_call(SYS_IO_URING_ENTER, self.fd, 0, 0, IORING_ENTER_SQ_WAKEUP, 0, 0)

    def completions(self):
        system_call(SYS_IO_URING_ENTER, self.fd, 0, 1, IORING_ENTER_GETEVENTS, 0, 0)
        while (head := self.get(self.cq[0])) != self.get(self.cq[1]):
            _, result, flags = struct.unpack_from("QiI", self.rings, self.cq[5] + 16 * (head & self.get(self.cq[2])))
            self.put(self.cq[0], head + 1)
            if result < 0:
                raise OSError(-result, os.strerror(-result))
            yield result, flags

    def provide_buffers(self, number, size):
        """Group 0. They are more than will be used."""
        self.buffers = ctypes.create_string_buffer(number * size)
        self.group = mmap.mmap(-1, 16 * number)
        for i in range(number):
            struct.pack_into("QIHH", self.group, 16 * i, address_of(self.buffers) + i * size, size, i, 0)
        struct.pack_into("H", self.group, 14, number)
        at = address_of(ctypes.c_char.from_buffer(self.group))
        system_call(SYS_IO_URING_REGISTER, self.fd, IORING_REGISTER_PBUF_RING, struct.pack("QIHHQQQ", at, number, 0,
                                                                                         0, 0, 0, 0), 1)
