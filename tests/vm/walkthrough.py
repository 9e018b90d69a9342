"""What walkthrough.bats says of the hook, the filter and the key that doc/hacking.md adds."""
from run import histogram

HOOKS = ["ip-protocol", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]


def counts_by(run, hook, key):
    return {h["group"].get(key): h["count"] for h in run.total["histograms"] if h["hook"] == hook and h["count"]}


def hook_counts(run, ipv4, ipv6):
    counts = counts_by(run, "ip-protocol", "ip_version")
    print(counts)
    # Neighbour discovery comes by, too.
    assert counts[4] == int(ipv4) and counts[6] >= int(ipv6)


def hook_is_in_stages(run, ipv4, ipv6):
    counts = {(s["from"], s["to"], s["ip_version"]): s["count"] for s in run.total["stages"]}
    print(counts)
    for ip_version, packets in (4, int(ipv4)), (6, int(ipv6)):
        assert counts["ip-rcv", "ip-protocol", ip_version] >= packets
        assert counts["ip-protocol", "udp-start", ip_version] == packets
    assert run.total["unpaired"]["ip-protocol"] == run.total["unpaired"]["udp-start"] == 0


def hook_is_in_journeys(run):
    journeys = [[step["hook"] for step in packet["journey"]] for packet in run.packets
                if packet["hook"] == "udp-queue-rcv"]
    assert journeys
    for journey in journeys:
        assert journey[-4:] == ["ip-rcv", "ip-protocol", "udp-start", "udp-queue-rcv"], journey


def marked_pass(run, packets):
    for hook in HOOKS:
        found = histogram(run.total, hook)
        print(hook, found["count"], found["discarded"]["filtered"])
        assert found["count"] == int(packets) < found["discarded"]["filtered"] + int(packets)


def marked_are_a_group(run, plain, marked):
    for hook in HOOKS:
        counts = counts_by(run, hook, "mark")
        print(hook, counts)
        assert counts == {None: int(plain), 7: int(marked)}
