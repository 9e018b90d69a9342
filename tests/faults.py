#!/usr/bin/python3
"""Services and their clients, some of which have a fault.

usage: faults.py serve udp|tcp ADDRESS PORT MS
           answers each request MS after it was read
       faults.py ask udp|tcp ADDRESS PORT REQUESTS MS
           sends requests, one after the other, MS after the answer to the one before
       faults.py accept-late ADDRESS PORT MS
           waits MS before it accepts a connection, which it answers at once
       faults.py connect ADDRESS PORT CONNECTIONS
           makes them at once, and waits for an answer by each
       faults.py read-beside ADDRESS PORT
           reads UDP packets, while another process does nothing but to use the CPU

Servers print "ready" as soon as they can receive, and run until they are killed.
"""
import os
import socket
import sys
import time


def bound(kind, address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    if kind == socket.SOCK_STREAM:
        sock.listen(64)
    print("ready", flush=True)
    return sock


def serve_udp(address, port, ms):
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        request, peer = sock.recvfrom(2048)
        time.sleep(ms / 1000)
        sock.sendto(request, peer)


def serve_tcp(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        while request := connection.recv(2048):
            time.sleep(ms / 1000)
            connection.sendall(request)


def serve(protocol, address, port, ms):
    {"udp": serve_udp, "tcp": serve_tcp}[protocol](address, port, ms)


def ask(protocol, address, port, requests, ms):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    kind = socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM
    with socket.socket(family, kind) as sock:
        sock.connect((address, port))
        for _ in range(requests):
            sock.send(b"x" * 100)
            sock.recv(2048)
            time.sleep(ms / 1000)


def accept_late(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        time.sleep(ms / 1000)
        connection, _ = listener.accept()
        connection.send(b"x")
        connection.close()


def connect(address, port, connections):
    for sock in [socket.create_connection((address, port)) for _ in range(connections)]:
        sock.recv(1)
        sock.close()


def read_beside(address, port):
    if not os.fork():
        while True:
            pass
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        sock.recv(2048)


COMMANDS = {
    "serve": serve,
    "ask": ask,
    "accept-late": accept_late,
    "connect": connect,
    "read-beside": read_beside,
}
COMMANDS[sys.argv[1]](*(int(word) if word.isdigit() else word for word in sys.argv[2:]))
