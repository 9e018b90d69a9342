"""What path.bats says of hooks."""
from run import is_linux_since


def counts_by_hook(run):
    return {h["hook"]: h["count"] for h in run.total["histograms"]}


def hooks_are(run, *hooks):
    """And packets were at each."""
    counts = counts_by_hook(run)
    print(counts)
    assert tuple(counts) == hooks and all(counts.values())


def received_by_a_driver(run, pings, udp, *alone):
    """So many replies and datagrams, and segments. Hooks that are alone may not know the hook before."""
    pings, udp = int(pings), int(udp)
    counts = counts_by_hook(run)
    print(counts, run.total["unpaired"])
    assert counts["icmp-start"] == counts["raw-socket-enqueued"] == counts["raw-socket-read"] == pings
    for hook in "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read":
        assert counts[hook] == udp, hook
    # Nobody reads a FIN that comes alone.
    assert counts["tcp-socket-enqueued"] - counts["tcp-socket-read"] in (0, 1) or "tcp-socket-read" in alone
    assert 0 < counts["tcp-socket-read"] < counts["tcp-start"]
    assert counts["netif-receive"] == counts["ip-rcv"] == pings + udp + counts["tcp-start"]
    assert not any(h["discarded"][cause] for h in run.total["histograms"] for cause in ("no_stamp", "not_rx", "future"))
    assert not any(count for hook, count in run.total["unpaired"].items() if hook not in alone)


def each_hook_has_what_was_sent(run, udp, refused, server_pings, client_pings, segments):
    udp, refused, server_pings, client_pings, segments = map(int, (udp, refused, server_pings, client_pings, segments))
    counts = counts_by_hook(run)
    print(counts)
    for hook in "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read":
        assert counts[hook] == udp, hook
    # And the replies to ping, whose raw socket has a copy.
    assert counts["drop"] == refused + server_pings
    assert counts["icmp-start"] == server_pings + client_pings
    assert counts["raw-socket-enqueued"] == counts["raw-socket-read"] == server_pings
    # A FIN, too; a reader that is late finds several at a time.
    assert counts["tcp-socket-enqueued"] == segments + 1 >= counts["tcp-socket-read"] > 0
    # And the ACK that ends the handshake, and the SYN.
    assert counts["tcp-start"] >= counts["tcp-do-rcv"] >= segments + 2
    # Since Linux 5.18 (de799101519a), TCP's packets of this host still have their transmit times there.
    stamped = 0 if is_linux_since(5, 18) else counts["tcp-start"]
    assert counts["netif-receive"] == counts["ip-rcv"] == udp + refused + server_pings + client_pings + stamped
