#!/usr/bin/python3 -S
"""Known traffic: exact numbers of UDP packets, TCP streams, and receivers of many habits.

usage: traffic.py udp-send ADDRESS PORT PACKETS [MS]
           sleeps MS after each
       traffic.py udp-send-numbered ADDRESS PORT PACKETS FIRST MS
           each with its number, FIRST and up, in 4 bytes; sleeps MS after each
       traffic.py udp-send-batches ADDRESS PORT BATCHES PACKETS
           so many batches of PACKETS, each of which is one for the kernel to cut (UDP_SEGMENT)
       traffic.py udp-send-at ADDRESS PORT PACKETS
           asks to send each now, in TAI: the packets carry that time as their stamp
       traffic.py udp-send-ttl ADDRESS PORT PACKETS TTL
       traffic.py udp-send-bad ADDRESS PORT PACKETS
           with wrong checksums, over IPv4
       traffic.py udp-receive ADDRESS PORT PACKETS [MS]
           prints the packets' mean age in ns when read and, on another line, all ages;
           sleeps MS before each read
       traffic.py udp-receive-as ADDRESS PORT PACKETS PID
           receives as a process of that id, on the first CPU, and the last of PACKETS in another
           thread; prints the packets
       traffic.py udp-starve ADDRESS PORT PACKETS MS
           receives on one CPU with a task of a higher priority that takes it for MS, again and again, with as
           long in between; prints the packets
       traffic.py udp-send-one-by-one ADDRESS PORT PACKETS FIRST
           sends each from a port of its own, FIRST and up, when the one before was read
       traffic.py udp-read-late ADDRESS PORT PACKETS EVERY MS
           reads these, and sleeps MS before one of EVERY; prints its process id and, on another line, their ages in
           ns when read, each as PORT:AGE
       traffic.py udp-multicast GROUP PORT PACKETS [SLEEP_MS]
           joins a multicast group, and sleeps before it reads each packet; prints the packets
       traffic.py udp-peek ADDRESS PORT PACKETS
           peeks at each packet before it reads it; prints the packets
       traffic.py udp-drop ADDRESS PORT PACKETS
           has little room, reads only after PACKETS came by; prints how many there were
       traffic.py udp-preempt ADDRESS PORT PACKETS
           peeks at a packet to PORT without end, on one CPU with a reader that preempts it for each of
           PACKETS to the next port; then reads it, and prints how often both peeked and read
       traffic.py udp-send-behind ADDRESS PORT PACKETS CROWD OTHER_ADDRESS
           sends each right behind CROWD packets to the other address, and waits for 100 ms before the next crowd
       traffic.py udp-to-self ADDRESS PORT
           sends to itself and reads, never sleeping, until it is killed
       traffic.py udp-send-each ADDRESS PORT PORTS
           sends one packet to each port from PORT on, and a second one to the odd ones
       traffic.py udp-receive-each ADDRESS PORT PORTS
           receives these; prints the packets
       traffic.py udp-fetch ADDRESS FILE
           fetches it by TFTP; prints the packets that it took
       traffic.py raw-send ADDRESS PACKETS MS
           sleeps MS after each
       traffic.py raw-receive ADDRESS PACKETS
           prints the packets
       traffic.py qrtr-to-self CPU
           sends to itself and reads, on this CPU, until it is killed
       traffic.py close-unread unix|netlink MESSAGES
           closes sockets of this kind, each with so many messages unread
       traffic.py tcp-send ADDRESS PORT BYTES [MS [SEQ]]
           closes MS after it has sent; the connection's sequence numbers begin at SEQ
       traffic.py tcp-receive ADDRESS PORT [MS]
           reads until the sender closes; prints the bytes; sleeps MS before each read
       traffic.py tcp-send-each ADDRESS PORT SEGMENTS MS [SEQ]
           sends segments of 100 bytes; sleeps MS after each; prints when it sent each, in ns
       traffic.py tcp-hold ADDRESS PORT BYTES MS
           reads so many bytes, while another thread sends from memory that takes MS to be there, and then
           sleeps as long, again and again; prints the bytes
       traffic.py tcp-echo ADDRESS PORT BYTES
           sends them, and reads them back; prints the bytes
       traffic.py tcp-read ADDRESS PORT peek|splice|truncate|wait|enough [MS]
           prints the bytes that it read: after a peek before each read; by splice(2); with MSG_TRUNC, which
           throws them away; MS after the sender has closed; or when 1000 bytes are there (SO_RCVLOWAT), or no more
           will come. Prints when it began to, too
       traffic.py tcp-reconnect ADDRESS PORT
           sends 5 segments to a socket that does not read them, but disconnects; then one to the same socket,
           connected anew, that does
       traffic.py tcp-end ADDRESS PORT CONNECTIONS SEGMENTS READ close|reset|disconnect
           makes connections to itself, one after the other, of which each has SEGMENTS queued and READ of them
           read; then it is closed, reset by the sender, or disconnected
       traffic.py queue ADDRESS PORT PACKETS
           sends so many to itself, UDP and raw, and as many bytes by TCP; then reads, TCP byte by byte

Receivers print "ready" as soon as they can receive.
"""
import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
import termios
import threading
import time

# asm-generic/socket.h; Python's socket module has no names for them.
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
SO_TXTIME = 61
UDP_SEGMENT = 103  # linux/udp.h
CLOCK_TAI = 11
TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ, TCP_SEND_QUEUE = 19, 20, 21, 2
SYS_CLONE3 = 435
CLONE_ARGS = struct.Struct("11Q")
# linux/netlink.h, linux/rtnetlink.h
NLM_F_REQUEST = 1
RTM_GETLINK = 18
RAW_PROTOCOL = 253  # for experiments (RFC 3692)
TIMESPEC = struct.Struct("qq")
PAYLOAD = b"x" * 100

libc = ctypes.CDLL(None)


def new_socket(kind, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.socket(family, kind)


def udp_send(address, port, packets, sleep_ms=0):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        for _ in range(packets):
            sock.sendto(PAYLOAD, (address, port))
            if sleep_ms:
                time.sleep(sleep_ms / 1000)


def udp_send_numbered(address, port, packets, first, sleep_ms):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        for number in range(first, first + packets):
            sock.sendto(struct.pack("!I", number), (address, port))
            time.sleep(sleep_ms / 1000)


def udp_send_batches(address, port, batches, packets):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, len(PAYLOAD))
        for _ in range(batches):
            sock.sendto(PAYLOAD * packets, (address, port))


def udp_send_at(address, port, packets):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME, struct.pack("iI", CLOCK_TAI, 0))
        for _ in range(packets):
            now = struct.pack("Q", time.clock_gettime_ns(CLOCK_TAI))
            sock.sendmsg([PAYLOAD], [(socket.SOL_SOCKET, SO_TXTIME, now)], 0, (address, port))


def udp_send_behind(address, port, packets, crowd, other_address):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        for _ in range(packets):
            for _ in range(crowd):
                sock.sendto(PAYLOAD, (other_address, port))
            sock.sendto(PAYLOAD, (address, port))
            time.sleep(0.1)


def udp_send_ttl(address, port, packets, ttl):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
        for _ in range(packets):
            sock.sendto(PAYLOAD, (address, port))


def udp_send_bad(address, port, packets):
    header = struct.pack("!4H", port, port, 8 + len(PAYLOAD), 1)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP) as sock:
        for _ in range(packets):
            sock.sendto(header + PAYLOAD, (address, 0))


def age_ns(ancillary):
    """How long ago the kernel stamped the packet that has this ancillary data."""
    now = time.clock_gettime_ns(time.CLOCK_REALTIME)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = TIMESPEC.unpack(data)
            return now - (seconds * 1_000_000_000 + nanoseconds)
    raise RuntimeError("a packet came without SO_TIMESTAMPNS")


def udp_bind(address, port, room=64 << 20):
    sock = new_socket(socket.SOCK_DGRAM, address)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, room)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.bind((address, port))
    return sock


def udp_listen(address, port, **options):
    sock = udp_bind(address, port, **options)
    print("ready", flush=True)
    return sock


def udp_receive(address, port, packets, sleep_ms=0):
    ages = []
    with udp_listen(address, port) as sock:
        for _ in range(packets):
            select.select([sock], [], [])
            time.sleep(sleep_ms / 1000)
            ages.append(age_ns(sock.recvmsg(2048, 256)[1]))
    print(sum(ages) / len(ages))
    print(*ages)


def fork_as(pid):
    """As os.fork(), with a process id of choice (clone3(2), Linux 5.5)."""
    ids = ctypes.c_int(pid)
    args = CLONE_ARGS.pack(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(ids), 1, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    forked = libc.syscall(SYS_CLONE3, args, len(args))
    if forked < 0:
        raise OSError(ctypes.get_errno(), f"cannot make a process {pid}")
    return forked


def udp_receive_as(address, port, packets, pid):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if fork_as(pid):
        os.waitpid(pid, 0)
        return
    with udp_listen(address, port) as sock:
        for _ in range(packets - 1):
            sock.recv(2048)
        thread = threading.Thread(target=sock.recv, args=(2048,))
        thread.start()
        thread.join()
    print(packets, flush=True)
    os._exit(0)


def hog(cpu, ms):
    """Takes a CPU for a while, again and again."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    while True:
        end = time.monotonic() + ms / 1000
        while time.monotonic() < end:
            pass
        time.sleep(ms / 1000)


def udp_starve(address, port, packets, ms):
    cpu = os.cpu_count() - 1
    child = os.fork()
    if not child:
        hog(cpu, ms)
    os.sched_setaffinity(0, {cpu})
    with udp_listen(address, port) as sock:
        for _ in range(packets):
            sock.recv(2048)
    os.kill(child, signal.SIGKILL)
    print(packets)


def udp_send_one_by_one(address, port, packets, first):
    for sender in range(first, first + packets):
        with new_socket(socket.SOCK_DGRAM, address) as sock:
            sock.bind(("", sender))
            sock.sendto(PAYLOAD, (address, port))
            sock.recv(2048)


def udp_read_late(address, port, packets, every, ms):
    ages = {}
    # Real time, for nobody to come between the read and the look at the clock.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    with udp_listen(address, port) as sock:
        for number in range(1, packets + 1):
            if number % every == 0:
                select.select([sock], [], [])
                time.sleep(ms / 1000)
            _, ancillary, _, sender = sock.recvmsg(2048, 256)
            ages[sender[1]] = age_ns(ancillary)
            sock.sendto(b"x", sender)
    print(os.getpid())
    print(*(f"{sender}:{age}" for sender, age in ages.items()))


def udp_multicast(group, port, packets, sleep_ms=0):
    with new_socket(socket.SOCK_DGRAM, group) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((group, port))
        interface = struct.pack("4sII", socket.inet_aton(group), 0, socket.if_nametoindex("veth0"))
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, interface)
        print("ready", flush=True)
        for _ in range(packets):
            select.select([sock], [], [])
            time.sleep(sleep_ms / 1000)
            sock.recv(2048)
    print(packets)


def udp_peek(address, port, packets):
    with udp_listen(address, port) as sock:
        for _ in range(packets):
            sock.recv(2048, socket.MSG_PEEK)
            sock.recv(2048)
    print(packets)


def udp_drops():
    """Packets for which sockets of this network namespace had no room."""
    with open("/proc/net/snmp") as counters:
        names, values = [line.split() for line in counters if line.startswith("Udp:")]
    return int(dict(zip(names, values))["RcvbufErrors"])


def udp_drop(address, port, packets):
    read, before = 0, udp_drops()
    with udp_listen(address, port, room=8192) as sock:
        while udp_drops() == before:
            time.sleep(0.1)
        while udp_drops() != before:
            before = udp_drops()
            time.sleep(1)
        sock.setblocking(False)
        while read < packets and select.select([sock], [], [], 0)[0]:
            sock.recv(2048)
            read += 1
    print(read)


def udp_to_self(address, port):
    with udp_listen(address, port) as sock:
        while True:
            sock.sendto(PAYLOAD, (address, port))
            sock.recv(2048)


def packets_to(port):
    return 1 + port % 2


def udp_send_each(address, port, ports):
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        for to in range(port, port + ports):
            for _ in range(packets_to(to)):
                sock.sendto(b"x", (address, to))
            # Only so many packets may wait for a CPU's softirq.
            if not to % 100:
                time.sleep(0.001)


def udp_receive_each(address, port, ports):
    resource.setrlimit(resource.RLIMIT_NOFILE, (ports + 100, ports + 100))
    sockets, packets = [], 0
    for to in range(port, port + ports):
        sockets.append(new_socket(socket.SOCK_DGRAM, address))
        sockets[-1].bind((address, to))
    print("ready", flush=True)
    for to, sock in enumerate(sockets, port):
        for _ in range(packets_to(to)):
            sock.recv(2048)
            packets += 1
    print(packets)


def udp_preempt(address, port, packets):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    patient, urgent = udp_bind(address, port), udp_bind(address, port + 1)
    reader = os.fork()
    if not reader:
        # Real time comes before all else.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        for _ in range(packets):
            urgent.recv(2048)
        os._exit(0)
    print("ready", flush=True)
    peeks = 0
    while not os.waitpid(reader, os.WNOHANG)[0]:
        for _ in range(100):
            patient.recv(2048, socket.MSG_PEEK)
        peeks += 100
    patient.recv(2048)
    print(peeks + packets + 1)


def raw_send(address, packets, sleep_ms):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, RAW_PROTOCOL) as sock:
        for _ in range(packets):
            sock.sendto(PAYLOAD, (address, 0))
            time.sleep(sleep_ms / 1000)


def raw_receive(address, packets):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, RAW_PROTOCOL) as sock:
        sock.bind((address, 0))
        print("ready", flush=True)
        for _ in range(packets):
            sock.recv(2048)
    print(packets)


def qrtr_to_self(cpu):
    os.sched_setaffinity(0, {int(cpu)})
    with socket.socket(socket.AF_QIPCRTR, socket.SOCK_DGRAM) as sender, \
            socket.socket(socket.AF_QIPCRTR, socket.SOCK_DGRAM) as receiver:
        node, _ = receiver.getsockname()
        receiver.bind((node, 0))
        to = receiver.getsockname()
        print("ready", flush=True)
        while True:
            sender.sendto(b"x", to)
            receiver.recv(1)


def unread_of_unix(messages):
    for kind in socket.SOCK_DGRAM, socket.SOCK_STREAM:
        sender, receiver = socket.socketpair(socket.AF_UNIX, kind)
        # As with journald, messages have stamps.
        receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        for _ in range(messages):
            sender.send(PAYLOAD)
        yield receiver


def unread_of_netlink(messages):
    get_loopback = struct.pack("=LHHLLBxHiLL", 32, RTM_GETLINK, NLM_F_REQUEST, 0, 0, socket.AF_UNSPEC, 0, 1, 0, 0)
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    for _ in range(messages):
        sock.send(get_loopback)
    yield sock


def close_unread(kind, messages):
    for sock in {"unix": unread_of_unix, "netlink": unread_of_netlink}[kind](messages):
        assert select.select([sock], [], [], 0)[0]
        sock.close()


def bytes_to_read(sock):
    return struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, bytes(4)))[0]


def queue(address, port, packets):
    with new_socket(socket.SOCK_DGRAM, address) as udp, \
            socket.socket(socket.AF_INET, socket.SOCK_RAW, RAW_PROTOCOL) as raw, \
            new_socket(socket.SOCK_STREAM, address) as listener, \
            new_socket(socket.SOCK_STREAM, address) as tcp:
        udp.bind((address, port))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
        tcp.connect((address, port))
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection, _ = listener.accept()
        for _ in range(packets):
            udp.sendto(b"x", (address, port))
            raw.sendto(b"x", (address, 0))
            tcp.sendall(b"x")
        # The last to be queued, as softirqs keep their order.
        while bytes_to_read(connection) < packets:
            time.sleep(0.1)
        for _ in range(packets):
            udp.recv(2048)
            raw.recv(2048)
            connection.recv(1)
        # An orderly end would be one more segment that is queued; a reset is none.
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        tcp.close()


def connect(sock, address, port, seq):
    """A number that a socket has before it connects, it keeps."""
    if seq is not None:
        for option, value in (TCP_REPAIR, 1), (TCP_REPAIR_QUEUE, TCP_SEND_QUEUE), (TCP_QUEUE_SEQ, seq), (TCP_REPAIR, 0):
            sock.setsockopt(socket.IPPROTO_TCP, option, struct.pack("I", value))
    sock.connect((address, port))


def tcp_send(address, port, size, sleep_ms=0, seq=None):
    with new_socket(socket.SOCK_STREAM, address) as sock:
        connect(sock, address, port, seq)
        sock.sendall(bytes(size))
        time.sleep(sleep_ms / 1000)


def tcp_receive(address, port, sleep_ms=0):
    size = 0
    with new_socket(socket.SOCK_STREAM, address) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
        print("ready", flush=True)
        connection, _ = listener.accept()
        with connection:
            while True:
                select.select([connection], [], [])
                time.sleep(sleep_ms / 1000)
                data = connection.recv(65536)
                if not data:
                    break
                size += len(data)
    print(size)


def tcp_send_each(address, port, segments, sleep_ms, seq=None):
    with new_socket(socket.SOCK_STREAM, address) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connect(sock, address, port, seq)
        for _ in range(segments):
            print(time.time_ns())
            sock.sendall(PAYLOAD)
            time.sleep(sleep_ms / 1000)


def read_after_peek(connection):
    connection.recv(1, socket.MSG_PEEK)
    return len(connection.recv(65536))


def read_by_splice(connection, pipe=[]):
    pipe = pipe or pipe.extend(os.pipe()) or pipe
    size = os.splice(connection.fileno(), pipe[1], 65536)
    if size:
        os.read(pipe[0], size)
    return size


def read_and_truncate(connection):
    return connection.recv_into(bytearray(65536), 65536, socket.MSG_TRUNC)


def read_enough(connection):
    select.select([connection], [], [])
    return len(connection.recv(65536))


READS = {"peek": read_after_peek, "splice": read_by_splice, "truncate": read_and_truncate, "enough": read_enough,
         "wait": lambda connection: len(connection.recv(65536))}


def wait_for_end(connection):
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    poll.poll()


def listen(address, port):
    listener = new_socket(socket.SOCK_STREAM, address)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen()
    return listener


def tcp_read(address, port, habit, sleep_ms=0):
    size = 0
    with listen(address, port) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
        if habit == "enough":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1000)
        if habit == "wait":
            wait_for_end(connection)
        time.sleep(sleep_ms / 1000)
        started = time.time_ns()
        while read := READS[habit](connection):
            size += read
    print(size, started, sep="\n")


class SlowMemory:
    """Memory of which each page takes MS to be there when it is first touched, also by the kernel
    (userfaultfd(2))."""
    SYSCALL = {"x86_64": 323, "aarch64": 282}
    API, REGISTER, ZEROPAGE = 0xc018aa3f, 0xc020aa00, 0xc020aa04

    def __init__(self, pages, ms):
        self.memory, self.ms = mmap.mmap(-1, pages * mmap.PAGESIZE, mmap.MAP_PRIVATE), ms
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.fd = libc.syscall(self.SYSCALL[os.uname().machine], os.O_CLOEXEC)
        fcntl.ioctl(self.fd, self.API, struct.pack("3Q", 0xaa, 0, 0))
        fcntl.ioctl(self.fd, self.REGISTER, struct.pack("4Q", start, len(self.memory), 1, 0))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            address = struct.unpack_from("Q", os.read(self.fd, 32), 16)[0]
            time.sleep(self.ms / 1000)
            page = address & -mmap.PAGESIZE
            fcntl.ioctl(self.fd, self.ZEROPAGE, struct.pack("4Q", page, mmap.PAGESIZE, 0, 0))

    def pages(self):
        with memoryview(self.memory) as view:
            for start in range(0, len(view), mmap.PAGESIZE):
                yield view[start:start + 1]


def send_slowly(connection, ms):
    for byte in SlowMemory(1000, ms).pages():
        connection.send(byte)
        time.sleep(ms / 1000)


def tcp_hold(address, port, size, ms):
    left = size
    with listen(address, port) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
        threading.Thread(target=send_slowly, args=(connection, ms), daemon=True).start()
        while left:
            left -= len(connection.recv(left))
    print(size, flush=True)
    os._exit(0)


def tcp_reconnect(address, port):
    with listen(address, port) as listener, new_socket(socket.SOCK_STREAM, address) as sock:
        for segments, read in ((5, False), (1, True)):
            sock.connect((address, port))
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(segments):
                connection.sendall(b"x")
                time.sleep(0.05)
            print(bytes_to_read(sock), "bytes to read")
            if read:
                sock.recv(2048)
            else:
                time.sleep(4)
                # To connect to nowhere is to disconnect (tcp_disconnect()).
                libc.connect(sock.fileno(), bytes(16), 16)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()


def reset(sock):
    """Closes a connection without another segment that is queued."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def connect_to_self(listener):
    sender = socket.socket(listener.family, socket.SOCK_STREAM)
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sender.connect(listener.getsockname())
    return sender, listener.accept()[0]


def wait_for_bytes(sock, size):
    while bytes_to_read(sock) < size:
        time.sleep(0.001)


def end_by_close(sender, connection):
    connection.close()
    sender.close()


def end_by_reset(sender, connection):
    reset(sender)
    # There is an error then, and the data can be read still.
    poll = select.poll()
    poll.register(connection, 0)
    poll.poll()
    connection.close()


def end_by_disconnect(sender, connection):
    libc.connect(connection.fileno(), bytes(16), 16)
    end_by_close(sender, connection)


ENDS = {"close": end_by_close, "reset": end_by_reset, "disconnect": end_by_disconnect}


def tcp_end(address, port, connections, segments, read, end):
    with listen(address, port) as listener:
        for _ in range(connections):
            sender, connection = connect_to_self(listener)
            for _ in range(segments):
                sender.sendall(b"x")
            wait_for_bytes(connection, segments)
            for _ in range(read):
                connection.recv(1)
            ENDS[end](sender, connection)


def udp_fetch(address, name):
    packets, number = 0, 0
    with new_socket(socket.SOCK_DGRAM, address) as sock:
        sock.settimeout(10)
        sock.sendto(b"\0\1" + name.encode() + b"\0octet\0", (address, 69))
        block = bytes(516)
        # The last block is a short one.
        while len(block) == 516:
            block, server = sock.recvfrom(2048)
            packets += 1
            sock.sendto(b"\0\4" + block[2:4], server)
    print(packets)


def tcp_echo(address, port, size):
    with socket.create_connection((address, port)) as sock:
        threading.Thread(target=sock.sendall, args=(bytes(size),)).start()
        left = size
        while left:
            left -= len(sock.recv(left))
    print(size)


COMMANDS = {
    "udp-send": udp_send,
    "udp-send-numbered": udp_send_numbered,
    "udp-send-batches": udp_send_batches,
    "udp-send-at": udp_send_at,
    "udp-send-behind": udp_send_behind,
    "udp-send-ttl": udp_send_ttl,
    "udp-send-bad": udp_send_bad,
    "udp-receive": udp_receive,
    "udp-receive-as": udp_receive_as,
    "udp-starve": udp_starve,
    "udp-multicast": udp_multicast,
    "udp-peek": udp_peek,
    "udp-drop": udp_drop,
    "udp-preempt": udp_preempt,
    "udp-to-self": udp_to_self,
    "udp-send-one-by-one": udp_send_one_by_one,
    "udp-read-late": udp_read_late,
    "udp-send-each": udp_send_each,
    "udp-receive-each": udp_receive_each,
    "udp-fetch": udp_fetch,
    "raw-send": raw_send,
    "raw-receive": raw_receive,
    "qrtr-to-self": qrtr_to_self,
    "close-unread": close_unread,
    "tcp-send": tcp_send,
    "tcp-receive": tcp_receive,
    "tcp-send-each": tcp_send_each,
    "tcp-hold": tcp_hold,
    "tcp-read": tcp_read,
    "tcp-echo": tcp_echo,
    "tcp-reconnect": tcp_reconnect,
    "tcp-end": tcp_end,
    "queue": queue,
}

if __name__ == "__main__":
    command, address, *numbers = sys.argv[1:]
    COMMANDS[command](address, *(int(n) if n.isdigit() else n for n in numbers))
