"""What stages.bats says of stages."""
from collections import Counter

from run import histogram

IN = ["netif-receive", "ip-rcv", "ip-deliver"]
UDP = ["udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
TCP = ["tcp-start", "tcp-do-rcv", "tcp-data-queue", "tcp-socket-enqueued", "tcp-socket-read"]


def stages_to(run, hook, ip_version=None):
    """Of the total, of one IP version or of both."""
    return [s for s in run.total["stages"] if s["to"] == hook and ip_version in (None, s["ip_version"])]


def stage(run, begin, to, ip_version):
    found, = (s for s in stages_to(run, to, ip_version) if s["from"] == begin)
    return found


def way(run, hooks, ip_version):
    return [stage(run, begin, to, ip_version) for begin, to in zip(hooks, hooks[1:])]


def each_packet_has_all(run, ipv4, ipv6):
    for ip_version, packets in (4, int(ipv4)), (6, int(ipv6)):
        stages = way(run, IN + UDP, ip_version)
        print([(s["to"], s["count"], s["mean_ns"]) for s in stages])
        assert [s["count"] for s in stages if s["to"] in UDP] == 4 * [packets]
        # Neighbour discovery comes by, too.
        assert all(s["count"] >= packets for s in stages)
    assert not any(run.total["unpaired"][hook] for hook in IN[1:] + UDP), run.total["unpaired"]
    assert len(stages_to(run, "udp-socket-read")) == 2


def add_up(run, packets):
    stages = way(run, IN + UDP, 4)
    assert [s["count"] for s in stages] == 6 * [int(packets)]
    first, last = histogram(run.total, "netif-receive"), histogram(run.total, "udp-socket-read")
    print(first["sum_ns"], [s["sum_ns"] for s in stages], last["sum_ns"])
    assert stage(run, "stamp", "netif-receive", None)["buckets"] == first["buckets"]
    assert sum(s["sum_ns"] for s in stages) == last["sum_ns"] - first["sum_ns"]


def queued_segments_are_read(run):
    for ip_version in 4, 6:
        queued = sum(s["count"] for s in stages_to(run, "tcp-socket-enqueued", ip_version))
        read = stage(run, "tcp-socket-enqueued", "tcp-socket-read", ip_version)
        print(queued, read["count"])
        # Nobody reads a FIN that comes alone.
        assert 0 <= queued - read["count"] <= 1 < queued
    print(run.total["unpaired"])
    assert not any(run.total["unpaired"][hook] for hook in IN[1:] + TCP)


def only_one_takes_long(run, hook, ms):
    """The stages to this hook take more than so long each, and all others together less than half of that."""
    slow = stages_to(run, hook)
    others = [s for s in run.total["stages"] if s["to"] != hook]
    print("slow:", [(s["from"], s["count"], s["mean_ns"]) for s in slow])
    print("others:", [(s["from"], s["to"], s["mean_ns"]) for s in others])
    assert slow and all(s["mean_ns"] > float(ms) * 1e6 for s in slow)
    assert sum(s["mean_ns"] for s in others) < float(ms) * 1e6 / 2


def one_stage_alone(run, ipv4, ipv6):
    assert [(s["from"], s["to"], s["ip_version"], s["count"]) for s in run.total["stages"]] == \
        [("udp-start", "udp-socket-read", 4, int(ipv4)), ("udp-start", "udp-socket-read", 6, int(ipv6))]
    assert run.total["unpaired"] == {"udp-socket-read": 0}


def filtered_by_port(run, ipv4, ipv6):
    for ip_version, packets in (4, int(ipv4)), (6, int(ipv6)):
        stages = way(run, UDP, ip_version)
        assert [s["count"] for s in stages] == 3 * [packets], stages
    assert not stages_to(run, "udp-start") and not stages_to(run, "ip-rcv")
    assert set(run.total["unpaired"].values()) == {0}


def filtered_by_interface(run, packets):
    counts = {(s["to"], s["group"].get("interface")): s["count"] for s in run.total["stages"]}
    print(counts)
    assert counts == {(hook, "veth0"): int(packets) for hook in ("netif-receive", "ip-rcv", "udp-start")}


def grouped_by_port(run, netns, ipv4, ipv6, other):
    counts = {(s["from"], s["to"], s["ip_version"], s["group"].get("port"), s["group"]["netns"]): s["count"]
              for s in run.total["stages"]}
    print(counts)
    for begin, to in zip(UDP, UDP[1:]):
        for ip_version, port, packets in (4, 4000, ipv4), (6, 4000, ipv6), (4, 4001, other):
            assert counts.pop((begin, to, ip_version, port, netns)) == int(packets)
    assert not counts
    assert set(run.total["unpaired"].values()) == {0}


def rows_run_out(run, packets):
    """Each packet is recorded at a hook with all that there is to record of it, or discarded, once."""
    recorded, no_room = Counter(), Counter()
    for h in run.total["histograms"]:
        recorded[h["hook"]] += h["count"]
        no_room[h["hook"]] += h["discarded"]["no_room"]
    counts = Counter()
    for s in run.total["stages"]:
        counts[s["from"], s["to"]] += s["count"]
    print(recorded, no_room, counts, run.total["unpaired"])
    assert all(recorded[hook] + no_room[hook] == int(packets) for hook in UDP)
    assert no_room["udp-socket-read"]
    assert not any(run.total["unpaired"].values())
    parts = ["udp-socket-enqueued", "udp-socket-woken", "udp-socket-running", "udp-socket-read"]
    assert len({counts[part] for part in zip(parts, parts[1:])}) == 1


def dropped(run, hook, ip_version, reason, packets):
    """So many for this reason, of those that were last at this hook."""
    print(run.total["drops"])
    count, = (d["count"] for d in run.total["drops"]
              if (d["from"], d["ip_version"], d["reason"]) == (hook, int(ip_version), reason))
    assert count == int(packets) > 0


def dropped_in(run, hook, ip_version, function, packets):
    print(run.total["drops"])
    count, = (d["count"] for d in run.total["drops"]
              if (d["from"], d["ip_version"]) == (hook, int(ip_version)) and d["reason"].startswith(function + "+0x"))
    assert count == int(packets)


def no_drops_are_known(run):
    assert all(report["drops"] is None for report in run.reports)


def forwarded(run, ipv4, ipv6):
    counts = {s["ip_version"]: s["count"] for s in stages_to(run, "ip-forward") if s["from"] == "ip-rcv"}
    print(counts)
    assert counts == {4: int(ipv4), 6: int(ipv6)}


def bridged(run, at_least, copies):
    counts = [s["count"] for s in stages_to(run, "tx-queue") if s["from"] == "netif-receive"]
    print(counts, run.total["unpaired"])
    assert sum(counts) >= int(at_least)
    assert run.total["unpaired"]["tx-queue"] == int(copies)


def clones_begin_anew(run, packets):
    packets = int(packets)
    counts = {(s["from"], s["to"]): s["count"] for s in run.total["stages"]}
    print(counts, run.total["unpaired"])
    # Of three that get it, one has the packet itself.
    assert counts["udp-start", "udp-queue-rcv"] == packets
    assert run.total["unpaired"]["udp-queue-rcv"] == 2 * packets
    assert counts["udp-queue-rcv", "udp-socket-enqueued"] == 3 * packets
    # Readers may preempt one another.
    missed = histogram(run.total, "udp-socket-read")["discarded"]["recursion_misses"]
    assert counts["udp-socket-enqueued", "udp-socket-read"] + missed == 3 * packets


def queues_begin(run, packets, clones):
    packets, clones = int(packets), int(clones)
    counts = {(s["from"], s["to"]): s["count"] for s in run.total["stages"]}
    print(counts, run.total["unpaired"])
    assert counts["udp-start", "udp-socket-enqueued"] == packets
    assert run.total["unpaired"]["udp-socket-enqueued"] == clones
    missed = histogram(run.total, "udp-socket-read")["discarded"]["recursion_misses"]
    assert counts["udp-socket-enqueued", "udp-socket-read"] + missed == packets + clones


def reader_slept_with_packets(run):
    parts = {s["from"]: s for s in stages_to(run, "udp-socket-read")}
    asleep, = stages_to(run, "udp-socket-woken")
    print(parts, asleep)
    # Of the first packet alone nothing is known: all others were waited for asleep, in whole.
    assert parts["udp-socket-enqueued"]["count"] <= 1
    assert parts["udp-socket-running"]["count"] == asleep["count"] >= 5
    assert asleep["mean_ns"] > 90e6 > 4 * parts["udp-socket-running"]["mean_ns"]


def reader_waited_for_a_cpu(run):
    woken, = stages_to(run, "udp-socket-woken")
    running, = stages_to(run, "udp-socket-running")
    read, = (s for s in stages_to(run, "udp-socket-read") if s["from"] == "udp-socket-running")
    direct = [s for s in stages_to(run, "udp-socket-read") if s["from"] == "udp-socket-enqueued"]
    print([(s["from"], s["to"], s["count"], s["mean_ns"]) for s in (woken, running, read, *direct)])
    assert woken["from"] == "udp-socket-enqueued" and running["from"] == "udp-socket-woken"
    assert woken["count"] == running["count"] == read["count"] >= 15
    assert read["count"] + sum(s["count"] for s in direct) == 20
    # Most of the wait is for the CPU.
    assert running["sum_ns"] > 4 * (woken["sum_ns"] + read["sum_ns"]), running


def are_in_openmetrics(run, metrics):
    """The last of the documents has the stages of the total, and all those of the others."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    end = "# EOF\n"
    seen, grown = set(), 0
    for document in open(metrics).read().split(end)[:-1]:
        families = {family.name: family for family in text_string_to_metric_families(document + end)}
        samples = families["netstacklat_stage_seconds"].samples
        names = {(s.name, tuple(sorted(s.labels.items()))) for s in samples}
        assert seen <= names and len(names) == len(samples), (seen, names)
        grown += len(names) > len(seen)
        seen = names
    assert grown >= 2, grown
    expected = {}
    for s in run.total["stages"]:
        labels = {"from": s["from"], "to": s["to"], "ip_version": s["ip_version"], **s["group"]}
        expected[tuple(sorted((name, str(value)) for name, value in labels.items()))] = s["count"]
    counts = {tuple(sorted(s.labels.items())): s.value for s in samples if s.name.endswith("_count")}
    print(counts)
    # Of two IP versions and one more port, in three stages.
    assert counts == expected and len(counts) == 9, expected
    unpaired = {s.labels["hook"]: s.value for s in families["netstacklat_unpaired"].samples}
    assert unpaired == run.total["unpaired"] and len(unpaired) == 3, unpaired
