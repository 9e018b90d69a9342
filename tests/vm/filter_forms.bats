#!/usr/bin/env bats
# bats file_tags=long,once
# What filters let through, to the packet, in each form that a filter is written in.

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

client_inode() { stat -L -c %i "/run/netns/$netns_client"; }
is_in_client() { [ "$(stat -L -c %i "/proc/$1/ns/net")" = "$(client_inode)" ]; }
netstacklat_in_client() { exec nsenter --net="/run/netns/$netns_client" ./netstacklat "$@"; }

# The flows of tests/vm/flows.py go by once, and all filters watch, each where it takes few programs: see filters.bats.
setup_file() {
	local late blue inner sender in_client
	setup
	flows_up
	start_flows
	read -r _ late blue inner sender <"$tmp/flows.readers"
	nsenter --net="/run/netns/$netns_client" sleep 600 3>&- &
	in_client=$!
	echo $in_client >"$tmp/in-client.pid"
	wait_until is_in_client $in_client

	watch_flows netns-pid -e udp-start -n $in_client
	watch_flows netns-path -e udp-start -n "/run/netns/$netns_client"
	watch_flows netns-inode -e udp-start -n "$(client_inode)"
	watch_flows netns-self -e udp-start -n self
	netstacklat=netstacklat_in_client watch_flows netns-of-its-own -e udp-start -n self

	watch_flows interface-index -e udp-queue-rcv -n "$netns_server" -i $shared_index
	watch_flows interfaces -e udp-queue-rcv -n "$netns_server,$netns_client" -i veth0,veth2
	watch_flows interface-anywhere -e udp-queue-rcv -n all -i veth2
	netstacklat=netstacklat_in_client watch_flows interface-of-its-own -e udp-queue-rcv -i veth2

	watch_flows cgroup-mount -e udp-socket-enqueued -c "$cgroup_mount$cgroup/red.service"
	watch_flows cgroup-id -e udp-socket-enqueued -c "$(stat -c %i "$cgroup_mount$cgroup/red.service")"
	watch_flows cgroup-inner -e udp-socket-enqueued -c "$(echo "$cgroup_mount$cgroup"/docker-*/inner)"

	watch_flows pids -e "*-read" -p "$late,$inner,$sender"
	# shellcheck disable=SC1003 # nothing is escaped
	watch_flows comms -e "*-read" --comm='blue,a "b"\'

	watch_flows port -e "udp-*" -P 4001
	watch_flows port-range -e "udp-queue-rcv,udp-socket-read" -P 4001-4002

	watch_flows remote-prefix -e "udp-start,udp-queue-rcv,raw-socket-enqueued,tcp-socket-*,*-read" --remote 2001:db8:1::/48
	watch_flows remote-mapped -e "tcp-socket-*" --remote ::ffff:198.51.100.1
	watch_flows remote-four -e "udp-queue-rcv,udp-socket-enqueued,raw-socket-read,tcp-socket-*" --remote 0.0.0.0/0
	watch_flows remote-six -e "udp-queue-rcv,udp-socket-enqueued,raw-socket-read,tcp-socket-*" --remote ::/0

	watch_flows cgroup-and-ports -e "udp-queue-rcv,tcp-socket-enqueued" -c "$cgroup/red.service" -P 4001,4003,5201
	watch_flows netns-and-comm -e "*-read" -n "$netns_server" --comm=red
	watch_flows remote-and-port -e "udp-queue-rcv,tcp-socket-read" --remote 192.0.2.0/24 -P 4001,5201
	watch_flows pid-and-ports -e udp-socket-read -p "$blue" -P 4001,4002
	flow
	teardown
}

@test "-n: by process, path, inode and self, and from another namespace" {
	assert_counted <<-'END'
		netns-pid - netns f.netns == CLIENT
		netns-path - netns f.netns == CLIENT
		netns-inode - netns f.netns == CLIENT
		netns-self - netns f.netns == OWN
		netns-of-its-own - netns f.netns == CLIENT
	END
}

@test "-i: by index, in several namespaces, and from another" {
	assert_counted <<-'END'
		interface-index - netns,interface f.interface == "veth1"
		interfaces - netns,interface f.interface in ("veth0", "veth2")
		interface-anywhere - netns,interface f.interface == "veth2"
		interface-of-its-own - netns,interface f.interface == "veth2"
	END
}

@test "-c: by path, by id, and one that is made within another" {
	assert_counted <<-'END'
		cgroup-mount - cgroup f.reader in (RED, LATE)
		cgroup-id - cgroup f.reader in (RED, LATE)
		cgroup-inner - cgroup f.reader == INNER
	END
}

@test "-p and --comm: several processes, and names with quotes and spaces" {
	assert_counted <<-'END'
		pids - pid f.reader in (LATE, INNER, SENDER)
		comms - comm f.reader in (BLUE, INNER)
	END
}

@test "-P: one port, and a range" {
	assert_counted <<-'END'
		port - port f.port == 4001
		port-range - port f.port in (4001, 4002)
	END
}

@test "--remote: prefixes, mapped addresses, and all of a family" {
	assert_counted <<-'END'
		remote-prefix - remote f.remote.startswith("2001:db8:1:")
		remote-mapped - remote f.remote == "198.51.100.1"
		remote-four - remote "." in f.remote
		remote-six - remote ":" in f.remote
	END
}

@test "two filters of every kind: those that pass both" {
	assert_counted <<-'END'
		cgroup-and-ports - cgroup,port f.reader in (RED, LATE) and f.port in (4001, 4003, 5201)
		netns-and-comm - netns,comm f.netns == SERVER and f.reader in (RED, LATE)
		remote-and-port - remote,port f.remote.startswith("192.0.2.") and f.port in (4001, 5201)
		pid-and-ports - pid,port f.reader == BLUE and f.port in (4001, 4002)
	END
}
