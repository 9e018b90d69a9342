"""What ebpf_exporter.bats says of scrapes: a list of metrics in JSON, as ebpf_exporter.py prints them."""
import json

from run import Run


def latency(metrics, hook):
    return metrics["netstacklat_latency_seconds"].get(hook, {"count": 0, "sum": 0, "buckets": {}})


def discarded(metrics, hook):
    return metrics["netstacklat_discarded_total"].get(hook, {})


def counts_are_those_of(scrapes, reports, udp):
    """netstacklat itself; so many packets of UDP were 700 ms late."""
    metrics, = json.loads(scrapes)
    theirs = {h["hook"]: h for h in Run(open(reports)).total["histograms"]}
    hooks = [name for name in theirs if name.startswith(("tcp-", "udp-"))]
    assert len(hooks) == 9
    for name in hooks:
        here, there = latency(metrics, name), theirs[name]
        print(name, here["count"], there["count"], discarded(metrics, name), there["discarded"])
        assert here["count"] == there["count"] > 0
        assert discarded(metrics, name) == {cause: n for cause, n in there["discarded"].items() if n}
    for name in "udp-start", "udp-queue-rcv", "udp-socket-enqueued":
        here, there = latency(metrics, name), theirs[name]
        print(name, here, there)
        assert there["count"] == int(udp)
        assert all(1 << 29 < b["le_ns"] <= 1 << 30 for b in there["buckets"])
        assert here["buckets"][str(1 << 29)] == 0 and here["buckets"][str(1 << 30)] == int(udp)
        # Each reads the clock for itself: sums differ by the time between, much less than 700 ms a packet.
        assert abs(here["sum"] / there["sum_ns"] - 1) < 0.1


def all_are_counted(scrapes, packets, with_first):
    """But for the first, where packets are new: they only tell the time."""
    metrics, = json.loads(scrapes)
    for hook in "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read":
        print(hook, latency(metrics, hook), discarded(metrics, hook))
        assert latency(metrics, hook)["count"] == int(packets) and not discarded(metrics, hook)
        # None is 37 s late.
        assert latency(metrics, hook)["buckets"][str(1 << 34)] == int(packets)
    # They may be others than these.
    print(discarded(metrics, "ip-rcv"), discarded(metrics, "udp-start"))
    assert discarded(metrics, "ip-rcv")["clock_change"] > 0
    assert latency(metrics, "udp-start")["count"] + discarded(metrics, "udp-start").get("clock_change", 0) \
        == int(with_first)


def no_clock_change_is_seen(scrapes, runs):
    """In the histograms, the last of which have all; RUNS of the program at udp-queue-rcv, says the kernel."""
    *scrapes, metrics = json.loads(scrapes)
    counts = [latency(scrape, "udp-queue-rcv")["count"] for scrape in scrapes]
    print(counts)
    assert all(before < after for before, after in zip(counts, counts[1:]))
    for hook in "udp-start", "udp-queue-rcv", "udp-socket-enqueued":
        print(hook, latency(metrics, hook), discarded(metrics, hook))
        # An emulated machine may be late by seconds.
        assert latency(metrics, hook)["count"] == latency(metrics, hook)["buckets"][str(1 << 32)]
    assert discarded(metrics, "udp-start")["clock_change"] > 0
    assert latency(metrics, "udp-queue-rcv")["count"] + sum(discarded(metrics, "udp-queue-rcv").values()) == int(runs)
