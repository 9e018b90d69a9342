#!/usr/bin/python3 -BS
"""Disturbs netstacklat for so many seconds, each in its own way, all of them at once.

usage: tests/vm/soak.py SECONDS flood ADDRESS PORT     UDP in bursts, and short connections
       tests/vm/soak.py SECONDS serve ADDRESS PORT     who reads both, at times late
       tests/vm/soak.py SECONDS interfaces NETNS       come and go, with hostile names
       tests/vm/soak.py SECONDS namespaces             likewise
       tests/vm/soak.py SECONDS processes CGROUP       likewise, in cgroups that come and go, and send to themselves
       tests/vm/soak.py SECONDS clocks                 the wall clock and the TAI offset are stepped, and put back
       tests/vm/soak.py SECONDS cpus                   the last CPU goes off and on
       tests/vm/soak.py SECONDS stops PID...           SIGSTOP and SIGCONT
       tests/vm/soak.py SECONDS scrapes PORT           clients in bursts, good ones and others
"""
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import time

import web

# Quotes, escapes, a terminal's commands, no UTF-8, and what looks like a metric or a table's next line.
HOSTILE = [b'"x\\', b"\x1b[2J", b"\x9b31m", b"\xff\xfe", b'e"} 1', b"\xe2\x80\xae", b"%s%n", b"-n", b"$(id)"]
# A cgroup's name cannot have that.
HOSTILE_LINES = [b"a\nb 1", b"\r\n\r\nHTTP"]

TAI = [os.path.dirname(__file__) + "/tai.py"]


def rounds(pause_s):
    """Counts until the time is over."""
    until = time.monotonic() + seconds
    for number in itertools.count():
        if time.monotonic() >= until:
            return
        yield number
        time.sleep(pause_s)


def run(*command):
    """Many of them may meet what is gone already."""
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def hostile(number, limit, names=HOSTILE):
    """A name of at most so many bytes, new for each number."""
    return (b"%d" % number + names[number % len(names)])[:limit]


def flood(address, port):
    packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    packets.connect((address, int(port)))
    for number in rounds(0.02):
        for _ in range(random.choice([1, 8, 64])):
            try:
                packets.send(b"x" * 100)
            except ConnectionRefusedError:
                pass
        with socket.create_connection((address, int(port)), timeout=60) as connection:
            connection.sendall(b"x" * 1000)
            connection.recv(1)


def serve(address, port):
    packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    packets.bind((address, int(port)))
    packets.setblocking(False)
    listener = socket.create_server((address, int(port)))
    listener.setblocking(False)
    print("ready", flush=True)
    for number in rounds(0.001):
        if number % 200 == 0:
            time.sleep(0.1)
        try:
            while packets.recv(1000):
                pass
        except BlockingIOError:
            pass
        try:
            connection = listener.accept()[0]
        except BlockingIOError:
            continue
        with connection:
            connection.settimeout(60)
            connection.recv(1000)
            connection.sendall(b"y")


def interfaces(netns):
    for number in rounds(0.2):
        name = hostile(number, 15)
        run("ip", "-n", netns, "link", "add", name, "type", "veth", "peer", "name", b"peer%d" % number)
        run("ip", "-n", netns, "link", "set", name, "up")
        run("ip", "-n", netns, "link", "delete", name)


def namespaces():
    for number in rounds(0.2):
        name = b"soak" + hostile(number, 100, HOSTILE + HOSTILE_LINES)
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "netns", "delete", name)


def send_to_self():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        own.settimeout(10)
        for _ in range(3):
            own.sendto(b"x", own.getsockname())
            own.recv(1)


def processes(cgroup):
    for number in rounds(0.05):
        folder = os.fsencode(cgroup) + b"/" + hostile(number, 20) * 8
        os.mkdir(folder)
        child = os.fork()
        if not child:
            with open(folder + b"/cgroup.procs", "w") as procs:
                procs.write(str(os.getpid()))
            with open("/proc/self/comm", "wb") as comm:
                comm.write(hostile(number, 15, HOSTILE + HOSTILE_LINES))
            send_to_self()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        os.rmdir(folder)


def step_clock(step_s):
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + step_s)


def clocks():
    tai_before = subprocess.check_output(TAI)
    for number in rounds(1):
        step = random.choice([0.01, 1, 3600, -0.5, -7200])
        step_clock(step)
        run(*TAI, str(37 + number % 2))
        time.sleep(0.3)
        step_clock(-step)
    run(*TAI, tai_before)


def cpus():
    online = f"/sys/devices/system/cpu/cpu{os.cpu_count() - 1}/online"
    for number in rounds(1.5):
        for state in "01":
            with open(online, "w") as file:
                file.write(state)
            time.sleep(0.5)


def stops(*pids):
    for number in rounds(1):
        for pid in pids:
            os.kill(int(pid), signal.SIGSTOP)
        time.sleep(random.choice([0.1, 1, 2.5]))
        for pid in pids:
            os.kill(int(pid), signal.SIGCONT)


def scrapes(port):
    for number in rounds(0.5):
        clients = [web.connect(port) for _ in range(random.choice([1, 20, 140]))]
        for client in clients[::2]:
            client.sendall(random.choice([b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /met", b"\x16\x03\x01"]))
        for client in clients:
            client.close()
        assert web.answer(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") == "HTTP/1.1 200 OK", number


def counted(report, hook):
    """In all groups; what is discarded is told with each of them, and of none."""
    of_hook = [h for h in report["histograms"] if h["hook"] == hook]
    return sum(h["count"] for h in of_hook), sum(of_hook[0]["discarded"].values())


def all_are_counted(run, hook, runs, programs):
    """Of so many runs, or that the kernel skipped, of as many programs, all of which saw the same."""
    recorded, discarded = counted(run.total, hook)
    print(hook, recorded, "recorded,", discarded, "not, of", runs, "in", len(run.intervals), "intervals")
    print({cause: n for cause, n in run.total["histograms"][0]["discarded"].items() if n})
    assert recorded > 0 and (recorded + discarded) * int(programs) == int(runs)
    assert sum(counted(report, hook)[0] for report in run.intervals) == recorded
    assert sum(counted(report, hook)[1] for report in run.intervals) == discarded


def all_have_stages(run):
    """Also what is left out of the histograms as the clock was changed: stages are by another one."""
    for h in run.total["histograms"][1:]:
        stages = sum(s["count"] for s in run.total["stages"] if s["to"] == h["hook"])
        unpaired = run.total["unpaired"][h["hook"]]
        print(h["hook"], h["count"], "recorded,", stages, "stages,", unpaired, "unpaired", h["discarded"])
        assert 0 < h["count"] <= stages + unpaired == h["count"] + h["discarded"]["clock_change"]


def all_are_told(run):
    """Or counted among those that found no room; likewise."""
    recorded = sum(h["count"] for h in run.total["histograms"])
    left_out = sum(h["discarded"]["clock_change"] for h in run.total["histograms"])
    print(recorded, "recorded,", left_out, "left out,", run.total["slow"], len(run.packets), "lines")
    assert 0 < recorded <= sum(run.total["slow"].values()) <= recorded + left_out
    assert 0 < run.total["slow"]["told"] == len(run.packets)


COMMANDS = {"flood": flood, "serve": serve, "interfaces": interfaces, "namespaces": namespaces,
            "processes": processes, "clocks": clocks, "cpus": cpus, "stops": stops, "scrapes": scrapes}

if __name__ == "__main__":
    seconds = float(sys.argv[1])
    COMMANDS[sys.argv[2]](*sys.argv[3:])
