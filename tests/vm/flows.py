#!/usr/bin/python3 -S
"""Flows that differ in all that netstacklat tells packets apart by, each of another prime number of packets.

usage: tests/vm/flows.py run MOUNT CGROUP START
           Prints "ready" with the ids of the processes that will read, and the flows. Once there is a
           file START, lets them flow. Uses cgroups from MOUNT/CGROUP on down.
       tests/vm/flows.py check FOLDER
           Reads lines of four words: NAME, KEYS, FACTS and CONDITION; the last may have spaces, and - stands
           for no keys or facts. All packets of the flows in FOLDER/flows that meet the condition, which is
           about these facts, must have been counted in the total of FOLDER/NAME.out, by groups of these keys.
"""
import ctypes
import itertools
import json
import os
import select
import socket
import struct
import sys
import time
from collections import Counter
from types import SimpleNamespace

CLIENT, SERVER, OWN = "netstacklat-client", "netstacklat-server", None
# As flows_up() makes them. veth1 and veth2 have the same index.
ADDRESSES = {
    ("veth0", SERVER): {4: "192.0.2.2", 6: "2001:db8::2"},
    ("veth0", CLIENT): {4: "192.0.2.1", 6: "2001:db8::1"},
    ("veth1", SERVER): {4: "198.51.100.2", 6: "2001:db8:1::2"},
    ("veth2", CLIENT): {4: "198.51.100.1", 6: "2001:db8:1::1"},
    ("lo", OWN): {4: "127.0.0.1", 6: "::1"},
}
# Where packets arrive, and where they come from.
INTERFACES = [("veth0", SERVER, "veth0", CLIENT), ("veth1", SERVER, "veth2", CLIENT),
              ("veth2", CLIENT, "veth1", SERVER), ("lo", OWN, "lo", OWN)]
PORTS = [4001, 4002, 4003, 4004]
# Where an IPv6 socket speaks IPv4.
MAPPED_PORT = 5203
CONTAINER = "/docker-" + 4 * "0123456789abcdef" + ".scope"
# A process each: its cgroup, what the path of that tells, and its name.
READERS = [
    ("/red.service", {"unit": "red.service"}, "red"),
    ("/red.service/late", {"unit": "red.service"}, "red"),
    (CONTAINER, {"container": "0123456789ab"}, "blue"),
    (CONTAINER + "/inner", {"container": "0123456789ab"}, 'a "b"\\'),
]
RED, LATE, BLUE, INNER, SENDER = range(5)

FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
TYPES = {"udp": socket.SOCK_DGRAM, "raw": socket.SOCK_RAW, "tcp": socket.SOCK_STREAM}
RAW_PROTOCOL = 253  # for experiments (RFC 3692)
SO_RCVBUFFORCE = 33  # asm-generic/socket.h
CLONE_NEWNET = 0x40000000
CPUS = sorted(os.sched_getaffinity(0))

# Where the number of packets is certain, and what is known of them there. That TCP's softirqs may leave work
# to whoever holds the socket makes their CPU a matter of chance.
SKB = {"interface", "netns", "ip_version", "remote"}
SOCKET = {"netns", "ip_version", "cgroup"}
READER = {"pid", "comm", "cpu"}
KNOWN = {
    "udp-start": SKB | {"cpu"},
    "udp-queue-rcv": SKB | SOCKET | {"port", "cpu"},
    "udp-socket-enqueued": SKB | SOCKET | {"port", "cpu"},
    "udp-socket-read": SKB | SOCKET | {"port"} | READER,
    "tcp-socket-enqueued": SKB | SOCKET | {"port"},
    "tcp-socket-read": SOCKET | {"port", "remote"} | READER,
    "raw-socket-enqueued": SKB | SOCKET | {"cpu"},
    "raw-socket-read": SKB | SOCKET | READER,
}


def primes():
    for number in itertools.count(11):
        if all(number % divisor for divisor in range(2, number)):
            yield number


def make_flows():
    """No two of what tells them apart go together. A port of 0 stands for none."""
    choices = [("udp", i, version, port, (i + p + version // 6) % 4, (p // 2 + version // 6) % 2)
               for i in range(len(INTERFACES)) for version in (4, 6) for p, port in enumerate(PORTS)]
    choices += [("raw", 0, 4, 0, 0, 0), ("raw", 0, 6, 0, 1, 1), ("raw", 1, 6, 0, 2, 0), ("raw", 2, 4, 0, 3, 1),
                ("tcp", 0, 4, 5201, 0, 0), ("tcp", 2, 6, 5202, 3, 1), ("tcp", 1, 4, MAPPED_PORT, 2, 0)]
    for (kind, i, version, port, reader, cpu), packets in zip(choices, primes()):
        interface, netns, from_interface, from_netns = INTERFACES[i]
        yield SimpleNamespace(kind=kind, interface=interface, netns=netns, address=ADDRESSES[interface, netns][version],
                              from_interface=from_interface, from_netns=from_netns,
                              from_address=ADDRESSES[from_interface, from_netns][version], ip_version=version,
                              port=port, reader=reader, cpu=CPUS[-cpu], packets=packets)


def ends(flows, cgroup, pids):
    """Whatever receives packets: the sender of TCP gets answers, as many as it sent."""
    for flow in flows:
        path, role, comm = READERS[flow.reader]
        yield {"kind": flow.kind, "interface": flow.interface, "netns": flow.netns, "ip_version": flow.ip_version,
               "remote": flow.from_address, "port": flow.port, "cgroup": cgroup + path, "role": role, "reader": flow.reader,
               "pid": pids[flow.reader], "comm": comm, "cpu": flow.cpu, "reader_cpu": reader_cpu(flow.reader),
               "packets": flow.packets}
        if flow.kind == "tcp":
            yield {"kind": flow.kind, "interface": flow.from_interface, "netns": flow.from_netns,
                   "ip_version": flow.ip_version, "remote": flow.address, "port": sender_port(flow), "cgroup": cgroup, "role": {},
                   "reader": SENDER, "pid": os.getpid(), "comm": "sender", "cpu": flow.cpu,
                   "reader_cpu": CPUS[0], "packets": flow.packets}


def reader_cpu(reader):
    return CPUS[-(reader // 2)]


def sender_port(flow):
    return flow.port + 1000 if flow.kind == "tcp" else 0


class Namespaces:
    def __init__(self):
        self.files = {netns: open("/run/netns/" + netns if netns else "/proc/self/ns/net")
                      for _, netns, *_ in INTERFACES}

    def socket(self, flow, netns, ip_version):
        if ctypes.CDLL(None, use_errno=True).setns(self.files[netns].fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "cannot enter a network namespace")
        protocol = RAW_PROTOCOL if flow.kind == "raw" else 0
        return socket.socket(FAMILIES[ip_version], TYPES[flow.kind], protocol)

    def receiver(self, flow):
        mapped = flow.port == MAPPED_PORT
        sock = self.socket(flow, flow.netns, 6 if mapped else flow.ip_version)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        sock.bind(("::ffff:" + flow.address if mapped else flow.address, flow.port))
        if flow.kind == "tcp":
            sock.listen()
        return sock

    def sender(self, flow):
        sock = self.socket(flow, flow.from_netns, flow.ip_version)
        if sender_port(flow):
            sock.bind(("", sender_port(flow)))
        sock.connect((flow.address, flow.port))
        return sock


def enter_cgroup(path):
    with open(path + "/cgroup.procs", "w") as file:
        file.write("0")


def set_comm(name):
    with open("/proc/self/comm", "w") as file:
        file.write(name)


def receive(sock):
    if not select.select([sock], [], [], 60)[0]:
        raise TimeoutError("packets were lost")
    return sock.recv(2048)


def ask(sock, flow):
    """The kernel merges what is queued in a row, so each is answered before the next. An orderly end would be
    one more segment that is queued; a reset is none."""
    for _ in range(flow.packets):
        sock.sendall(b"x")
        receive(sock)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def answer(listener, flow):
    connection, _ = listener.accept()
    for _ in range(flow.packets):
        connection.sendall(receive(connection))
    try:
        receive(connection)
    except ConnectionResetError:
        connection.close()


class Reader:
    """One at a time reads what has been queued for it: the kernel leaves out a program that interrupts itself,
    and so may that of one reader which is preempted by another."""

    def __init__(self, reader, flows, folder, namespaces):
        ours, theirs = socket.socketpair()
        self.pipe = ours
        self.pid = os.fork()
        if not self.pid:
            self.pipe = theirs
            ours.close()
            self.run(reader, [flow for flow in flows if flow.reader == reader], folder, namespaces)
            os._exit(0)
        theirs.close()

    def run(self, reader, flows, folder, namespaces):
        set_comm(READERS[reader][2])
        os.sched_setaffinity(0, {reader_cpu(reader)})
        self.wait()
        enter_cgroup(folder + READERS[reader][0])
        receivers = [(namespaces.receiver(flow), flow) for flow in flows]
        self.go_on()
        self.wait()
        for sock, flow in receivers:
            if flow.kind != "tcp":
                for _ in range(flow.packets):
                    receive(sock)
        self.go_on()
        for sock, flow in receivers:
            if flow.kind == "tcp":
                answer(sock, flow)

    def go_on(self):
        self.pipe.send(b"x")

    def wait(self):
        if not self.pipe.recv(1):
            sys.exit("a process of the flows failed")

    def finish(self):
        if os.waitpid(self.pid, 0)[1]:
            sys.exit("a reader failed")


def send_in_turn(flows, namespaces):
    """So that packets of one flow never come in a row."""
    senders = [namespaces.sender(flow) for flow in flows]
    for nr in range(max(flow.packets for flow in flows)):
        for sock, flow in zip(senders, flows):
            if nr < flow.packets:
                sock.send(b"x")
        # Only so many packets may wait for a CPU's softirq.
        time.sleep(0.001)


def send_datagrams(flows, namespaces):
    """A packet's softirq runs on the CPU that sent it."""
    for cpu in {CPUS[-1], CPUS[0]}:
        os.sched_setaffinity(0, {cpu})
        send_in_turn([flow for flow in flows if flow.kind != "tcp" and flow.cpu == cpu], namespaces)
    os.sched_setaffinity(0, {CPUS[0]})


def run(mount, cgroup, start):
    folder = mount + cgroup
    flows = list(make_flows())
    namespaces = Namespaces()
    for reader, (path, *_) in enumerate(READERS):
        if reader != LATE:
            os.makedirs(folder + path, exist_ok=True)
    enter_cgroup(folder)
    set_comm("sender")

    readers = [Reader(reader, flows, folder, namespaces) for reader in range(len(READERS))]
    pids = [reader.pid for reader in readers]
    print("ready", *pids, os.getpid())
    print(json.dumps(list(ends(flows, cgroup, pids))), flush=True)
    while not os.path.exists(start):
        time.sleep(0.1)
    os.mkdir(folder + READERS[LATE][0])
    for reader in readers:
        reader.go_on()
        reader.wait()
    send_datagrams(flows, namespaces)
    for reader in readers:
        reader.go_on()
        reader.wait()
    for flow in flows:
        if flow.kind == "tcp":
            ask(namespaces.sender(flow), flow)
    for reader in readers:
        reader.finish()


def group_of(end, hook, keys):
    """As reports have it."""
    end = dict(end, cpu=end["reader_cpu"] if hook.endswith("-read") else end["cpu"])
    group = {key: end[key] for key in keys if key in KNOWN[hook]}
    if "netns" in group and not end["netns"]:
        group["netns"] = f"inode/{os.stat('/proc/self/ns/net').st_ino}"
    if "interface" in group and end["netns"]:
        group["netns"] = end["netns"]
    if "cgroup" in group:
        group.update(end["role"])
    if "pid" in group:
        group["comm"] = end["comm"]
    return as_text(group)


def as_text(group):
    return json.dumps(group, sort_keys=True)


def groups_at(hook, file, condition=lambda end: True, keys=()):
    """Of the flows in a file: how many packets a hook counts in each group, and how many it filters."""
    groups, filtered = Counter(), 0
    with open(file) as lines:
        for end in json.loads(lines.readlines()[1]):
            if end["kind"] != hook.split("-")[0]:
                continue
            if condition(SimpleNamespace(**end)):
                groups[group_of(end, hook, keys)] += end["packets"]
            else:
                filtered += end["packets"]
    assert groups, f"{hook}: no flow meets the condition, which proves nothing"
    print(f"{hook}: {sum(groups.values())} packets in {len(groups)} groups, {filtered} filtered")
    return groups, filtered


def assert_hooks(report, facts):
    """Where the facts are known, the hooks asked for are there, and nowhere else. Returns those of the flows."""
    asked = [hook["hook"] for hook in report["hooks"] if hook["hook"] in KNOWN]
    shown = {h["hook"] for h in report["histograms"]}
    hooks = [hook for hook in asked if hook in shown]
    assert hooks and hooks == [hook for hook in asked if facts <= KNOWN[hook]], hooks
    return hooks


def assert_flows(report, file, facts=(), condition=lambda end: True, keys=()):
    """At every hook that knows the facts, all packets that meet the condition were counted, and no others."""
    for hook in assert_hooks(report, set(facts)):
        expected, filtered = groups_at(hook, file, condition, keys)
        shown = [h for h in report["histograms"] if h["hook"] == hook]
        counted = {as_text(h["group"]): h["count"] for h in shown if h["count"]}
        assert counted == expected, f"{counted} instead of {dict(expected)}"
        for h in shown:
            assert sum(bucket["count"] for bucket in h["buckets"]) == h["count"], h
        # One more is without a group, for packets that were discarded, if there is none of these anyway.
        assert sorted(as_text(h["group"]) for h in shown) == sorted({"{}", *expected})
        discarded = {(as_text(h["group"]), cause): n for h in shown for cause, n in h["discarded"].items() if n}
        assert discarded == ({("{}", "filtered"): filtered} if filtered else {}), discarded


def check(folder):
    for line in sys.stdin:
        name, keys, facts, condition = line.split(None, 3)
        print(name)
        with open(f"{folder}/{name}.out") as reports:
            total = json.loads(reports.readlines()[-1])
        keys, facts = ([] if words == "-" else words.split(",") for words in (keys, facts))
        assert_flows(total, folder + "/flows", facts, eval("lambda f: " + condition), keys)


if __name__ == "__main__":
    {"run": run, "check": check}[sys.argv[1]](*sys.argv[2:])
