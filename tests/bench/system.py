#!/usr/bin/python3
"""Measures what netstacklat takes of a whole system, and prints it as JSON.

To be run as root in a VM whose time passes by counting instructions (VM_ICOUNT, see tests/vm/boot),
between the namespaces of tests/netns.sh. iperf3 sends a fixed load as fast as it can, alternately
without netstacklat and with it at all hooks. There is one CPU, which sender and receiver share and
keep busy: what a packet takes longer is all that is added to it, the kernel's stamps, trampolines
and caches included.
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time

from guest import CLIENT, NS_PER_INSTRUCTION, SERVER, SERVER_IPV4, Netstacklat, in_namespace

PAIRS = 5
# Short packets, as copying emulated bytes takes many instructions.
LOADS = {
    "udp": ["--udp", "--bitrate", "0", "--length", "64", "--blockcount", "20000"],
    "tcp": ["--bytes", "128M"],
}
# Nobody measures all of the way of packets that are lost: the receiver shall have room.
RECEIVE_BUFFER = 4 << 20


def tcp_skbs():
    """What TCP received so far at both ends, data and acknowledgements: a GSO packet is one."""
    skbs = 0
    for namespace in (SERVER, CLIENT):
        cat = in_namespace(namespace, "cat", "/proc/net/snmp", stdout=subprocess.PIPE, text=True)
        names, values = [line.split() for line in cat.communicate()[0].splitlines()
                         if line.startswith("Tcp:")]
        skbs += int(dict(zip(names, values))["InSegs"])
    return skbs


def run_load(load):
    """Packets, and seconds that they took."""
    skbs = tcp_skbs()
    client = in_namespace(CLIENT, "iperf3", "--json", "--client", SERVER_IPV4, *LOADS[load],
                          stdout=subprocess.PIPE, text=True)
    result = json.loads(client.communicate()[0])
    if client.returncode:
        raise RuntimeError(f"iperf3 failed: {result.get('error')}")
    if load == "tcp":
        return tcp_skbs() - skbs, result["end"]["sum_sent"]["seconds"]
    received = result["end"]["sum"]
    if received["lost_packets"]:
        raise RuntimeError(f"{received['lost_packets']} of {received['packets']} packets were lost")
    return received["packets"], received["seconds"]


def run_pair(load):
    """Packets and seconds, without and with netstacklat."""
    without = run_load(load)
    netstacklat = Netstacklat()
    # For the kernel to turn its stamps on and, in the end, off.
    time.sleep(0.2)
    loaded = run_load(load)
    netstacklat.end()
    time.sleep(0.2)
    return without, loaded


def measure(load):
    run_load(load)
    pairs = [run_pair(load) for _ in range(PAIRS)]
    # The bytes are the same, the skbs that TCP makes of them not quite.
    added_s = [(with_s - without_s) / with_packets
               for (_, without_s), (with_packets, with_s) in pairs]
    rates = [statistics.median(packets / seconds for packets, seconds in runs)
             for runs in zip(*pairs)]
    return {"packets_per_s": round(rates[0]), "packets_per_s_with": round(rates[1]),
            "added_instructions": round(statistics.median(added_s) * 1e9 / NS_PER_INSTRUCTION),
            "pairs": pairs}


def main():
    # Or each packet may wake its reader at once: whether it does depends on how long others took.
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    with open("/proc/sys/net/core/rmem_default", "w") as file:
        print(RECEIVE_BUFFER, file=file)
    server = in_namespace(SERVER, "iperf3", "--server", stdout=subprocess.DEVNULL)
    time.sleep(1)
    loads = {load: measure(load) for load in LOADS}
    server.kill()
    json.dump({"kernel": platform.release(), "loads": loads}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
