"""What stamps.bats says of text, held against JSON."""
import re


def duration(ns):
    return next(f"{ns / unit:.3g}{name}" for name, unit in (("s", 1e9), ("ms", 1e6), ("us", 1e3)) if ns >= unit)


def octaves(histogram):
    """As text has them: two buckets of one octave are one."""
    counts = {}
    for bucket in histogram["buckets"]:
        le = 1 << (bucket["le_ns"] - 1).bit_length()
        counts[le] = counts.get(le, 0) + bucket["count"]
    return counts


def text_says_the_same(run, text, packets):
    """Of the total: bounds, counts, and percentiles."""
    text = open(text).read().split("  total ")[1]
    for h in run.total["histograms"]:
        if not h["hook"].startswith("udp-"):
            continue
        block = re.search("^" + h["hook"] + r":\n(.*?)\n\n", text, re.M | re.S)[1]
        shown = re.findall(r"^\((\S+), (\S+)\] +(\d+)", block, re.M)
        assert shown == [(duration(le / 2), duration(le), str(count)) for le, count in octaves(h).items()]
        mean, *bounds = re.search(rf"^count {packets}  mean (\S+)ms\n"
                                  r"p50 (\S+)  p90 (\S+)  p99 (\S+)  p99.9 (\S+)  max (\S+)", block, re.M).groups()
        assert abs(float(mean) * 1e6 - h["mean_ns"]) < 1e6, mean
        assert bounds == [duration(h[name + "_ns"]) for name in ("p50", "p90", "p99", "p999", "max_le")], bounds
        assert h["count"] == int(packets) and not any(h["discarded"].values()) and "discarded" not in block
        print(block)
