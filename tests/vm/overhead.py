"""What overhead.bats says of the programs' runs."""
import json

UDP = ["udp_rcv", "udp_queue_rcv_one_skb", "__udp_enqueue_schedule_skb", "skb_consume_udp"]
TCP_SOCKET_READ = ["tcp_queue_rcv", "tcp_cleanup_rbuf", "tcp_disconnect", "tcp_v4_destroy_sock"]


def programs(report):
    return {p["program"]: p for p in report["overhead"]}


def as_the_kernel_counts(run, kernel, packets):
    """By its programs, as bpftool shows them: of IPv4, each has so many runs."""
    kernel = {p["name"]: p for p in json.load(open(kernel)) if "name" in p}
    intervals, total = [programs(report) for report in run.intervals], programs(run.total)
    for name in UDP:
        ours, theirs = total.pop(name), kernel[name]
        print(ours, theirs["run_cnt"], theirs["run_time_ns"])
        assert ours["runs"] == theirs["run_cnt"] == int(packets)
        assert ours["run_ns"] == theirs["run_time_ns"] > 0
        for field in "runs", "run_ns":
            assert sum(of[name][field] for of in intervals) == ours[field], field
        assert sum(of[name]["runs"] > 0 for of in intervals) >= 2, name
    assert total.keys() == {"udpv6_rcv", "udpv6_queue_rcv_one_skb"}
    assert all(p["runs"] == 0 for p in total.values())


def of_tcp_socket_read(run):
    for report in run.reports:
        assert [p["program"] for p in report["overhead"]] == TCP_SOCKET_READ, report
    # Nobody disconnects a socket without closing it.
    assert all((p["runs"] > 0) == (p["program"] != "tcp_disconnect") for p in run.total["overhead"]), run.total
    assert [h["hook"] for h in run.total["histograms"]] == ["tcp-socket-read"]
