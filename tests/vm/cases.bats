#!/usr/bin/env bats
# --stages finds the stage where packets wait, and no other: in the cases of the demo, and in more. Times are only
# compared with one another.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/cases.bash
	source "$BATS_TEST_DIRNAME/../cases.bash"
	stay_on_one_cpu
}

teardown() {
	stop_everything
}

# Runs Python on the totals of all that was measured, which it knows by name.
in_totals() { cat "$tmp"/*.out | tests/vm/in-reports "folder = '$tmp'" "$figures" "$1"; }
figures='
def run(name):
    with open(f"{folder}/{name}.out") as out:
        return json.loads(out.readlines()[-1])

def stages(name, to=None, begin=None):
    return [s for s in run(name)["stages"] if to in (None, s["to"]) and begin in (None, s["from"])]

def count(name, to, begin=None):
    return sum(s["count"] for s in stages(name, to, begin))

def hooks(name, prefix=""):
    return {s["to"] for s in stages(name) if s["to"].startswith(prefix)}

def unpaired(name):
    return sum(run(name)["unpaired"].values())

def latency(name, hook):
    return next(h for h in run(name)["histograms"] if h["hook"] == hook)

def of_most(name, to):
    """TCP may have several stages to a hook."""
    return max(stages(name, to), key=lambda s: s["count"])

def mean(name, to):
    return of_most(name, to)["mean_ns"]

def show(*names):
    for name in names:
        print(name, "unpaired:", run(name)["unpaired"])
        for s in stages(name):
            print("  ", *(s[field] for field in ("from", "to", "count", "mean_ns", "p50_ns", "group")))

def growth(before, after, prefix=""):
    both = hooks(before, prefix) & hooks(after, prefix)
    found = {to: of_most(after, to)["p50_ns"] / of_most(before, to)["p50_ns"] for to in both}
    print(found)
    return found

def assert_grows(before, after, to, prefix="", may_grow=()):
    """The stage to that hook is manyfold, and others are much as they were: bounds of buckets are powers of two."""
    show(before, after)
    found = growth(before, after, prefix)
    manyfold = found.pop(to)
    assert manyfold >= 16
    assert all(factor <= max(4, manyfold / 16) for hook, factor in found.items() if hook not in may_grow)

def assert_waits(name, *to):
    """Packets wait longer there than at all other stages."""
    show(name)
    others = sum(mean(name, hook) for hook in hooks(name) - set(to))
    assert all(mean(name, hook) > 2 * others for hook in to)
'

# bats test_tags=long
@test "netfilter rules show from IP to UDP or TCP" {
	case_rules
	in_totals '
		assert_grows("without", "with", "udp-start", "udp-")
		assert_grows("without", "with", "tcp-start", "tcp-", ["tcp-do-rcv", "tcp-socket-read"])'
}

# bats test_tags=long
@test "a ping: what the network takes is none of this host's" {
	case_ping
	in_totals '
		show("peer", "self", "localhost")
		# A host that pings itself receives what it asks, and what it answers.
		for name, packets in ("peer", 20), ("self", 40), ("localhost", 40):
		    assert count(name, "icmp-start") == packets
		    assert count(name, "raw-socket-read") == 20
		assert all(factor <= 8 for factor in growth("self", "peer").values())'
}

# bats test_tags=long
@test "a UDP packet has every stage" {
	case_udp
	in_totals '
		show("udp")
		assert {to: count("udp", to) for to in hooks("udp", "udp-")} == dict.fromkeys(
		    ["udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"], 100)
		assert not unpaired("udp")'
}

# bats test_tags=long
@test "a packet to a container has the stages of both namespaces" {
	case_container
	in_totals '
		show("container")
		by_netns = {(s["to"], s["group"]["netns"]): s["count"] for s in stages("container")}
		host, container = "'"$netns_server"'", "'"$netns_container"'"
		assert by_netns["ip-forward", host] == 100
		assert by_netns["ip-rcv", container] == by_netns["udp-socket-read", container] == 100
		assert ("udp-start", host) not in by_netns and ("ip-forward", container) not in by_netns'
}

# bats test_tags=long
@test "a reader that sleeps shows from the queue to the reader" {
	case_reader
	in_totals 'assert_waits("reader", "udp-socket-read", "tcp-socket-read")'
}

@test "a socket that is locked shows in the wait for its lock" {
	case_lock
	in_totals 'assert_waits("lock", "tcp-do-rcv")'
}

# bats test_tags=long
@test "a CPU that is busy shows between the stamp and netif-receive" {
	case_cpu
	in_totals '
		assert_grows("idle", "busy", "netif-receive")
		assert_waits("busy", "netif-receive")'
}

# bats test_tags=long
@test "a lost segment shows with -y alone" {
	case_loss
	in_totals '
		show("lossy", "hol")
		assert not stages("lossy", "tcp-socket-read", "tcp-data-queue")
		late, = stages("hol", "tcp-socket-read", "tcp-data-queue")
		assert late["count"] >= 2
		assert all(late["mean_ns"] > 2 * s["mean_ns"] for s in stages("hol") if s != late)'
}

# As the kernel's own tracepoints tell it, and what they cannot: sockets, processes, and waits.
@test "--trace: the way of a ping through a router, its bridge and a veth pair, and back" {
	case_trace
	tests/validate-json <"$tmp/trace.out"
	in_reports trace "
		client, server, container = '$netns_client', '$netns_server', '$netns_container'" '
		for packet in packets:
		    print(packet["protocol"], packet["saddr"], packet["daddr"], packet["latency_ns"])
		    for step in packet["journey"]:
		        print("   ", step["ns"], step["hook"], step["interface"], step["netns"])
		OUT = ["net_dev_queue", "net_dev_start_xmit"]
		IN = ["netif_rx", "netif-receive"]
		IP = ["ip-rcv", "ip-forward"]
		there = [(client, "veth0", OUT), (server, "veth0", IN + IP), (server, "br0", OUT),
		         (server, "port0", OUT), (container, "veth0", IN + ["ip-rcv", "icmp-start"])]
		back = [(container, "veth0", OUT), (server, "port0", IN), (server, "br0", ["netif-receive"] + IP),
		        (server, "veth0", OUT),
		        (client, "veth0", IN + ["ip-rcv", "icmp-start", "drop"])]
		# A raw socket gets a clone, and nobody else wants the reply.
		got = [(client, "veth0", ["raw-socket-enqueued", "raw-socket-read"])]
		one, other = ("192.0.2.1", "198.51.100.2"), ("198.51.100.2", "192.0.2.1")
		pings = [packet for packet in packets if packet["protocol"] == "ICMP"]
		for packet, addresses, way in zip(pings, [one, other, other], [there, back, got]):
		    assert (packet["saddr"], packet["daddr"], packet["length"]) == (*addresses, 84), packet
		    expected = [(hook, interface, netns) for netns, interface, hooks in way for hook in hooks]
		    seen = [(step["hook"], step["interface"], step["netns"]) for step in packet["journey"]]
		    print(*set(expected) ^ set(seen), sep="\n")
		    assert seen == expected
		assert len(pings) == 3 and pings[2]["comm"] == "ping", pings
		assert pings[1]["reason"], pings[1]'
}

# From the client's one to the container's other port, as if from the server, and back.
translate_to_container() {
	on_server nft "add table ip nat
		add chain ip nat in { type nat hook prerouting priority -100; }
		add chain ip nat out { type nat hook postrouting priority 100; }
		add rule ip nat in ip daddr $server_ipv4 udp dport 4000 dnat to $container_ipv4:4001
		add rule ip nat out oifname br0 masquerade"
}

# bats test_tags=long
@test "--trace: packets keep their way where addresses and ports are translated, both of them" {
	stay_on_one_cpu
	netns_up
	container_up
	translate_to_container
	start_netstacklat one --trace --slow-limit=1000000 -4
	on_container "$traffic" udp-read-late "$container_ipv4" 4001 10 100 0 >"$tmp/contained" 3>&- &
	echo $! >"$tmp/contained.pid"
	wait_until grep -q ready "$tmp/contained"
	on_client "$traffic" udp-send-one-by-one "$server_ipv4" 4000 10 20000
	receiver_result contained
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one "
		client, server, container = '$netns_client', '$netns_server', '$netns_container'" '
		OUT = ["net_dev_queue", "net_dev_start_xmit"]
		IN = ["netif_rx", "netif-receive"]
		IP = ["ip-rcv", "ip-forward"]
		READ = ["ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
		there = [(client, "veth0", OUT), (server, "veth0", IN + IP), (server, "br0", OUT),
		         (server, "port0", OUT), (container, "veth0", IN + READ)]
		back = [(container, "veth0", OUT), (server, "port0", IN), (server, "br0", ["netif-receive"] + IP),
		        (server, "veth0", OUT), (client, "veth0", IN + READ)]
		assert total["slow"]["limited"] == total["slow"]["no_room"] == 0, total["slow"]
		ways = {"192.0.2.1": [], "198.51.100.2": []}
		for packet in packets:
		    ways[packet["saddr"]].append([(s["netns"], s["interface"], s["hook"]) for s in packet["journey"]])
		for seen, way in zip(ways.values(), (there, back)):
		    expected = [(netns, interface, hook) for netns, interface, hooks in way for hook in hooks]
		    print(len(seen), *(set(expected) ^ set(step for steps in seen for step in steps)))
		    assert seen == [expected] * 10, seen'
}

# bats test_tags=long
@test "a delay of the network shows nowhere" {
	local options=(-4 -n "$netns_server" -e "netif-receive,ip-rcv,udp-*")
	netns_up
	measure near "udp_traffic 50" "${options[@]}"
	tc -n "$netns_client" qdisc add dev veth0 root netem delay 100ms
	measure far "udp_traffic 50" "${options[@]}"
	in_totals '
		show("near", "far")
		assert all(factor <= 4 for factor in growth("near", "far").values())
		near, far = (latency(name, "udp-socket-read")["p50_ns"] for name in ("near", "far"))
		assert far <= 4 * near'
}

# Filters with which tc polices what comes in.
police() {
	awk -v filters="$1" 'BEGIN {
		print "qdisc add dev veth0 ingress"
		for (i = 1; i <= filters; i++)
			print "filter add dev veth0 ingress prio", i, "protocol all matchall action police",
				"rate 10gbit burst 10m conform-exceed continue/continue"
	}' | tc -n "$netns_server" -b -
}

# The server has its addresses on a bridge, of which veth0 is a port.
bridge_up() {
	ip -n "$netns_server" link add br0 address "$(on_server cat /sys/class/net/veth0/address)" type bridge
	ip -n "$netns_server" address flush dev veth0
	ip -n "$netns_server" link set veth0 master br0
	netns_configure "$netns_server" "$server_ipv4" "$server_ipv6" br0
}

# bats test_tags=long
@test "tc on ingress, and a bridge with rules, show from the driver to IP" {
	local options=(-4 -n "$netns_server" -e "netif-receive,ip-rcv,udp-*")
	netns_up
	measure plain "udp_traffic 50" "${options[@]}"
	police 1000
	measure policed "udp_traffic 50" "${options[@]}"
	netns_up
	bridge_up
	add_rules bridge prerouting 5000
	measure bridged "udp_traffic 50" "${options[@]}"
	in_totals '
		assert_grows("plain", "policed", "ip-rcv")
		assert_grows("plain", "bridged", "ip-rcv")'
}

# NAMESPACE and the last bytes of ITS and its PEER's addresses: a tunnel of each kind.
tunnels_up() {
	local ends=(local "192.0.2.$2" remote "192.0.2.$3")
	ip -n "$1" link add tunnel0 type ipip "${ends[@]}"
	ip -n "$1" link add tunnel1 type vxlan id 7 dstport 4789 "${ends[@]}"
	ip -n "$1" address add "198.51.100.$2/24" dev tunnel0
	ip -n "$1" address add "203.0.113.$2/24" dev tunnel1
	ip -n "$1" link set tunnel0 up
	ip -n "$1" link set tunnel1 up
}

tunnel_traffic() {
	udp_traffic 31 198.51.100.2
	udp_traffic 37 203.0.113.2
	udp_traffic 41
	tcp_traffic 100000 198.51.100.2
}

# bats test_tags=long
@test "tunnels and early demux: each packet is counted once, and no stage is longer than its way" {
	local demux
	netns_up
	tunnels_up "$netns_server" 2 1
	tunnels_up "$netns_client" 1 2
	for demux in 0 1; do
		on_server sysctl -qw net.ipv4.tcp_early_demux=$demux net.ipv4.udp_early_demux=$demux
		measure "demux$demux" tunnel_traffic -4 -n "$netns_server" -e "ip-rcv,tcp-*,udp-*"
	done
	in_totals '
		UDP = ["ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
		for name in "demux0", "demux1":
		    show(name)
		    read = latency(name, "udp-socket-read")
		    print(read["count"], read["sum_ns"])
		    udp = [s for s in stages(name) if s["to"] in UDP[1:]]
		    assert {(s["from"], s["to"]) for s in udp} == set(zip(UDP, UDP[1:]))
		    assert count(name, "udp-socket-enqueued") == count(name, "udp-socket-read") == 31 + 37 + 41
		    # Those of the tunnel itself end there.
		    assert count(name, "udp-start") == count(name, "udp-queue-rcv") > 31 + 2 * 37 + 41
		    assert count(name, "tcp-socket-enqueued") - count(name, "tcp-socket-read") in range(3)
		    assert not unpaired(name)
		    assert sum(s["sum_ns"] for s in udp) <= read["sum_ns"]
		    # At any hook: a fast reader is done with a packet before the program at return runs.
		    way = max(latency(name, hook)["max_le_ns"] for hook in UDP[1:])
		    print("the longest way", way, "of stages", [s["max_le_ns"] for s in udp])
		    assert all(s["max_le_ns"] <= way for s in udp)'
}

# UDP and TCP as fast as they go.
flood() {
	local flow port=5201
	for flow in "$server_ipv4 -u -b 0 -l 100" "$server_ipv6"; do
		on_server iperf3 -s -D -1 -p $port
		wait_until iperf3_listens $port
		# shellcheck disable=SC2086 # several words
		on_client iperf3 -p $port -t 4 -c $flow >"$tmp/iperf3-$port" 3>&- &
		echo $! >"$tmp/iperf3-$port.pid"
		((++port))
	done
	wait "$(cat "$tmp/iperf3-5201.pid")" "$(cat "$tmp/iperf3-5202.pid")"
}
iperf3_listens() { [ "$(on_server ss -Hltn "sport = :$1")" ]; }

# bats test_tags=long
@test "a flood: the hook before is known of all but 1 of 10 000 packets" {
	netns_up
	measure flood flood
	in_totals '
		show("flood")
		packets = sum(s["count"] for s in stages("flood"))
		print(unpaired("flood"), "of", packets)
		assert 10000 * unpaired("flood") < packets > 10000'
}
