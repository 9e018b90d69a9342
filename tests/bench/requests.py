#!/usr/bin/python3
"""Measures what netstacklat takes of a web server's requests, in instructions, and prints that as
JSON: nginx with one worker answers wrk with 1 kB, over veth, on one CPU that both keep busy.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot),
between the namespaces of tests/netns.sh.

usage: requests.py [CONFIGURATION...]
"""
import functools
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

from guest import CLIENT, NS_PER_INSTRUCTION, SERVER, SERVER_IPV4, Netstacklat, in_namespace

TX = "tx-ip,tx-queue,tx-start"
# By name: netstacklat's arguments, without the interval.
CONFIGURATIONS = {
    "default": [],
    "--slow": ["--slow", "3600s"],
    "--stages": ["--stages"],
    "--wakeups": ["--wakeups"],
    "--stages, tx, tcp-send, tcp-transmit": ["--stages", "-e", f"netif-receive,ip-*,tcp-*,{TX}", "-d", "tcp-retransmit"],
    "--stages -g port,pid": ["--stages", "-g", "port,pid"],
    "--diagnose": ["--diagnose"],
}
BENCH = ".output/tests/bench"
# No report in the time that is measured: some seconds would have one more of them than others, and the worst counts.
INTERVAL = "600"
CONNECTIONS = (1, 8)
# Groups by port cost more where two share a place in a cache: of some sets of ports, the worst counts.
PORT_SETS = (20000, 33001, 51237)
SECONDS = 1
NGINX = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 64; }}
http {{ access_log off; keepalive_requests 1000000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen {address}:80; location / {{ return 200 "{body}"; }} }} }}
"""


class Ports:
    """Ports of clients, new ones each time, whose last bits are those of a set."""

    def __init__(self):
        self.nr_used = 0

    def choose(self, first, number):
        """A few more than it takes: the kernel may find the last one in use."""
        first += 256 * (self.nr_used % 40)
        self.nr_used += 1
        setting = in_namespace(CLIENT, "sysctl", "-qw", f"net.ipv4.ip_local_port_range={first} {first + number + 3}")
        if setting.wait():
            raise RuntimeError("cannot choose ports")


class Floor:
    """The least that the defaults take: packets have stamps, and programs read these and the clock."""

    def __init__(self):
        stamps = subprocess.Popen(["./netstacklat", "--timestamping-only"], stderr=subprocess.PIPE)
        stamps.stderr.readline()
        programs = subprocess.Popen([f"{BENCH}/reference", f"{BENCH}/floor.bpf.o"], stdout=subprocess.PIPE)
        programs.stdout.readline()
        self.processes = stamps, programs

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def start_nginx(folder):
    configuration = pathlib.Path(folder) / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, address=SERVER_IPV4, body="x" * 1024))
    nginx = in_namespace(SERVER, "nginx", "-e", f"{folder}/error", "-c", str(configuration))
    while in_namespace(CLIENT, "bash", "-c", f"exec 3<>/dev/tcp/{SERVER_IPV4}/80",
                       stderr=subprocess.DEVNULL).wait():
        time.sleep(0.1)
    return nginx


def instructions(ports, first, connections):
    """For a request, all that the CPU did."""
    ports.choose(first, connections)
    wrk = in_namespace(CLIENT, "wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", f"http://{SERVER_IPV4}/",
                       stdout=subprocess.PIPE, text=True)
    said = wrk.communicate()[0]
    if wrk.returncode or "Socket errors" in said or "Non-2xx" in said:
        raise RuntimeError(f"wrk failed: {said}")
    return 1e9 / float(re.search(r"Requests/sec: *([\d.]+)", said)[1]) / NS_PER_INSTRUCTION


def measure(ports, start, without):
    """By connections: what it adds to a request, with the set of ports that is worst."""
    added = {connections: [] for connections in CONNECTIONS}
    measured = start()
    # Warm: memory and caches.
    instructions(ports, PORT_SETS[0], 1)
    for (connections, first), before in without.items():
        added[connections].append(instructions(ports, first, connections) - before)
    measured.end()
    return {str(connections): round(max(figures)) for connections, figures in added.items()}


STARTS = {"floor": Floor} | {name: functools.partial(Netstacklat, *arguments, INTERVAL)
                             for name, arguments in CONFIGURATIONS.items()}


def main(names):
    ports = Ports()
    with tempfile.TemporaryDirectory() as folder:
        nginx = start_nginx(folder)
        # Warm: memory and caches.
        instructions(ports, PORT_SETS[0], 8)
        without = {(connections, first): instructions(ports, first, connections)
                   for connections in CONNECTIONS for first in PORT_SETS}
        added = {name: measure(ports, start, without) for name, start in STARTS.items() if not names or name in names}
        nginx.terminate()
        nginx.wait()
    json.dump({"kernel": platform.release(), "request": round(without[8, PORT_SETS[0]]), "added": added}, sys.stdout)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
