#!/usr/bin/python3 -B
"""What options.bats asks of golden reports, and of the schema, so that they can be compared.

usage: tests/cli/golden.py openmetrics METRICS REPORT     the reference parser takes METRICS, and spells bounds the same
       tests/cli/golden.py counts REPORT                  of each histogram, its labels and its count
       tests/cli/golden.py stages REPORT                  of each stage, its labels, count and sum in ns; and what is
       tests/cli/golden.py stages-in-openmetrics METRICS  unpaired at each hook
       tests/cli/golden.py overhead REPORT                of each program, its labels, runs and their time in ns
       tests/cli/golden.py overhead-in-openmetrics METRICS
       tests/cli/golden.py keys-in-schema                 and what cgroups, sockets and processes tell
       tests/cli/golden.py causes-in-schema
"""
import decimal
import json
import re
import sys

TOLD = ("container", "pod", "container_name", "unit", "addresses", "started")


def load(report):
    return json.load(open(report))


def definitions():
    return load("doc/report.schema.json")["definitions"]


def check_openmetrics(metrics, report):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    from prometheus_client.utils import floatToGoString
    families = list(text_string_to_metric_families(open(metrics).read()))
    assert [(f.name, f.type, f.unit) for f in families] == [
        ("netstacklat_latency_seconds", "histogram", "seconds"), ("netstacklat_discarded", "counter", ""),
        ("netstacklat_hook_attached", "gauge", ""), ("netstacklat_clock_offset_seconds", "gauge", "seconds"),
        ("netstacklat_clock_changes", "counter", ""), ("netstacklat_missed_intervals", "counter", ""),
        ("netstacklat_build", "info", "")] + [
        ("netstacklat_group_rows", "gauge", ""), ("netstacklat_group_rows_limit", "gauge", ""),
        ] * ("groups" in metrics and "stages" not in metrics) + [
        ("netstacklat_stage_seconds", "histogram", "seconds"), ("netstacklat_unpaired", "counter", ""),
        ("netstacklat_stage_drops", "counter", ""),
        ] * ("stages" in metrics), families
    bounds = {s.labels["le"] for f in families for s in f.samples if s.name.endswith("_bucket")}
    for family in families:
        series = [(s.name, tuple(sorted(s.labels.items()))) for s in family.samples]
        assert len(set(series)) == len(series), series
    assert all(bound == floatToGoString(float(bound)) for bound in bounds), bounds
    report = load(report)
    for histogram in report["histograms"] + report.get("stages", []):
        for bucket in histogram["buckets"]:
            assert bucket["le_ns"] is None or bucket["le_ns"] / 1e9 in map(float, bounds), bucket


def show_counts(report):
    grouped = "groups" in report
    for histogram in load(report)["histograms"]:
        if grouped and not histogram["group"]:
            assert histogram["count"] == 0
            continue
        labels = {"hook": histogram["hook"], **histogram["group"]}
        quoted = (json.dumps(str(value), ensure_ascii=False) for value in labels.values())
        print(",".join(map("{}={}".format, labels, quoted)), histogram["count"])


def show_stages(report):
    report = load(report)
    for stage in report["stages"]:
        # IP versions are those of groups, too.
        labels = {name: stage[name] for name in ("from", "to", "ip_version") if stage[name]} | stage["group"]
        labels = sorted('{}="{}"'.format(*label) for label in labels.items())
        print(",".join(labels), stage["count"], stage["sum_ns"])
    for hook, count in report["unpaired"].items():
        print(f'unpaired hook="{hook}"', count)


def counts_and_ns(metrics, counter, seconds):
    """Of each series: labels, and the values of these two."""
    ns = {labels: int(decimal.Decimal(value) * 10**9) for labels, value in values_of(metrics, seconds)}
    for labels, count in values_of(metrics, counter):
        yield labels, count, ns.pop(labels)
    assert not ns


def values_of(metrics, name):
    return re.findall(rf"^{name}{{(.*)}} (.*)$", metrics, re.M)


def show_stages_in_openmetrics(metrics):
    metrics = open(metrics).read()
    for labels, *values in counts_and_ns(metrics, "netstacklat_stage_seconds_count", "netstacklat_stage_seconds_sum"):
        print(",".join(sorted(labels.split(","))), *values)
    for hook, count in values_of(metrics, "netstacklat_unpaired_total"):
        print("unpaired", hook, count)


def show_overhead(report):
    for program in load(report)["overhead"]:
        print('hook="{hook}",program="{program}" {runs} {run_ns}'.format(**program))


def show_overhead_in_openmetrics(metrics):
    for values in counts_and_ns(open(metrics).read(), "netstacklat_program_runs_total",
                                "netstacklat_program_run_seconds_total"):
        print(*values)


def show_keys():
    labels = list(definitions()["group"]["properties"])
    print(*[name for name in labels if name not in TOLD], *[name for name in labels if name in TOLD], sep="\n")


def show_causes():
    print(*definitions()["discarded"]["properties"], sep="\n")


COMMANDS = {
    "openmetrics": check_openmetrics,
    "counts": show_counts,
    "stages": show_stages,
    "stages-in-openmetrics": show_stages_in_openmetrics,
    "overhead": show_overhead,
    "overhead-in-openmetrics": show_overhead_in_openmetrics,
    "keys-in-schema": show_keys,
    "causes-in-schema": show_causes,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
