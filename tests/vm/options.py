"""What options.bats says of what each option makes of the flows that went by."""
import json
import pathlib
import re
from collections import Counter

from flows import groups_at
from run import buckets, histogram


def packets_at(hook, flows):
    return sum(groups_at(hook, flows)[0].values())


def total_of(text):
    return text.split("  total ")[-1]


def hooks_are(run, _, *hooks):
    assert tuple(hook["hook"] for hook in run.total["hooks"]) == hooks


def all_but_first_of_each(run, flows):
    """Flow, as all of its packets queue up before the first is read."""
    udp = [end for end in json.loads(open(flows).readlines()[1]) if end["kind"] == "udp"]
    shown = histogram(run.total, "udp-socket-enqueued")
    print(shown["count"], shown["discarded"], "of", len(udp), "flows")
    assert shown["count"] == sum(end["packets"] - 1 for end in udp)
    assert shown["discarded"]["filtered"] == len(udp)


def largest_sum_is_first(run, _, groups):
    for report in run.reports:
        sums = [h["sum_ns"] for h in report["histograms"] if h["group"]]
        print(sums)
        assert sums == sorted(sums, reverse=True)
    assert len(sums) == int(groups)


def one_has_room(run, flows):
    packets = packets_at("udp-queue-rcv", flows)
    groups = [h["count"] for h in run.total["histograms"] if h["group"]]
    print(groups, "of", packets)
    assert len(groups) == 1 and 0 < groups[0] < packets
    assert histogram(run.total, "udp-queue-rcv")["discarded"]["no_room"] == packets - groups[0]


def busiest_is_shown(text, flows):
    """And the others as one."""
    total = total_of(text)
    (_, busiest), *rest = groups_at("udp-queue-rcv", flows, keys=["port"])[0].most_common()
    assert re.findall(r"^count (\d+)", total, re.M) == [str(busiest)], total
    assert f"\n{len(rest)} more groups with a count of {sum(n for _, n in rest)}" in total, total


def wakeups_end_at_the_reader(run, flows):
    packets = packets_at("udp-socket-read", flows)
    read = Counter({stage["from"]: 0 for stage in run.total["stages"]})
    for stage in run.total["stages"]:
        if stage["to"] == "udp-socket-read":
            read[stage["from"]] += stage["count"]
    print(packets, read, "unpaired:", run.total["unpaired"])
    # A packet may be read before it is known that it was queued.
    assert read["udp-socket-enqueued"] + read["udp-socket-running"] + run.total["unpaired"]["udp-socket-read"] == packets


def stages_have_each(run, flows, *hooks):
    """Packet, to these hooks."""
    packets = packets_at("udp-socket-read", flows)
    ends = Counter()
    for stage in run.total["stages"]:
        ends[stage["to"]] += stage["count"]
    print(packets, ends, run.total["unpaired"])
    # A packet may be read before it is known that it was queued.
    ends["udp-socket-read"] += run.total["unpaired"]["udp-socket-read"]
    assert ends == dict.fromkeys(hooks, packets)


def counts_only_grow(run, _):
    """And are those of the total before the end."""
    counts = [histogram(report, "udp-queue-rcv")["count"] for report in run.reports]
    assert {report["kind"] for report in run.intervals} == {"cumulative"}
    assert counts == sorted(counts) and counts[-2] == counts[-1], counts


def buckets_are_sixteenths(run, _):
    bounds = list(buckets(run.total, "udp-queue-rcv"))
    sixteenths = [max((le - 1).bit_length() - 5, 0) for le in bounds]
    assert all(le >> n << n == le for le, n in zip(bounds, sixteenths)), bounds
    assert any(le >> n & 1 for le, n in zip(bounds, sixteenths)), bounds


def every_bucket_is_shown(text, flows):
    total = total_of(text)
    counts = list(map(int, re.findall(r"^[\[(].*\] +(\d+) \|", total, re.M)))
    assert sum(counts) == packets_at("udp-queue-rcv", flows), total
    # Far more than octaves from one microsecond to a second are.
    assert len(counts) > 40, total


def lines_are_of_hooks_and_groups(text, flows):
    total = total_of(text)
    lines = [line.split() for line in total.splitlines()]
    expected = [(hook, packets_at(hook, flows), ["0"]) for hook in ("udp-start", "udp-queue-rcv")]
    for group, count in groups_at("udp-queue-rcv", flows, keys=["port"])[0].most_common():
        port = json.loads(group)["port"]
        expected.append(("udp-queue-rcv", count, ["-", f'{{port="{port}"}}']))
    marked = [words for words in lines if "<-" in words]
    shown = [(words[0], int(words[1]), [word for word in words[7:] if word != "<-" and word[0] != "+"])
             for words in lines if words and words[0].startswith("udp-")]
    assert shown == expected, total
    assert len(marked) == 1 and marked[0][0].startswith("udp-") and len(marked[0]) == 10, total
    assert max(map(len, total.splitlines())) <= 80, total


def sum_is_shown(text, flows):
    """Of a heatmap, in thousands."""
    assert re.search(rf"^total .*\|{packets_at('udp-queue-rcv', flows) / 1000:.3g}k$", text, re.M), text


def metrics_have_each(metrics, flows, *last):
    """Packet; the last line, where there is one."""
    count = f'netstacklat_latency_seconds_count{{hook="udp-queue-rcv"}} {packets_at("udp-queue-rcv", flows)}\n'
    assert count in metrics and metrics.endswith("".join(f"{line}\n" for line in last)), metrics


def runs_are_packets(run, flows):
    packets = packets_at("udp-queue-rcv", flows)
    assert sum(program["runs"] for program in run.total["overhead"]) == packets, run.total["overhead"]


def each_is_told_of(run, flows):
    sent = packets_at("udp-queue-rcv", flows)
    print(sent, run.total["slow"])
    assert len(run.packets) == run.total["slow"]["told"] == sent


def of_help_were_used(help, used):
    """All options, in one of their spellings: each is on a line of the file, or in a test beside this one."""
    used = {word.split("=")[0] for word in open(used).read().split()}
    for tests in pathlib.Path(__file__).parent.glob("*.bats"):
        used |= set(re.findall(r"(?<!\w)--[a-z.-]+", tests.read_text()))
    options = re.findall(r"^ +(-\w)?(?:, )?(--[a-z.-]+)?(?=[ =\n])", help, re.M)
    options = [set(spellings) - {""} for spellings in options if any(spellings)]
    print(options)
    assert len(options) > 30
    unused = [spellings for spellings in options if not used & spellings]
    assert not unused, unused
