"""What drop.bats says of drops, of what CPUs do, and of cards' stamps."""
import os

from run import histogram


def told_by_symbol(run, function, packets):
    """Where a packet was dropped is in this function."""
    assert sum(h["count"] for h in run.total["histograms"]
               if h["group"].get("reason", "").startswith(function + "+0x")) == int(packets)


def take_no_longer_than_there_was(run):
    """What a CPU does one at a time."""
    took_ns, there_was_ns = sum(h["sum_ns"] for h in run.total["histograms"]), run.total["interval_s"] * 1e9
    assert 0 < took_ns <= there_was_ns * os.cpu_count(), (took_ns, there_was_ns)


def softirqs_were_raised(run):
    groups = [h for h in run.total["histograms"] if h["count"]]
    assert groups and all(set(h["group"]) == {"cpu"} and h["mean_ns"] > 0 for h in groups)
    # What is not known to have been raised is the exception.
    assert sum(h["discarded"]["no_stamp"] for h in run.total["histograms"]) < sum(h["count"] for h in groups) / 10


def stamped_by_a_card(run, interface, ms, counted, future, not_rx):
    """MS ago: counted so many; the others were discarded, as stamps of the future, and as none."""
    stamped, = (h for h in run.total["histograms"] if h["group"])
    print(stamped, run.total["histograms"])
    assert stamped["group"]["interface"] == interface and stamped["count"] == int(counted)
    assert int(ms) * 1e6 <= stamped["mean_ns"] and stamped["buckets"][0]["le_ns"] <= 1 << 30
    discarded = histogram(run.total, "hardware")["discarded"]
    assert discarded["future"] == int(future) and discarded["not_rx"] >= int(not_rx)


def of_key(run, key, *expected):
    """REASON,VALUE=COUNT, and nothing else."""
    counts = {(h["group"]["reason"], h["group"].get(key, "")): h["count"] for h in run.total["histograms"] if h["count"]}
    print(counts)
    assert {f"{reason},{value}={count}" for (reason, value), count in counts.items()} == set(expected)
