#!/usr/bin/python3
"""Measures what a start and an end of netstacklat cost, and prints that as JSON: CPU time in user
space and in the kernel, and what of it loading takes: how many programs, of how many instructions.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot).
"""
import json
import os
import platform
import re
import subprocess
import sys

CONFIGURATIONS = {"default": [], "one hook": ["-e", "udp-socket-read"], "--stages": ["--stages"],
                  "--wakeups": ["--wakeups"], "--diagnose": ["--diagnose"]}
CALLS = "/tmp/calls"
# The first round reads files that later ones find in memory.
ROUNDS = 3


def command(options):
    return ["./netstacklat", *options, "--duration=0.1s"]


def cpu_s(options):
    process = subprocess.Popen(command(options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command(options)} ended with {status}")
    return usage.ru_utime, usage.ru_stime


def loads(options):
    """Seconds and instructions of each program that the kernel was asked to load."""
    subprocess.run(["strace", "-f", "-T", "-s0", "-e", "trace=bpf", "-o", CALLS, *command(options)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(CALLS) as file:
        return [(float(load[2]), int(load[1]))
                for load in re.finditer(r"BPF_PROG_LOAD, .*insn_cnt=(\d+),.*<([\d.]+)>$", file.read(), re.M)]


def measure(options):
    rounds = [cpu_s(options) for _ in range(ROUNDS)][1:]
    seconds, instructions = zip(*loads(options))
    return {"user_s": min(user for user, _ in rounds), "kernel_s": min(kernel for _, kernel in rounds),
            "loads": len(seconds), "load_s": round(sum(seconds), 3), "load_instructions": sum(instructions)}


def main():
    json.dump({"kernel": platform.release(),
               "starts": {name: measure(options) for name, options in CONFIGURATIONS.items()}}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
