"""What cases.bats says of stages, and of ways of packets. Times are only compared with one another."""
from run import Run, histogram

UDP = ["ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
# What tells of a packet at an interface.
OUT = ["tx-queue", "tx-start"]
IN = ["enqueue_to_backlog", "netif-receive"]
FORWARDED = ["ip-rcv", "ip-forward"]
DELIVERED = ["ip-rcv", "ip-deliver"]


def read(path):
    return Run(open(path))


def stages(run, to=None, begin=None):
    return [s for s in run.total["stages"] if to in (None, s["to"]) and begin in (None, s["from"])]


def count(run, to):
    return sum(s["count"] for s in stages(run, to))


def hooks(run, prefix=""):
    return {s["to"] for s in stages(run) if s["to"].startswith(prefix)}


def unpaired(run):
    return sum(run.total["unpaired"].values())


def of_most(run, to):
    """TCP may have several stages to a hook."""
    return max(stages(run, to), key=lambda s: s["count"])


def show(*runs):
    for run in runs:
        print("unpaired:", run.total["unpaired"])
        for s in stages(run):
            print("  ", *(s[field] for field in ("from", "to", "count", "mean_ns", "p50_ns", "group")))


def growth(before, after, prefix=""):
    both = hooks(before, prefix) & hooks(after, prefix)
    found = {to: of_most(after, to)["p50_ns"] / of_most(before, to)["p50_ns"] for to in both}
    print(found)
    return found


def grows(before, after, to, prefix="", *may_grow):
    """The stage to that hook is manyfold, and others are much as they were: bounds of buckets are powers of two."""
    after = read(after)
    show(before, after)
    found = growth(before, after, prefix)
    manyfold = found.pop(to)
    assert manyfold >= 16
    assert all(factor <= max(4, manyfold / 16) for hook, factor in found.items() if hook not in may_grow)


def none_grows(before, after, most):
    """More than so many times."""
    after = read(after)
    show(before, after)
    assert all(factor <= int(most) for factor in growth(before, after).values())


def latency_stays(before, after, most):
    before, after = (histogram(run.total, "udp-socket-read")["p50_ns"] for run in (before, read(after)))
    assert after <= int(most) * before, (before, after)


def waits(run, *to):
    """Packets wait longer there than at all other stages."""
    show(run)
    others = sum(of_most(run, hook)["mean_ns"] for hook in hooks(run) - set(to))
    assert all(of_most(run, hook)["mean_ns"] > 2 * others for hook in to)


def counts(run, *expected):
    """HOOK=COUNT each."""
    show(run)
    for to, packets in (words.split("=") for words in expected):
        assert count(run, to) == int(packets), to


def has_every_stage_of_udp(run, packets):
    show(run)
    assert {to: count(run, to) for to in hooks(run, "udp-")} == dict.fromkeys(UDP[1:], int(packets))
    assert not unpaired(run)


def is_in_both_namespaces(run, host, container, packets):
    show(run)
    by_netns = {(s["to"], s["group"]["netns"]): s["count"] for s in stages(run)}
    assert by_netns["ip-forward", host] == int(packets)
    assert by_netns["ip-rcv", container] == by_netns["udp-socket-read", container] == int(packets)
    assert ("udp-start", host) not in by_netns and ("ip-forward", container) not in by_netns


def has_no_stage(run, begin, to):
    show(run)
    assert not stages(run, to, begin)


def waits_most(run, begin, to, least):
    """At least so many segments, and longer than at any other stage."""
    show(run)
    late, = stages(run, to, begin)
    assert late["count"] >= int(least)
    assert all(late["mean_ns"] > 2 * s["mean_ns"] for s in stages(run) if s != late)


def tunnelled_once(run, ipip, vxlan, plain):
    """So many packets were read that came each way."""
    ipip, vxlan, plain = int(ipip), int(vxlan), int(plain)
    show(run)
    latency = histogram(run.total, "udp-socket-read")
    print(latency["count"], latency["sum_ns"])
    udp = [s for s in stages(run) if s["to"] in UDP[1:]]
    assert {(s["from"], s["to"]) for s in udp} == set(zip(UDP, UDP[1:]))
    assert count(run, "udp-socket-enqueued") == count(run, "udp-socket-read") == ipip + vxlan + plain
    # Those of the tunnel itself end there.
    assert count(run, "udp-start") == count(run, "udp-queue-rcv") > ipip + 2 * vxlan + plain
    assert count(run, "tcp-socket-enqueued") - count(run, "tcp-socket-read") in range(3)
    assert not unpaired(run)
    assert sum(s["sum_ns"] for s in udp) <= latency["sum_ns"]
    # At any hook: a fast reader is done with a packet before the program at return runs.
    way = max(histogram(run.total, hook)["max_le_ns"] for hook in UDP[1:])
    print("the longest way", way, "of stages", [s["max_le_ns"] for s in udp])
    assert all(s["max_le_ns"] <= way for s in udp)


def one_is_unpaired_of_more_than(run, packets):
    show(run)
    seen = sum(s["count"] for s in stages(run))
    print(unpaired(run), "of", seen)
    assert int(packets) * unpaired(run) < seen > int(packets)


def there_and_back(client, server, container, there, back):
    """From the client through the server and its bridge, to the container, which sees THERE, and back, where it sees BACK."""
    return ([(client, None, ["tx-ip"]), (client, "veth0", OUT), (server, "veth0", IN + FORWARDED), (server, "br0", OUT), (server, "port0", OUT),
             (container, "veth0", IN + DELIVERED + there)],
            [(container, None, ["tx-ip"]), (container, "veth0", OUT), (server, "port0", IN), (server, "br0", ["netif-receive"] + FORWARDED),
             (server, "veth0", OUT), (client, "veth0", IN + DELIVERED + back)])


def steps_of(way):
    return [(netns, interface, hook) for netns, interface, hooks in way for hook in hooks]


def journey_of(packet):
    return [(step["netns"], step["interface"], step["hook"]) for step in packet["journey"]]


def way_of_a_ping(run, client, server, container):
    for packet in run.packets:
        print(packet["protocol"], packet["saddr"], packet["daddr"], packet["latency_ns"])
        for step in packet["journey"]:
            print("   ", step["ns"], step["hook"], step["interface"], step["netns"])
    there, back = there_and_back(client, server, container, ["icmp-start"], ["icmp-start", "drop"])
    # A raw socket gets a clone, and nobody else wants the reply.
    got = [(client, "veth0", ["raw-socket-enqueued", "raw-socket-read"])]
    one, other = ("192.0.2.1", "198.51.100.2"), ("198.51.100.2", "192.0.2.1")
    pings = [packet for packet in run.packets if packet["protocol"] == "ICMP"]
    for packet, addresses, way in zip(pings, [one, other, other], [there, back, got]):
        assert (packet["saddr"], packet["daddr"], packet["length"]) == (*addresses, 84), packet
        print(*set(steps_of(way)) ^ set(journey_of(packet)), sep="\n")
        assert journey_of(packet) == steps_of(way)
    assert len(pings) == 3 and pings[2]["comm"] == "ping", pings
    assert pings[1]["reason"], pings[1]


def way_there_and_back(run, packets, client, server, container):
    """So many packets, and as many answers."""
    assert run.total["slow"]["limited"] == run.total["slow"]["no_room"] == 0, run.total["slow"]
    ways = {"192.0.2.1": [], "198.51.100.2": []}
    for packet in run.packets:
        ways[packet["saddr"]].append(journey_of(packet))
    for seen, way in zip(ways.values(), there_and_back(client, server, container, UDP[1:], UDP[1:])):
        print(len(seen), *(set(steps_of(way)) ^ set(step for steps in seen for step in steps)))
        assert seen == [steps_of(way)] * int(packets), seen
