# shellcheck shell=bash
# Faults that are planted, for netstacklat --diagnose to find: for tests/faults and tests/vm/diagnose.bats. To be
# sourced, by root.

# shellcheck source=tests/cases.bash
source "$(dirname "${BASH_SOURCE[0]}")/cases.bash"

# NAME CLASS CULPRIT: what must be found, and a fact of the culprit; pid=: of the process in $tmp/fault.pid. Each is
# planted by fault_NAME, with the traffic that suffers from it. "healthy" has no finding.
list_faults() {
	cat <<-'END'
		idle                healthy           -
		udp                 healthy           -
		tcp                 healthy           -
		requests            healthy           -
		bulk                healthy           -
		forwarding          healthy           -
		sleeping-udp        reader-asleep     pid=
		sleeping-tcp        reader-asleep     pid=
		starved             reader-no-cpu     -
		throttled           reader-throttled  throttled=/netstacklat
		throttled-above     reader-throttled  throttled=/netstacklat
		slow-answers-udp    application       pid=
		slow-answers-tcp    application       pid=
		late-accept         accept            pid=
		delayed             qdisc             interface=veth0
		shaped              qdisc             interface=veth0
		rules-in            netfilter-in      netns=netstacklat-server
		rules-in-ipv6       netfilter-in      netns=netstacklat-server
		rules-out           netfilter-out     netns=netstacklat-server
		busy-cpu            backlog           interface=veth1
		nobody-listens      drop              reason=NO_SOCKET
		full-queue          drop              reason=SOCKET_RCVBUFF
		dropping-rule       drop              reason=NETFILTER_DROP
	END
}

faults=$PWD/tests/faults.py

# Starts a server, as in faults.py, and waits until it can receive. Its process is the culprit.
start_fault() {
	ip netns exec "$netns_server" "$@" >"$tmp/fault" 3>&- &
	echo $! >"$tmp/fault.pid"
	wait_until grep -q ready "$tmp/fault"
}

# Runs NAME under --diagnose with further options. The verdict goes to $tmp/verdict. Returns its exit status.
diagnose_fault() {
	netns_up
	"fault_$1" plant
	"$netstacklat" --diagnose "${@:2}" 600 >"$tmp/verdict" 2>"$tmp/diagnosis.err" 3>&- &
	echo $! >"$tmp/diagnosis.pid"
	wait_for_netstacklat diagnosis
	"fault_$1" suffer >/dev/null
	stop_netstacklat diagnosis
}

# Each is called with "plant" before the watch, and with "suffer" during it.

fault_idle() { :; }

fault_udp() {
	[ "$1" = plant ] || udp_traffic 100
}

fault_tcp() {
	[ "$1" = plant ] || tcp_traffic 1000000
}

fault_requests() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 50 20 ;;
	esac
}

fault_bulk() {
	[ "$1" = plant ] || tcp_traffic 20000000
}

fault_forwarding() {
	case $1 in
	plant) container_up ;;
	suffer) container_traffic ;;
	esac
}

fault_sleeping-udp() {
	case $1 in
	plant) start_fault "$traffic" udp-receive "$server_ipv4" 4000 1000 80 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 40 60 ;;
	esac
}

fault_sleeping-tcp() {
	case $1 in
	plant) start_fault "$traffic" tcp-receive "$server_ipv4" 5201 100 ;;
	suffer) on_client "$traffic" tcp-send-each "$server_ipv4" 5201 40 60 ;;
	esac
}

fault_starved() {
	case $1 in
	plant) start_fault "$traffic" udp-starve "$server_ipv4" 4000 1000 60 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

# In a cgroup that may use a tenth of a CPU, which another process there uses up: plant_throttled LIMITED IN
plant_throttled() {
	echo +cpu >"$cgroup_mount/cgroup.subtree_control"
	make_cgroup "$1"
	make_cgroup "$2"
	enter_cgroup "$2"
	start_fault "$faults" read-beside "$server_ipv4" 4000
	enter_cgroup /
	# Once it runs, as it would take long to begin.
	echo 10000 100000 >"$cgroup_mount$1/cpu.max"
}

fault_throttled() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup" ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

fault_throttled-above() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup/below" ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

fault_slow-answers-udp() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 5001 60 ;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 5001 30 20 ;;
	esac
}

fault_slow-answers-tcp() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv6" 5001 60 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv6" 5001 30 20 ;;
	esac
}

fault_late-accept() {
	case $1 in
	plant) start_fault "$faults" accept-late "$server_ipv4" 5001 80 ;;
	suffer) on_client "$faults" connect "$server_ipv4" 5001 20 ;;
	esac
}

fault_delayed() {
	case $1 in
	plant) tc -n "$netns_server" qdisc add dev veth0 root netem delay 50ms ;;
	suffer) ping_peer ;;
	esac
}

fault_shaped() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root tbf rate 250kbit burst 2000 limit 1mb
		on_client "$traffic" udp-receive 192.0.2.1 4000 500 >"$tmp/read" 3>&- &
		wait_until grep -q ready "$tmp/read"
		;;
	suffer) queue_traffic ;;
	esac
}

# Rules that match nothing, so many times that it shows in emulation: FAMILY HOOK
plant_rules() {
	add_rules "$1" "$2" 25000
	for _ in {1..20}; do
		on_server nft add rule "$1" netstacklat hooked jump rules
	done
}

fault_rules-in() {
	case $1 in
	plant) plant_rules ip input ;;
	suffer) udp_traffic 30 ;;
	esac
}

fault_rules-in-ipv6() {
	case $1 in
	plant)
		awk 'BEGIN {
			print "table ip6 netstacklat {\nchain rules {"
			for (i = 0; i < 25000; i++)
				print "ip6 saddr 2001:db8:2::" i % 9999 " drop"
			print "}\nchain hooked {\ntype filter hook input priority 0"
			for (i = 0; i < 20; i++)
				print "jump rules"
			print "}\n}"
		}' | on_server nft -f -
		;;
	suffer) udp_traffic 30 "$server_ipv6" ;;
	esac
}

fault_rules-out() {
	case $1 in
	plant) plant_rules ip output ;;
	suffer) ping_peer ;;
	esac
}

fault_busy-cpu() {
	case $1 in
	plant) busy_up ;;
	suffer) crowd_traffic 20 200 ;;
	esac
}

fault_nobody-listens() {
	[ "$1" = plant ] || on_client "$traffic" udp-send "$server_ipv4" 4001 20 20
}

fault_full-queue() {
	case $1 in
	plant) start_fault "$traffic" udp-drop "$server_ipv4" 4000 200 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 200 ;;
	esac
}

fault_dropping-rule() {
	case $1 in
	plant)
		on_server nft "add table ip netstacklat; add chain ip netstacklat in { type filter hook input priority 0; };
			add rule ip netstacklat in udp dport 4000 drop"
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 20 ;;
	esac
}

# Whether the verdict on NAME is what the table says; with JSON in $tmp/verdict.
verdict_is_right() {
	local class culprit
	read -r _ class culprit < <(list_faults | grep "^$1 ")
	[ "$culprit" != pid= ] || culprit+=$(cat "$tmp/fault.pid")
	tests/verdict.py "$class" "$culprit" <"$tmp/verdict"
}
