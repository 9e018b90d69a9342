#!/usr/bin/env bats
# What the kernel drops: how many packets, how old, and why; and what CPUs do before packets have a stamp. As often
# as its own counters say.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# One of the kernel's counters in the server's namespace.
counter() { on_server nstat -asz "$1" | awk -v name="$1" '$1 == name { print $2 }'; }

# A figure of what NAME saw dropped for a reason.
figure_of_drops() {
	in_reports "$1" "print(next(int(h['$3']) for h in total['histograms'] if h['group'].get('reason') == '$2'))"
}

# As many were dropped for a reason as were sent for that, and as the kernel counts.
assert_dropped() {
	local reason=$1 sent=$2 counted=$3 dropped
	dropped=$(figure_of_drops one "$reason" count)
	echo "$reason: $dropped of $sent, and the kernel counts $counted"
	[ "$dropped" -eq "$sent" ]
	[ "$counted" -eq "$sent" ]
}

# Packets to port 4003 pass many rules, and are dropped then.
drop_late() {
	on_server nft -f - <<-END
		table inet late {
			chain slow {
				$(yes "udp dport 4004 accept" | head -n 2000)
				counter drop
			}
			chain input {
				type filter hook input priority 0
				udp dport 4003 jump slow
			}
		}
	END
}

@test "drops for each reason are as many as the kernel counts, and as late" {
	skip_without_reasons
	on_server sysctl -q net.ipv4.ip_forward=1
	on_server ip route add 203.0.113.0/24 dev veth0
	on_client ip route add 203.0.113.0/24 via "$server_ipv4"
	drop_late
	launch_netstacklat one -e drop -g reason
	launch_netstacklat two -e drop -g reason,interface -n "$netns_server" -i veth0 -4
	launch_netstacklat three -e drop -g reason,port -P 4001-4002,4006
	wait_for_netstacklat one
	wait_for_netstacklat two
	wait_for_netstacklat three

	start_receiver small udp-drop "$server_ipv4" 4001 400
	on_client "$traffic" udp-send "$server_ipv4" 4001 400
	queued=$(receiver_result small)
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	on_client "$traffic" udp-send "$server_ipv6" 4002 103
	on_client "$traffic" udp-send "$server_ipv4" 4003 107
	on_client "$traffic" udp-send-bad "$server_ipv4" 4004 109
	on_client "$traffic" udp-send-ttl 203.0.113.1 4005 113 1
	for address in "$server_ipv4" "$server_ipv6"; do
		! on_client timeout 10 bash -c "</dev/tcp/$address/4006"
	done
	stop_all_netstacklats one two three

	in_reports one 'for h in total["histograms"]: print(h["group"], h["count"], h["mean_ns"], h["discarded"])'
	in_reports two 'for h in total["histograms"]: print(h["group"], h["count"])'
	assert_dropped SOCKET_RCVBUFF $((400 - queued)) "$(counter UdpRcvbufErrors)"
	assert_dropped NO_SOCKET 206 $((2 + $(counter UdpNoPorts) + $(counter Udp6NoPorts)))
	assert_dropped NETFILTER_DROP 107 "$(on_server nft list ruleset | grep -o 'packets [0-9]*' | tr -dc 0-9)"
	assert_dropped UDP_CSUM 109 "$(counter UdpInCsumErrors)"
	assert_dropped IP_INHDR 113 "$(counter IpInHdrErrors)"

	# To free a packet is not to drop it.
	in_reports one 'assert "NOT_SPECIFIED" not in {h["group"].get("reason") for h in total["histograms"]}'
	[ "$(figure_of_drops one NETFILTER_DROP mean_ns)" -gt $((2 * $(figure_of_drops one IP_INHDR mean_ns))) ]
	# Filters and groups know the packet.
	[ "$(figure_of_drops two NO_SOCKET count)" -eq 102 ]
	in_reports two 'assert {h["group"]["interface"] for h in total["histograms"] if h["count"]} == {"veth0"}'
	# No socket is at hand, so that is the header's.
	in_reports three drop.of_key port "SOCKET_RCVBUFF,4001=$((400 - queued))" NO_SOCKET,4002=204 NO_SOCKET,4006=2
}

@test "what is dropped is of the cgroup of the socket that it was for" {
	local cgroup=/netstacklat-drop
	is_linux_since 6.11 || skip "before Linux 6.11, the kernel tells no sockets"
	make_cgroup "$cgroup"
	enter_cgroup "$cgroup"
	start_receiver small udp-drop "$server_ipv4" 4001 400
	enter_cgroup /
	start_netstacklat of_all -e drop -g reason,cgroup
	start_netstacklat of_one -e drop -g reason -c "$cgroup"
	on_client "$traffic" udp-send "$server_ipv4" 4001 400
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	queued=$(receiver_result small)
	stop_all_netstacklats of_all of_one
	remove_cgroup "$cgroup"
	in_reports of_all drop.of_key cgroup "SOCKET_RCVBUFF,$cgroup=$((400 - queued))" NO_SOCKET,=101
	in_reports of_one drop.of_key cgroup "SOCKET_RCVBUFF,=$((400 - queued))"
}

@test "before Linux 5.17, drops are told by where they are" {
	! tells_reasons || skip "this kernel tells reasons"
	start_netstacklat one -e drop -g reason
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	stop_netstacklat one

	in_reports one 'for h in total["histograms"]: print(h["group"], h["count"])'
	[ "$(counter UdpNoPorts)" -eq 101 ]
	in_reports one drop.told_by_symbol __udp4_lib_rcv 101
}

@test "before Linux 5.17, a server has symbols, too, and tells no addresses" {
	! tells_reasons || skip "this kernel tells reasons"
	start_netstacklat one -o none --listen=9420 -e drop -g reason
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	curl -sS localhost:9420/metrics >"$tmp/metrics"
	stop_netstacklat one

	grep -o 'reason="[^"]*"' "$tmp/metrics" | sort -u
	grep -q 'reason="__udp4_lib_rcv+0x' "$tmp/metrics"
	run -1 grep 'reason="number/' "$tmp/metrics"
}

# How often all CPUs ran NET_RX so far, and how many packets they took up there.
nr_softirqs() { awk '$1 == "NET_RX:" { for (i = 2; i <= NF; i++) sum += $i; print sum }' /proc/softirqs; }
nr_packets() { python3 -c 'print(sum(int(line.split()[0], 16) for line in open("/proc/net/softnet_stat")))'; }

# Something happened as often as NAME counted: no less often than in the inner time, and no more than in the outer.
assert_between() {
	echo "$1: at least $2, at most $3"
	[ "$1" -ge "$2" ]
	[ "$1" -le "$3" ]
	[ "$2" -gt 0 ]
}

# Sets inner and outer to how much what COMMAND prints rose meanwhile, on 1009 packets that NAME watches, from when it
# counts until it ends, and from before it starts until it is gone.
watch() {
	local name=$1 command=$2
	outer=$($command)
	start_netstacklat "$name" "${@:3}"
	inner=$($command)
	send_udp 1009
	inner=$(($($command) - inner))
	stop_netstacklat "$name"
	outer=$(($($command) - outer))
	in_reports "$name" 'for h in total["histograms"]: print(h["group"], h["count"], h["mean_ns"], h["discarded"])'
}

mean_of_all() {
	in_reports "$1" 'print(sum(h["sum_ns"] for h in total["histograms"]) // sum(h["count"] for h in total["histograms"]))'
}

# What a CPU does one at a time takes no longer than there was time.
assert_no_overlap() {
	in_reports "$1" drop.take_no_longer_than_there_was
}

@test "softirqs that receive are as many as the kernel counts, on each CPU" {
	watch one nr_softirqs -e softirq-net-rx -g cpu
	assert_between "$(in_reports one 'print(sum(h["count"] + sum(h["discarded"].values()) for h in total["histograms"]))')" \
		"$inner" "$outer"
	in_reports one drop.softirqs_were_raised

	assert_no_overlap one
}

# Packets that are sent in bursts: their first raises NET_RX, which must wait until all are sent.
# bats test_tags=long
@test "softirqs that receive wait for what keeps their CPU" {
	watch one nr_softirqs -e softirq-net-rx
	on_client tc qdisc add dev veth0 root netem slot 50ms 50ms limit 5000
	watch bursts nr_softirqs -e softirq-net-rx
	echo "a softirq waits for $(mean_of_all one), with bursts $(mean_of_all bursts) ns"
	[ "$(mean_of_all bursts)" -gt $((2 * $(mean_of_all one))) ]
}

@test "polls are for as many packets as the kernel counts" {
	has_function __napi_poll || skip "this kernel has inlined the function"
	watch fast nr_packets -e napi-poll -g packets
	assert_between "$(in_reports fast 'print(sum(h["count"] * h["group"].get("packets", 0) for h in total["histograms"]))')" \
		"$inner" "$outer"

	assert_no_overlap fast
}

# bats test_tags=long
@test "polls take as long as the packets that they are for" {
	has_function __napi_poll || skip "this kernel has inlined the function"
	watch fast nr_packets -e napi-poll
	drop_late
	start_netstacklat slow -e napi-poll
	on_client "$traffic" udp-send "$server_ipv4" 4003 400
	stop_netstacklat slow
	echo "a poll takes $(mean_of_all fast), with many rules $(mean_of_all slow) ns"
	[ "$(mean_of_all slow)" -gt $((2 * $(mean_of_all fast))) ]
}

# PACKETS that a card stamped 700 ms ago: see hand_in.py.
hand_in() { on_server tests/vm/hand_in.py .output/tests/vm/restamp.bpf.o veth0 "$1" 700 "${2-0}"; }

@test "hardware: from the card's stamp to the kernel's, in the card's own time" {
	is_linux_since 5.16 ||
		skip "before Linux 5.16, no test can make a card's stamps"
	set_tai 37
	start_netstacklat one -e hardware -n "$netns_server" -g interface
	hand_in 41
	# A card that keeps TAI, as with PTP, and one that keeps another time.
	hand_in 43 37
	hand_in 47 100
	hand_in 53 -1000000000
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	# Those that are ahead by 100 s are in the future, and those that are behind are no stamps at all.
	in_reports one drop.stamped_by_a_card veth0 700 $((41 + 43)) 47 53
}

@test "hardware: where no card stamps packets, a line says so" {
	start_netstacklat one -e hardware
	on_client "$traffic" udp-send "$server_ipv4" 4002 11
	stop_netstacklat one
	grep -q "^netstacklat: no network card stamped a packet: see with ethtool -T" "$tmp/one.err"
}

@test "a verdict calls reasons to drop packets as the kernel does" {
	local reason unknown=()
	skip_without_reasons
	bpftool btf dump file /sys/kernel/btf/vmlinux format raw >"$tmp/btf"
	grep -oE "'(SKB_DROP_REASON|QDISC_DROP)_[A-Z0-9_]*'" "$tmp/btf" >"$tmp/reasons"
	while read -r reason; do
		grep -qxE "'(SKB_DROP_REASON_)?$reason'" "$tmp/reasons" || unknown+=("$reason")
	done < <(grep -oP '^(DROP|HARMLESS)\("\K\w+' lib/diagnose/classes.def)
	echo "unknown: ${unknown[*]}"
	# Of qdiscs, Linux 6.12 knows the reasons of fq, 7.2 those of all, and 6.1 has one for all. Those of Linux 6.14 to
	# 7.1 are not tested. Those of fragments and TTLs are there since Linux 6.2, and TCP AO since 6.7. Only 7.2 has all that is
	# harmless, or about addresses.
	newest=$(grep -oP '^HARMLESS\("\K\w+' lib/diagnose/classes.def | paste -sd '|')
	newest+='|IP_(LOCAL_SOURCE|INVALID_SOURCE|LOCALNET)|SECURITY_HOOK'
	known="(FQ|QDISC_DROP)_.*|FRAG_REASM_TIMEOUT|TCP_MINTTL|TCP_AO.*|$newest"
	! grep -q "_FQ_" "$tmp/reasons" || known="QDISC_DROP_.*|$newest"
	! grep -q "'QDISC_DROP_" "$tmp/reasons" || known='FQ_.*'
	run -1 grep -vxE "$known|QDISC_(OVERLIMIT|CONGESTED)|CAKE_FLOOD|DUALPI2_STEP_DROP" < <(printf '%s\n' "${unknown[@]}")
}
