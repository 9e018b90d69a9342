#!/usr/bin/env bats
# bats file_tags=long
# What filters let through, to the packet.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
}

teardown() {
	stop_everything
	remove_cgroup "$cgroup"
}

teardown_file() { teardown; }

# The flows of tests/vm/flows.py go by once, and each filter watches in one form; see filter_forms.bats for the others.
# Not all of them do at every hook, for that takes time, and the kernel takes 38 programs at a function, of which one
# at a return is two.
setup_file() {
	local red
	local enough="udp-*,raw-*,tcp-socket-*"
	setup
	flows_up
	start_flows
	read -r red _ <"$tmp/flows.readers"

	watch_flows all -n all
	watch_flows netns -e "$enough" -n "$netns_server"
	watch_flows netns-two -e "udp-start,*-read" -n "self,$netns_client"
	watch_flows interface -n "$netns_server" -i veth1
	watch_flows interfaces-everywhere -e "udp-queue-rcv,tcp-socket-enqueued" -n all -i lo,veth0
	watch_flows cgroup -e "$enough" -c "$cgroup/red.service"
	watch_flows cgroups -e udp-socket-enqueued -c "$(echo "$cgroup_mount$cgroup"/docker-*/inner),$cgroup/red.service"
	watch_flows pid -e "$enough" -p "$red"
	watch_flows comm -e "$enough" --comm=red
	watch_flows ports -P 4002,4004,5201
	watch_flows port-ranges -e "udp-queue-rcv,tcp-socket-read" -P 4004,4001-4002,5202-6201
	watch_flows four -e "$enough" -4
	watch_flows six -e "udp-start,udp-queue-rcv,tcp-socket-read" -6
	watch_flows remote --remote 192.0.2.1
	watch_flows remotes -e "udp-start,raw-socket-enqueued,tcp-socket-*,*-read" --remote 198.51.100.0/24,2001:db8::1,127.0.0.0/8
	watch_flows remote-nobody -e "udp-start,raw-socket-enqueued,tcp-socket-enqueued,*-read" --remote 203.0.113.7,2001:db9::/32
	watch_flows interface-and-six -e "udp-start,udp-queue-rcv" -n "$netns_server" -i veth1 -6
	flow
	teardown
}

@test "-n: those of network namespaces" {
	assert_counted <<-'END'
		all - netns True
		netns - netns f.netns == SERVER
		netns-two - netns f.netns != SERVER
	END
}

@test "-i: those of interfaces, not of others that have the same index in another network namespace" {
	assert_counted <<-'END'
		interface - netns,interface f.interface == "veth1"
		interfaces-everywhere - netns,interface f.interface in ("lo", "veth0")
	END
}

@test "-c: those of cgroups and of all below, made later, too" {
	assert_counted <<-'END'
		cgroup - cgroup f.reader in (RED, LATE)
		cgroups - cgroup f.reader in (RED, LATE, INNER)
	END
}

@test "-p and --comm: those that processes read" {
	assert_counted <<-'END'
		pid - pid f.reader == RED
		comm - comm f.reader in (RED, LATE)
	END
}

@test "-P, -4 and -6: those of local ports and of one IP version" {
	assert_counted <<-'END'
		ports - port f.port in (4002, 4004, 5201)
		port-ranges - port f.port in (4001, 4002, 4004, 5202, 5203, 6201)
		four - ip_version f.ip_version == 4
		six - ip_version f.ip_version == 6
	END
}

@test "--remote: those that come from addresses, be the connection's own kept as one of IPv6" {
	assert_counted <<-'END'
		remote - remote f.remote == "192.0.2.1"
		remotes - remote f.remote.startswith(("198.51.100.", "127.")) or f.remote == "2001:db8::1"
	END
	flows_in remote-nobody filters.all_are_filtered_by remote
}

@test "several filters: those that pass them all" {
	assert_counted <<-'END'
		interface-and-six - netns,interface,ip_version f.interface == "veth1" and f.ip_version == 6
	END
}

@test "what is filtered and what is not are all the packets, also where nobody knows their number" {
	for name in interface ports remote; do
		flows_in "$name" filters.add_up_to "$BATS_FILE_TMPDIR/all.out"
	done
}

# What NAME left out, a line for each filter: -P: ip-rcv, tcp-start
left_out_of() {
	sed -n "s/^netstacklat: left out, as \(.*\) is not known there/\1/p" "$BATS_FILE_TMPDIR/$1.err"
}

@test "hooks that cannot tell are left out, and named" {
	local not_read="udp-start, tcp-socket-enqueued, udp-queue-rcv, udp-socket-enqueued, raw-socket-enqueued"
	[ "$(left_out_of all)" = "" ]
	[ "$(left_out_of netns)" = "" ]
	[ "$(left_out_of four)" = "" ]
	[ "$(left_out_of remote)" = "" ]
	[ "$(left_out_of interface)" = "-i: tcp-socket-read" ]
	[ "$(left_out_of cgroup)" = "-c: udp-start" ]
	[ "$(left_out_of ports)" = "-P: ip-rcv, tcp-start, udp-start, icmp-start, raw-socket-enqueued, raw-socket-read" ]
	[ "$(left_out_of pid)" = "-p: $not_read" ]
	[ "$(left_out_of comm)" = "--comm: $not_read" ]
}

# bats test_tags=long
@test "-c: the replies to those of several pings" {
	netns_up
	make_cgroup "$cgroup/ours"
	start_netstacklat one -r 600 -e "raw-*" -c "$cgroup/ours"
	(enter_cgroup "$cgroup/ours" && on_client ping -q -c 3 -i 0.2 "$server_ipv4")
	on_client ping -q -c 5 -i 0.2 "$server_ipv4"
	stop_netstacklat one
	[ "$(figures one raw-socket-enqueued count filtered)" = "3 5" ]
	[ "$(figures one raw-socket-read count filtered)" = "3 5" ]
}

# bats test_tags=long
@test "-c: however deep users nest cgroups of their own" {
	netns_up
	deep=$cgroup/ours$(printf '/%d' {1..100})
	make_cgroup "$deep"
	start_netstacklat one -r 600 -e udp-socket-enqueued -c "$cgroup/ours"
	(enter_cgroup "$deep" && start_receiver inside udp-receive "$server_ipv4" 4000 11)
	on_client "$traffic" udp-send "$server_ipv4" 4000 11
	receiver_result inside
	start_receiver outside udp-receive "$server_ipv4" 4000 7
	on_client "$traffic" udp-send "$server_ipv4" 4000 7
	receiver_result outside
	stop_netstacklat one
	[ "$(figures one udp-socket-enqueued count filtered)" = "11 7" ]

	refuses -c "$deep"
	grep -q "too many levels" "$tmp/err"
}

# Packets of "ours" come from a timer, whose softirqs run on top of a process of "other" that never sleeps.
# bats test_tags=long
@test "the cgroup is that of the socket, whoever was running when the packet came" {
	netns_up
	make_cgroup "$cgroup/ours"
	make_cgroup "$cgroup/other"
	on_client tc qdisc add dev veth0 root netem delay 3ms limit 10000
	launch_netstacklat ours -r 600 -e udp-socket-enqueued -c "$cgroup/ours"
	launch_netstacklat other -r 600 -e udp-socket-enqueued -c "$cgroup/other"
	wait_for_netstacklat ours
	wait_for_netstacklat other
	(enter_cgroup "$cgroup/ours" && start_receiver witness udp-receive "$server_ipv4" 4000 997)
	(enter_cgroup "$cgroup/other" && exec taskset -c 0 "$traffic" udp-to-self 127.0.0.1 4000) >"$tmp/busy" 3>&- &
	busy=$!
	echo $busy >"$tmp/busy.pid"
	wait_until grep -q ready "$tmp/busy"
	on_client taskset -c 0 "$traffic" udp-send "$server_ipv4" 4000 997 1
	receiver_result witness
	kill $busy
	wait $busy || true
	stop_all_netstacklats ours other

	read -r ours not_ours < <(figures ours udp-socket-enqueued count filtered)
	read -r other not_other < <(figures other udp-socket-enqueued count filtered)
	echo "ours: $ours of $not_ours more; of the other cgroup: $other of $not_other more"
	[ "$ours" -eq 997 ]
	[ "$not_other" -eq 997 ]
	[ "$other" -gt 997 ]
	[ "$not_ours" -eq "$other" ]
}

# Ten of each kind queue up before the first is read: each finds those that came before it, and when it is read,
# those that came after it.
# bats test_tags=long
@test "-q: those that find so many packets on the queue" {
	launch_netstacklat 1 -r 600 -e "udp-*,raw-*,tcp-socket-*" -q 1
	launch_netstacklat 4 -r 600 -e "udp-*,raw-*" -q 4
	wait_for_netstacklat 1
	wait_for_netstacklat 4
	"$traffic" queue 127.0.0.1 4000 10
	stop_all_netstacklats 1 4

	for hook in udp-queue-rcv udp-socket-enqueued raw-socket-enqueued raw-socket-read; do
		[ "$(figures 1 $hook count filtered)" = "9 1" ]
		[ "$(figures 4 $hook count filtered)" = "6 4" ]
	done
	# TCP may be queued as fewer segments than were sent, of which only the first finds no other.
	[ "$(figures 1 tcp-socket-enqueued filtered)" = 1 ]
	[ "$(figures 1 tcp-socket-read count filtered)" = "9 1" ]
	grep -qx "netstacklat: left out, as -q is not known there: udp-start, udp-socket-read" "$tmp/4.err"
}

refuses() {
	local status=0
	./netstacklat -r 0.2 "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	cat "$tmp/err"
	[ "$status" -eq 1 ]
	[ ! -s "$tmp/out" ]
	[ "$(wc -l <"$tmp/err")" -eq 1 ]
	[[ $(cat "$tmp/err") == "netstacklat: "* ]]
}

@test "what is not there is named before anything is measured" {
	netns_up
	refuses -i nonsense0
	grep -q "'nonsense0'" "$tmp/err"
	refuses -n "$netns_server" -i nonsense0
	refuses -n "$netns_server" -i veth0,4711
	grep -q "'4711'" "$tmp/err"
	refuses -n "self,nonsense"
	grep -q "'nonsense'" "$tmp/err"
	refuses -n "all,nonsense"
	grep -q "'nonsense'" "$tmp/err"
	refuses -n "nonsense,all" -i lo
	grep -q "'nonsense'" "$tmp/err"
	refuses -n /nonsense
	refuses -n /etc/passwd
	# The id of a process that has ended, and an inode number.
	refuses -n "$(sh -c 'echo $$')"
	refuses -n 1234567890
	refuses -c /nonsense
	grep -q "'/nonsense'" "$tmp/err"
	refuses -c /etc
	grep -q "'/etc' .*outside" "$tmp/err"
	refuses -c 1234567890
}

# Of a socket in a cgroup, made anew for each.
receive_in_cgroup() {
	(enter_cgroup "$1" && start_receiver inside udp-receive "$server_ipv4" 4000 "$2")
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$2"
	receiver_result inside
	wait_until rmdir "$cgroup_mount$1"
}

# Waits until this is what both said last of the service.
wait_until_said() {
	local name
	for name in one both; do
		wait_until last_said_is "$name" "$1"
	done
}
last_said_is() { grep "our.service'" "$tmp/$1.err" | tail -n 1 | grep "$2"; }

# bats test_tags=long
@test "-c: a path is that of the cgroup that comes back there, also below one that goes and comes back" {
	service=$cgroup/system.slice/our.service
	netns_up
	make_cgroup "$cgroup/other"
	make_cgroup "$service"
	launch_netstacklat one -r 600 -e udp-socket-enqueued -c "$service"
	launch_netstacklat both -r 600 -e udp-socket-enqueued -c "$cgroup/other,$cgroup_mount$service"
	wait_for_netstacklat one
	wait_for_netstacklat both
	receive_in_cgroup "$service" 7
	make_cgroup "$service"
	wait_until_said "there is a new cgroup"
	receive_in_cgroup "$service" 11

	# Nobody else is meant while it is gone.
	rmdir "$cgroup_mount${service%/*}"
	wait_until_said "is gone"
	receive_in_cgroup "$cgroup/other" 13
	make_cgroup "$service"
	wait_until_said "there is a new cgroup"
	receive_in_cgroup "$service" 17
	stop_all_netstacklats one both

	[ "$(figures one udp-socket-enqueued count filtered)" = "$((7 + 11 + 17)) 13" ]
	[ "$(figures both udp-socket-enqueued count filtered)" = "$((7 + 11 + 13 + 17)) 0" ]
}
