#!/usr/bin/python3
"""Holds a verdict of netstacklat --diagnose -j on standard input against what it should say.

usage: tests/verdict.py CLASS CULPRIT <VERDICT
    CLASS    of each finding, with commas; "CLASS+" stands for one or more, and "healthy" for no finding
    CULPRIT  NAME=VALUE, as the culprit has it, or NAME=VALUE|VALUE for one of these, or "-" for any
"""
import json
import sys


def is_as_often(name, found, expected):
    return name in found if f"{name}+" in expected else found.count(name) == expected.count(name)


def check_means(verdict):
    """Where nothing is late, not even by chance, no service takes long on average, but for what is told as no fault."""
    late_ns = verdict["late_task_ns"]
    if any(looked_at["outcomes"] for looked_at in verdict["looked_at"]):
        return
    for mean in verdict["means"]:
        assert (mean["in_ns"] or 0) < late_ns or mean["behind_others"], mean
        assert (mean["application_ns"] or 0) < verdict["late_application_ns"], mean
        assert (mean["out_ns"] or 0) < late_ns or verdict["held_back"]["late"], mean


def check_way_out(verdict):
    """Where all packets wait in a device's queue, their service takes that long on average, however they got there."""
    late = [finding for finding in verdict["findings"] if finding["class"] == "qdisc" and finding["share"] == 1]
    for finding in [] if verdict["unpaired"] else late:
        for mean in verdict["means"]:
            if all(mean["service"][name] == finding["service"][name] for name in ("netns", "port")):
                assert mean["out_ns"] > 0.6 * finding["p50_ns"], mean


def check_upstreams(verdict):
    """Who is asked takes as long to answer as its application does, or longer, where both are on this host."""
    for mean in verdict["means"]:
        asked = [upstream for upstream in verdict["upstreams"] if upstream["port"] == mean["service"]["port"]]
        if len(asked) == 1 and asked[0]["answers"] == mean["answers"]:
            assert asked[0]["answer_ns"] > 0.9 * (mean["application_ns"] or 0), (asked, mean)


def main():
    class_name, culprit = sys.argv[1:]
    verdicts = [json.loads(line) for line in sys.stdin]
    findings = [finding for verdict in verdicts for finding in verdict["findings"]]
    expected = [] if class_name == "healthy" else class_name.split(",")
    found = [finding["class"] for finding in findings]
    if not verdicts or any(verdict["no_room"] for verdict in verdicts):
        sys.exit("there is no verdict, or none about all packets")
    for verdict in verdicts:
        if not verdict["findings"]:
            check_means(verdict)
        check_way_out(verdict)
        check_upstreams(verdict)
    name, _, values = culprit.partition("=")
    named = {str(finding["culprit"].get(name)) for finding in findings}
    is_right = all(is_as_often(name.rstrip("+"), found, expected) for name in found + expected)
    if not is_right or culprit != "-" and not named & set(values.split("|")):
        sys.exit(f"expected {class_name} of {culprit}, but found: " + json.dumps(findings, indent=2))


main()
