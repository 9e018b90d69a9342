"""What exporter.bats says of what was served, and printed meanwhile."""
import json
import os
import re
import time

from run import histogram


def same_stage(run, packets, stage):
    """As many from udp-start to udp-queue-rcv as were served."""
    assert histogram(run.total, "udp-start")["count"] == int(packets)
    (found,) = (s for s in run.total["stages"] if s["from"] == "udp-start" and s["to"] == "udp-queue-rcv")
    assert found["count"] == int(stage)


def formats_agree(_, openmetrics, older):
    """On what is of udp-start."""
    from prometheus_client import parser
    from prometheus_client.openmetrics import parser as openmetrics_parser

    def read(parse, path):
        return {(s.name, tuple(sorted(s.labels.items()))): s.value
                for family in parse(open(path).read()) for s in family.samples
                if "udp-start" in s.labels.values()}

    a = read(openmetrics_parser.text_string_to_metric_families, openmetrics)
    b = read(parser.text_string_to_metric_families, older)
    assert a == b and len(a) > 80, a.items() ^ b.items()


def takes_what_the_kernel_says(_, scrape, pid):
    """Of CPU time, memory and when it started, a moment later."""
    with open(scrape) as file:
        served = {name: float(value) for name, value in re.findall(r"^(process_\w+) (\S+)", file.read(), re.M)}
    with open(f"/proc/{pid}/stat") as file:
        cpu_s = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    with open(f"/proc/{pid}/statm") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    assert cpu_s / 2 < served["process_cpu_seconds_total"] <= cpu_s + 0.02, (served, cpu_s)
    assert 0.8 * memory < served["process_resident_memory_bytes"] < 1.25 * memory, (served, memory)
    assert time.time() - 600 < served["process_start_time_seconds"] <= time.time(), served


def came_and_went(_, followed, came, went, read):
    """At least so many series, says web.py follow; and exactly so many packets were read."""
    followed = json.load(open(followed))
    assert followed["scrapes"] > 5 and followed["came"] >= int(came) and followed["went"] >= int(went), followed
    assert followed["count"]["udp-socket-read"] == int(read), followed


def none_is_late(run):
    late = [r["interval_s"] for r in run.intervals if r["interval_s"] > 1.5]
    assert len(run.intervals) > 9 and not late, late
