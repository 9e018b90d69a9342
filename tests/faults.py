#!/usr/bin/python3 -BS
"""Services and their clients, some of which have a fault.

usage: faults.py serve udp|tcp|mptcp|sctp ADDRESS PORT MS
           answers each request MS after it was read
       faults.py serve-paced ADDRESS PORT PER_SECOND
           answers each request by TCP, at a pace of so many bytes
       faults.py serve-beside ADDRESS PORT
           answers each request by TCP, at a port that others may have, too
       faults.py serve-halves ADDRESS PORT plainly|at-once|corked
           answers each request by TCP in two writes, with TCP_NODELAY, TCP_CORK or neither
       faults.py serve-in-parts ADDRESS PORT MS [corked|more]
           answers each request by TCP in two writes, MS apart, with TCP_CORK or MSG_MORE
       faults.py serve-hanging ADDRESS PORT ANSWERS
           answers so many requests of each connection by TCP, and none from then on
       faults.py serve-signed ADDRESS PORT PEER
           takes no connection of PEER but with TCP's MD5 signatures
       faults.py serve-near ADDRESS PORT
           takes no connection from further than the next host
       faults.py serve-much ADDRESS PORT BYTES
           answers each request by TCP with so many, whether they are read or not
       faults.py serve-locked thread|process ADDRESS PORT MS
           answers each request by UDP when it has a lock, which another one holds for MS at a time
       faults.py serve-stopped ADDRESS PORT MS
           answers each request by UDP when a signal has stopped it for MS meanwhile
       faults.py serve-starved ADDRESS PORT MS
           answers each request by UDP when a process of a higher priority has used its CPU for MS meanwhile
       faults.py serve-piped ADDRESS PORT MS
           answers each request by UDP when another process has answered it through a pipe, MS later
       faults.py serve-asking ADDRESS PORT MS
           the same by TCP, through Unix sockets, for which it waits as for any others
       faults.py serve-peeking ADDRESS PORT BYTES
           answers each request of so many bytes by TCP, and peeks at it until all of it has come
       faults.py serve-peeking-late ADDRESS PORT MS
           looks at each request by TCP so long after it came, and then reads and answers it
       faults.py serve-working ADDRESS PORT MS
           answers each request by TCP when it has used the CPU for MS
       faults.py serve-paging ADDRESS PORT PAGES
           answers each request by TCP when it has used so many pages of 16 MiB
       faults.py serve-faulting ADDRESS PORT MS
           answers each request by TCP from a page that comes MS after the write asked for it (userfaultfd)
       faults.py serve-counting ADDRESS PORT NUMBER
           answers each request by TCP when it has counted so far
       faults.py serve-seeking ADDRESS PORT MS
           answers each request by TCP when it has slept for MS, 6 ms at a time
       faults.py serve-napping ADDRESS PORT MS
           answers each request by TCP when it has used the CPU for MS, and slept for a moment time and again
       faults.py serve-by-thread ADDRESS PORT MS
           reads requests by UDP, and has another thread answer each when it has slept for MS
       faults.py serve-by-ring ADDRESS PORT MS_TO_READ MS_TO_ANSWER
           asks io_uring, which polls, to read a request that came so long ago, and to answer one read so long ago, by TCP
       faults.py serve-by-child ADDRESS PORT MS
           has a new process use the CPU for MS, and then read and answer what came by a connection that was accepted
       faults.py serve-activated ADDRESS PORT MS
           has a new process sleep for MS, and then accept a connection and answer what came by that
       faults.py publish ADDRESS PORT MS
           sends by TCP every MS to all that have connected, by a thread of its own, whatever they send
       faults.py poll ADDRESS PORT MS
           answers each request by TCP when it has waited MS for something to happen at another socket
       faults.py front udp|tcp ADDRESS PORT BACKEND_ADDRESS BACKEND_PORT
           answers each request when a backend has answered it by TCP, and reads no other one meanwhile
       faults.py front-often ADDRESS PORT BACKEND_ADDRESS BACKEND_PORT
           answers each request by TCP when a backend has answered 30 by TCP, one after the other
       faults.py front-by-other ADDRESS PORT BACKEND_ADDRESS BACKEND_PORT
           the same by TCP, while another process asks the backend, and is asked through a Unix socket
       faults.py serve-unheard ADDRESS PORT
           answers each request by UDP, whether that can be sent or not
       faults.py connect-often ADDRESS PORT CONNECTIONS [SOURCE]
           connects as often by TCP, from any address or this one, and goes on where that fails, until it is sent something by each connection
       faults.py ask udp|tcp|mptcp|sctp ADDRESS PORT REQUESTS MS
           sends requests, one after the other, MS after the answer to the one before
       faults.py subscribe ADDRESS PORT HEARTBEATS MS
           sends by TCP as often, MS apart, and reads whatever comes meanwhile
       faults.py ask-in-halves ADDRESS PORT REQUESTS MS
           sends requests by TCP, the second half of each MS later
       faults.py ask-and-sleep ADDRESS PORT REQUESTS MS
           sends requests by TCP, and sleeps MS before it reads each answer
       faults.py ask-and-leave udp|tcp ADDRESS PORT REQUESTS MS
           sends requests, each by a socket of its own; closes it as soon as an answer begins, or after MS; and waits
           for 200 ms
       faults.py ask-anew ADDRESS PORT REQUESTS [SOURCE]
           sends each by a connection of its own, to whose socket SOURCE is bound before, with a port, as proxies do
       faults.py send-from-past ADDRESS PORT CONNECTIONS
           sends by each, with time stamps of TCP that are an hour older than that of its SYN
       faults.py ask-at-once ADDRESS PORT ROUNDS REQUESTS MS
           sends so many by UDP at once, reads the answers, and does so again MS later
       faults.py ask-in-crowd ADDRESS PORT CLIENTS REQUESTS MS
           so many clients by UDP that all begin at once, each as by "ask"
       faults.py burst ADDRESS PORT BURSTS PACKETS MS
           sends so many UDP packets at once, again and again, MS apart
       faults.py accept-late ADDRESS PORT MS [BACKLOG]
           waits MS before it accepts a connection, which it answers at once
       faults.py accept-beside ADDRESS PORT
           accepts connections at once, and answers them, while another process does nothing but to use the CPU
       faults.py accept-few ADDRESS PORT DESCRIPTORS
           accepts connections at once, and keeps them, while it has descriptors left
       faults.py connect ADDRESS PORT CONNECTIONS
           makes them at once, and waits for an answer by each
       faults.py connect-at-once ADDRESS PORT CONNECTIONS
           begins all of them before it waits for any, and ends them after 2 s
       faults.py begin-only SOURCE ADDRESS PORT CONNECTIONS
           sends the SYN of each, as if SOURCE did, 2 ms apart
       faults.py corrupt ip|tcp INTERFACE MAC SOURCE ADDRESS PORT PACKETS
           sends SYNs as if SOURCE did, with a wrong checksum of this header, 2 ms apart
       faults.py fragment-only SOURCE ADDRESS PORT PACKETS
           sends the first fragment of each, and waits for 2 s
       faults.py open-only ADDRESS PORT CONNECTIONS
           makes them at once, and waits 50 ms for each
       faults.py read ADDRESS PORT
           reads UDP packets
       faults.py read-from INTERFACE ADDRESS PORT
           reads UDP packets that come by this interface
       faults.py read-and-crash ADDRESS PORT PACKETS
           reads so many by UDP, and crashes
       faults.py read-polling ADDRESS PORT
           the same, when select(2) says that there are some
       faults.py read-filtered ADDRESS PORT
           reads UDP packets by a socket whose filter takes none
       faults.py share ADDRESS PORT
           reads UDP packets of a port that others may have, too
       faults.py join GROUP ADDRESS PORT
           reads UDP packets to a multicast group
       faults.py read-batches ADDRESS PORT MS
           sleeps for MS, and then reads all UDP packets that have come
       faults.py read-beside ADDRESS PORT
           the same, while another process does nothing but to use the CPU
       faults.py read-small ADDRESS PORT
           reads UDP packets with the smallest receive buffer
       faults.py decide QUEUE MS
           accepts each packet in one of netfilter's queues when it has slept for MS
       faults.py add-datapath NAME
           makes one of Open vSwitch
       faults.py trace PID TIMES MS
           stops a process as a debugger does, so often, for MS, with MS in between
       faults.py read-greedy udp|tcp ADDRESS PORT
           reads, and keeps 1 MiB more for each packet
       faults.py read-paging ADDRESS PORT PAGES
           reads UDP packets, and uses so many pages of 16 MiB for each
       faults.py read-faulting ADDRESS PORT MS
           reads UDP packets, each when a page has come that it needs, MS after it was asked for (userfaultfd)
       faults.py read-busy udp|tcp ADDRESS PORT MS
           reads again only after it has used the CPU for MS
       faults.py read-napping busy|asleep ADDRESS PORT MS
           reads UDP packets again only after it has used the CPU or slept for MS, and slept for a moment time and again
       faults.py be-busy MS
           uses the CPU for MS, and sleeps as long, again and again
       faults.py ignore udp|tcp|connections|mptcp-connections ADDRESS PORT
           sleeps instead of reading or, for the last, of accepting any connection
       faults.py inherit udp|connections ADDRESS PORT
           the same by a child, while the process that made the socket waits for that
       faults.py collect ADDRESS PORT BYTES
           reads TCP with a receive buffer of so many, or as many as the kernel likes with 0
       faults.py read-enough ADDRESS PORT BYTES
           reads TCP when so many are there (SO_RCVLOWAT)
       faults.py stream ADDRESS PORT BYTES PER_SECOND BUFFER
           sends so many by TCP, at a pace or as fast as it goes with 0, with a send buffer of BUFFER, or as long as the
           kernel likes with 0
       faults.py write-each ADDRESS PORT WRITES BYTES MS
           writes so many bytes to TCP every MS, which Nagle's algorithm may hold back
       faults.py send-whole ADDRESS PORT PACKETS BYTES
           sends UDP packets that may not be fragmented, whatever it is told of the way there, 2 ms apart
       faults.py send-paced ADDRESS PORT PACKETS PER_SECOND
           sends UDP packets at once, to leave at a pace of so many bytes
       faults.py ignore-tun INTERFACE
           makes a tun device, and reads nothing of what is sent to it
       faults.py read-tun INTERFACE MS
           makes a tun device, and reads a packet of what is sent to it every MS
       faults.py balance-none ADDRESS PORT
           has IPVS take what is sent by UDP to there, for which it has no server
       faults.py emit INTERFACE MS
           sends a frame that nobody wants, again and again, MS apart
       faults.py flood INTERFACE FRAMES BYTES
           sends frames of this size that nobody wants, as fast as it can
       faults.py slow-card INTERFACE BUFFERS US
           has a card receive into so many buffers, and wait so long between two interrupts
       faults.py wire INTERFACE INTERFACE LOSE MS
           takes what comes by one interface to the other, MS later; loses one in LOSE that has 100 bytes of data or
           more, or none with 0

Servers print "ready" as soon as they can receive, and run until they are killed.
"""
import array
import collections
import contextlib
import ctypes
import fcntl
import mmap
import os
import queue
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time

# linux/if_ether.h, linux/if_packet.h, linux/in.h; Python's socket module has no names for them.
ETH_P_ALL, ETH_P_IP = 3, 0x800
SOL_PACKET, PACKET_VNET_HDR, VNET_HDR_SIZE = 263, 15, 10
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_ZEROPAGE = 0xC018AA3F, 0xC020AA00, 0xC020AA04
SYS_USERFAULTFD = {"x86_64": 323, "aarch64": 282}[os.uname().machine]
SO_MAX_PACING_RATE, SO_RCVBUFFORCE, SO_ATTACH_FILTER = 47, 33, 26
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE, IP_MINTTL = 10, 3, 21
# linux/tcp.h
TCP_MD5SIG, TCP_REPAIR, TCP_TIMESTAMP, TCP_REPAIR_OFF_NO_WP = 14, 19, 24, -1
# RFC 791, of an IP header's fragment offset.
MORE_FRAGMENTS = 0x2000
# linux/if_tun.h
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
# linux/sockios.h, linux/ethtool.h
PROTOCOLS = {"udp": 0, "tcp": 0, "mptcp": socket.IPPROTO_MPTCP, "sctp": socket.IPPROTO_SCTP}
IP_VS_SO_SET_ADD = 64 + 1024 + 64 + 2
SIOCETHTOOL = 0x8946
ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE, ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM = 0xe, 0xf, 0x10, 0x11
# linux/ptrace.h, linux/wait.h
PTRACE_ATTACH, PTRACE_DETACH, WALL = 16, 17, 0x40000000
# Ethernet's header, IPv6's and TCP's with time stamps, and a request.
LENGTH_WITH_DATA = VNET_HDR_SIZE + 14 + 20 + 32 + 100


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def bound(kind, address, port, shared_by=socket.SO_REUSEADDR, protocol=0):
    sock = socket.socket(family_of(address), kind, protocol)
    sock.setsockopt(socket.SOL_SOCKET, shared_by, 1)
    sock.bind((address, port))
    if kind == socket.SOCK_STREAM:
        sock.listen(64)
    print("ready", flush=True)
    return sock


def serve_signed(address, port, peer):
    listener = bound(socket.SOCK_STREAM, address, port)
    peer = struct.pack("=HH4s120x", socket.AF_INET, 0, socket.inet_aton(peer))
    listener.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG, peer + struct.pack("=BBHI80s", 0, 0, 3, 0, b"key"))
    listener.accept()


def serve_near(address, port):
    listener = bound(socket.SOCK_STREAM, address, port)
    listener.setsockopt(socket.IPPROTO_IP, IP_MINTTL, 255)
    listener.accept()


def sleep(ms):
    time.sleep(ms / 1000)


def use_cpu(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        pass


def use_cpu_beside():
    """Another process does, and does nothing else."""
    if not os.fork():
        while True:
            pass


def serve_udp(address, port, ms, spend=sleep):
    """Spends MS, asleep or otherwise, before it answers."""
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        request, peer = sock.recvfrom(2048)
        spend(ms)
        sock.sendto(request, peer)


def serve_unheard(address, port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        request, peer = sock.recvfrom(2048)
        with contextlib.suppress(OSError):
            sock.sendto(request, peer)


def answer_all(listener, ms, spend=sleep):
    while True:
        connection, _ = listener.accept()
        while request := connection.recv(2048):
            spend(ms)
            connection.sendall(request)


def serve_tcp(address, port, ms, protocol=0, shared_by=socket.SO_REUSEADDR, spend=sleep):
    answer_all(bound(socket.SOCK_STREAM, address, port, shared_by, protocol), ms, spend)


def serve_paced(address, port, per_second):
    listener = bound(socket.SOCK_STREAM, address, port)
    listener.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, per_second)
    answer_all(listener, 0)


def serve_by_thread(address, port, ms):
    sock = bound(socket.SOCK_DGRAM, address, port)
    requests = queue.Queue()

    def answer():
        while True:
            request, peer = requests.get()
            sleep(ms)
            sock.sendto(request, peer)

    threading.Thread(target=answer).start()
    while True:
        requests.put(sock.recvfrom(2048))


def serve_by_ring(address, port, ms_to_read, ms_to_answer):
    # A copy of this file, by another name and elsewhere, can do without.
    from vm.ring import IORING_OP_RECV, IORING_OP_SEND, Ring, address_of
    listener = bound(socket.SOCK_STREAM, address, port)
    ring, buffer = Ring(polls_ms=1000), ctypes.create_string_buffer(2048)

    def ask(operation, connection, size):
        ring.submit(operation, connection.fileno(), 0, 0, address_of(buffer), size)
        return next(ring.completions())[0]

    def receive(connection):
        select.select([connection], [], [])
        sleep(ms_to_read)
        return ask(IORING_OP_RECV, connection, len(buffer))

    while True:
        connection, _ = listener.accept()
        while size := receive(connection):
            sleep(ms_to_answer)
            ask(IORING_OP_SEND, connection, size)
        connection.close()


def answer_and_end(connection):
    connection.sendall(connection.recv(2048))
    os._exit(0)


def serve_by_child(address, port, ms):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        if not os.fork():
            use_cpu(ms)
            answer_and_end(connection)
        connection.close()


def serve_activated(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    while select.select([listener], [], []):
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        sleep(ms)
        answer_and_end(listener.accept()[0])


def serve_beside(address, port):
    serve_tcp(address, port, 0, shared_by=socket.SO_REUSEPORT)


def serve(protocol, address, port, ms):
    if protocol == "udp":
        serve_udp(address, port, ms)
    else:
        serve_tcp(address, port, ms, PROTOCOLS[protocol])


def serve_halves(address, port, how):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, how == "at-once")
        while request := connection.recv(2048):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, how == "corked")
            for half in request[::2], request[1::2]:
                connection.sendall(half)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, False)


def serve_in_parts(address, port, ms, how=None):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        while request := connection.recv(2048):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, how == "corked")
            connection.sendall(request[:10], socket.MSG_MORE if how == "more" else 0)
            sleep(ms)
            connection.sendall(request[10:])
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, False)


def answer_few(connection, answers):
    for _ in range(answers):
        connection.sendall(connection.recv(2048))
    connection.recv(2048)
    threading.Event().wait()


def serve_hanging(address, port, answers):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        threading.Thread(target=answer_few, args=(listener.accept()[0], answers)).start()


def serve_much(address, port, size):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            while connection.recv(2048):
                connection.sendall(bytes(size))


def lock_of(other):
    """Returns a lock for another thread or process, and what makes such a one."""
    if other == "thread":
        return threading.Lock(), threading.Thread
    # It takes long to import, and nothing else needs it.
    import multiprocessing
    return multiprocessing.Lock(), multiprocessing.Process


def serve_locked(by, address, port, ms):
    lock, other = lock_of(by)

    def hold():
        while True:
            with lock:
                time.sleep(ms / 1000)
            # Else no other thread would ever have it.
            time.sleep(0.001)

    other(target=hold, daemon=True).start()
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        request, peer = sock.recvfrom(2048)
        with lock:
            sock.sendto(request, peer)


def serve_stopped(address, port, ms):
    server = os.getpid()
    if not os.fork():
        while True:
            with open(f"/proc/{server}/stat", encoding="utf-8") as stat:
                is_stopped = stat.read().rpartition(") ")[2].startswith("T")
            time.sleep(ms / 1000 if is_stopped else 0.005)
            if is_stopped:
                os.kill(server, signal.SIGCONT)
    serve_udp(address, port, ms, lambda _: os.kill(server, signal.SIGSTOP))


def serve_starved(address, port, ms):
    their_end, our_end = os.pipe()
    os.sched_setaffinity(0, {os.cpu_count() - 1})
    if not os.fork():
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        while os.read(their_end, 1):
            use_cpu(ms)
    serve_udp(address, port, ms, lambda _: os.write(our_end, b"x"))


def serve_piped(address, port, ms):
    (their_end, our_request), (our_answer, their_answer) = os.pipe(), os.pipe()
    if not os.fork():
        while request := os.read(their_end, 2048):
            time.sleep(ms / 1000)
            os.write(their_answer, request)
    sock = bound(socket.SOCK_DGRAM, address, port)
    while True:
        request, peer = sock.recvfrom(2048)
        os.write(our_request, request)
        sock.sendto(os.read(our_answer, 2048), peer)


def wait_for_other(work):
    """Returns a function that waits at a Unix socket until another process has done this work."""
    mine, theirs = socket.socketpair()
    if not os.fork():
        while request := theirs.recv(2048):
            work()
            theirs.sendall(request)

    def ask(_):
        mine.sendall(b"request")
        select.select([mine], [], [])
        mine.recv(2048)

    return ask


def serve_asking(address, port, ms):
    serve_tcp(address, port, 0, spend=wait_for_other(lambda: sleep(ms)))


def serve_peeking(address, port, size):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        # Level-triggered, it would be told of the same bytes again and again.
        events = select.epoll()
        events.register(connection, select.EPOLLIN | select.EPOLLET)
        seen = True
        while seen:
            events.poll()
            seen = connection.recv(size, socket.MSG_PEEK)
            if len(seen) == size:
                connection.sendall(connection.recv(size))


def serve_peeking_late(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        seen = True
        while seen:
            select.select([connection], [], [])
            sleep(ms)
            seen = connection.recv(2048, socket.MSG_PEEK)
            connection.sendall(connection.recv(2048))


def serve_working(address, port, ms):
    serve_tcp(address, port, ms, spend=use_cpu)


def page_user():
    """Returns a function that uses so many pages, all over 16 MiB."""
    memory = mmap.mmap(-1, 16 << 20)
    number = len(memory) // mmap.PAGESIZE
    at = 0

    def use(pages):
        nonlocal at
        for _ in range(pages):
            at = (at * 1664525 + 1013904223) % number
            memory[at * mmap.PAGESIZE] = 1

    use(2 * number)
    return use


def serve_paging(address, port, pages):
    serve_tcp(address, port, pages, spend=page_user())


def count(number):
    for _ in range(number):
        pass


def serve_counting(address, port, number):
    serve_tcp(address, port, number, spend=count)


def sleep_often(ms):
    for _ in range(ms // 6):
        sleep(6)


def serve_seeking(address, port, ms):
    serve_tcp(address, port, ms, spend=sleep_often)


def nap():
    for _ in range(30):
        select.select([], [], [], 0.0001)


def use_cpu_and_nap(ms):
    use_cpu(ms)
    nap()


def serve_napping(address, port, ms):
    serve_tcp(address, port, ms, spend=use_cpu_and_nap)


def publish(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    subscribers = []

    def send():
        while True:
            time.sleep(ms / 1000)
            for subscriber in subscribers:
                with contextlib.suppress(OSError):
                    subscriber.send(b"quote")

    threading.Thread(target=send, daemon=True).start()
    while True:
        subscriber, _ = listener.accept()
        subscribers.append(subscriber)
        threading.Thread(target=read_to_end, args=(subscriber,), daemon=True).start()


def subscribe(address, port, heartbeats, ms):
    sock = socket.create_connection((address, port))
    threading.Thread(target=read_to_end, args=(sock,), daemon=True).start()
    for _ in range(heartbeats):
        sock.send(b"heartbeat")
        time.sleep(ms / 1000)


def poll(address, port, ms):
    listener = bound(socket.SOCK_STREAM, address, port)
    events = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        connection, _ = listener.accept()
        while request := connection.recv(2048):
            select.select([events], [], [], ms / 1000)
            connection.sendall(request)


def front_udp(address, port, backend_address, backend_port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    with socket.create_connection((backend_address, backend_port)) as backend:
        while True:
            request, client = sock.recvfrom(2048)
            backend.sendall(request)
            sock.sendto(backend.recv(2048), client)


def front_tcp(address, port, backend_address, backend_port):
    listener = bound(socket.SOCK_STREAM, address, port)
    while True:
        connection, _ = listener.accept()
        with socket.create_connection((backend_address, backend_port)) as backend:
            while request := connection.recv(2048):
                backend.sendall(request)
                connection.sendall(backend.recv(2048))


def front_often(address, port, *backend_address):
    backend = socket.create_connection(backend_address)

    def ask_backend(times):
        for _ in range(times):
            backend.sendall(b"request")
            backend.recv(2048)

    serve_tcp(address, port, 30, spend=ask_backend)


def front_by_other(address, port, *backend_address):
    backend = socket.create_connection(backend_address)

    def ask_backend():
        backend.sendall(b"request")
        backend.recv(2048)

    serve_tcp(address, port, 0, spend=wait_for_other(ask_backend))


def front(protocol, *addresses):
    {"udp": front_udp, "tcp": front_tcp}[protocol](*addresses)


def ask(protocol, address, port, requests, ms, source=None):
    kind = socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM
    with socket.socket(family_of(address), kind, PROTOCOLS[protocol]) as sock:
        if source:
            sock.bind((source, 0))
        sock.connect((address, port))
        for _ in range(requests):
            sock.send(b"x" * 100)
            sock.recv(100, socket.MSG_WAITALL)
            time.sleep(ms / 1000)


def ask_in_halves(address, port, requests, ms):
    with socket.create_connection((address, port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(requests):
            sock.send(b"x" * 50)
            time.sleep(ms / 1000)
            sock.send(b"x" * 50)
            sock.recv(100, socket.MSG_WAITALL)


def ask_and_sleep(address, port, requests, ms):
    with socket.create_connection((address, port)) as sock:
        for _ in range(requests):
            sock.send(b"x" * 100)
            time.sleep(ms / 1000)
            sock.recv(100, socket.MSG_WAITALL)


def ask_and_leave(protocol, address, port, requests, ms):
    for _ in range(requests):
        with socket.socket(type=socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM) as sock:
            sock.connect((address, port))
            sock.send(b"x" * 100)
            sock.settimeout(ms / 1000)
            with contextlib.suppress(TimeoutError):
                sock.recv(100)
        time.sleep(0.2)


def ask_anew(address, port, requests, source=None):
    for _ in range(requests):
        ask("tcp", address, port, 1, 0, source)


def send_from_past(address, port, connections):
    with contextlib.ExitStack() as sockets:
        for _ in range(connections):
            sock = sockets.enter_context(socket.create_connection((address, port)))
            # It ends with a reset, which has no time stamp to look at.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
            now_ms = sock.getsockopt(socket.IPPROTO_TCP, TCP_TIMESTAMP)
            sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
            # An even one, as an odd one would be in microseconds.
            sock.setsockopt(socket.IPPROTO_TCP, TCP_TIMESTAMP, struct.pack("=I", now_ms - 3600 * 1000 & 0xfffffffe))
            sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, TCP_REPAIR_OFF_NO_WP)
            sock.send(b"x" * 100)
        time.sleep(1)


def ask_at_once(address, port, rounds, requests, ms):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect((address, port))
        for _ in range(rounds):
            for _ in range(requests):
                sock.send(b"x" * 100)
            for _ in range(requests):
                sock.recv(2048)
            time.sleep(ms / 1000)


def ask_in_crowd(address, port, clients, requests, ms):
    children = []
    for _ in range(clients):
        if not (child := os.fork()):
            ask("udp", address, port, requests, ms)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def burst(address, port, bursts, packets, ms):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for _ in range(bursts):
            for _ in range(packets):
                sock.sendto(b"x" * 100, (address, port))
            time.sleep(ms / 1000)


def accept_late(address, port, ms, backlog=64):
    listener = bound(socket.SOCK_STREAM, address, port)
    listener.listen(backlog)
    while True:
        time.sleep(ms / 1000)
        connection, _ = listener.accept()
        connection.send(b"x")
        connection.close()


def accept_beside(address, port):
    use_cpu_beside()
    accept_late(address, port, 0)


def accept_few(address, port, descriptors):
    listener = bound(socket.SOCK_STREAM, address, port)
    resource.setrlimit(resource.RLIMIT_NOFILE, (listener.fileno() + 1 + descriptors,) * 2)
    kept = []
    while True:
        try:
            kept.append(listener.accept())
        except OSError:
            time.sleep(0.1)


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def syn_of(ends, sport, port):
    syn = struct.pack("!HHLLBBHHH", sport, port, 1, 0, 5 << 4, 2, 1024, 0, 0)
    pseudo_header = ends + struct.pack("!HH", socket.IPPROTO_TCP, len(syn))
    return syn[:16] + struct.pack("!H", checksum(pseudo_header + syn)) + syn[18:]


def begin_only(source, address, port, connections):
    ends = socket.inet_aton(source) + socket.inet_aton(address)
    # The kernel fills in the length and the checksum.
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_TCP, 0) + ends
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
        for sport in range(20000, 20000 + connections):
            sock.sendto(ip + syn_of(ends, sport, port), (address, 0))
            time.sleep(0.002)


def corrupt(header, interface, mac, source, address, port, packets):
    ends = socket.inet_aton(source) + socket.inet_aton(address)
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as sock:
        for sport in range(20000, 20000 + packets):
            syn = syn_of(ends, sport, port)
            fields = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(syn), 0, 0, 64, socket.IPPROTO_TCP, 0)
            fields = fields[:10] + struct.pack("!H", checksum(fields + ends) ^ (header == "ip"))
            syn = syn[:-1] + bytes([syn[-1] ^ (header == "tcp")])
            to = interface, ETH_P_IP, 0, 0, bytes.fromhex(mac.replace(":", ""))
            sock.sendto(fields + ends + syn, to)
            time.sleep(0.002)


def fragment_only(source, address, port, packets):
    ends = socket.inet_aton(source) + socket.inet_aton(address)
    datagram = struct.pack("!HHHH", port, port, 2000, 0) + bytes(1000)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
        for number in range(1, packets + 1):
            ip = struct.pack("!BBHHHBBH", 0x45, 0, 0, number, MORE_FRAGMENTS, 64, socket.IPPROTO_UDP, 0) + ends
            sock.sendto(ip + datagram, (address, 0))
    time.sleep(2)


def open_only(address, port, connections):
    for _ in [socket.create_connection((address, port)) for _ in range(connections)]:
        time.sleep(0.05)


def connect(address, port, connections):
    # None ends before the last one: its FIN might come while the server has not closed it yet, and be a segment unread.
    for sock in [socket.create_connection((address, port)) for _ in range(connections)]:
        sock.recv(1)


def connect_often(address, port, connections, source=None):
    socks = []
    for _ in range(connections):
        with contextlib.suppress(OSError):
            socks.append(socket.create_connection((address, port), source_address=source and (source, 0)))
    for sock in socks:
        sock.recv(1)


def connect_at_once(address, port, connections):
    socks = [socket.socket(family_of(address)) for _ in range(connections)]
    # No task that a connection wakes, as who accepts it, runs before the last one: Linux 6.1 would switch to it.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    for sock in socks:
        sock.setblocking(False)
        sock.connect_ex((address, port))
    time.sleep(2)


def read_all(sock):
    while True:
        sock.recv(2048)


def read_to_end(sock):
    while sock.recv(2048):
        pass


def read(address, port):
    read_all(bound(socket.SOCK_DGRAM, address, port))


def read_from(interface, address, port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
    read_all(sock)


def read_and_crash(address, port, packets):
    sock = bound(socket.SOCK_DGRAM, address, port)
    for _ in range(packets):
        sock.recv(2048)
    os.abort()


def read_polling(address, port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    while select.select([sock], [], []):
        sock.recv(2048)


def share(address, port):
    read_all(bound(socket.SOCK_DGRAM, address, port, socket.SO_REUSEPORT))


def join(group, address, port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((group, port))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + socket.inet_aton(address))
    print("ready", flush=True)
    read_all(sock)


def read_batches(address, port, ms):
    sock = bound(socket.SOCK_DGRAM, address, port)
    sock.setblocking(False)
    while True:
        time.sleep(ms / 1000)
        while select.select([sock], [], [], 0)[0]:
            sock.recv(2048)


def read_beside(address, port):
    use_cpu_beside()
    read(address, port)


def read_small(address, port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    read_all(sock)


def read_filtered(address, port):
    sock = bound(socket.SOCK_DGRAM, address, port)
    # struct sock_filter, BPF_RET | BPF_K: to keep nothing. struct sock_fprog points to it.
    program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0))
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
    read_all(sock)


def trace(pid, times, ms):
    libc = ctypes.CDLL(None)
    for _ in range(times):
        libc.ptrace(PTRACE_ATTACH, pid, None, None)
        os.waitpid(pid, WALL)
        time.sleep(ms / 1000)
        libc.ptrace(PTRACE_DETACH, pid, None, None)
        time.sleep(ms / 1000)


# linux/netlink.h, linux/genetlink.h, linux/openvswitch.h
NETLINK_NETFILTER, NETLINK_GENERIC, NLM_F_REQUEST, NLM_F_ACK = 12, 16, 1, 4
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
OVS_DP_CMD_NEW, OVS_DP_ATTR_NAME, OVS_DP_ATTR_UPCALL_PID = 1, 1, 2
NFQUEUE, NFQUEUE_PACKET, NFQUEUE_VERDICT, NFQUEUE_CONFIG = 3, 0, 1, 2


def netlink_attribute(kind, content):
    return struct.pack("=HH", 4 + len(content), kind) + content + bytes(-len(content) % 4)


def netlink_message(kind, flags, body):
    return struct.pack("=IHHII", 16 + len(body), kind, NLM_F_REQUEST | flags, 0, 0) + body


def decide(queue, ms):
    """Netfilter's messages have attributes: of configuration the command (1: to bind) and what is copied of a packet (1:
    nothing), of packets a header with their id, and of answers the verdict (1: to accept)."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
    # Another portid than the pid, as of whoever has more than one socket.
    sock.bind((os.getpid() + 100000, 0))

    def send(message, attribute, content):
        body = struct.pack("!BBH", 0, 0, queue) + netlink_attribute(attribute, content)
        sock.send(netlink_message(NFQUEUE << 8 | message, 0, body))

    send(NFQUEUE_CONFIG, 1, struct.pack("!BxH", 1, 0))
    send(NFQUEUE_CONFIG, 2, struct.pack("!IB", 0, 1))
    print("ready", flush=True)
    while True:
        message = sock.recv(1 << 16)
        if struct.unpack_from("=H", message, 4)[0] != NFQUEUE << 8 | NFQUEUE_PACKET:
            continue
        at = 20
        while struct.unpack_from("=H", message, at + 2)[0] != 1:
            at += (struct.unpack_from("=H", message, at)[0] + 3) & ~3
        time.sleep(ms / 1000)
        send(NFQUEUE_VERDICT, 2, struct.pack("!II", 1, struct.unpack_from("!I", message, at + 4)[0]))


def add_datapath(name):
    """Open vSwitch's, in the kernel: without its daemon, it has no flow."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)

    def ask(family, flags, command, version, content):
        body = struct.pack("=BBH", command, version, 0) + content
        sock.send(netlink_message(family, flags, body))
        return sock.recv(1 << 16)

    answer = ask(GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1, netlink_attribute(CTRL_ATTR_FAMILY_NAME, b"ovs_datapath\0"))
    at = answer.index(struct.pack("=HH", 6, CTRL_ATTR_FAMILY_ID)) + 4
    family, = struct.unpack_from("=H", answer, at)
    datapath = bytes(4) + netlink_attribute(OVS_DP_ATTR_NAME, name.encode() + b"\0")
    datapath += netlink_attribute(OVS_DP_ATTR_UPCALL_PID, bytes(4))
    answer = ask(family, NLM_F_ACK, OVS_DP_CMD_NEW, 2, datapath)
    error, = struct.unpack_from("=i", answer, 16)
    assert not error, os.strerror(-error)


def receiver(protocol, address, port):
    sock = bound(socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM, address, port)
    return sock if protocol == "udp" else sock.accept()[0]


def late_pages(ms):
    """Returns pages of memory, each of which a process brings MS after it was touched."""
    libc = ctypes.CDLL(None, use_errno=True)
    pages, page = 100, 4096
    memory = mmap.mmap(-1, pages * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    fd = libc.syscall(SYS_USERFAULTFD, os.O_CLOEXEC)
    fcntl.ioctl(fd, UFFDIO_API, bytearray(struct.pack("QQQ", 0xAA, 0, 0)))
    fcntl.ioctl(fd, UFFDIO_REGISTER, bytearray(struct.pack("QQQQ", start, pages * page, 1, 0)))
    if not os.fork():
        # The event's kind takes 8 bytes, its flags, too, and then comes the address.
        while event := os.read(fd, 32):
            time.sleep(ms / 1000)
            address = struct.unpack_from("Q", event, 16)[0] & -page
            fcntl.ioctl(fd, UFFDIO_ZEROPAGE, bytearray(struct.pack("QQQQ", address, page, 0, 0)))
    return iter([memoryview(memory)[number * page :][:page] for number in range(pages)])


def read_faulting(address, port, ms):
    pages = late_pages(ms)
    sock = receiver("udp", address, port)
    while sock.recv(2048):
        next(pages)[0]


def serve_faulting(address, port, ms):
    pages = late_pages(ms)
    sock = receiver("tcp", address, port)
    while request := sock.recv(2048):
        sock.sendall(next(pages)[: len(request)])


def read_busy(protocol, address, port, ms):
    sock = receiver(protocol, address, port)
    while sock.recv(2048):
        use_cpu(ms)


def read_napping(how, address, port, ms):
    sock = receiver("udp", address, port)
    while sock.recv(2048):
        {"busy": use_cpu, "asleep": sleep}[how](ms)
        nap()


def be_busy(ms):
    print("ready", flush=True)
    while True:
        use_cpu(ms)
        time.sleep(ms / 1000)


def read_greedy(protocol, address, port):
    sock = receiver(protocol, address, port)
    kept = []
    while sock.recv(2048):
        kept.append(b"x" * (1 << 20))


def read_paging(address, port, pages):
    use = page_user()
    sock = receiver("udp", address, port)
    while sock.recv(2048):
        use(pages)


def ignore(what, address, port):
    sock = bound(socket.SOCK_DGRAM if what == "udp" else socket.SOCK_STREAM, address, port,
                 protocol=socket.IPPROTO_MPTCP if what == "mptcp-connections" else 0)
    if what == "tcp":
        connection, _ = sock.accept()
    while True:
        time.sleep(1)


def inherit(what, address, port):
    sock = bound(socket.SOCK_DGRAM if what == "udp" else socket.SOCK_STREAM, address, port)
    if os.fork():
        os.wait()
    while sock:
        time.sleep(1)


def collect(address, port, size):
    listener = bound(socket.SOCK_STREAM, address, port)
    if size:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    while True:
        connection, _ = listener.accept()
        while connection.recv(1 << 16):
            pass


def read_enough(address, port, size):
    listener = bound(socket.SOCK_STREAM, address, port)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
    connection, _ = listener.accept()
    while select.select([connection], [], []) and connection.recv(2048):
        pass


def stream(address, port, size, per_second, buffer):
    with socket.socket(family_of(address), socket.SOCK_STREAM) as sock:
        if per_second:
            sock.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, per_second)
        if buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        sock.connect((address, port))
        for _ in range(size >> 14):
            sock.sendall(bytes(1 << 14))


def write_each(address, port, writes, size, ms):
    with socket.create_connection((address, port)) as sock:
        for _ in range(writes):
            sock.sendall(bytes(size))
            time.sleep(ms / 1000)


def send_whole(address, port, packets, size):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
        for _ in range(packets):
            sock.sendto(bytes(size), (address, port))
            time.sleep(0.002)


def send_paced(address, port, packets, per_second):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, per_second)
        for _ in range(packets):
            sock.sendto(bytes(100), (address, port))


@contextlib.contextmanager
def made_tun(interface):
    with open("/dev/net/tun", "r+b", buffering=0) as tun:
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TUN | IFF_NO_PI))
        print("ready", flush=True)
        yield tun


def ignore_tun(interface):
    with made_tun(interface):
        time.sleep(600)


def read_tun(interface, ms):
    with made_tun(interface) as tun:
        while True:
            time.sleep(ms / 1000)
            tun.read(2048)


def frame_for_nobody(size):
    return (b"\xff" * 6 + b"\0" * 6 + b"\x88\xb6").ljust(size, b"\0")


def packet_socket(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.bind((interface, 0))
    return sock


def balance_none(address, port):
    # struct ip_vs_service_user of <linux/ip_vs.h>
    service = struct.pack("=H2x4s2sxxI16sIII", socket.IPPROTO_UDP, socket.inet_aton(address), struct.pack("!H", port), 0,
                          b"none", 0, 0, 0xffffffff)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
        sock.setsockopt(socket.IPPROTO_IP, IP_VS_SO_SET_ADD, service)


def emit(interface, ms):
    sock = packet_socket(interface)
    print("ready", flush=True)
    # At the end, the interface goes first.
    with contextlib.suppress(OSError):
        while True:
            sock.send(frame_for_nobody(60))
            time.sleep(ms / 1000)


def flood(interface, frames, size):
    sock = packet_socket(interface)
    for _ in range(frames):
        sock.send(frame_for_nobody(size))


def ethtool(interface, words):
    """Has the kernel read words, of which the first one is the command, and change them."""
    data = array.array("I", words)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sP", interface.encode(), data.buffer_info()[0]))
    return data


def slow_card(interface, buffers, us):
    # struct ethtool_ringparam and ethtool_coalesce: what is set comes behind so many words.
    ring = ethtool(interface, [ETHTOOL_GRINGPARAM, *[0] * 8])
    ethtool(interface, [ETHTOOL_SRINGPARAM, *ring[1:5], buffers, *ring[6:]])
    times = ethtool(interface, [ETHTOOL_GCOALESCE, *[0] * 22])
    ethtool(interface, [ETHTOOL_SCOALESCE, us, *times[2:]])


def wire_end(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    # With what is left for a device to do: checksums, and to segment.
    sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    # Frames of 64 KiB come in bursts; what finds no room is lost.
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    sock.bind((interface, 0))
    return sock


def wire(first, second, lose, ms):
    """A network, of which the kernel that it is between knows nothing."""
    ends = [wire_end(first), wire_end(second)]
    others = dict(zip(ends, reversed(ends)))
    under_way = collections.deque()
    number = 0
    print("ready", flush=True)
    while True:
        timeout = max(0, under_way[0][0] - time.monotonic()) if under_way else None
        for end in select.select(ends, [], [], timeout)[0]:
            try:
                frame, address = end.recvfrom(1 << 17)
            except OSError:
                return  # Its namespace is gone.
            if address[2] == socket.PACKET_OUTGOING:
                continue
            number += len(frame) >= LENGTH_WITH_DATA
            if not lose or len(frame) < LENGTH_WITH_DATA or number % lose:
                under_way.append((time.monotonic() + ms / 1000, others[end], frame))
        while under_way and under_way[0][0] <= time.monotonic():
            _, end, frame = under_way.popleft()
            end.send(frame)


COMMANDS = {
    "serve": serve,
    "serve-beside": serve_beside,
    "serve-halves": serve_halves,
    "serve-hanging": serve_hanging,
    "serve-signed": serve_signed,
    "serve-near": serve_near,
    "serve-in-parts": serve_in_parts,
    "serve-much": serve_much,
    "serve-paced": serve_paced,
    "serve-locked": serve_locked,
    "serve-stopped": serve_stopped,
    "serve-starved": serve_starved,
    "serve-piped": serve_piped,
    "serve-asking": serve_asking,
    "serve-peeking": serve_peeking,
    "serve-peeking-late": serve_peeking_late,
    "serve-working": serve_working,
    "serve-paging": serve_paging,
    "serve-faulting": serve_faulting,
    "serve-counting": serve_counting,
    "serve-seeking": serve_seeking,
    "serve-napping": serve_napping,
    "serve-by-thread": serve_by_thread,
    "serve-by-ring": serve_by_ring,
    "serve-by-child": serve_by_child,
    "serve-activated": serve_activated,
    "serve-unheard": serve_unheard,
    "connect-often": connect_often,
    "publish": publish,
    "subscribe": subscribe,
    "poll": poll,
    "front": front,
    "front-often": front_often,
    "front-by-other": front_by_other,
    "ask": ask,
    "ask-in-halves": ask_in_halves,
    "ask-and-sleep": ask_and_sleep,
    "ask-and-leave": ask_and_leave,
    "ask-anew": ask_anew,
    "send-from-past": send_from_past,
    "ask-at-once": ask_at_once,
    "ask-in-crowd": ask_in_crowd,
    "burst": burst,
    "accept-late": accept_late,
    "accept-beside": accept_beside,
    "accept-few": accept_few,
    "connect-at-once": connect_at_once,
    "begin-only": begin_only,
    "corrupt": corrupt,
    "fragment-only": fragment_only,
    "connect": connect,
    "open-only": open_only,
    "read": read,
    "read-from": read_from,
    "share": share,
    "join": join,
    "read-batches": read_batches,
    "read-beside": read_beside,
    "read-small": read_small,
    "read-and-crash": read_and_crash,
    "read-polling": read_polling,
    "read-filtered": read_filtered,
    "trace": trace,
    "decide": decide,
    "add-datapath": add_datapath,
    "read-faulting": read_faulting,
    "read-busy": read_busy,
    "read-napping": read_napping,
    "be-busy": be_busy,
    "read-greedy": read_greedy,
    "read-paging": read_paging,
    "ignore": ignore,
    "inherit": inherit,
    "collect": collect,
    "read-enough": read_enough,
    "stream": stream,
    "write-each": write_each,
    "send-whole": send_whole,
    "send-paced": send_paced,
    "ignore-tun": ignore_tun,
    "read-tun": read_tun,
    "balance-none": balance_none,
    "emit": emit,
    "flood": flood,
    "slow-card": slow_card,
    "wire": wire,
}
COMMANDS[sys.argv[1]](*(int(word) if word.isdigit() else word for word in sys.argv[2:]))
