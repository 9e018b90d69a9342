#!/usr/bin/python3
"""Measures what a report takes, by the number of groups, and prints it as JSON.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot).
Each group is a UDP port that got a packet. Text shows ten of them, JSON all.

usage: reports.py GROUPS...
    GROUPS   0 is for all hooks, without groups
"""
import json
import re
import resource
import socket
import subprocess
import sys

NS_PER_INSTRUCTION = 2
FIRST_PORT = 10000
# Of text, many reports fit into the pipe before they are read.
REPORTS = {"text": 40, "json": 5}


def running_ns(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0])


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


class Netstacklat:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(["./netstacklat", "--cumulative", "-v", "-r", "0.001",
                                         *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "measuring" in line:
                return
        raise RuntimeError("netstacklat did not start")

    def pass_reports(self, number):
        """Reads until so many reports have begun: with a date in text, and with a brace in JSON."""
        while number:
            number -= self.process.stdout.readline().startswith(("2", "{"))

    def end(self):
        self.process.kill()
        self.process.wait()


def receivers(number):
    sockets = []
    for port in range(FIRST_PORT, FIRST_PORT + number):
        sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sockets[-1].bind(("127.0.0.1", port))
    return sockets


def send_to_all(number):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for port in range(FIRST_PORT, FIRST_PORT + number):
            sender.sendto(b"x", ("127.0.0.1", port))


def measure(groups, output):
    grouped = ["-e", "udp-queue-rcv", "-g", "port", "--max-groups", str(2 * groups)]
    netstacklat = Netstacklat("-o", output, *(grouped if groups else []))
    pid = netstacklat.process.pid
    send_to_all(groups)
    # What is in the pipe already, and the first names.
    netstacklat.pass_reports(REPORTS[output])
    before = running_ns(pid)
    netstacklat.pass_reports(REPORTS[output])
    instructions = (running_ns(pid) - before) / REPORTS[output] / NS_PER_INSTRUCTION
    result = {"groups": groups, "output": output, "instructions": round(instructions),
              "resident_kib": resident_kib(pid)}
    netstacklat.end()
    return result


def main(numbers):
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 17, 1 << 17))
    sockets = receivers(max(numbers))
    for number in numbers:
        for output in REPORTS:
            print(json.dumps(measure(number, output)), flush=True)
    del sockets


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]])
