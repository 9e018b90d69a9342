"""What sent.bats sends, and says of stages on the way out."""
import ctypes
import fcntl
import socket
import struct
import sys
import time


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


def each_packet_has_both(run, ipv4, ipv6, device):
    show(run)
    for ip_version, packets in (4, int(ipv4)), (6, int(ipv6)):
        assert stage(run, "tx-ip", "tx-queue", ip_version)["count"] == packets
    # Neighbour discovery makes packets that IP does not see on their way, and ARP is not IP.
    queued = sum(s["count"] for s in stages_to(run, "tx-queue")) + run.total["unpaired"]["tx-queue"]
    assert sum(s["count"] for s in stages_to(run, "tx-start")) == queued
    assert run.total["unpaired"]["tx-start"] == 0
    for hook in "tx-queue", "tx-start":
        assert queued + discarded(run, hook, "filtered") >= int(device)
    assert int(ipv4) + int(ipv6) <= queued <= int(device)


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
    print(queued, started, segments, arp, device)
    assert queued == started < int(device) and segments > 0
    assert run.total["unpaired"]["tx-start"] == 0 or run.total["unpaired"]["tx-queue"] > 0
    assert started + segments <= int(device) <= started + segments + arp + run.total["unpaired"]["tx-queue"]


def no_pair_of_two(run, packets):
    show(run)
    assert run.total["unpaired"]["tx-queue"] >= int(packets)
    # Packets of 50 ms before would have been taken for these.
    assert not any(s["max_le_ns"] > 20e6 for s in stages_to(run, "tx-queue"))


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


def turn_tso_off(device):
    # SIOCETHTOOL, and ETHTOOL_STSO with 0.
    value = struct.pack("II", 0x1F, 0)
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
    {"tcp-paced": send_paced, "churn": churn, "udp-from": send_udp_from,
     "tcp-refused": connect_in_vain, "without-tso": turn_tso_off}[sys.argv[1]](*sys.argv[2:])
