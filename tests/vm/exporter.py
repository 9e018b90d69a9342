"""What exporter.bats says of what was served, and printed meanwhile."""
import json

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


def came_and_went(_, followed, came, went, read):
    """At least so many series, says web.py follow; and exactly so many packets were read."""
    followed = json.load(open(followed))
    assert followed["scrapes"] > 5 and followed["came"] >= int(came) and followed["went"] >= int(went), followed
    assert followed["count"]["udp-socket-read"] == int(read), followed


def none_is_late(run):
    late = [r["interval_s"] for r in run.intervals if r["interval_s"] > 1.5]
    assert len(run.intervals) > 9 and not late, late
