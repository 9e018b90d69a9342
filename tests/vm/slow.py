"""What slow.bats says of the packets that were reported."""

from collections import Counter

from run import histogram, is_linux_since, time_ns

UDP = ["netif-receive", "ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
# Of packets from one end of the veth pair to the other, to nobody there.
OUT = ["tx-ip", "tx-queue", "tx-start"]
IN = ["enqueue_to_backlog", "netif-receive", "ip-rcv"]


def journey_of(packet):
    return [step["hook"] for step in packet["journey"]]


def known(packets):
    """Without those that a fast reader is done with before udp-socket-enqueued sees them: who sent them is not known."""
    unknown = [packet for packet in packets if packet["sport"] is None]
    assert all((p["hook"], p["saddr"], p["length"]) == ("udp-socket-enqueued", None, None) for p in unknown), unknown
    return [packet for packet in packets if packet not in unknown]


def late_are_told(run, reader, pid, netns):
    """By the ages that their reader, PID, found, in ns by port."""
    ages = dict(map(int, packet.split(":")) for packet in open(reader).read().split("\n")[2].split())
    error_ns = 0 if run.total["clock"] == "tai" else 1e5
    assert run.total["slow"] == {"told": len(run.packets), "limited": 0, "no_room": 0}
    packets = known(run.packets)
    late = {port for port, age in ages.items() if age >= 10e6}
    nearly_late = {port for port, age in ages.items() if age >= 10e6 - error_ns}
    told = {packet["sport"] for packet in packets}
    slept = set(range(20009, 21000, 10))
    print(len(late), "late,", len(told), "reported, not", sorted(late - told))
    print([(p["sport"], p["hook"], p["latency_ns"], ages[p["sport"]]) for p in packets if p["sport"] in told - late])
    assert slept <= told and len(told ^ late) <= len(slept) / 10
    assert told <= nearly_late or "journey" in packets[0]
    for packet in packets:
        assert packet["saddr"] == "192.0.2.1" and packet["daddr"] == "192.0.2.2", packet
        assert packet["dport"] == 4000 and packet["protocol"] == "UDP", packet
        assert packet["length"] == 128 and packet["interface"] == "veth0", packet
        assert packet["netns"] == netns, packet
        assert 10e6 <= packet["latency_ns"]
        assert packet["latency_ns"] <= ages[packet["sport"]] + error_ns or "journey" in packet, packet
    read = {packet["sport"] for packet in packets if packet["hook"] == "udp-socket-read"}
    assert slept <= read
    assert all((packet["pid"], packet["comm"]) == (int(pid), "traffic.py")
               for packet in packets if packet["hook"] == "udp-socket-read")


def journeys_are_whole(run):
    """Of each, all hooks that it passed; validate-json adds them up."""
    for packet in known(run.packets):
        journey = journey_of(packet)
        # A fast reader may have read a packet before udp-socket-enqueued sees it.
        assert [hook for hook in UDP if hook in journey] == journey, packet
        if packet["sport"] % 10 == 9 and packet["hook"] == "udp-socket-read":
            assert journey == UDP, packet
            longest = max(packet["journey"], key=lambda step: step["ns"])
            assert longest["hook"] == "udp-socket-read", packet


def are_read_late(run, nr):
    assert run.total["slow"] == {"told": len(run.packets), "limited": 0, "no_room": 0}, run.total["slow"]
    read = [packet for packet in run.packets if packet["hook"] == "udp-socket-read"]
    print(len(read), "of", len(run.packets), [packet["queue_length"] for packet in read])
    assert len(read) == int(nr)
    # The others that wait then.
    assert [packet["queue_length"] for packet in read] == list(range(int(nr)))[::-1]


def is_as_old_as_read(run, reader, journey):
    """By the age that its reader found, in ns."""
    age = float(open(reader).read().split("\n")[1])
    packet, = run.packets
    print(age, packet)
    assert packet["hook"] == "udp-socket-read" and packet["sport"] is not None
    assert 2e9 <= packet["latency_ns"] <= age + 1e5
    assert str("journey" in packet and journey_of(packet) or None) == journey


def came_after_start(run):
    """The first report counts none of the others."""
    print(len(run.packets), run.total["slow"], run.packets[0])
    assert run.total["slow"] == {"told": len(run.packets), "limited": 0, "no_room": 0}
    assert run.packets
    # Of one that was on its way by then, the journey is not known.
    journeys = [journey_of(packet) for packet in run.packets if "journey" in packet]
    assert len(journeys) >= len(run.packets) - 2, len(journeys)
    assert all(journey in (["netif-receive"], ["netif-receive", "ip-rcv"]) for journey in journeys)


def segment_is_late(run):
    packet = next(packet for packet in run.packets if packet["hook"] == "tcp-socket-read")
    print(packet)
    assert (packet["saddr"], packet["daddr"], packet["dport"]) == ("2001:db8::1", "2001:db8::2", 5201)
    assert packet["protocol"] == "TCP" and packet["comm"] == "traffic.py" and packet["length"] is None
    assert [hook for hook in journey_of(packet) if hook != "tcp-data-queue"] == \
        ["netif-receive", "ip-rcv", "tcp-start", "tcp-do-rcv", "tcp-socket-enqueued", "tcp-socket-read"]
    assert packet["journey"][-1]["ns"] > 190e6


def each_socket_is_told(run, sockets, packets):
    """Of each packet, by the process that reads from that."""
    readers = [packet["pid"] for packet in run.packets]
    assert [readers.count(pid) for pid in sorted(set(readers))] == [int(packets)] * int(sockets), readers


def segments_are_late(run, nr):
    """One stream's, and maybe its FIN, in the order in which they came: reading may be interrupted."""
    read = [packet for packet in run.packets if packet["hook"] == "tcp-socket-read"]
    came_ns = [time_ns(packet) - packet["latency_ns"] for packet in read]
    print(came_ns)
    assert int(nr) <= len(read) <= int(nr) + 1
    assert came_ns == sorted(came_ns)
    assert all(journey_of(packet)[-2:] == ["tcp-socket-enqueued", "tcp-socket-read"] for packet in read)


def segments_are_big(run):
    sizes = sorted((packet["length"] for packet in run.packets), reverse=True)
    print(len(sizes), sizes[:10], {packet["protocol"] for packet in run.packets})
    assert sizes[0] > 65575
    assert sum(sizes) > 10e6
    segments = [packet for packet in run.packets if packet["protocol"] == "TCP"]
    assert len(segments) == len(run.packets) and all(packet["dport"] == 5201 for packet in segments)


def drops_have_reasons(run):
    dropped = [packet for packet in run.packets if packet["hook"] == "drop" and packet["dport"] == 4002]
    print(dropped[0])
    assert len(dropped) == 31
    for packet in dropped:
        assert packet["reason"] == "NO_SOCKET" or packet["reason"].startswith("__udp4_lib_rcv+"), packet
        assert journey_of(packet) == ["netif-receive", "ip-rcv", "udp-start", "drop"]


def drops_are_of_packets(run):
    dropped = Counter((packet["protocol"], packet.get("saddr"), packet.get("dport"))
                      for packet in run.packets if packet["hook"] == "drop")
    print(dropped)
    assert not any(protocol == "ethertype/0x0000" for protocol, *_ in dropped)
    assert dropped["UDP", "192.0.2.1", 4009] == dropped["UDP", "2001:db8::1", 4009] == 7


def no_messages_are_counted(run):
    """By why or, before Linux 5.17, by where Unix sockets free theirs, which have stamps. (Between 5.17 and 6.14, they
    told no reason.)"""
    reasons = {h["group"].get("reason", ""): h["count"] for h in run.total["histograms"]}
    print(reasons, histogram(run.total, "drop")["discarded"])
    assert not any(reason == "SOCKET_CLOSE" or reason.startswith("unix_") for reason in reasons)
    assert histogram(run.total, "drop")["discarded"]["filtered"] >= 3 * 7


def all_accounted_for(run, nr):
    """At both of two hooks."""
    counts = {h["hook"]: h["count"] for h in run.total["histograms"]}
    slow = run.total["slow"]
    print(counts, slow, len(run.packets))
    assert sum(counts.values()) == sum(slow.values()) == 2 * int(nr)
    assert len(run.packets) == slow["told"] > 0


def tshark_reads_the_same(run, fields):
    """Length, ports and comment of each packet, on a line each."""
    fields = [line.split(maxsplit=3) for line in open(fields)]
    assert len(fields) == len(run.packets) >= 10
    for packet, (length, sport, dport, comment) in zip(run.packets, fields):
        assert int(length) == min(packet["length"], 128), packet
        assert (int(sport), int(dport)) == (packet["sport"], packet["dport"]), packet
        hook, latency = comment.split()[:2]
        assert hook == packet["hook"], packet
        assert abs(float(latency.removesuffix("ms")) * 1e6 / packet["latency_ns"] - 1) < 0.01, packet


def missing_are_counted(run, in_file, missing):
    in_file, missing = int(in_file), int(missing)
    print(len(run.packets), in_file, missing)
    assert len(run.packets) == in_file + missing
    assert missing > 0 < in_file


def each_has_its_own_way(run, payloads, client, server):
    """By their destination and the number in their data, on a line each."""
    payloads = [line.split() for line in open(payloads)]
    there, back = ([(hook, a) for hook in OUT] + [(hook, b) for hook in IN]
                   for a, b in [(client, server), (server, client)])
    assert run.total["slow"]["limited"] == run.total["slow"]["no_room"] == 0, run.total["slow"]
    assert len(payloads) == len(run.packets)
    numbers = []
    # What preempts the program of tx-ip, and sends, begins no journey there.
    missed = run.figure("tx-ip", "recursion_misses")
    late_begins = 0
    for packet, (daddr, *data) in zip(run.packets, payloads):
        if daddr != "ff02::1234":
            continue
        number = int(data[0], 16)
        numbers.append(number)
        way = [(step["hook"], step["netns"]) for step in packet["journey"] if step["hook"] != "drop"]
        whole = there if number < 200 else back
        assert way in (whole, whole[1:]), (number, way)
        late_begins += way != whole
    print(len(numbers), late_begins, missed)
    assert late_begins <= missed
    assert sorted(numbers) == list(range(400)), numbers


def ways_are_whole(run, nr=None):
    assert run.total["slow"]["limited"] == run.total["slow"]["no_room"] == 0, run.total["slow"]
    ways = [[hook for hook in journey_of(packet) if hook != "drop"]
            for packet in run.packets if packet["daddr"] == "ff02::1234"]
    print(len(ways), [way for way in ways if len(way) != 6])
    assert ways == [OUT + IN] * (int(nr) if nr else len(ways)) != []


def limit_is_kept(run, limit):
    assert {packet["dport"] for packet in run.packets} == {4000}
    assert run.total["slow"]["no_room"] == 0 < run.total["slow"]["limited"]
    # CPUs that come at once may all pass.
    assert len(run.packets) <= 1.1 * int(limit) * (run.total["interval_s"] + 1)
    assert all(report["interval_s"] < 2 for report in run.intervals)


# Of its own accord, with a packet in its queue.
def reader_slept(run):
    readers = [packet["reader"] for packet in run.packets if "reader" in packet]
    print(readers)
    assert len(readers) >= 5
    assert all(r["state"] == r["asleep_how"] == "asleep" and r["asleep_ns"] > 90e6 for r in readers)
    assert all((r["asleep_in"] == "clock_nanosleep") == is_linux_since(5, 15) for r in readers)


def others_had_the_cpu(run):
    starved = [packet for packet in run.packets if packet.get("reader", {}).get("state") == "ready"]
    print(*(packet.get("reader") for packet in run.packets), sep="\n")
    assert len(starved) >= 3
    for packet in starved:
        other = packet["reader"]["instead"]
        assert packet["reader"]["ready_ns"] > 25e6, packet
        # The hog is its child.
        assert other["comm"] == "traffic.py" and other["pid"] != packet["pid"], packet
        # It runs 100 ms, if nobody else comes in between.
        assert packet["reader"]["ready_ns"] / 2 < other["ran_ns"], packet
