#!/usr/bin/python3
"""Known traffic: exact numbers of UDP packets, TCP streams, and a receiver that reads the stamps.

usage: traffic.py udp-send ADDRESS PORT PACKETS
       traffic.py udp-receive ADDRESS PORT PACKETS   prints the packets' mean age in ns when read
       traffic.py tcp-send ADDRESS PORT BYTES
       traffic.py tcp-receive ADDRESS PORT           until the sender closes; prints the bytes

Receivers print "ready" as soon as they can receive.
"""
import socket
import struct
import sys
import time

# asm-generic/socket.h; Python's socket module has no names for them.
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")
PAYLOAD = b"x" * 100


def new_socket(kind, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.socket(family, kind)


def udp_send(address, port, packets):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        for _ in range(packets):
            sock.sendto(PAYLOAD, (address, port))


def age_ns(ancillary):
    """How long ago the kernel stamped the packet that has this ancillary data."""
    now = time.clock_gettime_ns(time.CLOCK_REALTIME)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = TIMESPEC.unpack(data)
            return now - (seconds * 1_000_000_000 + nanoseconds)
    raise RuntimeError("a packet came without SO_TIMESTAMPNS")


def udp_receive(address, port, packets):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sock.bind((address, port))
        print("ready", flush=True)
        ages = [age_ns(sock.recvmsg(2048, 256)[1]) for _ in range(packets)]
    print(sum(ages) / len(ages))


def tcp_send(address, port, size):
    with new_socket(socket.SOCK_STREAM, address) as sock:
        sock.connect((address, port))
        sock.sendall(bytes(size))


def tcp_receive(address, port):
    with new_socket(socket.SOCK_STREAM, address) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
        print("ready", flush=True)
        connection, _ = listener.accept()
        with connection:
            print(sum(len(data) for data in iter(lambda: connection.recv(65536), b"")))


COMMANDS = {
    "udp-send": udp_send,
    "udp-receive": udp_receive,
    "tcp-send": tcp_send,
    "tcp-receive": tcp_receive,
}

if __name__ == "__main__":
    command, address, *numbers = sys.argv[1:]
    COMMANDS[command](address, *map(int, numbers))
