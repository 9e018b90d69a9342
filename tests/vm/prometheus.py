"""What prometheus.bats says of the answers of a Prometheus, held against what two hosts print themselves."""
import json
import math

from run import Run, buckets


def assert_samples(answers, hosts, read):
    """Every sample, in its bucket; so many were read."""
    counts = {(a["instance"], a["hook"]): a["value"] for a in answers if a.get("__name__", "").endswith("_count")}
    assert counts == {(host, hook): sum(counted.values()) for host, hooks in hosts.items()
                      for hook, counted in hooks.items()}, counts
    assert {host: counts[host, "udp-socket-read"] for host in hosts} == read, counts
    for answer in answers:
        if "le" in answer:
            bound = float(answer["le"]) * 1e9
            expected = sum(count for le, count in hosts[answer["instance"]][answer["hook"]].items()
                           if (le or math.inf) <= bound * (1 + 1e-9))
            assert answer["value"] == expected, (answer, expected)


def bound_of(rank, counted):
    """Of the bucket that has the sample of this rank."""
    seen = 0
    for le in sorted(counted):
        seen += counted[le]
        if seen >= rank:
            break
    return le


def assert_quantiles(answers, hosts):
    """Of both hosts together: Prometheus interpolates within the bucket that ours is the bound of."""
    for answer in answers:
        merged = {}
        for hooks in hosts.values():
            for le, count in hooks[answer["hook"]].items():
                merged[le] = merged.get(le, 0) + count
        le = bound_of(float(answer["permille"]) / 1000 * sum(merged.values()), merged)
        print(answer, le)
        assert le / 2 * (1 - 1e-9) < answer["value"] * 1e9 <= le * (1 + 1e-9), (answer, le)
    quantiles = {(a["hook"], a["permille"]): a["value"] for a in answers}
    assert len(quantiles) == 8
    # The delays: the second host is the slow one.
    assert quantiles["udp-socket-read", "990"] > 10 * quantiles["udp-socket-enqueued", "990"]


def comes_to_the_same(run, one, read_by_one, reports_of_two, two, read_by_two, answers):
    """Where ONE and TWO are addresses; the answers are those of web.py query."""
    runs = {one: run, two: Run(open(reports_of_two))}
    hosts = {host: {h["hook"]: buckets(of.total, h["hook"]) for h in of.total["histograms"]} for host, of in runs.items()}
    answers = [json.loads(line) for line in open(answers)]
    assert_samples(answers, hosts, {one: int(read_by_one), two: int(read_by_two)})
    assert_quantiles([answer for answer in answers if "permille" in answer], hosts)
