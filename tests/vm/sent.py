"""What sent.bats sends, and says of stages on the way out."""
from collections import Counter
import ctypes
import fcntl
import json
import socket
import struct
import sys
import time

from run import time_ns


def stages_to(run, hook, ip_version=None):
    return [s for s in run.total["stages"] if s["to"] == hook and ip_version in (None, s["ip_version"])]


def stage(run, begin, to, ip_version=4):
    found, = (s for s in stages_to(run, to, ip_version) if s["from"] == begin)
    return found


def discarded(run, hook, cause):
    return sum(h["discarded"][cause] for h in run.total["histograms"] if h["hook"] == hook)


def show(run):
    for s in run.total["stages"]:
        print(s["from"], s["to"], s["ip_version"], s["group"], s["count"], s["mean_ns"], s["max_le_ns"])
    print(run.total["unpaired"])


def each_packet_has_both(run, ipv4, ipv6, at_least, at_most):
    show(run)
    for ip_version, packets in (4, int(ipv4)), (6, int(ipv6)):
        assert stage(run, "tx-ip", "tx-queue", ip_version)["count"] == packets
    # Neighbour discovery makes packets that IP does not see on their way, and ARP is not IP.
    queued = sum(s["count"] for s in stages_to(run, "tx-queue")) + run.total["unpaired"]["tx-queue"]
    assert sum(s["count"] for s in stages_to(run, "tx-start")) == queued
    assert run.total["unpaired"]["tx-start"] == 0
    for hook in "tx-queue", "tx-start":
        assert queued + discarded(run, hook, "filtered") >= int(at_least)
    assert int(ipv4) + int(ipv6) <= queued <= int(at_most)


def some_wait_for_neighbours(run, waiting, packets):
    """Each once, though it comes by again when the address is known."""
    assert stage(run, "tx-ip", "tx-neighbour")["count"] == int(waiting)
    assert stage(run, "tx-neighbour", "tx-queue")["count"] == int(waiting)
    assert stage(run, "tx-ip", "tx-queue")["count"] == int(packets) - int(waiting)
    assert stage(run, "tx-queue", "tx-start")["count"] == int(packets)


def each_packet_goes(run, begin, to, packets):
    """So many of each IP version, and of IPv6 what discovers neighbours."""
    show(run)
    assert {s["from"] for s in stages_to(run, to)} == {begin}
    assert stage(run, begin, to, 4)["count"] == int(packets) <= stage(run, begin, to, 6)["count"]


def only_one_takes_long(run, hook, ms):
    show(run)
    late = [s for s in stages_to(run, hook) if s["count"] >= 20]
    assert len(late) == 2 and all(s["mean_ns"] > float(ms) * 1e6 for s in late)
    others = [s for s in run.total["stages"] if s["to"] != hook]
    assert others and all(s["mean_ns"] < float(ms) * 1e6 / 4 for s in others)


def most_time_is_spent_to(run, hook):
    show(run)
    for ip_version in 4, 6:
        late = stage(run, "tx-ip", hook, ip_version)
        others = [s for s in run.total["stages"] if s["to"] != hook and s["ip_version"] == ip_version]
        assert late["count"] == 40 and others
        assert late["p50_ns"] > 4 * max(s["p50_ns"] for s in others)


def forwarded(run, packets):
    show(run)
    late = stage(run, "ip-forward", "tx-queue")
    assert late["count"] == int(packets)
    assert stage(run, "tx-queue", "tx-start")["count"] >= int(packets)
    others = [s for s in run.total["stages"] if s is not late and s["count"] >= int(packets)]
    assert late["p50_ns"] > 4 * max(s["p50_ns"] for s in others)


def waits_in_queue(run, ms, packets):
    """In the mean longer than so, each as a qdisc that makes segments of what is large counts."""
    show(run)
    before, queue = stage(run, "tx-ip", "tx-queue"), stage(run, "tx-queue", "tx-start")
    segments = discarded(run, "tx-start", "segment")
    print(before["count"], queue["count"], segments, packets)
    assert before["count"] == queue["count"] == int(packets) - segments and segments > 0
    assert not any(run.total["unpaired"].values())
    assert queue["mean_ns"] > float(ms) * 1e6 > 4 * before["mean_ns"]


def waits_across_steps(run, ms, packets):
    """Each at least so long, and none for anything like the hour by which the clock was set."""
    show(run)
    before, queue = stage(run, "tx-ip", "tx-queue"), stage(run, "tx-queue", "tx-start")
    assert any(report["clock_changed"] for report in run.reports)
    assert before["count"] == queue["count"] == int(packets)
    assert before["max_le_ns"] and before["mean_ns"] < float(ms) * 1e6 / 4
    assert queue["buckets"][0]["le_ns"] > float(ms) * 1e6 and queue["max_le_ns"]


def read_from_tun(run, packets, ms, pid):
    """A burst of packets, which are read one by one: the last waits for all."""
    show(run)
    packets, ms = int(packets), float(ms)
    tun = stage(run, "tx-start", "tun-read")
    assert tun["count"] == packets and json.loads(pid) == tun["group"].get("pid")
    assert (packets - 1) / 2 * ms < tun["mean_ns"] / 1e6 < (packets + 1) / 2 * ms + 10
    assert run.total["unpaired"]["tun-read"] == 0


def slept_before_tun(run, packets, ms):
    """All but the first, as nobody knows of a reader before it reads."""
    show(run)
    known = stage(run, "tx-start", "tun-woken")
    assert known["count"] + stage(run, "tx-start", "tun-read")["count"] == int(packets)
    assert known["count"] > int(packets) / 2 and known["mean_ns"] > int(packets) / 2 * float(ms) * 1e6
    assert stage(run, "tun-woken", "tun-running")["mean_ns"] < known["mean_ns"] / 10


def paced(run):
    show(run)
    queue = stage(run, "tx-queue", "tx-start")
    # 400 kB at 100 kB/s take seconds, of which packets spend most in the queue, and on purpose.
    assert queue["count"] > 20 and queue["mean_ns"] < 20e6


def counts(run):
    return {(s["from"], s["to"], s["group"]["interface"]): s["count"] for s in run.total["stages"]
            if s["ip_version"] == 4}


def stacked(run, packets):
    show(run)
    packets, found = int(packets), counts(run)
    assert found["tx-ip", "tx-queue", "bond7.7"] == packets
    for device in "bond7.7", "bond7", "veth0":
        assert found["tx-queue", "tx-start", device] == packets
    assert len(found) == 4
    assert run.total["unpaired"]["tx-start"] == 0


def tunnelled(run, packets):
    show(run)
    packets, found = int(packets), counts(run)
    for begin, to in ("tx-ip", "tx-queue"), ("tx-queue", "tx-start"):
        assert found[begin, to, "vxlan7"] == packets
        # The tunnel's ARP and neighbour discovery are in IP there.
        assert found[begin, to, "veth0"] >= packets


def segmented(run, device):
    show(run)
    queued, started = stage(run, "tx-ip", "tx-queue")["count"], stage(run, "tx-queue", "tx-start")["count"]
    segments, arp = discarded(run, "tx-start", "segment"), discarded(run, "tx-start", "filtered")
    unpaired = run.total["unpaired"]["tx-queue"]
    print(queued, started, segments, arp, unpaired, device)
    # Two CPUs may take the same place for two journeys: the one that loses it is unpaired.
    assert queued <= started <= queued + unpaired and started < int(device) and segments > 0
    assert run.total["unpaired"]["tx-start"] == 0 or run.total["unpaired"]["tx-queue"] > 0
    assert started + segments <= int(device) <= started + segments + arp + run.total["unpaired"]["tx-queue"]


def as_devices_count(run, device, qdisc, is_segmented):
    """A qdisc counts what is to be made segments of as so many."""
    show(run)
    queued, started = stage(run, "tx-ip", "tx-queue")["count"], stage(run, "tx-queue", "tx-start")["count"]
    segments = discarded(run, "tx-start", "segment")
    print(queued, started, segments, device, qdisc)
    assert queued == started == int(device) - segments
    assert not any(run.total["unpaired"].values())
    assert int(device) == int(qdisc) and segments > 0 if is_segmented == "yes" else int(device) < int(qdisc) and segments == 0


def no_pair_of_two(run, packets):
    show(run)
    assert run.total["unpaired"]["tx-queue"] >= int(packets)
    # Packets of 50 ms before would have been taken for these.
    assert not run.packets, run.packets[0]
    assert not any(s["max_le_ns"] > 20e6 for s in stages_to(run, "tx-queue"))


def none_is_older_than_sent(run, sent):
    """At its first hook, no packet was before it was sent: else, that was another one. By addresses and ports."""
    times = {}
    for line in open(sent):
        *ends, ns = line.split()
        times[tuple(ends)] = int(ns)
    kinds, unknown, ages = Counter(), Counter(), []
    for packet in run.packets:
        ends = tuple(str(packet[end]) for end in ("saddr", "daddr", "sport", "dport"))
        if ends not in times or "journey" not in packet:
            unknown[packet["hook"], packet["protocol"], "journey" in packet] += 1
            continue
        first_ns = time_ns(packet) - sum(step["ns"] for step in packet["journey"][1:])
        kinds[packet["hook"], packet["journey"][0]["hook"], packet["sport"] if packet["sport"] < 5000 else None] += 1
        # These come to the queue without IP.
        assert ends[2] != "4996" or packet["journey"][0]["hook"] == "tx-queue", packet
        ages.append((first_ns - times[ends], packet))
    ages.sort(key=lambda age: age[0])
    print(*sorted(kinds.items(), key=str), unknown, run.total["slow"], sep="\n")
    print("ns from when it was sent to its first hook, at least:", *ages[:5], sep="\n")
    assert ages[0][0] > 0
    # Where CPUs are emulated, not all are read from the ring buffer in time.
    assert run.total["slow"]["limited"] == 0 and len(ages) > 45000


def ports(run, port, packets, resets):
    show(run)
    found = {(s["to"], s["group"].get("port")): s["count"] for s in run.total["stages"] if s["ip_version"] == 4}
    for hook in "tx-queue", "tx-start":
        assert found[hook, int(port)] == int(packets)
        assert found[hook, None] == int(resets)


def send_paced(address, port, size, rate):
    with socket.create_connection((address, int(port))) as peer:
        # SO_MAX_PACING_RATE
        peer.setsockopt(socket.SOL_SOCKET, 47, struct.pack("I", int(rate)))
        peer.sendall(bytes(int(size)))


def set_offload(device, offload, is_on):
    # SIOCETHTOOL, and ETHTOOL_STSO, ETHTOOL_SGSO or ETHTOOL_SGRO.
    value = struct.pack("II", {"tso": 0x1F, "gso": 0x24, "gro": 0x2C}[offload], is_on == "on")
    buffer = ctypes.create_string_buffer(value)
    request = struct.pack("16sP", device.encode(), ctypes.addressof(buffer)).ljust(40, b"\0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8946, request)


def churn(address, device, packets):
    """Each packet that OUTPUT drops is followed, 50 ms later for every hundredth, by one that IP never sees."""
    dropped = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    raw.bind((device, 0))
    frame = b"\xff" * 6 + b"\x02" + bytes(5) + b"\x08\x00" + bytes(60)
    for i in range(int(packets)):
        try:
            dropped.sendto(bytes(60), (address, 4999))
        except PermissionError:
            pass
        if i % 100 == 0:
            time.sleep(0.05)
        raw.send(frame)


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp_frame(source, address, sport, dport):
    """From nobody to anybody."""
    addresses = socket.inet_aton(source) + socket.inet_aton(address)
    header = struct.pack("!BBHHHBBH", 0x45, 0, 128, 0, 0, 64, 17, 0) + addresses
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    return b"\xff" * 6 + b"\x02" + bytes(5) + b"\x08\x00" + header + struct.pack("!4H", sport, dport, 108, 0) + bytes(100)


def churn_of_all(source, server, beyond, group, device, packets):
    """In turn: what OUTPUT drops, what IP never sees, what is forwarded or not, what nobody waits for, a group's with
    clones, and a connection that is reset. Prints addresses and ports of each, none twice, and when it was sent."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    raw.bind((device, 0))

    def udp_socket(sport):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind((source, sport))
        return sock

    def send(sock, address, dport):
        print(*sock.getsockname()[:1], address, sock.getsockname()[1], dport, time.time_ns())
        try:
            sock.sendto(bytes(100), (address, dport))
        except OSError:
            # Dropped, or told that nobody was there before.
            pass

    dropped, forwarded, dropped_later, vain = map(udp_socket, (4999, 4998, 4997, 4994))
    for port in range(5000, 5000 + int(packets) // 7):
        if port % 16 == 0:
            # For whoever reads of them, on a CPU that may be as slow as this one.
            time.sleep(0.02)
        send(dropped, server, port)
        print(source, server, 4996, port, time.time_ns())
        raw.send(udp_frame(source, server, 4996, port))
        send(dropped_later, beyond, port)
        send(forwarded, beyond, port)
        send(vain, server, port)
        with udp_socket(port) as sock, socket.socket() as peer:
            send(sock, group, 4000)
            peer.setblocking(False)
            peer.bind((source, port))
            print(server, source, 5, port, time.time_ns())
            peer.connect_ex((server, 5))


def send_udp_from(address, port, local, packets):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("", int(local)))
        for _ in range(int(packets)):
            peer.sendto(b"x", (address, int(port)))


def connect_in_vain(address, port, times):
    for _ in range(int(times)):
        with socket.socket() as peer:
            assert peer.connect_ex((address, int(port)))


if __name__ == "__main__":
    {"tcp-paced": send_paced, "churn": churn, "churn-of-all": churn_of_all, "udp-from": send_udp_from,
     "tcp-refused": connect_in_vain, "offload": set_offload}[sys.argv[1]](*sys.argv[2:])
