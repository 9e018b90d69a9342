"""What reads.bats says of how late segments were read."""
from run import buckets, histogram


def each_is_as_late(run, sent, read):
    """By when each was sent, a line each, and when all were read, on the third line, in ns."""
    sent = [int(line) for line in open(sent)]
    read = int(open(read).readlines()[2])
    # The FIN came last, right behind them.
    waits = sorted(read - at for at in sent + sent[-1:])
    shown = histogram(run.total, "tcp-socket-read")
    print(shown["buckets"], shown["mean_ns"], waits)
    mean = sum(waits) / len(waits)
    assert mean * 0.9 < shown["mean_ns"] < mean * 1.1, mean
    # Each is in its bucket, which is a quarter of an octave, or in the next one.
    seen = 0
    for le, count in buckets(run.total, "tcp-socket-read").items():
        for wait in waits[seen:seen + count]:
            assert le / 1.6 < wait < le * 1.3, (le, wait)
        seen += count


def print_readers(run):
    """Whom histograms and slow packets name, as PID:COMM."""
    named = [h["group"] for h in run.total["histograms"] if h["count"]] + run.packets
    print(*{":".join(str(one.get(key)) for key in ("pid", "comm")) for one in named})
