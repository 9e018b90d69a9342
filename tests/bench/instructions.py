#!/usr/bin/python3
"""Counts the instructions that each hook's programs take for a packet, and prints them as JSON.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot),
between the namespaces of tests/netns.sh, in a cgroup named netstacklat. What the kernel says of how
long a program ran is then a number of instructions; that of an empty program, which is what the
kernel's own bookkeeping takes, is taken off.

usage: instructions.py [CONFIGURATION...]
"""
import contextlib
import json
import platform
import shutil
import statistics
import subprocess
import sys
import time

from guest import CLIENT, NS_PER_INSTRUCTION, SERVER, SERVER_IPV4, Netstacklat, in_namespace

TRAFFIC = "tests/vm/traffic.py"
REQUESTS = "tests/vm/requests.py"
REFERENCE = ".output/tests/bench/reference"
BPFTRACE_SCRIPT = "tests/bench/reference.bt"
# Interrupts and first times cost now and then: the round with the least of them counts. An interrupt
# takes 2400 instructions, and comes often at the same hook: rounds of UDP are short, so that some
# have none.
UDP_ROUNDS, UDP_PACKETS = 8, 100
# A stream takes TCP's slow path.
TCP_ROUNDS, TCP_BYTES = 4, 4 << 20
# How many segments a read of a stream finds varies from run to run: of a request, it finds one.
REQUEST_ROUNDS, REQUESTS_OF_ROUND = 4, 1000
# A connection pays for its memory once, and what that takes varies, too. There is one where that is not what is measured.
CONNECTIONS = 10
# Fewer runs in a round are stray packets.
MIN_RUNS = 10
REFERENCES = ["stamp_and_clock", "two_array_lookups", "two_hash_lookups"]

ALL = ["-e", "ip-rcv,tcp-*,udp-*"]
SOCKET = ["-e", "udp-queue-rcv"]
READER = ["-e", "udp-socket-read"]
SOCKETS = "tcp-accept,tcp-rtt,tcp-min-rtt,tcp-send,udp-send,tcp-transmit,udp-transmit"
# Programs that a hook has elsewhere.
ALSO = {"tcp-accept": ["inet_csk_reqsk_queue_add", "inet_csk_complete_hashdance"]}
IN = "netif-receive,ip-rcv,ip-deliver,tcp-*,udp-*"
# What is measured, by name: netstacklat's arguments. All let the traffic pass.
CONFIGURATIONS = {
    "default": ALL,
    "none": SOCKET,
    "-k 0": SOCKET + ["-k", "0"],
    "-i": SOCKET + ["-n", SERVER, "-i", "veth0"],
    "-n": SOCKET + ["-n", SERVER],
    "-c": SOCKET + ["-c", "/netstacklat"],
    "-P": SOCKET + ["-P", "4000"],
    "-P, two": SOCKET + ["-P", "4000,4001"],
    "-4": SOCKET + ["-4"],
    "-p": READER + ["-p", "READER"],
    "--comm": READER + ["--comm", "traffic.py"],
    "-g interface": SOCKET + ["-g", "interface"],
    "-g netns": SOCKET + ["-g", "netns"],
    "-g cgroup": SOCKET + ["-g", "cgroup"],
    "-g port": SOCKET + ["-g", "port"],
    "-g cpu": SOCKET + ["-g", "cpu"],
    "-g ip-version": SOCKET + ["-g", "ip-version"],
    "-g pid": READER + ["-g", "pid"],
    "-g comm": READER + ["-g", "comm"],
    "-g interface,cgroup": SOCKET + ["-g", "interface,cgroup"],
    "--stages": ["--stages", "-e", IN],
    "tx-*": ["-e", "tx-*"],
    "sockets": ["-e", SOCKETS],
    "tcp-send": ["-e", "tcp-send"],
    "sequence": ["-e", "tcp-do-rcv", "-g", "sequence"],
    "--stages -g interface,cgroup": ["--stages", "-e", "udp-start,udp-queue-rcv", "-g", "interface,cgroup"],
    "--slow": ALL + ["--slow", "3600s"],
    "--slow -g interface,cgroup": SOCKET + ["--slow", "3600s", "-g", "interface,cgroup"],
    "--slow --stages": ["--slow", "3600s", "--stages", "-e", IN],
    # The ring buffer has room for all packets of a round.
    "--slow, told": SOCKET + ["--slow", "1ns", "--slow-limit", "100000"],
    "--slow --stages, told": ["--slow", "1ns", "--slow-limit", "100000", "--stages", "-e", "udp-start,udp-queue-rcv"],
    "everything": ALL + ["-k", "3", "-n", SERVER, "-c", "/netstacklat", "-4",
                         "-g", "interface,cgroup,port,pid,comm,cpu,ip-version"],
}


def receive(*arguments):
    """A receiver that is ready."""
    receiver = in_namespace(SERVER, TRAFFIC, *arguments, stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    return receiver


def send(*arguments):
    in_namespace(CLIENT, TRAFFIC, *arguments).wait()


@contextlib.contextmanager
def references():
    """The programs of tests/bench/reference.bpf.c, attached, while the kernel counts all runs."""
    with open("/proc/sys/kernel/bpf_stats_enabled", "w") as file:
        print(1, file=file)
    process = subprocess.Popen([REFERENCE, REFERENCE + ".bpf.o"], stdout=subprocess.PIPE)
    if not process.stdout.readline():
        raise RuntimeError("the references did not start")
    yield
    process.kill()
    process.wait()


def program_runs():
    """Of each program: how often it ran and how long that took, in ns."""
    shown = subprocess.check_output(["bpftool", "-j", "prog", "show"])
    return {program["name"]: (program.get("run_cnt", 0), program.get("run_time_ns", 0))
            for program in json.loads(shown) if program.get("type") == "tracing"}


def ns_of_round(traffic):
    """Of each program that ran: ns a run, while there is traffic."""
    before = program_runs()
    traffic()
    times = {}
    for name, (runs, ns) in program_runs().items():
        earlier_runs, earlier_ns = before.get(name, (0, 0))
        if runs - earlier_runs >= MIN_RUNS:
            times[name] = (ns - earlier_ns) / (runs - earlier_runs)
    return times


def least_ns_of(traffic, rounds):
    """Of each program that ran in every round: ns a run."""
    by_round = [ns_of_round(traffic) for _ in range(rounds)]
    common = set.intersection(*(set(times) for times in by_round))
    return {name: min(times[name] for times in by_round) for name in common}


def instructions_of(*traffics):
    """Of each program, instructions a run, by the last that it saw of these (traffic, rounds)."""
    least = {}
    for traffic, rounds in traffics:
        least.update(least_ns_of(traffic, rounds))
    empty = least.pop("empty")
    return {name: (ns - empty) / NS_PER_INSTRUCTION for name, ns in least.items()}


def ask(protocol, served, asked):
    """Requests and answers, with these arguments for either side."""
    server = in_namespace(SERVER, REQUESTS, protocol + "-serve", SERVER_IPV4, "4002", *map(str, served),
                          stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    in_namespace(CLIENT, REQUESTS, protocol + "-ask", SERVER_IPV4, "4002", *map(str, asked)).wait()
    server.wait()


def ask_tcp(connections=1):
    ask("tcp", [connections, 0, 0, 1], [connections, REQUESTS_OF_ROUND // connections, 1])


def ask_tcp_and_udp():
    ask_tcp(CONNECTIONS)
    ask("udp", [REQUESTS_OF_ROUND, 0], [REQUESTS_OF_ROUND])


def measure_sockets(arguments):
    """The same at hooks of sockets, a request, an answer, a segment or a connection."""
    netstacklat = Netstacklat("-r", "1000", *arguments)
    programs = instructions_of((ask_tcp_and_udp, REQUEST_ROUNDS))
    found = by_hook(netstacklat, programs)
    netstacklat.end()
    return found, {name: programs[name] for name in REFERENCES}


def by_hook(netstacklat, programs):
    """Programs have the name of their function or, where there are two, of their hook. Some hooks have one more."""
    found = {}
    for function, hook in netstacklat.hooks:
        name = hook.replace("-", "_")
        name = name if name in programs else function
        if name in programs and hook not in found:
            found[hook] = programs[name] + sum(programs.get(also, 0) for also in [function + "__entry", *ALSO.get(hook, [])])
    return found


def measure(arguments):
    """Instructions for a packet: by hook, and of the references."""
    udp = receive("udp-receive", SERVER_IPV4, "4000", str(UDP_ROUNDS * UDP_PACKETS))
    reader = [str(udp.pid) if word == "READER" else word for word in arguments]
    netstacklat = Netstacklat("-r", "1000", *reader)

    def send_tcp():
        receiver = receive("tcp-receive", SERVER_IPV4, "4001")
        send("tcp-send", SERVER_IPV4, "4001", str(TCP_BYTES))
        receiver.wait()

    def send_udp():
        send("udp-send", SERVER_IPV4, "4000", str(UDP_PACKETS))
        # For the reader to read what is left.
        time.sleep(0.1)

    # Requests come last where both are seen. At ip-rcv, local TCP is discarded: what counts there is UDP.
    tcp = [(send_tcp, TCP_ROUNDS), (ask_tcp, REQUEST_ROUNDS)] if any("tcp" in word for word in arguments) else []
    programs = instructions_of(*tcp, (send_udp, UDP_ROUNDS))
    udp.wait()
    found = by_hook(netstacklat, programs)
    netstacklat.end()
    return found, {name: programs[name] for name in REFERENCES}


def why_no_bpftrace():
    if not shutil.which("bpftrace"):
        return "bpftrace is not installed"
    version = subprocess.check_output(["bpftrace", "--version"], text=True).strip()
    understood = subprocess.run(["bpftrace", "-e", "BEGIN { print(nsecs(tai)); exit(); }"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"{version} does not know nsecs(tai)" if understood.returncode else None


def measure_bpftrace():
    """Instructions of the script's program for a packet."""
    udp = receive("udp-receive", SERVER_IPV4, "4000", str(UDP_ROUNDS * UDP_PACKETS))
    others = program_runs().keys()
    bpftrace = subprocess.Popen(["bpftrace", BPFTRACE_SCRIPT, "0"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
    while program_runs().keys() == others:
        if bpftrace.poll() is not None:
            raise RuntimeError("bpftrace failed:\n" + bpftrace.stderr.read())
        time.sleep(0.1)
    programs = instructions_of((lambda: send("udp-send", SERVER_IPV4, "4000", str(UDP_PACKETS)),
                                UDP_ROUNDS))
    udp.wait()
    bpftrace.kill()
    bpftrace.wait()
    (name,) = programs.keys() - others
    return programs[name]


def rounded(counts):
    return {name: round(count, 1) for name, count in counts.items()}


def main(names):
    instructions, measured = {}, []
    why_not = None if names else why_no_bpftrace()
    with references():
        for name in names or CONFIGURATIONS:
            measured_by = measure_sockets if name in ("sockets", "tcp-send") else measure
            found, reference = measured_by(CONFIGURATIONS[name])
            instructions[name] = rounded(found)
            measured.append(reference)
        bpftrace = {} if names or why_not else {"bpftrace": measure_bpftrace()}
    median = {name: statistics.median(reference[name] for reference in measured)
              for name in REFERENCES}
    json.dump({"kernel": platform.release(), "references": rounded({**median, **bpftrace}),
               "why_no_bpftrace": why_not, "instructions": instructions}, sys.stdout)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
