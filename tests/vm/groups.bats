#!/usr/bin/env bats
# bats file_tags=kernel:7-2,long
# Whose packets: groups with their counts and their names, while that is made, renamed and removed.

bats_require_minimum_version 1.5.0

first="netstacklat-first"
second="netstacklat-second"

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
}

teardown() {
	local namespace
	stop_everything
	umount "/run/docker/netns/$first" 2>/dev/null || true
	rm -f "/run/docker/netns/$first"
	for namespace in "$first" "$second"; do
		ip netns delete "$namespace" 2>/dev/null || true
	done
	remove_cgroup "$cgroup"
}

teardown_file() { teardown; }

# The flows of tests/vm/flows.py go by once, and all that group them watch. Not all of them do at every hook, for
# the kernel takes 38 programs at a function, and one at a return is two.
setup_file() {
	local flows="udp-*,raw-*,tcp-socket-*"
	setup
	flows_up
	start_flows
	for key in interface netns cgroup port pid comm; do
		watch_flows $key -e "$flows" -g $key
	done
	watch_flows cpu -e "udp-*,raw-*,tcp-socket-read" -g cpu
	watch_flows ip-version -e "$flows" -g ip-version
	watch_flows every-key -e "udp-*,*-read" -g interface,netns,cgroup,port,pid,comm,cpu,ip-version
	watch_flows interface-and-cgroup -e "udp-*" -C -I
	watch_flows cgroup-port-and-version -e "udp-queue-rcv" -g cgroup,port -g ip-version
	watch_flows ports-of-cgroup -e "udp-*" -g port -c "$cgroup/red.service"
	watch_flows cgroups-of-interface -e "udp-queue-rcv,raw-socket-read" -g cgroup -n "$netns_server" -i veth1
	report_interval=0.2 watch_flows intervals -e "udp-*" -g pid,port
	watch_flows text -e "udp-queue-rcv" -g port,ip-version --top=3 -o text
	watch_flows openmetrics -e "udp-socket-read" -g cgroup,comm -o openmetrics
	flow
	teardown
}

@test "-g by each key: each group has its packets" {
	assert_counted <<-'END'
		interface interface - True
		netns netns - True
		cgroup cgroup - True
		port port - True
		pid pid - True
		comm comm - True
		cpu cpu - True
		ip-version ip_version - True
	END
}

@test "-g by several keys, -I and -C: each group has its packets" {
	assert_counted <<-'END'
		every-key interface,netns,cgroup,port,pid,comm,cpu,ip_version - True
		interface-and-cgroup interface,cgroup - True
		cgroup-port-and-version cgroup,port,ip_version - True
		intervals pid,port - True
	END
}

@test "groups of what filters let through, and what they did not is in no group" {
	assert_counted <<-'END'
		ports-of-cgroup port cgroup f.reader in (RED, LATE)
		cgroups-of-interface cgroup interface f.interface == "veth1"
	END
}

# What NAME said that it cannot group by, and where.
not_grouped_in() {
	sed -n "s/^netstacklat: not grouped by \(.*\), which is not known there/\1/p" "$BATS_FILE_TMPDIR/$1.err"
}

@test "hooks that do not know what is grouped by are named" {
	[ "$(not_grouped_in netns)" = "" ]
	[ "$(not_grouped_in interface)" = "interface: tcp-socket-read" ]
	[ "$(not_grouped_in port)" = "port: udp-start, raw-socket-enqueued, raw-socket-read" ]
	[ "$(not_grouped_in interface-and-cgroup)" = "cgroup: udp-start" ]
	# A line for each key.
	[ "$(not_grouped_in intervals)" = "port: udp-start
pid: udp-start, udp-queue-rcv, udp-socket-enqueued" ]
}

@test "groups in JSON are valid, and in intervals they add up to the total" {
	tests/validate-json <"$BATS_FILE_TMPDIR/every-key.out"
	flows_in intervals groups.add_up_in_intervals
}

@test "text has the busiest groups, the rest as one" {
	flows_in text groups.busiest_are_in_text 3
}

@test "OpenMetrics have groups as labels" {
	tmp=$BATS_FILE_TMPDIR with_packages openmetrics groups.are_labels "$BATS_FILE_TMPDIR/flows"
}

# NETNS INTERFACE: makes an interface there whose other end the client has.
make_link() {
	ip link add "$2" netns "$1" type veth peer name peer netns "$netns_client"
	netns_configure "$1" 203.0.113.2 2001:db8:2::2 "$2"
	netns_configure "$netns_client" 203.0.113.1 2001:db8:2::1 peer
}

# NETNS PACKETS: lets packets get there and be read; reader is the process that did.
receive_in() {
	ip netns exec "$1" "$traffic" udp-receive 203.0.113.2 4000 "$2" >"$tmp/receiver" 3>&- &
	reader=$!
	wait_until grep -q ready "$tmp/receiver"
	on_client "$traffic" udp-send 203.0.113.2 4000 "$2"
	wait $reader
}

# Waits until the intervals of NAME have so many packets in all groups.
wait_until_reported() { wait_until has_reported "$@"; }
has_reported() {
	grep -o '"group":{[^}]*},"count":[0-9]*' "$tmp/$1.out" |
		awk -F : -v all="$2" '{ sum += $NF } END { exit sum != all }'
}

inode_of() { stat -L -c %i "/run/netns/$1"; }

peer_is_gone() { ! ip -n "$netns_client" link show peer; }

# Makes a new one with the inode number of one that is gone, which the kernel soon uses again.
make_netns_like() {
	ip netns add "$1"
	[ "$(inode_of "$1")" = "$2" ] || { ip netns delete "$1"; return 1; }
}

@test "interfaces and namespaces come, are renamed, and go, and others take their numbers: no wrong name, no count lost" {
	netns_up
	launch_netstacklat quick -r 0.2 -g interface,netns -e udp-queue-rcv
	launch_netstacklat slow -r 600 -g interface,netns -e udp-queue-rcv
	wait_for_netstacklat quick
	wait_for_netstacklat slow
	ip netns add $first
	start_netstacklat filter -r 600 -n $first -e udp-queue-rcv
	make_link $first one
	receive_in $first 11
	wait_until_reported quick 11
	ip -n $first link set one down
	ip -n $first link set one name two
	ip -n $first link set two up
	receive_in $first 13
	wait_until_reported quick 24
	ip -n $first link delete two
	make_link $first three
	receive_in $first 17
	wait_until_reported quick 41
	inode=$(inode_of $first)
	ip netns delete $first
	wait_until peer_is_gone
	wait_until make_netns_like $second "$inode"
	make_link $second four
	receive_in $second 19
	wait_until_reported quick 60
	stop_all_netstacklats quick slow filter

	[ "$(figures filter udp-queue-rcv count filtered)" = "$((11 + 13 + 17)) 19" ]
	in_reports quick groups.of_intervals netns,interface \
		11="$first one" 13="$first two" 17="$first three" 19="$second four"
	# What is gone in the end has a name of its own or a number.
	gone="($first|cookie/[0-9]+) (two|three|index/[0-9]+)"
	in_reports quick groups.of_total netns,interface 24="$gone" 17="$gone" 19="$second four"
	gone="cookie/[0-9]+ index/[0-9]+"
	in_reports slow groups.of_total netns,interface 24="$gone" 17="$gone" 19="$second four"
}

index_of() { ip netns exec "$1" cat "/sys/class/net/$2/ifindex"; }

# Gives the name of a namespace of ip-netns(8) to one of docker.
move_to_docker() {
	mkdir -p /run/docker/netns
	touch "/run/docker/netns/$2"
	mount --bind "/run/netns/$1" "/run/docker/netns/$2"
	ip netns delete "$1"
}

@test "no two groups have one name: an interface called like an index that is gone, docker's namespaces like ours" {
	netns_up
	launch_netstacklat one -j -r 600 -g interface,netns -e udp-queue-rcv
	wait_for_netstacklat one
	ip netns add $second
	make_link $second two
	two=$(index_of $second two)
	receive_in $second 17
	ip -n $second link delete two
	ip netns add $first
	make_link $first gone
	gone=$(index_of $first gone)
	receive_in $first 11
	ip -n $first link delete gone
	make_link $first "$gone"
	receive_in $first 13
	move_to_docker $second $first
	stop_netstacklat one

	tests/validate-json <"$tmp/one.out"
	in_reports one groups.of_total netns,interface \
		11="$first index/$gone" 13="$first $gone" 17="docker/$first index/$two"
}

@test "a cgroup that is made anew has its path for itself, from its first report on" {
	netns_up
	ip netns add $first
	make_link $first one
	start_netstacklat one -j --cumulative -r 0.2 -g cgroup -e udp-socket-read
	for packets in 23 19; do
		make_cgroup "$cgroup/anew"
		id=$(stat -c %i "$cgroup_mount$cgroup/anew")
		enter_cgroup "$cgroup/anew"
		receive_in $first $packets
		wait_until grep -q "$cgroup/anew\"},\"count\":$packets," "$tmp/one.out"
		enter_cgroup ""
		rmdir "$cgroup_mount$cgroup/anew"
		ids+=("$id")
	done
	stop_netstacklat one
	# No report has a group twice.
	tests/validate-json <"$tmp/one.out"
	in_reports one groups.of_total cgroup 23="${ids[0]}" 19="$cgroup/anew"
}

# As the kubelet and Docker leave them, of which this is the id of a container. Root alone may read Docker's.
@test "a container has the names that Kubernetes or Docker gives it" {
	local id link docker=/var/lib/docker
	id=$(printf '%064x' 7)
	link=/var/log/containers/cart-7d9f_shop_app-$id.log
	netns_up
	ip netns add $first
	make_link $first one
	make_cgroup "$cgroup/cri-containerd-$id.scope"
	make_cgroup "$cgroup/docker-${id/7/8}.scope"
	mkdir -p /var/log/containers
	chmod 755 /var/log/containers
	ln -s /var/log/pods/0.log "$link"
	mkdir -m 700 $docker
	mkdir -p "$docker/containers/${id/7/8}"
	echo '{"Name":"/db"}' >"$docker/containers/${id/7/8}/config.v2.json"
	start_netstacklat one -j -r 600 -g cgroup -e udp-socket-read
	enter_cgroup "$cgroup/cri-containerd-$id.scope"
	receive_in $first 23
	enter_cgroup "$cgroup/docker-${id/7/8}.scope"
	receive_in $first 19
	enter_cgroup ""
	stop_netstacklat one
	rm -r "$link" $docker
	tests/validate-json <"$tmp/one.out"
	in_reports one groups.of_total container,pod,container_name \
		23="${id:0:12} shop/cart-7d9f app" 19="${id:0:12} None db"
}

open_files() { find "/proc/$(cat "$tmp/$1.pid")/fd" -type l | wc -l; }

@test "processes that ended keep their ids and names, and cgroups that are gone theirs once they were reported" {
	netns_up
	ip netns add $first
	make_link $first one
	make_cgroup "$cgroup/gone"
	make_cgroup "$cgroup/new"
	launch_netstacklat quick -r 0.2 -g pid,cgroup -e udp-socket-read
	launch_netstacklat slow -r 600 -g pid,cgroup -e udp-socket-read
	wait_for_netstacklat quick
	wait_for_netstacklat slow
	id=$(stat -c %i "$cgroup_mount$cgroup/gone")
	enter_cgroup "$cgroup/gone"
	receive_in $first 23
	gone=$reader
	wait_until_reported quick 23
	open_before=$(open_files quick)
	enter_cgroup "$cgroup"
	rmdir "$cgroup_mount$cgroup/gone"
	enter_cgroup "$cgroup/new"
	receive_in $first 29
	wait_until_reported quick 52
	# To look up names leaves nothing open.
	[ "$(open_files quick)" -eq "$open_before" ]
	enter_cgroup ""
	stop_all_netstacklats quick slow

	in_reports quick groups.of_total pid,comm,cgroup 23="$gone traffic[.]py $cgroup/gone" 29="$reader traffic[.]py $cgroup/new"
	in_reports slow groups.of_total pid,comm,cgroup 23="$gone traffic[.]py $id" 29="$reader traffic[.]py $cgroup/new"
}

# COUNT: another process of one id reads so many, and at least as long as it does, that id is taken.
receive_as_one() {
	start_receiver one udp-receive-as "$server_ipv4" 4000 "$1" 31000
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
	[ "$(receiver_result one)" -eq "$1" ]
	wait "$(cat "$tmp/one.pid")"
}

uptime_s() { cut -d " " -f 1 /proc/uptime; }

@test "-g pid: another process of the same id is another group, and the first one keeps its name" {
	netns_up
	launch_netstacklat quick -r 0.2 -g pid -e udp-socket-read
	launch_netstacklat slow -r 600 -g pid -e udp-socket-read
	wait_for_netstacklat quick
	wait_for_netstacklat slow
	receive_as_one 11
	wait_until_reported quick 11
	before=$(uptime_s)
	receive_as_one 13
	after=$(uptime_s)
	receive_as_one 17
	wait_until_reported quick 41
	stop_all_netstacklats quick slow

	for name in quick slow; do
		in_reports "$name" groups.are_three_of_one_id 31000 "$before" "$after"
	done
	tests/validate-json <"$tmp/slow.out"
}

# Ports by the thousand, one packet to each, and a second one to the odd ones.
# bats test_tags=frugal
@test "10000 groups have their packets, and those for which there is no room are counted" {
	netns_up
	launch_netstacklat all -r 600 -g port -e udp-socket-enqueued --max-groups=40000
	launch_netstacklat some -r 600 -g port -e udp-socket-enqueued --max-groups=1000
	launch_netstacklat text -o text -r 600 -g port -e udp-socket-enqueued --max-groups=1000 --top=2
	for name in all some text; do
		wait_for_netstacklat "$name"
	done
	start_receiver each udp-receive-each "$server_ipv4" 10000 10000
	# A row for each port and CPU.
	on_client taskset -c 0 "$traffic" udp-send-each "$server_ipv4" 10000 10000
	[ "$(receiver_result each)" -eq 15000 ]
	stop_all_netstacklats all some text

	in_reports all groups.all_ports_have_theirs 10000 20000
	in_reports some groups.some_ports_have_theirs 1000 15000
	sed -n '/  total /,$p' "$tmp/text.out" >"$tmp/total"
	tail -n 5 "$tmp/total"
	[ "$(grep -c '^udp-socket-enqueued{port="[0-9]*"}:$' "$tmp/total")" -eq 2 ]
	grep -qx "998 more groups with a count of 1496, see --top" "$tmp/total"
	grep -qx "not measured 13500: 13500 no room for more groups (see --max-groups)" "$tmp/total"
}
