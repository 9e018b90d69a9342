"""What formats.bats says of reports, whatever their format."""
import datetime
import os
import sys

from run import buckets, histogram


def intervals_add_up(run, *counts):
    """In every bucket and cause; HOOK=COUNT is in the total."""
    total = run.total
    assert len(run.intervals) > 3 and total["kind"] == "total"
    assert {r["kind"] for r in run.intervals} == {"interval"}
    assert total["clock"] == "monotonic" or total["offset_ns"] == 37000000000
    for hook, count in (expected.split("=") for expected in counts):
        assert histogram(total, hook)["count"] == int(count), hook
    for hook in [h["hook"] for h in total["histograms"]]:
        for field in "count", "sum_ns":
            assert sum(histogram(r, hook)[field] for r in run.intervals) == histogram(total, hook)[field], hook
        for le, count in buckets(total, hook).items():
            assert sum(buckets(r, hook).get(le, 0) for r in run.intervals) == count, (hook, le)
        for cause, count in histogram(total, hook)["discarded"].items():
            assert sum(histogram(r, hook)["discarded"][cause] for r in run.intervals) == count, (hook, cause)
    assert abs(sum(r["interval_s"] for r in run.intervals) - total["interval_s"]) < 0.001


def time_is_right(run):
    """The last report, which is standard input, was written at the time that it tells."""
    told = datetime.datetime.fromisoformat(run.total["time"].replace("Z", "+00:00")).timestamp()
    written = os.fstat(sys.stdin.fileno()).st_mtime
    print("told", told, "written", written)
    assert -0.1 < written - told < 1


def counts_only_grow(run, count):
    counts = [histogram(r, "udp-start")["count"] for r in run.reports]
    assert counts == sorted(counts) and counts[-1] == int(count), counts
    assert {r["kind"] for r in run.intervals} == {"cumulative"}


def reader_says_the_same(run, reader, packets, ms):
    """By the ages of the packets that it found, which slept MS before each."""
    ages = sorted(map(int, open(reader).readlines()[2].split()))
    ours = histogram(run.total, "udp-socket-read")
    assert ours["count"] == len(ages) == int(packets)
    mean = sum(ages) / len(ages)
    print("mean", ours["mean_ns"], "read here,", mean, "at the reader")
    # Nobody reads before the kernel hands out; and the way out of it is short.
    assert ours["mean_ns"] <= mean < ours["mean_ns"] + int(ms) * 1e6 / 2
    seen = 0
    for le, count in buckets(run.total, "udp-socket-read").items():
        for age in ages[seen:seen + count]:
            assert le / 2 < age <= 2 * le, (le, age)
        seen += count


def buckets_are_of(run, resolution, packets):
    assert histogram(run.total, "udp-socket-enqueued")["count"] == int(packets)
    for le in buckets(run.total, "udp-socket-enqueued"):
        octave = max((le - 1).bit_length() - 1 - int(resolution), 0)
        assert le % (1 << octave) == 0, le
        assert le <= 1 << 34


def openmetrics_have(_, name, path):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    assert any(family.name == name for family in text_string_to_metric_families(open(path).read()))


def are_served(_, path, url, packets):
    """What the file has, node_exporter serves: the same series with the same values."""
    from urllib.request import urlopen

    from prometheus_client.parser import text_string_to_metric_families

    def labels(sample):
        """It gives all series of a family the same labels, some of them empty, which is as good as none."""
        return tuple(sorted((name, value) for name, value in sample.labels.items() if value))

    def read(text):
        return {family.name: (family.type, {(s.name, labels(s)): s.value for s in family.samples})
                for family in text_string_to_metric_families(text)}

    written, served = read(open(path).read()), read(urlopen(url, timeout=30).read().decode())
    print({name: (kind, len(samples)) for name, (kind, samples) in written.items()})
    assert written["netstacklat_latency_seconds"][1][
        "netstacklat_latency_seconds_count", (("comm", "traffic.py"), ("hook", "udp-socket-read"))] == int(packets)
    assert len(written) == 7 and written.items() <= served.items()
    assert served["node_textfile_scrape_error"][1]["node_textfile_scrape_error", ()] == 0


def slow_ring_has_all(run, packets):
    """One of the reports covers the intervals that it missed."""
    assert histogram(run.total, "udp-socket-enqueued")["count"] == int(packets)
    assert sum(histogram(r, "udp-socket-enqueued")["count"] for r in run.intervals) == int(packets)
    assert max(r["interval_s"] for r in run.intervals) > 5
