#!/usr/bin/python3 -BS
"""Less usual ways of reading from a TCP socket.

usage: odd_reads.py receive WAY ADDRESS PORT SEGMENTS
           prints "ready" and its process id as soon as it can receive, and then the bytes that it read, or why this kernel cannot
       odd_reads.py send WAY ADDRESS PORT SEGMENTS MS
           sends segments of 100 bytes or, to zerocopy-pages, 4096; sleeps MS after each

WAY is one of the functions read_* below. None of them needs a library for its system calls.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import select
import socket
import struct
import sys
import time

from ring import IORING_OP_RECV, Ring, address_of, libc, system_call

SEGMENT = b"x" * 100
PAGE = bytes(mmap.PAGESIZE)

# Python's socket module has no names for them.
IPPROTO_MPTCP = 262
TCP_ULP, TCP_ZEROCOPY_RECEIVE = 31, 35
SOL_TLS, TLS_TX, TLS_RX = 282, 1, 2
AF_KCM, SIOCKCMATTACH = 41, 0x89E0
# TLS 1.2 with AES-GCM and a key of 128 bits: nonce, key, salt and sequence number are zeros.
TLS_KEYS = struct.pack("HH", 0x0303, 51) + bytes(8 + 16 + 4 + 8)

SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_MAP_CREATE, BPF_MAP_UPDATE_ELEM, BPF_PROG_LOAD, BPF_PROG_ATTACH = 0, 2, 5, 8
BPF_PROG_TYPE_SOCKET_FILTER, BPF_PROG_TYPE_SK_SKB, BPF_MAP_TYPE_SOCKMAP = 1, 14, 15
BPF_SK_SKB_STREAM_VERDICT, BPF_F_INGRESS = 5, 1

IOSQE_ASYNC, IOSQE_BUFFER_SELECT, IORING_CQE_F_MORE = 1 << 4, 1 << 5, 1 << 1
IORING_RECV_MULTISHOT, IORING_RECVSEND_BUNDLE = 1 << 1, 1 << 4

# What kernels say of what they do not know.
UNKNOWN = errno.EINVAL, errno.ENOENT, errno.ENOPROTOOPT, errno.EPROTONOSUPPORT, errno.EAFNOSUPPORT

libc.mmap.restype = ctypes.c_void_p


def bpf(command, layout, *fields):
    attributes = struct.pack(layout, *fields).ljust(128, b"\0")
    return system_call(SYS_BPF, command, attributes, len(attributes))


def load_program(kind, *instructions):
    code = ctypes.create_string_buffer(b"".join(struct.pack("<BBhi", *i) for i in instructions))
    text = ctypes.create_string_buffer(b"GPL")
    return bpf(BPF_PROG_LOAD, "IIQQ", kind, len(instructions), address_of(code), address_of(text))


def recv_all(connection):
    size = 0
    while data := connection.recv(65536):
        size += len(data)
    return size


def read_mptcp(connection, segments):
    return recv_all(connection)


def read_tls(connection, segments):
    connection.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"tls")
    connection.setsockopt(SOL_TLS, TLS_RX, TLS_KEYS)
    return recv_all(connection)


def read_sendfile(connection, segments):
    """Takes a pipe as the other end, since Linux 5.12."""
    size, pipe = 0, os.pipe()
    while sent := os.sendfile(pipe[1], connection.fileno(), None, 4096):
        size += len(os.read(pipe[0], sent))
    return size


def read_zerocopy(connection, segments):
    """What is not whole pages is copied."""
    room = 64 * mmap.PAGESIZE
    pages = libc.mmap(None, ctypes.c_size_t(room), mmap.PROT_READ, mmap.MAP_SHARED, connection.fileno(), 0)
    copy = ctypes.create_string_buffer(mmap.PAGESIZE - 1)
    layout = struct.Struct("QIIIiQiIQQII")
    size = mapped = 0
    while True:
        select.select([connection], [], [])
        request = ctypes.create_string_buffer(
            layout.pack(pages, room, 0, 0, 0, address_of(copy), len(copy) - 1, 0, 0, 0, 0, 0), layout.size)
        length = ctypes.c_uint(layout.size)
        if libc.getsockopt(connection.fileno(), socket.IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, request,
                           ctypes.byref(length)):
            # At the end of the stream.
            if ctypes.get_errno() == errno.EIO:
                break
            raise OSError(ctypes.get_errno(), "TCP_ZEROCOPY_RECEIVE")
        _, received, skip, _, _, _, copied, *_ = layout.unpack(request.raw)
        mapped += received
        read = received + copied
        if not read:
            read = len(connection.recv(skip or 1))
            if not read:
                break
        size += read
    print(mapped, "bytes mapped", file=sys.stderr)
    return size


def read_zerocopy_pages(connection, segments):
    return read_zerocopy(connection, segments)


class SockMap:
    """Sends all that a connection gets to another socket."""

    def __init__(self, connection, flags):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.near = socket.create_connection(self.listener.getsockname())
        self.far, _ = self.listener.accept()
        self.map = bpf(BPF_MAP_CREATE, "IIII", BPF_MAP_TYPE_SOCKMAP, 4, 4, 2)
        # return bpf_sk_redirect_map(skb, map, 1, flags);
        program = load_program(BPF_PROG_TYPE_SK_SKB, (0x18, 0x12, 0, self.map), (0, 0, 0, 0), (0xb7, 3, 0, 1),
                               (0xb7, 4, 0, flags), (0x85, 0, 0, 52), (0x95, 0, 0, 0))
        bpf(BPF_PROG_ATTACH, "IIII", self.map, program, BPF_SK_SKB_STREAM_VERDICT, 0)
        for n, sock in enumerate((self.near, connection)):
            key, value = ctypes.c_uint(1 - n), ctypes.c_uint(sock.fileno())
            bpf(BPF_MAP_UPDATE_ELEM, "IxxxxQQQ", self.map, address_of(key), address_of(value), 0)


def recv_size(sock, size):
    read = 0
    while read < size and (data := sock.recv(size - read)):
        read += len(data)
    return read


def read_sockmap_out(connection, segments):
    sockets = SockMap(connection, 0)
    return recv_size(sockets.far, 100 * segments)


def read_sockmap_in(connection, segments):
    sockets = SockMap(connection, BPF_F_INGRESS)
    return recv_size(sockets.near, 100 * segments)


def read_kernel(connection, segments):
    """KCM reads in the kernel, and makes a message of each 100 bytes."""
    program = load_program(BPF_PROG_TYPE_SOCKET_FILTER, (0xb7, 0, 0, 100), (0x95, 0, 0, 0))
    with socket.socket(AF_KCM, socket.SOCK_DGRAM, 0) as kcm:
        fcntl.ioctl(kcm, SIOCKCMATTACH, struct.pack("ii", connection.fileno(), program))
        return recv_size(kcm, 100 * segments)


def read_uring(connection, segments, flags=0):
    ring, buffer = Ring(), ctypes.create_string_buffer(4096)
    size = 0
    while True:
        if flags & IOSQE_ASYNC:
            select.select([connection], [], [])
        ring.submit(IORING_OP_RECV, connection.fileno(), 0, flags, address_of(buffer), len(buffer))
        for result, _ in ring.completions():
            if not result:
                return size
            size += result


def read_uring_worker(connection, segments):
    return read_uring(connection, segments, IOSQE_ASYNC)


def read_multishot(connection, segments, kind=IORING_RECV_MULTISHOT):
    ring = Ring()
    ring.provide_buffers(256, 64)
    size, requests = 0, 0
    more = False
    while True:
        if not more:
            ring.submit(IORING_OP_RECV, connection.fileno(), kind, IOSQE_BUFFER_SELECT, 0, 0)
            requests += 1
        for result, flags in ring.completions():
            more = flags & IORING_CQE_F_MORE
            if not result:
                print(requests, "requests", file=sys.stderr)
                return size
            size += result


def read_bundle(connection, segments):
    return read_multishot(connection, segments, IORING_RECV_MULTISHOT | IORING_RECVSEND_BUNDLE)


def protocol_of(way):
    return IPPROTO_MPTCP if way == "mptcp" else socket.IPPROTO_TCP


def receive(way, address, port, segments):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol_of(way)) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen()
            print("ready", os.getpid(), flush=True)
            connection, _ = listener.accept()
            with connection:
                print(globals()["read_" + way.replace("-", "_")](connection, segments))
    except OSError as error:
        if error.errno not in UNKNOWN:
            raise
        print(f"cannot: {errno.errorcode.get(error.errno)} ({error.strerror})")


def send(way, address, port, segments, sleep_ms):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol_of(way)) as sock:
        sock.connect((address, port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if way == "tls":
            sock.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"tls")
            sock.setsockopt(SOL_TLS, TLS_TX, TLS_KEYS)
        pipe = os.pipe()
        # Whoever sets up anything first needs time for that.
        time.sleep(1)
        for _ in range(segments):
            if way == "zerocopy-pages":
                # The pages of a pipe are nobody else's, so that the receiver can map them.
                os.splice(pipe[0], sock.fileno(), os.write(pipe[1], PAGE))
            else:
                sock.sendall(SEGMENT)
            time.sleep(sleep_ms / 1000)


if __name__ == "__main__":
    command, way, address, *numbers = sys.argv[1:]
    {"receive": receive, "send": send}[command](way, address, *map(int, numbers))
