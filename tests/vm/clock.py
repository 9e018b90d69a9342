"""What clock.bats says of clocks that are set."""
from run import histogram


def told_once(run):
    """And no bucket shows it: changes are of 37 s and more."""
    assert [report["clock_changed"] for report in run.reports].count(True) == 1
    for report in run.reports:
        for h in report["histograms"]:
            print(report["kind"], h["hook"], h["buckets"], h["discarded"])
            assert h["count"] == 0 or h["max_le_ns"] and h["max_le_ns"] <= 1 << 32, h


def waited_across_a_step(run, packets):
    """None was counted."""
    told = [r["clock_changed"] for r in run.intervals]
    read = histogram(run.total, "udp-socket-read")
    print(told, read)
    # It is read several intervals after the one that tells of the step.
    assert any(told) and len(told) - told.index(True) > 3
    assert read["count"] == 0 and read["discarded"]["clock_change"] == int(packets)


def forth_and_back(run, between, after):
    """So many packets came between the two steps, and so many after both."""
    between, after = int(between), int(after)
    shown = histogram(run.total, "udp-start")
    print(shown)
    assert any(r["clock_changed"] for r in run.reports)
    # TAI is set along with the wall clock; the monotonic clock is not, and nobody told the programs.
    invalidated = between if run.total["clock"] == "monotonic" else 0
    assert shown["discarded"]["clock_change"] == invalidated
    assert shown["count"] == between + after - invalidated and shown["max_le_ns"] < 2 ** 34
