"""What misses.bats says of reads."""
import sys

from run import histogram


def reads_are_accounted_for(run, reads, packets):
    """In the total, and what was missed in the intervals, too; prints that."""
    of_hook = [h for h in run.total["histograms"] if h["hook"] == "udp-socket-read"]
    count = sum(h["count"] for h in of_hook)
    discarded = of_hook[0]["discarded"]
    print(reads, "reads,", count, "recorded,", discarded, file=sys.stderr)
    assert 0 < count <= int(packets)
    assert count + sum(discarded.values()) == int(reads)
    in_intervals = [histogram(r, "udp-socket-read")["discarded"]["recursion_misses"] for r in run.intervals]
    assert sum(in_intervals) == discarded["recursion_misses"]
    print(discarded["recursion_misses"])
