#!/usr/bin/python3
"""Measures what reports take in time and memory, and prints that as JSON.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot).
Each group is a UDP port and a version of IP, and got a packet.

usage: reports.py [growth|scrapes]
    growth   not only of all hooks, but by resolution, by groups and by the rate of reports, too, and scrapes
    scrapes  these alone
"""
import json
import os
import platform
import re
import resource
import socket
import sys
import time
import urllib.request

from guest import NS_PER_INSTRUCTION, Netstacklat

FIRST_PORT = 10000
MAX_GROUPS = 100_000
# JSON has all groups in it, text the busiest ten.
GROUPS = [(1, "text"), (10, "text"), (100, "text"), (1000, "text"), (10_000, "text"),
          (10_000, "json"), (MAX_GROUPS, "text")]
SCRAPED_GROUPS = [10, 1000, 10_000]
RESOLUTIONS = [0, 3, 4]
INTERVALS_S = [1, 0.1, 0.01]
# Longer than any report takes, for each to fall into its own interval; a VM does not wait.
SLOW_S, REPORTS = 4, 4
OUTPUT = "/dev/shm/reports"
FIRST_GROUP = {"text": r"^udp-queue-rcv{", "json": r'"hook":"udp-queue-rcv","group":{"'}


def running_ns(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0])


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def maps_kib(pid):
    """What the kernel keeps for the maps."""
    size = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}") as file:
            text = file.read()
        if "map_type:" in text:
            size += int(re.search(r"memlock:\s+(\d+)", text)[1])
    return size // 1024


def possible_cpus():
    with open("/sys/devices/system/cpu/possible") as file:
        return 1 + int(re.split("[-,]", file.read().strip())[-1])


def receivers(groups):
    """Sockets for IPv4 and IPv6 alike: half as many as groups."""
    sockets = []
    for port in range(FIRST_PORT, FIRST_PORT + groups // 2):
        sockets.append(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
        sockets[-1].bind(("::", port))
    return sockets


def send_to(groups):
    for family, address, ports in ((socket.AF_INET, "127.0.0.1", groups - groups // 2),
                                   (socket.AF_INET6, "::1", groups // 2)):
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            for port in range(FIRST_PORT, FIRST_PORT + ports):
                sender.sendto(b"x", (address, port))


def groups_in(report, output):
    more = re.search(r"^(\d+) more groups", report, re.MULTILINE)
    return len(re.findall(FIRST_GROUP[output], report, re.MULTILINE)) + int(more[1] if more else 0)


def last_report():
    """A report begins with a date in text, and with a brace in JSON."""
    with open(OUTPUT) as file:
        return re.split(r"^(?=\d{4}-|{)", file.read(), flags=re.MULTILINE)[-1]


def run(*arguments, groups=0, interval_s=SLOW_S, reports=REPORTS):
    """CPU time for each report, in ns, and memory."""
    with open(OUTPUT, "w") as stdout:
        netstacklat = Netstacklat("--cumulative", "-r", str(interval_s), *arguments, stdout=stdout)
    pid = netstacklat.process.pid
    send_to(groups)
    # Past the first one, which looks up names; and from between two reports to between two others.
    time.sleep(interval_s * 1.5)
    before = running_ns(pid)
    time.sleep(interval_s * reports)
    ns = (running_ns(pid) - before) / reports
    memory = {"resident_kib": resident_kib(pid), "maps_kib": maps_kib(pid)}
    netstacklat.end()
    return ns, memory


def measure_report(groups=0, resolution=0, output="text"):
    arguments = ["-o", output, "-k", str(resolution)]
    if groups:
        arguments += ["-e", "udp-queue-rcv", "-g", "port,ip-version", "--max-groups", str(groups)]
    ns, memory = run(*arguments, groups=groups)
    found = groups_in(last_report(), output)
    if found != groups:
        raise RuntimeError(f"{found} groups were reported, not {groups}")
    return {"resolution": resolution, "groups": groups, "output": output,
            "instructions": round(ns / NS_PER_INSTRUCTION), **memory}


def measure_rate(interval_s):
    ns, _ = run(interval_s=interval_s, reports=10)
    return {"interval_s": interval_s, "cpu_percent": round(ns / interval_s / 1e7, 2)}


def scrape(encoding):
    """What was read a second ago is not served any more."""
    time.sleep(1.5)
    request = urllib.request.Request("http://127.0.0.1:9719/metrics", headers={"Accept-Encoding": encoding})
    return len(urllib.request.urlopen(request).read())


def measure_scrape(groups, encoding):
    netstacklat = Netstacklat("-o", "none", "--listen=9719", "-e", "udp-queue-rcv", "-g", "port,ip-version",
                              "--max-groups", str(groups), "-r", "3600")
    pid = netstacklat.process.pid
    send_to(groups)
    # The first one looks up names.
    scrape(encoding)
    before = running_ns(pid)
    size = scrape(encoding)
    # Its last bytes may be read before it gives its memory back.
    time.sleep(1)
    ns = running_ns(pid) - before
    memory = resident_kib(pid)
    netstacklat.end()
    return {"groups": groups, "encoding": encoding, "instructions": round(ns / NS_PER_INSTRUCTION),
            "bytes": size, "resident_kib": memory}


def measure_scrapes():
    return [measure_scrape(groups, encoding) for groups in SCRAPED_GROUPS for encoding in ("identity", "gzip")]


def measure_growth():
    reports = [measure_report(resolution=resolution) for resolution in RESOLUTIONS]
    reports += [measure_report(groups=groups, output=output) for groups, output in GROUPS]
    return {"reports": reports, "rates": [measure_rate(interval_s) for interval_s in INTERVALS_S],
            "scrapes": measure_scrapes()}


def measure(what):
    if not what:
        return {"reports": [measure_report()]}
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_GROUPS, MAX_GROUPS))
    sockets = receivers(MAX_GROUPS)
    measured = measure_growth() if what == ["growth"] else {"scrapes": measure_scrapes()}
    del sockets
    return measured


def main(arguments):
    json.dump({"kernel": platform.release(), "possible_cpus": possible_cpus(), **measure(arguments)},
              sys.stdout)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
