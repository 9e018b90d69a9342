"""What groups.bats says of groups: their counts and their names."""
import json
import re
from collections import Counter

from flows import as_text, groups_at


def counts_by(run, key):
    return {h["group"][key]: h["count"] for h in run.total["histograms"] if h["count"]}


def add_up_in_intervals(run, _):
    added = Counter()
    for report in run.intervals:
        for h in report["histograms"]:
            added[h["hook"], as_text(h["group"])] += h["count"]
    assert sum(any(h["count"] for h in report["histograms"]) for report in run.intervals) > 1
    assert +added == {(h["hook"], as_text(h["group"])): h["count"] for h in run.total["histograms"] if h["count"]}


def busiest_are_in_text(text, flows, top):
    """So many, and the rest as one."""
    top, total = int(top), text.split("  total ")[1]
    groups, _ = groups_at("udp-queue-rcv", flows, keys=["port", "ip_version"])
    busiest = [(*json.loads(group).values(), count) for group, count in groups.most_common()]
    print(total, busiest)
    shown = re.findall(r'^udp-queue-rcv{port="(\d+)",ip_version="(\d)"}:\n(?:[\[(].*\n)*count (\d+)  mean', total, re.M)
    assert shown == [(str(port), str(version), str(count)) for version, port, count in busiest[:top]], shown
    rest = busiest[top:]
    assert f"\nudp-queue-rcv:\n{len(rest)} more groups with a count of {sum(count for *_, count in rest)}" in total


def are_labels(metrics, flows):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    groups, _ = groups_at("udp-socket-read", flows, keys=["cgroup", "comm"])
    counted = {}
    for family in text_string_to_metric_families(metrics):
        for sample in family.samples:
            if sample.name == "netstacklat_latency_seconds_count":
                assert sample.labels.pop("hook") == "udp-socket-read"
                counted[as_text(sample.labels)] = sample.value
    assert counted == groups, counted


def assert_groups(reports, keys, expected):
    """COUNT=LABELS each, these a regular expression for the labels of the keys; no two have the same count."""
    groups = Counter()
    for report in reports:
        for h in report["histograms"]:
            groups[" ".join(str(h["group"].get(key)) for key in keys.split(","))] += h["count"]
    found = {count: labels for labels, count in (+groups).items()}
    expected = {int(count): labels for count, labels in (group.split("=", 1) for group in expected)}
    print(+groups)
    assert len(found) == len(+groups) and found.keys() == expected.keys(), expected
    for count, labels in expected.items():
        assert re.fullmatch(labels, found[count]), (labels, found[count])


def of_total(run, keys, *expected):
    assert_groups([run.total], keys, expected)


def of_intervals(run, keys, *expected):
    assert_groups(run.intervals, keys, expected)


def are_three_of_one_id(run, pid, before, after):
    """Of 11, 13 and 17 packets: the second process started between these times, and the first before them all."""
    before, after = float(before), float(after)
    groups = {h["count"]: h["group"] for h in run.total["histograms"] if h["count"]}
    print(before, after, groups)
    assert groups.keys() == {11, 13, 17}
    assert before - 0.01 <= groups[13]["started"] <= after + 0.01 <= groups[17]["started"] + 0.02
    for group in groups.values():
        assert group.pop("comm") == "traffic.py" and group.pop("pid") == int(pid)
    assert not groups[11]
    names = {tuple(h["group"].items()) for report in run.intervals for h in report["histograms"] if h["count"]}
    assert len(names) == 3


def all_ports_have_theirs(run, first, end):
    """As udp-send-each sends them."""
    assert counts_by(run, "port") == {port: 1 + port % 2 for port in range(int(first), int(end))}
    assert not any(h["discarded"]["no_room"] for h in run.total["histograms"])


def some_ports_have_theirs(run, ports, packets):
    """So many; of so many packets in all, the rest found no room."""
    groups = counts_by(run, "port")
    no_room = sum(h["discarded"]["no_room"] for h in run.total["histograms"])
    print(len(groups), "groups with", sum(groups.values()), "packets, no room for", no_room)
    assert len(groups) == int(ports) and sum(groups.values()) + no_room == int(packets)
    assert all(count == 1 + port % 2 for port, count in groups.items())
