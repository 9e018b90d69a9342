"""What netstacklat printed as JSON Lines."""
from datetime import datetime
import json
import os


def is_linux_since(*version):
    """MAJOR, MINOR, as in helpers.bash."""
    return tuple(map(int, os.uname().release.split(".")[:2])) >= version


def histogram(report, hook):
    """Of groups, what is of none."""
    return next(h for h in report["histograms"] if h["hook"] == hook)


def buckets(report, hook):
    return {bucket["le_ns"]: bucket["count"] for bucket in histogram(report, hook)["buckets"]}


def time_ns(packet):
    """When it was at the hook, since 1970."""
    seconds, ns = packet["time"].rstrip("Z").split(".")
    return int(datetime.fromisoformat(seconds + "+00:00").timestamp()) * 10**9 + int(ns)


class Run:
    """The reports of one: intervals, then the total if it ended with a signal; and the slow packets."""

    def __init__(self, lines):
        lines = [json.loads(line) for line in lines]
        self.packets = [line for line in lines if line["kind"] == "packet"]
        self.reports = [line for line in lines if line["kind"] != "packet"]
        self.intervals, self.total = self.reports[:-1], self.reports[-1]

    def figure(self, hook, what):
        """In the total, as a whole number: a field of the histogram (count, mean_ns, max_le_ns), the bound of its
        first_bucket, all that was discarded, or what was for one cause."""
        assert self.total["kind"] == "total", self.total["kind"]
        found = histogram(self.total, hook)
        discarded = found["discarded"]
        return round({**discarded, **found, "discarded": sum(discarded.values()),
                      "first_bucket": next(iter(buckets(self.total, hook)), None)}[what])
