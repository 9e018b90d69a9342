# shellcheck shell=bash
# The questions that bring people here, each with the network and the traffic that answers it: for tests/demo
# and tests/vm/cases.bats. To be sourced, by root.

# shellcheck source=tests/vm/helpers.bash
source "$(dirname "${BASH_SOURCE[0]}")/vm/helpers.bash"

# Each is answered by case_NAME.
list_cases() {
	cat <<-'END'
		rules      What do 25 000 netfilter rules cost?
		output     What do rules cost that replies meet, in netfilter's OUTPUT chain?
		ping       A ping to a peer, to my own address and to localhost: where does the difference lie?
		udp        Where is a UDP packet between softirq and recvmsg(2)?
		container  What does the way to a container cost, through a bridge and a veth pair?
		reader     What does a reader that sleeps look like?
		lock       What does a socket's lock look like that somebody holds?
		cpu        What does a CPU look like that is busy with other packets?
		queue      What do replies look like that leave late, behind others in the device's queue?
		request    Of a whole request, what takes the host, and what the application?
		loss       What does one lost segment look like?
		trace      Where does a ping to a container come by, there and back?
	END
}

# What whoever sources this may do otherwise: say what comes, and show the reports of NAME.
format=json
say() { echo "$*"; }
show_reports() { :; }

# Runs a command, whose packets netstacklat sees: measure NAME COMMAND OPTION...
measure() {
	start_netstacklat "$1" -o "$format" -r 600 --stages "${@:3}"
	# shellcheck disable=SC2086 # several words
	$2
	stop_netstacklat "$1"
	show_reports "$1" --stages "${@:3}"
}

# PACKETS, with some time between them, to the server or to another of its addresses.
udp_traffic() {
	start_receiver udp-reader udp-receive "${2-$server_ipv4}" 4000 "$1"
	on_client "$traffic" udp-send "${2-$server_ipv4}" 4000 "$1" 10
	receiver_result udp-reader >/dev/null
}

# BYTES, as a stream.
tcp_traffic() {
	start_receiver tcp-reader tcp-receive "${2-$server_ipv4}" 5201
	on_client "$traffic" tcp-send "${2-$server_ipv4}" 5201 "$1"
	receiver_result tcp-reader >/dev/null
}

# Rules that match no packet, at a hook of netfilter: FAMILY HOOK RULES [WHICH PACKETS MEET THEM]
add_rules() {
	awk -v family="$1" -v hook="$2" -v rules="$3" -v which="${4-}" 'BEGIN {
		print "table " family " netstacklat {\nchain rules {"
		for (i = 0; i < rules; i++)
			printf "ip saddr 203.0.113.%d drop\n", i % 256
		print "}\nchain hooked {\ntype filter hook " hook " priority 0"
		print which " jump rules\n}\n}"
	}' | on_server nft -f -
}

both_traffic() { udp_traffic 50 && tcp_traffic 1000000; }

rules_of_case=25000
case_rules() {
	local options=(-4 -n "$netns_server" -e "ip-rcv,tcp-*,udp-*")
	netns_up
	say "UDP and TCP to a host without rules:"
	measure without both_traffic "${options[@]}"
	say "The same, behind $rules_of_case rules in netfilter's INPUT chain, none of which matches:"
	add_rules ip input "$rules_of_case"
	measure with both_traffic "${options[@]}"
}

case_output() {
	local options=(-4 -n "$netns_server" -e "ip-rcv,icmp-start,tx-*")
	netns_up
	say "Pings to a host without rules, which answers:"
	measure without ping_peer "${options[@]}"
	say "The same, behind $rules_of_case rules in netfilter's OUTPUT chain, none of which matches:"
	add_rules ip output "$rules_of_case"
	measure with ping_peer "${options[@]}"
}

ping_peer() { on_client ping -q -c 20 -i 0.05 "$server_ipv4"; }
ping_self() { on_client ping -q -c 20 -i 0.05 192.0.2.1; }
ping_localhost() { on_client ping -q -c 20 -i 0.05 127.0.0.1; }

case_ping() {
	local options=(-4 -n "$netns_client" -e "netif-receive,ip-rcv,icmp-start,raw-*,tx-*") peer
	netns_up
	tc -n "$netns_server" qdisc add dev veth0 root netem delay 20ms
	for peer in peer self localhost; do
		case $peer in
		peer) say "A ping to a peer, 20 ms away:" ;;
		self) say "A ping to an address of this host:" ;;
		localhost) say "A ping to localhost:" ;;
		esac
		measure "$peer" "ping_$peer" "${options[@]}"
	done
}

case_udp() {
	netns_up
	say "UDP packets from another namespace:"
	measure udp "udp_traffic 100" -4 -e "netif-receive,ip-rcv,udp-*"
}

container_ipv4=198.51.100.2
container_up() {
	ip netns add "$netns_container"
	ip link add veth0 netns "$netns_container" type veth peer name port0 netns "$netns_server"
	ip -n "$netns_server" link add br0 type bridge
	ip -n "$netns_server" address add 198.51.100.1/24 dev br0
	ip -n "$netns_server" link set port0 up master br0
	ip -n "$netns_server" link set br0 up
	netns_configure "$netns_container" "$container_ipv4" 2001:db8:1::2
	ip -n "$netns_container" route add default via 198.51.100.1
	ip -n "$netns_client" route add 198.51.100.0/24 via "$server_ipv4"
	on_server sysctl -qw net.ipv4.ip_forward=1
}

container_traffic() {
	on_container "$traffic" udp-receive "$container_ipv4" 4000 100 >"$tmp/contained" 3>&- &
	echo $! >"$tmp/contained.pid"
	wait_until grep -q ready "$tmp/contained"
	on_client "$traffic" udp-send "$container_ipv4" 4000 100 10
	receiver_result contained >/dev/null
}

case_container() {
	netns_up
	container_up
	say "UDP packets to a container, which this host forwards to its bridge:"
	measure container container_traffic -4 -g netns -e "netif-receive,ip-rcv,ip-forward,udp-*"
}

# Readers that sleep for 200 ms before each read.
slow_traffic() {
	start_receiver slow-udp udp-receive "$server_ipv4" 4000 5 200
	start_receiver slow-tcp tcp-receive "$server_ipv4" 5201 200
	on_client "$traffic" udp-send "$server_ipv4" 4000 5 200
	on_client "$traffic" tcp-send "$server_ipv4" 5201 1000 1000
	receiver_result slow-udp >/dev/null
	receiver_result slow-tcp >/dev/null
}

case_reader() {
	netns_up
	say "UDP and TCP to readers that sleep for 200 ms before each read:"
	measure reader slow_traffic -4 -n "$netns_server" -e "netif-receive,ip-rcv,tcp-*,udp-*"
}

held_traffic() {
	start_receiver held tcp-hold "$server_ipv4" 5201 6000 100
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 60 20 >/dev/null
	receiver_result held >/dev/null
}

case_lock() {
	netns_up
	say "TCP to a socket that is locked for 100 ms at a time, as a send from it waits for memory:"
	measure lock held_traffic -4 -n "$netns_server" -e "netif-receive,ip-rcv,tcp-*"
}

# A second veth pair, whose packets meet many rules on the last CPU, where all packets of the first go as well.
# RULES
busy_up() {
	local cpus
	# Not only those that this shell may run on.
	cpus=$(printf %x $((1 << ($(nproc --all) - 1))))
	ip link add veth1 netns "$netns_client" type veth peer name veth1 netns "$netns_server"
	netns_configure "$netns_client" 198.51.100.1 2001:db8:1::1 veth1
	netns_configure "$netns_server" 198.51.100.2 2001:db8:1::2 veth1
	on_server sh -c "echo $cpus | tee /sys/class/net/veth[01]/queues/rx-0/rps_cpus >/dev/null"
	add_rules ip input "$1" "iifname veth1"
}

# PACKETS, each right behind some that meet the rules; sent and read on the first CPU, where readers go first.
crowd_traffic() {
	start_receiver fast udp-receive "$server_ipv4" 4000 "$1"
	taskset -cp 0 "$(cat "$tmp/fast.pid")" >/dev/null
	chrt -f -p 1 "$(cat "$tmp/fast.pid")"
	on_client taskset -c 0 "$traffic" udp-send-behind "$server_ipv4" 4000 "$1" "$2" 198.51.100.2
	receiver_result fast >/dev/null
}

case_cpu() {
	local options
	netns_up
	busy_up 5000
	options=(-4 -n "$netns_server" -i "$(on_server cat /sys/class/net/veth0/ifindex)" -e "netif-receive,ip-rcv,udp-*")
	say "UDP packets, by RPS to a CPU that has nothing else to do:"
	measure idle "crowd_traffic 20 0" "${options[@]}"
	say "The same, each behind 50 packets of another interface that take long on that CPU:"
	measure busy "crowd_traffic 20 50" "${options[@]}"
}

# 500 datagrams, for which the queue takes two seconds: the socket holds its sender until one is left. Then pings.
queue_traffic() {
	on_server "$traffic" udp-send 192.0.2.1 4000 500
	on_client ping -q -c 20 -i 0.01 "$server_ipv4"
}

case_queue() {
	netns_up
	tc -n "$netns_server" qdisc add dev veth0 root tbf rate 250kbit burst 2000 limit 1mb
	say "Pings to a host that has much else to send, at 250 kbit/s:"
	measure queue queue_traffic -4 -n "$netns_server" -e "netif-receive,ip-rcv,icmp-start,tx-*"
}

# NAME PROTOCOL REQUESTS READ_MS THINK_MS [AHEAD READ_MS]: of server and client, see tests/vm/requests.py; in
# $tmp/NAME.answer_ns is what the client measures.
request_traffic() {
	local traffic=$PWD/tests/vm/requests.py
	start_receiver server "$2-late" "$server_ipv4" 4000 "$3" "$4" "$5"
	on_client "$traffic" "$2-time" "$server_ipv4" 4000 "$3" "${@:6}" >"$tmp/$1.answer_ns"
	receiver_result server >/dev/null
}

# -e for PROTOCOL
request_hooks() {
	case $1 in
	tcp) echo "netif-receive,ip-rcv,tcp-start,tcp-do-rcv,tcp-socket-*,tcp-send,tcp-transmit,tx-*" ;;
	udp) echo "netif-receive,ip-rcv,udp-*,udp-send,udp-transmit,tx-*" ;;
	esac
}

case_request() {
	netns_up
	tc -n "$netns_server" qdisc add dev veth0 root netem delay 15ms
	say "50 requests by TCP, read 10 ms after they came, answered 20 ms later, and then in a queue for 15 ms:"
	measure request "request_traffic request tcp 50 10 20" -4 -n "$netns_server" -e "$(request_hooks tcp)"
}

# Sends segments of 152 bytes, of which netfilter drops one.
lossy_traffic() {
	on_server nft "add table ip lossy; add chain ip lossy in { type filter hook input priority 0; };
		add rule ip lossy in tcp dport 5201 quota over 2000 bytes quota until 200 bytes drop"
	start_receiver loser tcp-receive "$server_ipv4" 5201
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 50 20 >/dev/null
	receiver_result loser >/dev/null
	on_server nft delete table ip lossy
}

case_loss() {
	local options=(-4 -n "$netns_server" -e "ip-rcv,tcp-*")
	netns_up
	tc -n "$netns_client" qdisc add dev veth0 root netem delay 100ms
	say "TCP that loses one segment of 50, on a way that takes 100 ms:"
	measure lossy lossy_traffic "${options[@]}"
	say "The same, with what had to wait for the lost segment (-y):"
	measure hol lossy_traffic "${options[@]}" -y
}

# One before, so that all have found their neighbours.
case_trace() {
	netns_up
	container_up
	on_client ping -q -c 1 "$container_ipv4" >/dev/null
	say "A ping to a container, through this host and its bridge, and back:"
	start_netstacklat trace -o "$format" --trace -4
	on_client ping -q -c 1 "$container_ipv4"
	# The way of the request ends without a word.
	sleep 0.5
	stop_netstacklat trace
	show_reports trace --trace -4
}
