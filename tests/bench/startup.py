#!/usr/bin/python3
"""Measures how long netstacklat takes to be attached at all hooks, held against bpftool, which
loads and attaches the same programs and does nothing else; prints that as JSON.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot).
"""
import contextlib
import json
import platform
import shutil
import subprocess
import sys
import time

from guest import Netstacklat

OBJECT = ".output/netstacklat.counts.bpf.o"
LIBBPF_LOADER = ".output/tests/bench/reference"
PINNED = "/sys/fs/bpf/startup"
# To wait for a file of the host's may take a VM any time: the round with the least of it counts.
ROUNDS = 5


def programs():
    shown = json.loads(subprocess.check_output(["bpftool", "-j", "prog", "show"]))
    return sorted(program["name"] for program in shown if program["type"] == "tracing")


def start_netstacklat():
    netstacklat = Netstacklat()
    yield
    netstacklat.end()


def start_bpftool():
    subprocess.run(["bpftool", "prog", "loadall", OBJECT, PINNED, "autoattach"], check=True)
    yield
    shutil.rmtree(PINNED)


def start_libbpf():
    """What bpftool does, for before its version 7.2 it could not attach what it loads."""
    process = subprocess.Popen([LIBBPF_LOADER, OBJECT], stdout=subprocess.PIPE)
    if not process.stdout.readline():
        raise RuntimeError(f"{LIBBPF_LOADER} did not attach the programs")
    yield
    process.kill()
    process.wait()


def bpftool_attaches():
    return b"autoattach" in subprocess.run(["bpftool", "prog", "help"], check=True,
                                           stderr=subprocess.PIPE).stderr


def measure(start):
    """Seconds until the programs are attached, and which these are."""
    started = time.monotonic()
    with contextlib.contextmanager(start)():
        took_s = time.monotonic() - started
        attached = programs()
    # The kernel lets go of programs a while after they are detached.
    while programs():
        time.sleep(0.1)
    return took_s, attached


def main():
    other = "bpftool" if bpftool_attaches() else "libbpf"
    starts = {"netstacklat": start_netstacklat, other: globals()["start_" + other]}
    # The first round reads files that later ones find in memory.
    rounds = [[measure(start) for start in starts.values()] for _ in range(1 + ROUNDS)][1:]
    for (_, attached), (_, others) in rounds:
        if attached != others:
            raise RuntimeError(f"netstacklat attached {attached}, {other} {others}")
    took_s = {name: [round(pair[i][0], 4) for pair in rounds] for i, name in enumerate(starts)}
    json.dump({"kernel": platform.release(), "programs": len(rounds[0][0][1]),
               "seconds": {name: min(times) for name, times in took_s.items()},
               "rounds_s": took_s}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
