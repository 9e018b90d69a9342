# shellcheck shell=bash
# Faults that are planted, for netstacklat --diagnose to find: for tests/faults and tests/vm/diagnose.bats. To be
# sourced, by root.

# shellcheck source=tests/cases.bash
source "$(dirname "${BASH_SOURCE[0]}")/cases.bash"

# NAME HALF CLASS CULPRIT: what must be found, and a fact of the culprit; pid=: of the process in $tmp/fault.pid. Each
# is planted by fault_NAME, with the traffic that suffers from it. "healthy" has no finding. The rules and thresholds of
# lib/diagnose were fixed on the half that is "known"; what is "held-out" judges them.
list_faults() {
	cat <<-'END'
		idle                known     healthy            -
		udp                 known     healthy            -
		tcp                 known     healthy            -
		requests            known     healthy            -
		bulk                known     healthy            -
		forwarding          known     healthy            -
		udp-ipv6            held-out  healthy            -
		clock-set           held-out  healthy            -
		tcp-ipv6            held-out  healthy            -
		requests-udp        held-out  healthy            -
		early-xdp           held-out  healthy            -
		connections         held-out  healthy            -
		pings               held-out  healthy            -
		many-services       held-out  healthy            -
		steady-answers      known     healthy            -
		strays              known     healthy            -
		bursts              known     healthy            -
		low-clients         known     healthy            -
		long-poll           known     healthy            -
		publisher           known     healthy            -
		in-parts            held-out  healthy            -
		hanging             held-out  healthy            -
		proxy               known     healthy            -
		short-lived         known     healthy            -
		short-lived-bound   held-out  healthy            -
		push                held-out  healthy            -
		syslog              known     healthy            -
		batches             held-out  healthy            -
		dns                 known     healthy            -
		bbr                 known     healthy            -
		paced               held-out  healthy            -
		crowd               known     healthy            -
		traceroute          held-out  healthy            -
		in-a-circle         known     drop               reason=IP_INHDR
		black-hole          known     drop               reason=NOT_SPECIFIED
		too-long            held-out  drop               reason=NOT_SPECIFIED
		just-started        held-out  healthy            -
		contained-service   held-out  healthy            -
		enough              held-out  healthy            -
		peeking             held-out  healthy            -
		peeking-late        known     reader-asleep      pid=
		sleeping-udp        known     reader-asleep      pid=
		sleeping-tcp        known     reader-asleep      pid=
		sleeping-ipv6       held-out  reader-asleep      pid=
		stopped             held-out  reader-stopped     pid=
		stopped-throughout  known     reader-stopped     pid=
		paused              known     reader-stopped+    pid=
		frozen              known     reader-stopped,send-wait pid=
		frozen-throughout   known     reader-stopped     pid=
		throttled-at-work   known     application        throttled=/netstacklat
		working-and-napping known     application        did=running
		throttled-listener  known     accept             throttled=/netstacklat
		starved-at-work     held-out  application        other_comm=faults.py
		out-of-budget       known     application        did=ready
		interrupted         known     application,drop,netfilter-in other_comm=softirqs
		starved-listener    held-out  accept             other_comm=faults.py
		frozen-v1           known     reader-stopped     pid=
		frozen-v1-polling   held-out  reader-stopped     pid=
		frozen-v1-for-good  held-out  reader-stopped     pid=
		ignoring-udp        known     reader-asleep      pid=
		ignoring-tcp        known     reader-asleep      pid=
		starved             known     reader-no-cpu      pid=
		starved-ipv6        held-out  reader-no-cpu      pid=
		throttled           known     reader-throttled   throttled=/netstacklat
		throttled-above     known     reader-throttled   throttled=/netstacklat
		throttled-v1        known     reader-throttled   throttled=/netstacklat
		memory-high         known     reader-memory pid=
		memory-high-tcp     held-out  reader-memory pid=
		memory-max          known     reader-memory      memory_limit=memory.max 16777216
		memory-max-at-work  known     application        memory_limit=memory.max 16777216
		busy-udp            held-out  reader-busy        pid=
		busy-tcp            held-out  reader-busy        pid=
		overloaded          known     reader-busy        pid=
		overloaded-asleep   held-out  reader-asleep      pid=
		faulting            known     reader-asleep      asleep_in=a page fault
		busy-and-napping    known     reader-busy        pid=
		asleep-and-napping  known     reader-asleep      asleep_in=clock_nanosleep
		slow-answers-udp    known     application        pid=
		slow-answers-tcp    known     application        pid=
		high-port           known     application        pid=
		slow-backend        known     application        pid=
		blocked-udp         known     reader-asleep      pid=
		blocked-tcp         known     accept             pid=
		late-accept         known     accept             pid=
		late-accept-ipv6    held-out  accept             pid=
		never-accepting     known     accept             pid=
		unaccepted-mptcp    known     accept             pid=
		by-thread           known     application        pid=
		by-ring             known     application        polls=io_uring
		unasked-ring        held-out  reader-busy        polls=io_uring
		by-child            known     reader-busy        comm=faults.py
		activated           known     accept             comm=faults.py
		stuck-child         known     accept             pid=
		stuck-child-udp     held-out  reader-asleep      pid=
		short-accept-queue  known     drop               port=5002
		half-open           known     syn-queue          netns=netstacklat-server
		held-lock           held-out  socket-lock        comm=traffic.py
		held-lock-ipv6      held-out  socket-lock        comm=traffic.py
		small-window        known     send-wait          limit=rwnd
		small-buffer        known     send-wait          limit=sndbuf
		small-window-ipv6   held-out  send-wait          limit=rwnd
		small-buffer-ipv6   held-out  send-wait          limit=sndbuf
		hung-peer           known     reader-asleep,send-wait limit=rwnd
		two-writes          known     nagle              netns=netstacklat-server
		two-writes-ipv6     held-out  nagle              netns=netstacklat-server
		short-writes        known     nagle              netns=netstacklat-client
		slow-write          known     slow-write         limit=page
		corked-late         known     cork               limit=cork
		corked-for-long     held-out  cork               limit=cork
		corked-by-flag      held-out  cork               limit=cork
		two-writes-at-once  held-out  healthy            -
		corked              held-out  healthy            -
		delayed             known     qdisc              interface=veth0
		delayed-once        known     qdisc              interface=veth0
		shaped              known     qdisc              interface=veth0
		rules-in            known     netfilter-in       netns=netstacklat-server
		rules-in-ipv6       known     netfilter-in       netns=netstacklat-server
		rules-out           known     netfilter-out      netns=netstacklat-server
		rules-out-udp       held-out  netfilter-out      netns=netstacklat-client
		rules-in-tcp        held-out  netfilter-in       netns=netstacklat-server
		rules-forward       held-out  netfilter-forward  netns=netstacklat-server
		rules-egress        known     egress             interface=veth0
		filters-egress      held-out  egress             interface=veth0
		decided-in          known     userspace-filter   decider_comm=faults.py
		decided-out         held-out  userspace-filter   nfqueue=0
		rules-ingress       held-out  ingress            interface=veth0
		rules-bridge        held-out  ingress            netns=netstacklat-server
		rules-bridge-tcp    held-out  ingress            netns=netstacklat-server
		rules-bridged       known     bridged            netns=netstacklat-server
		bridged             held-out  healthy            -
		bridged-drop        held-out  drop               netns=netstacklat-server
		below-bridge        held-out  qdisc              interface=port0
		rules-together      known     receive-path       port=4000
		busy-cpu            known     backlog            interface=veth1
		softirqs-off        known     softirq            other_comm=faults.py
		softirqs-off-unseen held-out  softirq            other_comm=faults.py
		lost-stream         known     loss,retransmit    retransmit=fast
		lost-requests       known     retransmit+        port=5001
		lost-stream-ipv6    held-out  loss,retransmit    retransmit=fast
		lost-requests-udp   held-out  healthy            -
		unplugged           known     link               interface=card0
		threaded            held-out  healthy            -
		threaded-late       held-out  softirq            other_comm=faults.py
		missed              known     card               interface=card0
		unnumbered          held-out  healthy            -
		late-neighbour      known     neighbour          netns=netstacklat-server
		late-neighbour-ipv6 held-out  neighbour          netns=netstacklat-server
		queued-question     held-out  qdisc              interface=veth0
		far                 held-out  healthy            -
		far-ipv6            held-out  healthy            -
		scanned             known     drop,retransmit    port=5001
		silent-peer         known     retransmit         retransmit=syn
		nobody-listens      known     drop               reason=NO_SOCKET
		bound-elsewhere     known     drop               pid=
		bound-to-device     held-out  drop               pid=
		other-ip-version    known     drop               pid=
		other-vrf           held-out  drop               pid=
		not-published       known     drop               comm=faults.py
		full-queue          known     reader-asleep      pid=
		dropping-rule       known     drop               reason=NETFILTER_DROP
		dropping-rule-ipv6  held-out  drop               reason=NETFILTER_DROP
		unnamed             known     drop               reason=NETFILTER_DROP
		balanced-to-none    held-out  drop               reason=NETFILTER_DROP
		full-conntrack      known     drop               conntrack_dropped=20
		no-nat-port         held-out  drop               conntrack_clashed=38
		two-at-once         held-out  drop,application   pid=
		crashed             held-out  reader-asleep      pid=
		traced              held-out  reader-stopped     pid=
		crowded-out         held-out  reader-no-cpu      pid=
		locked              held-out  application        waker_comm=faults.py
		locked-by-other     held-out  application        waker_comm=faults.py
		piped               held-out  application        waker_comm=faults.py
		asking              known     application        waker_comm=faults.py
		asking-for-others   held-out  healthy            -
		asking-often        known     healthy            -
		asking-dns          known     healthy            -
		seeking             known     application        asleep_in=clock_nanosleep
		stopped-at-work     held-out  application        pid=
		stopped-listener    held-out  accept             pid=
		policed             held-out  drop               reason=TC_INGRESS
		bad-checksum        held-out  drop               reason=UDP_CSUM
		wrong-way           held-out  drop               reason=IP_RPFILTER
		forward-rule        held-out  drop               reason=NETFILTER_DROP
		short-queue         held-out  drop               reason=QDISC_DROP
		full-tun            held-out  drop               reason=FULL_RING
		tun                 held-out  healthy            -
		late-tun            known     reader-asleep      interface=tun0
		slow-tun            held-out  reader-asleep      interface=tun0
		no-carrier          known     drop               carrier=none
		full-flow           held-out  drop               reason=FQ_FLOW_LIMIT|QDISC_DROP_FLOW_LIMIT
		container-port      held-out  qdisc              interface=port0
		short-buffer        held-out  drop               reason=SOCKET_RCVBUFF
		no-neighbour        held-out  drop               reason=NEIGH_FAILED
		full-neighbours     held-out  drop               reason=NEIGH_CREATEFAIL
		lost-fragments      held-out  drop               reason=FRAG_REASM_TIMEOUT
		unsigned            held-out  drop               reason=TCP_MD5NOTFOUND
		too-far             held-out  drop               reason=TCP_MINTTL
		full-backlog        held-out  drop               reason=CPU_BACKLOG
		translated          held-out  healthy            -
		hairpin             known     healthy            -
		multicast           held-out  healthy            -
		stuck-worker        known     reader-stopped     pid=
		vlan                held-out  qdisc              interface=vlan5
		below-vlan          held-out  qdisc              interface=veth0
		rules-below-vlan    held-out  egress             interface=veth0
		late-twice          held-out  reader-asleep,qdisc pid=
		vxlan               held-out  healthy            -
		wrong-vni           held-out  drop               reason=VXLAN_VNI_NOT_FOUND
		below-vxlan         held-out  qdisc              interface=veth0
		wireguard           held-out  healthy            -
		below-wireguard     held-out  qdisc              interface=veth0
		macvlan             held-out  healthy            -
		below-macvlan       held-out  qdisc              interface=veth0
		macsec              held-out  healthy            -
		below-macsec        held-out  qdisc              interface=veth0
		below-mpls          held-out  qdisc              interface=veth0
		ipsec               held-out  healthy            -
		below-ipsec         held-out  qdisc              interface=veth0
		mptcp               held-out  healthy            -
		sctp                held-out  healthy            -
		wifi                held-out  healthy            -
		open-vswitch        held-out  healthy            -
		slow-answers-mptcp  held-out  application        pid=
		no-descriptors      known     accept             pid=
		slow-client         known     reader-asleep      pid=
		policed-out         held-out  drop               interface=veth0
		forbidden           held-out  drop               reason=XFRM_POLICY
		too-big             held-out  drop               reason=PKT_TOO_BIG
		no-route-back       known     drop               reason=IP_OUTNOROUTES
		no-route-back-ipv6  held-out  drop               reason=IP_OUTNOROUTES
		no-route-udp        known     unsent             pid=
		prohibited-udp      held-out  unsent             error=EACCES
		no-port             known     no-port            peer_port=5002
		no-port-ipv6        held-out  no-port            peer_port=5002
		no-port-bound       held-out  no-port            comm=faults.py
		no-route            held-out  drop               reason=IP_INNOROUTES
		filtered-socket     held-out  drop               reason=SOCKET_FILTER
		lossy-queue         known     drop               port=5001
		answers-dropped     held-out  drop               reason=NETFILTER_DROP
		requests-dropped    held-out  drop               reason=NETFILTER_DROP
		duplicated          held-out  loss               port=5001
		ifb                 known     qdisc              interface=ifb0
		shaped-by-bpf       known     qdisc              interface=veth0
		shaped-by-bpf-udp   held-out  qdisc              interface=veth0
		shaped-container    held-out  qdisc              interface=veth0
		stuck-listener      held-out  accept             pid=
		left-early          known     drop               reason=NO_SOCKET
		left-before         held-out  drop,application   reason=NO_SOCKET
		filtered-cgroup     known     drop               reason=SOCKET_FILTER
		not-forwarding      known     drop               reason=IP_INADDRERRORS
		not-forwarding-ipv6 held-out  drop               reason=IP_INADDRERRORS
		from-the-past       held-out  drop               reason=TCP_RFC7323_PAWS
		slow-filter-udp     known     socket-filter      port=5001
		slow-filter-tcp     known     socket-filter      port=5001
		slow-filter-out     held-out  netfilter-out      netns=netstacklat-server
		policed-stream      held-out  drop               reason=TC_INGRESS
		shaped-stream       held-out  qdisc              interface=veth0
		bloated             held-out  qdisc              interface=veth0
		lossy-forward       held-out  drop               interface=port0
		bad-tcp-checksum    held-out  drop               reason=TCP_CSUM
		bad-ip-checksum     held-out  drop               reason=IP_CSUM
	END
}

faults=$PWD/tests/faults.py

# Starts a server, as in faults.py, and waits until it can receive. Its process is the culprit.
start_fault() {
	ip netns exec "$netns_server" "$@" >"$tmp/fault" 3>&- &
	echo $! >"$tmp/fault.pid"
	wait_until grep -q ready "$tmp/fault"
}

# The same within a cgroup, which it makes if there is none: start_fault_in CGROUP COMMAND...
start_fault_in() {
	make_cgroup "$1"
	enter_cgroup "$1"
	start_fault "${@:2}"
	enter_cgroup /
}

# The same of a peer's, which is no culprit: start_peer on_client|on_container COMMAND...
start_peer() {
	"$@" >"$tmp/peer" 3>&- &
	wait_until grep -q ready "$tmp/peer"
}

# Runs NAME under --diagnose with further options. The verdict goes to $tmp/verdict. Returns its exit status. What failed
# besides, so that the verdict is worth nothing, is named in $tmp/unplanted.
diagnose_fault() {
	local name pid pids=()
	netns_up
	: >"$tmp/unplanted"
	for name in ${1//+/ }; do
		"fault_$name" plant || { echo "$name cannot be planted" >"$tmp/unplanted"; return 1; }
	done
	"$netstacklat" --diagnose "${@:2}" 600 >"$tmp/verdict" 2>"$tmp/diagnosis.err" 3>&- &
	echo $! >"$tmp/diagnosis.pid"
	wait_for_netstacklat diagnosis
	for name in ${1//+/ }; do
		"fault_$name" suffer >/dev/null 3>&- &
		pids+=("$!")
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || echo "what suffers $1 fails" >>"$tmp/unplanted"
	done
	stop_netstacklat diagnosis
}

# Each is called with "plant" before the watch, and with "suffer" during it.

fault_idle() { :; }

fault_udp() {
	[ "$1" = plant ] || udp_traffic 100
}

fault_udp-ipv6() {
	[ "$1" = plant ] || udp_traffic 100 "$server_ipv6"
}

# An hour forth, and back, while packets come.
fault_clock-set() {
	[ "$1" = plant ] && return
	{
		sleep 0.3
		date -s "+1 hour"
		sleep 0.5
		date -s "-1 hour"
	} &
	udp_traffic 100
	wait $!
}

# Small segments with some time between them, to ADDRESS.
segment_traffic() {
	start_receiver tcp-reader tcp-receive "$1" 5201
	on_client "$traffic" tcp-send-each "$1" 5201 100 20
	receiver_result tcp-reader
}

fault_tcp() {
	[ "$1" = plant ] || segment_traffic "$server_ipv4"
}

fault_tcp-ipv6() {
	[ "$1" = plant ] || segment_traffic "$server_ipv6"
}

fault_requests() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 50 20 ;;
	esac
}

fault_early-xdp() {
	[ "$1" != plant ] ||
		ip -n "$netns_server" link set dev veth0 xdpdrv object .output/tests/vm/pass.bpf.o section xdp
	fault_requests "$1"
}

# At a pace at which an emulated reader is not the bottleneck.
fault_bulk() {
	case $1 in
	plant) start_fault "$faults" collect "$server_ipv4" 5201 0 ;;
	suffer) on_client "$faults" stream "$server_ipv4" 5201 4000000 2000000 0 ;;
	esac
}

fault_requests-udp() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv6" 5001 0 ;;
	suffer) on_client "$faults" ask udp "$server_ipv6" 5001 50 20 ;;
	esac
}

fault_connections() {
	case $1 in
	plant) start_fault "$faults" accept-late "$server_ipv4" 5001 0 ;;
	suffer)
		for _ in {1..10}; do
			on_client "$faults" connect "$server_ipv4" 5001 1
		done
		;;
	esac
}

fault_pings() {
	[ "$1" = plant ] || ping_peer
}

fault_many-services() {
	local port
	case $1 in
	plant)
		for port in {4000..4009}; do
			start_fault "$faults" serve udp "$server_ipv4" "$port" 0
		done
		;;
	suffer)
		for port in {4000..4009}; do
			on_client "$faults" ask udp "$server_ipv4" "$port" 10 10
		done
		;;
	esac
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

fault_sleeping-ipv6() {
	case $1 in
	plant) start_fault "$traffic" udp-receive "$server_ipv6" 4000 1000 120 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv6" 4000 20 100 ;;
	esac
}

# Now and then, and not at the end.
fault_stopped() {
	local pid
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		pid=$(cat "$tmp/fault.pid")
		on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 3>&- &
		for _ in {1..4}; do
			kill -STOP "$pid"
			sleep 0.4
			kill -CONT "$pid"
			sleep 0.2
		done
		wait $!
		;;
	esac
}

# So many packets to each of these ports at once, 40 ms apart.
send_to_each() {
	local port senders=()
	for port in "${@:2}"; do
		on_client "$traffic" udp-send "$server_ipv4" "$port" "$1" 40 3>&- &
		senders+=("$!")
	done
	wait "${senders[@]}"
}

# Once, and another one with it: what comes meanwhile waits, and then is read one by one.
fault_paused() {
	local port pids
	case $1 in
	plant)
		rm -f "$tmp/paused.pids"
		for port in 4000 4001; do
			start_fault "$faults" read "$server_ipv4" $port
			cat "$tmp/fault.pid" >>"$tmp/paused.pids"
		done
		;;
	suffer)
		mapfile -t pids <"$tmp/paused.pids"
		send_to_each 40 4000 4001
		kill -STOP "${pids[@]}"
		send_to_each 10 4000 4001
		kill -CONT "${pids[@]}"
		send_to_each 70 4000 4001
		;;
	esac
}

# From before the watch to behind its end.
fault_stopped-throughout() {
	case $1 in
	plant)
		start_fault "$faults" read "$server_ipv4" 4000
		kill -STOP "$(cat "$tmp/fault.pid")"
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 40 ;;
	esac
}

fault_ignoring-udp() {
	case $1 in
	plant) start_fault "$faults" ignore udp "$server_ipv6" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv6" 4000 20 40 ;;
	esac
}

fault_ignoring-tcp() {
	case $1 in
	plant) start_fault "$faults" ignore tcp "$server_ipv4" 5201 ;;
	suffer) on_client "$traffic" tcp-send-each "$server_ipv4" 5201 20 40 ;;
	esac
}

# KIND: what is never accepted, as "faults.py ignore" has it.
accept_nobody() {
	case $1 in
	plant) start_fault "$faults" ignore "$2" "$server_ipv4" 5001 ;;
	suffer) on_client "$faults" open-only "$server_ipv4" 5001 10 ;;
	esac
}

fault_never-accepting() { accept_nobody "$1" connections; }
# Go's services listen by MPTCP by default, for clients of either kind.
fault_unaccepted-mptcp() { accept_nobody "$1" mptcp-connections; }

# A worker has the socket of the process that started it, as of a pre-forking server.
start_worker() {
	start_fault "$faults" inherit "$@"
	wait_until pgrep -P "$(cat "$tmp/fault.pid")" >"$tmp/worker.pid"
	mv "$tmp/worker.pid" "$tmp/fault.pid"
}

fault_stuck-child-udp() {
	case $1 in
	plant) start_worker udp "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 40 ;;
	esac
}

fault_stuck-child() {
	case $1 in
	plant) start_worker connections "$server_ipv4" 5001 ;;
	suffer) on_client "$faults" open-only "$server_ipv4" 5001 10 ;;
	esac
}

# There is room for two, and the same CPU begins all of them before it accepts any.
fault_short-accept-queue() {
	case $1 in
	plant) start_fault taskset -c 0 "$faults" accept-late "$server_ipv4" 5002 0 1 ;;
	suffer) on_client taskset -c 0 "$faults" connect-at-once "$server_ipv4" 5002 10 ;;
	esac
}

# Whoever answers 192.0.2.77 gets no answer.
fault_half-open() {
	case $1 in
	plant)
		on_server sysctl -qw net.ipv4.tcp_syncookies=0 net.ipv4.tcp_max_syn_backlog=8
		ip -n "$netns_server" neigh replace 192.0.2.77 dev veth0 lladdr 02:00:00:00:00:77
		start_fault "$faults" ignore connections "$server_ipv4" 5001
		;;
	suffer) on_client "$faults" begin-only 192.0.2.77 "$server_ipv4" 5001 300 ;;
	esac
}

fault_starved-ipv6() {
	case $1 in
	plant) start_fault "$traffic" udp-starve "$server_ipv6" 4000 1000 100 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv6" 4000 40 60 ;;
	esac
}

fault_busy-udp() {
	case $1 in
	plant) start_fault "$faults" read-busy udp "$server_ipv4" 4000 60 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 40 40 ;;
	esac
}

fault_busy-tcp() {
	case $1 in
	plant) start_fault "$faults" read-busy tcp "$server_ipv6" 5201 60 ;;
	suffer) on_client "$traffic" tcp-send-each "$server_ipv6" 5201 40 40 ;;
	esac
}

# It takes 3 ms for each datagram, of which one comes every 2 ms.
fault_overloaded() {
	case $1 in
	plant) start_fault "$faults" read-busy udp "$server_ipv4" 4000 3 ;;
	suffer)
		on_client "$traffic" udp-send "$server_ipv4" 4000 800 2
		sleep 1
		;;
	esac
}

# It waits for others, 5 ms for each request, while 20 clients ask.
fault_overloaded-asleep() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 5001 5 ;;
	suffer) on_client "$faults" ask-in-crowd "$server_ipv4" 5001 20 20 1 ;;
	esac
}

# PLANT COMMAND...: a reader that takes 50 ms and more for each datagram, of which one comes every 40 ms.
read_late() {
	case $1 in
	plant) start_fault "$faults" "${@:2}" "$server_ipv4" 4000 50 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 40 40 ;;
	esac
}

fault_faulting() { read_late "$1" read-faulting; }
fault_busy-and-napping() { read_late "$1" read-napping busy; }
fault_asleep-and-napping() { read_late "$1" read-napping asleep; }

fault_starved() {
	case $1 in
	plant) start_fault "$traffic" udp-starve "$server_ipv4" 4000 1000 60 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

# Where cgroups of version 1 of a controller are mounted, once: CONTROLLER
v1_of() { echo "/tmp/netstacklat-v1-$1"; }
mount_v1() {
	[ ! -d "$(v1_of "$1")" ] || return 0
	mkdir "$(v1_of "$1")"
	# The kernel may not be done with those of the other version yet.
	wait_until mount -t cgroup -o "$1" none "$(v1_of "$1")"
}

# The controller "cpu" is in cgroups of one version only.
give_cpu_to_v1() {
	echo -cpu >"$cgroup_mount/cgroup.subtree_control"
	mount_v1 cpu
}

# A hierarchy stays, unmounted, while a cgroup in it is still about to go: then it has to be unmounted again.
cpu_is_v2() {
	if [ -d "$(v1_of cpu)" ]; then
		rmdir "$(v1_of cpu)$cgroup" || [ ! -d "$(v1_of cpu)$cgroup" ] || return 1
		umount "$(v1_of cpu)"
		rmdir "$(v1_of cpu)"
		sleep 0.5
	fi
	echo +cpu >"$cgroup_mount/cgroup.subtree_control" || { mount_v1 cpu; return 1; }
}

give_cpu_to_v2() { wait_until cpu_is_v2; }

# In a cgroup that may use a tenth of a CPU, which it or another process there uses up: LIMITED IN COMMAND...
plant_throttled() {
	give_cpu_to_v2
	make_cgroup "$1"
	start_fault_in "$2" "$faults" "${@:3}"
	# Once it runs, as it would take long to begin.
	echo 10000 100000 >"$cgroup_mount$1/cpu.max"
}

fault_throttled() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup" read-beside "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

fault_throttled-above() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup/below" read-beside "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

fault_throttled-listener() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup" accept-beside "$server_ipv4" 5001 ;;
	suffer) on_client "$faults" connect "$server_ipv4" 5001 30 ;;
	esac
}

# Between a request and its answer.
fault_throttled-at-work() {
	case $1 in
	plant) plant_throttled "$cgroup" "$cgroup" serve-working "$server_ipv4" 5001 25 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

# PLANT PROTOCOL COMMAND: a service that is held up for 150 ms between a request and its answer, and not while packets
# wait for it.
held_at_work() {
	case $1 in
	plant) start_fault "$faults" "$3" "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask "$2" "$server_ipv4" 5001 20 20 ;;
	esac
}

fault_seeking() {
	case $1 in
	plant) start_fault "$faults" serve-seeking "$server_ipv4" 5001 300 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 10 20 ;;
	esac
}

fault_working-and-napping() { held_at_work "$1" tcp serve-napping; }
# It may run for 10 ms in 100, and needs 30 for each answer; nothing else wants its CPU.
fault_out-of-budget() {
	case $1 in
	plant)
		start_fault chrt -d -T 10000000 -P 100000000 -D 100000000 0 "$faults" serve-working "$server_ipv4" 5001 30
		;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 12 20 ;;
	esac
}

fault_starved-at-work() { held_at_work "$1" udp serve-starved; }

# Softirqs use its CPU up, for packets that nobody wants, and interrupt whatever runs there.
fault_interrupted() {
	case $1 in
	plant)
		busy_up 8000
		on_server sh -c "echo 1 >/sys/class/net/veth0/queues/rx-0/rps_cpus"
		# Else those before the neighbour's answer are dropped.
		on_client ping -q -c 1 198.51.100.2 >/dev/null
		start_fault taskset -c "$(($(nproc --all) - 1))" chrt -f 1 "$faults" serve-counting "$server_ipv4" 5001 300000
		;;
	suffer)
		on_client taskset -c 0 "$traffic" udp-send 198.51.100.2 4999 4000 1 &
		on_client taskset -c 0 "$faults" ask tcp "$server_ipv4" 5001 20 20
		wait $!
		;;
	esac
}

fault_stopped-at-work() { held_at_work "$1" udp serve-stopped; }

# A task of more priority has its CPU half of the time.
fault_starved-listener() {
	case $1 in
	plant)
		start_peer on_server taskset -c 1 chrt -f 50 "$faults" be-busy 60
		start_fault taskset -c 1 "$faults" accept-late "$server_ipv4" 5001 0
		;;
	suffer)
		for _ in {1..20}; do
			on_client taskset -c 0 "$faults" connect "$server_ipv4" 5001 1
		done
		;;
	esac
}

# In a cgroup of version 1, as many hosts with Kubernetes still have them.
fault_throttled-v1() {
	case $1 in
	plant)
		give_cpu_to_v1
		cgroup_mount=$(v1_of cpu) start_fault_in "$cgroup" "$faults" read-beside "$server_ipv4" 4000
		echo 10000 >"$(v1_of cpu)$cgroup/cpu.cfs_quota_us"
		;;
	suffer) fault_throttled suffer ;;
	esac
}

# In a cgroup with memory.high, of which it uses more for each packet: plant_memory_high PROTOCOL ADDRESS PORT
# Limits of other faults stay with their cgroup, so it is its own.
plant_memory_high() {
	local greedy=$cgroup-greedy
	swapoff -a
	echo +memory >"$cgroup_mount/cgroup.subtree_control"
	start_fault_in "$greedy" "$faults" read-greedy "$@"
	# Once it runs, as it would take long to begin.
	echo 16M >"$cgroup_mount$greedy/memory.high"
}

# A disk to swap to, of memory, which takes 5 ms for anything. Some kernels call it by its number.
make_slow_swap() {
	local disk=/sys/kernel/config/nullb/slow device=/dev/slow
	swapoff -a
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	[ -d "$disk" ] || {
		mkdir "$disk"
		echo 128 >"$disk/size"
		echo 1 >"$disk/memory_backed"
		echo 2 >"$disk/irqmode"
		echo 5000000 >"$disk/completion_nsec"
		echo 1 >"$disk/power"
	}
	[ -b "$device" ] || device=/dev/nullb$(cat "$disk/index")
	[ "$(blkid -o value -s TYPE "$device")" = swap ] || mkswap "$device" >/dev/null
	swapon "$device"
}

# In a cgroup that may have less memory than it uses again and again: plant_memory_max COMMAND...
plant_memory_max() {
	make_slow_swap
	# The kernel takes what it fetches again soon for a lack of memory: so no pages come that nobody asked for.
	echo 0 >/proc/sys/vm/page-cluster
	echo +memory >"$cgroup_mount/cgroup.subtree_control"
	make_cgroup "$cgroup-paging"
	echo 16M >"$cgroup_mount$cgroup-paging/memory.max"
	start_fault_in "$cgroup-paging" "$faults" "$@"
}

fault_memory-max() {
	case $1 in
	plant) plant_memory_max read-paging "$server_ipv4" 4000 8 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 10 ;;
	esac
}

fault_memory-max-at-work() {
	case $1 in
	plant) plant_memory_max serve-paging "$server_ipv4" 5001 400 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 15 20 ;;
	esac
}

fault_memory-high() {
	case $1 in
	plant) plant_memory_high udp "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 40 ;;
	esac
}

fault_memory-high-tcp() {
	case $1 in
	plant) plant_memory_high tcp "$server_ipv6" 5201 ;;
	suffer) on_client "$traffic" tcp-send-each "$server_ipv6" 5201 40 40 ;;
	esac
}

fault_slow-answers-udp() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 5001 30 20 ;;
	esac
}

fault_slow-answers-tcp() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv6" 5001 150 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv6" 5001 30 20 ;;
	esac
}

fault_late-accept() {
	case $1 in
	plant) start_fault "$faults" accept-late "$server_ipv4" 5001 80 ;;
	suffer) on_client "$faults" connect "$server_ipv4" 5001 20 ;;
	esac
}

fault_late-accept-ipv6() {
	case $1 in
	plant) start_fault "$faults" accept-late "$server_ipv6" 5001 120 ;;
	suffer) on_client "$faults" connect "$server_ipv6" 5001 12 ;;
	esac
}

# ADDRESS: the sender, which is on this host, too, does not probe for the ACKs that wait for the lock (RFC 8985).
lock_traffic() {
	on_client sysctl -qw net.ipv4.tcp_early_retrans=0
	start_receiver held tcp-hold "$1" 5201 6000 100
	on_client "$traffic" tcp-send-each "$1" 5201 60 20
	receiver_result held
}

fault_held-lock() {
	[ "$1" = plant ] || lock_traffic "$server_ipv4"
}

fault_held-lock-ipv6() {
	[ "$1" = plant ] || lock_traffic "$server_ipv6"
}

# Client and server with a network between them that is not of this kernel: LOSE MS, see faults.py.
wire_up() {
	ip netns add "$netns_container"
	ip -n "$netns_client" link delete veth0
	ip link add veth0 netns "$netns_client" type veth peer name port0 netns "$netns_container"
	ip link add veth0 netns "$netns_server" type veth peer name port1 netns "$netns_container"
	netns_configure "$netns_client" 192.0.2.1 2001:db8::1
	netns_configure "$netns_server" "$server_ipv4" "$server_ipv6"
	ip -n "$netns_container" link set port0 up
	ip -n "$netns_container" link set port1 up
	on_container "$faults" wire port0 port1 "$1" "$2" >"$tmp/wire" 3>&- &
	echo $! >"$tmp/wire.pid"
	wait_until grep -q ready "$tmp/wire"
}

# PLANT ADDRESS RECEIVE_BUFFER SEND_BUFFER: over a way of 15 ms.
small_buffers() {
	case $1 in
	plant)
		wire_up 0 15
		start_fault "$faults" collect "$2" 5201 "$3"
		;;
	suffer) on_client "$faults" stream "$2" 5201 "${5:-300000}" 0 "$4" ;;
	esac
}

fault_small-window() { small_buffers "$1" "$server_ipv4" 4096 0; }
fault_small-buffer() { small_buffers "$1" "$server_ipv4" 0 4096 3000000; }
fault_small-window-ipv6() { small_buffers "$1" "$server_ipv6" 6000 0; }
fault_small-buffer-ipv6() { small_buffers "$1" "$server_ipv6" 0 6000 3000000; }

# Returns whether so many bytes or more wait for the reader of a connection to PORT: waits_for_reader BYTES PORT
waits_for_reader() { [ "$(on_client ss -Htn state established "sport = :$2" | awk '{ print $1 }')" -ge "$1" ]; }

# Nothing is sent any more when the watch begins; but the peer is on this host, too.
fault_hung-peer() {
	case $1 in
	plant)
		on_client sysctl -qw net.ipv4.tcp_rmem="4096 65536 65536"
		start_peer on_client "$faults" ignore tcp "$client_ipv4" 5001
		on_server "$faults" stream "$client_ipv4" 5001 100000000 0 0 3>&- &
		wait_until waits_for_reader 50000 5001
		;;
	suffer) udp_traffic 100 ;;
	esac
}

# ADDRESS HOW
serve_halves() {
	case $1 in
	plant) start_fault "$faults" serve-halves "$2" 5001 "$3" ;;
	suffer) on_client "$faults" ask tcp "$2" 5001 40 10 ;;
	esac
}

fault_two-writes() { serve_halves "$1" "$server_ipv4" plainly; }
fault_two-writes-ipv6() { serve_halves "$1" "$server_ipv6" plainly; }
fault_two-writes-at-once() { serve_halves "$1" "$server_ipv4" at-once; }
fault_corked() { serve_halves "$1" "$server_ipv4" corked; }

# MS HOW PLANT
corked_late() {
	case $3 in
	plant) start_fault "$faults" serve-in-parts "$server_ipv4" 5001 "$1" "$2" ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

fault_corked-late() { corked_late 150 corked "$1"; }
fault_corked-for-long() { corked_late 400 corked "$1"; }
fault_corked-by-flag() { corked_late 150 more "$1"; }

fault_slow-write() {
	case $1 in
	plant) start_fault "$faults" serve-faulting "$server_ipv4" 5001 30 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 60 10 ;;
	esac
}

# A full segment goes before the ACK comes: who wants all of it acknowledges none of it early.
fault_short-writes() {
	case $1 in
	plant) start_fault "$faults" read-enough "$server_ipv4" 5001 10000 ;;
	suffer) on_client "$faults" write-each "$server_ipv4" 5001 100 1000 20 ;;
	esac
}

fault_delayed() {
	case $1 in
	plant) tc -n "$netns_server" qdisc add dev veth0 root netem delay 50ms ;;
	suffer) ping_peer ;;
	esac
}

# For a moment, in a watch of some seconds.
fault_delayed-once() {
	case $1 in
	plant) tc -n "$netns_server" qdisc add dev veth0 root netem delay 0ms ;;
	suffer)
		ip netns exec "$netns_client" ping -q -i 0.02 "$server_ipv4" 3>&- &
		# To start another tc may take a second.
		{
			sleep 3
			echo "qdisc change dev veth0 root netem delay 150ms"
			sleep 0.3
			echo "qdisc change dev veth0 root netem delay 0ms"
			sleep 2
		} | tc -n "$netns_server" -batch -
		kill $!
		wait $! || true
		;;
	esac
}

fault_shaped() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root tbf rate 250kbit burst 2000 limit 1mb
		start_peer on_client "$traffic" udp-receive 192.0.2.1 4000 500
		;;
	suffer) queue_traffic ;;
	esac
}

# Rules that match nothing, so many times that it shows in emulation: FAMILY HOOK [TIMES MORE]
plant_rules() {
	local times
	add_rules "$1" "$2" 25000
	for ((times = 0; times < ${3-20}; times++)); do
		on_server nft add rule "$1" netstacklat hooked jump rules
	done
}

fault_rules-in() {
	case $1 in
	plant) plant_rules ip input ;;
	suffer) udp_traffic 30 ;;
	esac
}

fault_rules-in-tcp() { requests_to "$1" "$server_ipv4" plant_rules ip input; }

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

fault_rules-out-udp() {
	case $1 in
	plant)
		awk 'BEGIN {
			print "table ip netstacklat {\nchain rules {"
			for (i = 0; i < 25000; i++)
				print "ip saddr 203.0.113." i % 256 " drop"
			print "}\nchain hooked {\ntype filter hook output priority 0"
			for (i = 0; i < 20; i++)
				print "jump rules"
			print "}\n}"
		}' | on_client nft -f -
		;;
	suffer) udp_traffic 30 ;;
	esac
}

fault_rules-forward() {
	case $1 in
	plant)
		container_up
		plant_rules ip forward
		;;
	suffer) container_traffic ;;
	esac
}

# FAMILY HOOK [TIMES]: that match nothing, where there is no IP yet; packets meet all of them so often.
plant_rules_below_ip() {
	awk -v family="$1" -v hook="$2" -v times="${3-20}" 'BEGIN {
		print "table " family " netstacklat {\nchain rules {"
		for (i = 0; i < 25000; i++)
			print "ether type 0x88b5 drop"
		print "}\nchain hooked {\ntype filter hook " hook " priority 0"
		for (i = 0; i < times; i++)
			print "jump rules"
		print "}\n}"
	}' | on_server nft -f -
}

fault_rules-egress() {
	case $1 in
	plant) plant_rules_below_ip netdev "egress device veth0" 1 ;;
	suffer) ping_peer ;;
	esac
}

# Those of tc, where what steers containers has BPF programs. One priority takes 4095 of them.
fault_filters-egress() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 clsact
		seq 0 29999 | awk '{
			printf "filter add dev veth0 egress protocol ip prio %d u32 match ip dst 203.0.113.%d flowid 1:1\n",
				1 + $1 / 4000, $1 % 256
		}' | tc -n "$netns_server" -batch -
		;;
	suffer) ping_peer ;;
	esac
}

# A process decides on what netfilter queues for it.
fault_decided-in() {
	case $1 in
	plant)
		on_server nft "add table ip netstacklat;
			add chain ip netstacklat in { type filter hook input priority 0; };
			add rule ip netstacklat in udp dport 4000 queue num 3"
		start_fault "$faults" decide 3 20
		;;
	suffer) udp_traffic 30 ;;
	esac
}

fault_decided-out() {
	case $1 in
	plant)
		on_server nft "add table ip netstacklat;
			add chain ip netstacklat out { type filter hook output priority 0; };
			add rule ip netstacklat out ip protocol icmp queue num 0"
		start_fault "$faults" decide 0 20
		;;
	suffer) ping_peer ;;
	esac
}

fault_rules-ingress() {
	case $1 in
	plant) plant_rules_below_ip netdev "ingress device veth0" ;;
	suffer) udp_traffic 30 ;;
	esac
}

fault_rules-bridge() {
	case $1 in
	plant)
		container_up
		plant_rules_below_ip bridge prerouting
		;;
	suffer) on_container ping -q -c 20 -i 0.05 198.51.100.1 ;;
	esac
}

fault_rules-bridge-tcp() {
	case $1 in
	plant)
		container_up
		plant_rules_below_ip bridge prerouting 1
		start_fault "$faults" serve tcp 198.51.100.1 5001 0
		;;
	suffer) on_container "$faults" ask tcp 198.51.100.1 5001 20 50 ;;
	esac
}

# The server has no address of its own, and bridges the client to a container.
bridge_up() {
	container_up
	ip -n "$netns_server" address flush dev veth0
	ip -n "$netns_server" link set veth0 master br0
	ip -n "$netns_container" address add 192.0.2.9/24 dev veth0
}

bridged_traffic() { on_client ping -q -c 20 -i 0.05 192.0.2.9; }

fault_rules-bridged() {
	case $1 in
	plant)
		bridge_up
		plant_rules_below_ip bridge forward
		;;
	suffer) bridged_traffic ;;
	esac
}

fault_bridged() {
	case $1 in
	plant) bridge_up ;;
	suffer) bridged_traffic ;;
	esac
}

fault_bridged-drop() {
	case $1 in
	plant)
		bridge_up
		plant_drop bridge forward
		;;
	suffer) on_client "$traffic" udp-send 192.0.2.9 4000 50 10 ;;
	esac
}

fault_below-bridge() {
	case $1 in
	plant)
		bridge_up
		tc -n "$netns_server" qdisc add dev port0 root netem delay 30ms
		;;
	suffer) bridged_traffic ;;
	esac
}

# Neither is late alone.
fault_rules-together() {
	case $1 in
	plant)
		add_rules ip input 5500
		on_server nft "add chain ip netstacklat early { type filter hook prerouting priority 0; };
			add rule ip netstacklat early jump rules"
		;;
	suffer) udp_traffic 30 ;;
	esac
}

# No packet's rules take long.
fault_busy-cpu() {
	case $1 in
	plant)
		busy_up 2000
		# Else those before the neighbour's answer are dropped.
		on_client ping -q -c 1 198.51.100.2 >/dev/null
		start_fault taskset -c 0 chrt -f 1 "$faults" read 198.51.100.2 4000
		;;
	suffer) crowd_traffic 20 400 ;;
	esac
}

# A task sends frames on the last CPU, each of which meets many rules with softirqs off. Packets are received there.
softirqs_off() {
	case $1 in
	plant)
		busy_up 0
		plant_rules_below_ip netdev "egress device veth1" 2
		# Else those before the neighbour's answer are dropped.
		on_client ping -q -c 1 "$server_ipv4" >/dev/null
		start_peer on_server taskset -c "$(($(nproc --all) - 1))" "$faults" emit veth1 30
		start_fault taskset -c 0 chrt -f 1 "$faults" read "$server_ipv4" 4000
		;;
	suffer) on_client taskset -c 0 "$traffic" udp-send "$server_ipv4" 4000 100 10 ;;
	esac
}

fault_softirqs-off() { softirqs_off "$1"; }

# As with a network card, packets get their stamp only when the CPU receives them.
fault_softirqs-off-unseen() {
	local stamps=net.core.netdev_tstamp_prequeue
	softirqs_off "$1"
	case $1 in
	plant) sysctl -qw $stamps=0 ;;
	suffer) sysctl -qw $stamps=1 ;;
	esac
}

# PLANT ADDRESS
lost_stream() {
	case $1 in
	plant) wire_up 20 0 ;;
	suffer) segment_traffic "$2" ;;
	esac
}

fault_lost-stream() { lost_stream "$1" "$server_ipv4"; }
fault_lost-stream-ipv6() { lost_stream "$1" "$server_ipv6"; }

# One by one: there is none behind what gets lost.
fault_lost-requests() {
	case $1 in
	plant)
		wire_up 15 0
		start_fault "$faults" serve tcp "$server_ipv6" 5001 0
		;;
	suffer) on_client "$faults" ask tcp "$server_ipv6" 5001 40 10 ;;
	esac
}

# What is lost of UDP, nobody knows but its peers.
fault_lost-requests-udp() {
	case $1 in
	plant)
		wire_up 10 0
		start_fault "$faults" read "$server_ipv4" 4000
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 60 20 ;;
	esac
}

# PLANT ADDRESS
far_peer() {
	case $1 in
	plant)
		wire_up 0 60
		start_fault "$faults" serve tcp "$2" 5001 0
		;;
	suffer) on_client "$faults" ask tcp "$2" 5001 20 10 ;;
	esac
}

# Moves an interface with ADDRESS to a namespace, gives it another NAME, and has it take large frames.
move_interface() { # ADDRESS NETNS NAME
	local path
	path=$(grep -lx "$1" /sys/class/net/*/address)
	ip link set "$(basename "${path%/*}")" netns "$2" name "$3" mtu 16000 up
}

# Those of tests/vm/boot. A frame takes four of 79 buffers: three stay empty, so that there is room, as the emulation asks
# before it takes a frame, but not enough for it, which the card counts as missed. This card
# does not forget its count when it is read, as a real one does, so the driver adds it again and again. Other faults with this
# card come before, also in the list.
fault_missed() {
	case $1 in
	plant)
		move_interface 02:00:00:00:20:27 "$netns_client" peer0
		move_interface 02:00:00:00:20:28 "$netns_server" card0
		on_server "$faults" slow-card card0 80 10000
		;;
	suffer)
		udp_traffic 100
		wait_until ip netns exec "$netns_client" grep -q up /sys/class/net/peer0/operstate
		on_client "$faults" flood peer0 500 15000
		# Its driver asks it each two seconds.
		sleep 3
		;;
	esac
}

# To a card, an interface that is set down has no link, as one without a cable.
fault_unplugged() {
	case $1 in
	plant) move_interface 02:00:00:00:20:28 "$netns_server" card0 ;;
	suffer)
		udp_traffic 100
		ip -n "$netns_server" link set card0 down
		ip -n "$netns_server" link set card0 up
		;;
	esac
}

# A thread polls the card (threaded NAPI) on the last CPU; who sends and who reads have the first.
threaded_up() {
	move_interface 02:00:00:00:20:27 "$netns_client" peer0
	move_interface 02:00:00:00:20:28 "$netns_server" card0
	ip -n "$netns_client" address add 198.51.100.1/24 dev peer0
	ip -n "$netns_server" address add 198.51.100.2/24 dev card0
	on_server sh -c 'echo 1 >/sys/class/net/card0/threaded'
	taskset --pid --cpu-list "$(($(nproc --all) - 1))" "$(pgrep ^napi/card0)" >/dev/null
	wait_until ip netns exec "$netns_client" grep -q up /sys/class/net/peer0/operstate
	on_client ping -q -c 1 198.51.100.2 >/dev/null
	start_peer on_server taskset -c 0 "$faults" read 198.51.100.2 4000
}

threaded_traffic() {
	on_client taskset -c 0 "$traffic" udp-send 198.51.100.2 4000 60 17
	on_server sh -c 'echo 0 >/sys/class/net/card0/threaded'
}

fault_threaded() {
	case $1 in
	plant) threaded_up ;;
	suffer) threaded_traffic ;;
	esac
}

# A task of more priority has that CPU half of the time.
fault_threaded-late() {
	case $1 in
	plant)
		threaded_up
		start_fault taskset -c "$(($(nproc --all) - 1))" chrt -f 50 "$faults" be-busy 30
		;;
	suffer) threaded_traffic ;;
	esac
}

# It counts what has no number where a card counts what it misses (rx_fifo_errors).
fault_unnumbered() {
	case $1 in
	plant)
		ip -n "$netns_client" link add gre1 type gre local 192.0.2.1 remote "$server_ipv4"
		ip -n "$netns_server" link add gre1 type gre local "$server_ipv4" remote 192.0.2.1 iseq
		ip -n "$netns_client" addr add 198.51.100.1/24 dev gre1
		ip -n "$netns_client" link set gre1 up
		ip -n "$netns_server" link set gre1 up
		;;
	suffer)
		udp_traffic 100
		on_client "$traffic" udp-send 198.51.100.2 4000 100
		[ "$(on_server cat /sys/class/net/gre1/statistics/rx_fifo_errors)" -ge 100 ]
		;;
	esac
}

# ADDRESS TIMES REQUESTS MS: before each connection, the server forgets where its client is.
ask_forgetful() {
	local i
	for ((i = 0; i < $2; i++)); do
		ip -n "$netns_server" neigh flush dev veth0
		on_client "$faults" ask tcp "$1" 5001 "$3" "$4"
	done
}

# PLANT ADDRESS: over a way of 15 ms.
late_neighbour() {
	case $1 in
	plant)
		wire_up 0 15
		start_fault "$faults" serve tcp "$2" 5001 0
		;;
	suffer) ask_forgetful "$2" 12 1 0 ;;
	esac
}

fault_late-neighbour() { late_neighbour "$1" "$server_ipv4"; }
fault_late-neighbour-ipv6() { late_neighbour "$1" "$server_ipv6"; }

# The server's question for its client's address waits in the queue that all that it sends waits in.
fault_queued-question() {
	case $1 in
	plant) requests_to plant "$server_ipv4" plant_delay veth0 ;;
	suffer) ask_forgetful "$server_ipv4" 6 10 10 ;;
	esac
}

fault_far() { far_peer "$1" "$server_ipv4"; }
fault_far-ipv6() { far_peer "$1" "$server_ipv6"; }

fault_nobody-listens() {
	[ "$1" = plant ] || on_client "$traffic" udp-send "$server_ipv4" 4001 20 20
}

# Somebody has the port, but takes nothing that is sent to this address, or that comes by this device.
fault_bound-elsewhere() {
	case $1 in
	plant) start_fault "$faults" serve tcp 127.0.0.1 5001 0 ;;
	suffer) on_client "$faults" connect-at-once "$server_ipv4" 5001 20 ;;
	esac
}

fault_bound-to-device() {
	case $1 in
	plant) start_fault "$faults" read-from lo 0.0.0.0 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 30 20 ;;
	esac
}

# Somebody has the port for all addresses, but not of this version of IP, or not in this VRF.
fault_other-ip-version() {
	case $1 in
	plant) start_fault "$faults" serve tcp 0.0.0.0 5001 0 ;;
	suffer) on_client "$faults" connect-at-once "$server_ipv6" 5001 20 ;;
	esac
}

fault_other-vrf() {
	case $1 in
	plant)
		ip -n "$netns_server" link add red type vrf table 10
		ip -n "$netns_server" link set red up
		ip -n "$netns_server" link set veth0 master red
		start_fault "$faults" read 0.0.0.0 4000
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 30 20 ;;
	esac
}

# A container has the port, which nothing forwards to it.
fault_not-published() {
	case $1 in
	plant)
		container_up
		start_peer on_container "$faults" serve tcp 0.0.0.0 5001 0
		;;
	suffer) on_client "$faults" connect-at-once "$server_ipv4" 5001 20 ;;
	esac
}

fault_full-queue() {
	case $1 in
	plant) start_fault "$traffic" udp-drop "$server_ipv4" 4000 200 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 200 ;;
	esac
}

# FAMILY HOOK: a rule that drops UDP to port 4000
plant_drop() {
	on_server nft "add table $1 netstacklat; add chain $1 netstacklat drops { type filter hook $2 priority 0; };
		add rule $1 netstacklat drops udp dport 4000 drop"
}

fault_dropping-rule() {
	case $1 in
	plant) plant_drop ip input ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 20 ;;
	esac
}

fault_balanced-to-none() {
	case $1 in
	plant) on_server "$faults" balance-none "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 20 ;;
	esac
}

# A firewall drops what is sent to other ports than the one whose requests get lost.
fault_scanned() {
	fault_lost-requests "$1"
	case $1 in
	plant) on_server nft "add table ip6 netstacklat;
		add chain ip6 netstacklat drops { type filter hook input priority 0; };
		add rule ip6 netstacklat drops udp dport 4000-4009 drop" ;;
	suffer)
		local port
		for port in {4000..4009}; do
			on_client "$traffic" udp-send "$server_ipv6" "$port" 20
		done
		;;
	esac
}

# In a namespace that has a process, and no name.
fault_unnamed() {
	fault_dropping-rule "$1"
	[ "$1" = plant ] || return 0
	start_fault "$faults" read "$server_ipv4" 4001
	ip netns delete "$netns_server"
}

fault_dropping-rule-ipv6() {
	case $1 in
	plant) plant_drop ip6 prerouting ;;
	suffer) on_client "$traffic" udp-send "$server_ipv6" 4000 20 20 ;;
	esac
}

# As it always takes as long, that is no fault.
fault_steady-answers() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 5001 40 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 30 20 ;;
	esac
}

# What is read one by one does not wait for its reader.
fault_bursts() {
	case $1 in
	plant)
		start_fault "$faults" read-busy udp "$server_ipv4" 4000 2
		# Its code is read from disk once.
		on_client "$faults" burst "$server_ipv4" 4000 1 20 60
		;;
	suffer) on_client "$faults" burst "$server_ipv4" 4000 20 20 60 ;;
	esac
}

# PLANT MS: a service that asks another one, which takes MS.
behind_proxy() {
	case $1 in
	plant)
		ip -n "$netns_server" link set lo up
		start_fault "$faults" front tcp "$server_ipv4" 5001 "$server_ipv4" 5002
		cp "$tmp/fault.pid" "$tmp/front.pid"
		start_fault "$faults" serve tcp "$server_ipv4" 5002 "$2"
		;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

fault_proxy() { behind_proxy "$1" 5; }
fault_slow-backend() { behind_proxy "$1" 150; }

# PROTOCOL: a service that reads nothing else until another host has answered it, which is none of this one's faults.
plant_blocked() {
	start_peer on_client "$faults" poll "$client_ipv4" 5002 150
	start_fault "$faults" front "$1" "$server_ipv4" 5001 "$client_ipv4" 5002
}

fault_blocked-udp() {
	case $1 in
	plant) plant_blocked udp ;;
	suffer) on_client "$faults" ask-at-once "$server_ipv4" 5001 4 6 0 ;;
	esac
}

fault_blocked-tcp() {
	local clients=()
	case $1 in
	plant) plant_blocked tcp ;;
	suffer)
		for _ in {1..12}; do
			on_client "$faults" ask tcp "$server_ipv4" 5001 1 0 &
			clients+=($!)
		done
		wait "${clients[@]}"
		;;
	esac
}

# By more ports than there would be rows for, if each took a few.
fault_short-lived() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask-anew "$server_ipv4" 5001 2000 ;;
	esac
}

# Of ports that the kernel chose before they connected.
fault_short-lived-bound() {
	case $1 in
	suffer) on_client "$faults" ask-anew "$server_ipv4" 5001 2000 "$client_ipv4" ;;
	*) fault_short-lived "$1" ;;
	esac
}

# What a service sends of its own accord, over a connection that stays open.
fault_push() {
	case $1 in
	plant) ;;
	suffer)
		start_peer on_client "$faults" collect "$client_ipv4" 5201 0
		on_server "$faults" stream "$client_ipv4" 5201 600000 200000 0
		;;
	esac
}

# From many ports, in one way only, and not in step.
fault_syslog() {
	local i senders=()
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		for i in {1..8}; do
			on_client "$traffic" udp-send "$server_ipv4" 4000 40 $((7 * i)) 3>&- &
			senders+=("$!")
		done
		wait "${senders[@]}"
		;;
	esac
}

# All that has come is read, now and then.
fault_batches() {
	case $1 in
	plant) start_fault "$faults" read-batches "$server_ipv4" 4000 5 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 500 1 ;;
	esac
}

# Eight questions at once, and eight more when they are answered.
fault_dns() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 4000 0 ;;
	suffer) on_client "$faults" ask-at-once "$server_ipv4" 4000 30 8 30 ;;
	esac
}

fault_bbr() {
	case $1 in
	plant)
		on_client sysctl -qw net.ipv4.tcp_congestion_control=bbr
		start_fault "$faults" collect "$server_ipv4" 5201 0
		;;
	suffer) on_client "$faults" stream "$server_ipv4" 5201 4000000 2000000 0 ;;
	esac
}

# Each answer begins at once, as a page does that goes on when a database has answered.
fault_in-parts() {
	case $1 in
	plant) start_fault "$faults" serve-in-parts "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

# Three connections wait for an answer when the watch ends. Nobody knows whether one is due.
fault_hanging() {
	local client
	case $1 in
	plant) start_fault "$faults" serve-hanging "$server_ipv4" 5001 10 ;;
	suffer)
		for client in 1 2 3; do
			on_client "$faults" ask tcp "$server_ipv4" 5001 20 "$((client * 10))" >/dev/null 2>&1 &
		done
		sleep 2
		;;
	esac
}

# TCP says when each segment is to leave, and the queue keeps it until then.
fault_paced() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root fq
		start_fault "$faults" serve-paced "$server_ipv4" 5001 1000
		;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 30 10 ;;
	esac
}

# Clients that all begin at once. They are one program: to start as many takes the CPUs for longer than a packet may wait.
fault_crowd() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask-in-crowd "$server_ipv4" 5001 8 20 20 ;;
	esac
}

# Packets that go no further than to this host.
fault_traceroute() {
	case $1 in
	plant) container_up ;;
	suffer) on_client "$traffic" udp-send-ttl "$container_ipv4" 33434 50 1 ;;
	esac
}

# What the container sends goes from the server to the client and back, until its TTL runs out.
fault_in-a-circle() {
	case $1 in
	plant)
		container_up
		on_client sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.veth0.rp_filter=0
		ip -n "$netns_server" route add 203.0.113.0/24 via "$client_ipv4"
		ip -n "$netns_client" route add 203.0.113.0/24 via "$server_ipv4"
		;;
	suffer) on_container "$traffic" udp-send 203.0.113.1 4000 20 20 ;;
	esac
}

# The kernel gives no reason for what it drops there.
fault_black-hole() {
	case $1 in
	plant)
		on_server sysctl -qw net.ipv4.ip_forward=1
		on_server ip route add blackhole 203.0.113.0/24
		on_client ip route add 203.0.113.0/24 via "$server_ipv4"
		;;
	suffer) on_client "$traffic" udp-send 203.0.113.1 4000 20 20 ;;
	esac
}

# The other end of a veth takes less than this one sends.
fault_too-long() {
	case $1 in
	plant) ip -n "$netns_server" link set veth0 mtu 1000 ;;
	suffer) on_client ping -q -c 20 -i 0.05 -s 1200 "$server_ipv4" || true ;;
	esac
}

fault_just-started() {
	case $1 in
	plant) ;;
	suffer)
		start_fault "$faults" serve tcp "$server_ipv4" 5001 0
		on_client "$faults" ask tcp "$server_ipv4" 5001 50 20
		;;
	esac
}

# The reader wants five segments at once.
fault_enough() {
	case $1 in
	plant) start_fault "$faults" read-enough "$server_ipv4" 5001 500 ;;
	suffer) on_client "$traffic" tcp-send-each "$server_ipv4" 5001 500 1 ;;
	esac
}

# It looks at each request before it reads it, and is late for that.
fault_peeking-late() {
	case $1 in
	plant) start_fault "$faults" serve-peeking-late "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

# It looks at half of a request, and waits for the rest.
fault_peeking() {
	case $1 in
	plant) start_fault "$faults" serve-peeking "$server_ipv4" 5001 100 ;;
	suffer) on_client "$faults" ask-in-halves "$server_ipv4" 5001 30 30 ;;
	esac
}

# Behind this host's bridge, so that requests and answers are forwarded.
fault_contained-service() {
	case $1 in
	plant) container_up ;;
	suffer)
		start_peer on_container "$faults" serve tcp "$container_ipv4" 5001 0
		on_client "$faults" ask tcp "$container_ipv4" 5001 50 20
		;;
	esac
}

# By the freezer of its cgroup, now and then, while a peer has much to send.
fault_frozen() {
	case $1 in
	# Of a window that is full by then, so that its sender waits, too, whatever the kernel makes of windows.
	plant) start_fault_in "$cgroup" "$faults" collect "$server_ipv4" 5201 200000 ;;
	suffer)
		on_client "$faults" stream "$server_ipv4" 5201 4000000 2000000 0 3>&- &
		for _ in {1..4}; do
			echo 1 >"$cgroup_mount$cgroup/cgroup.freeze"
			sleep 0.4
			echo 0 >"$cgroup_mount$cgroup/cgroup.freeze"
			sleep 0.2
		done
		wait $!
		;;
	esac
}

# It never reads in the watch, so that nobody sees what it does instead. Its cgroup stays frozen behind that, so it is
# its own.
fault_frozen-throughout() {
	local frozen=$cgroup/frozen
	case $1 in
	plant)
		make_cgroup "$frozen"
		echo 0 >"$cgroup_mount$frozen/cgroup.freeze"
		start_fault_in "$frozen" "$faults" read "$server_ipv4" 4000
		echo 1 >"$cgroup_mount$frozen/cgroup.freeze"
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 40 ;;
	esac
}

# The freezer of version 1 stops it where it sleeps or, before Linux 6.1 and in some calls, wakes it up for that.
freeze_v1() { echo "$1" >"$(v1_of freezer)$cgroup/freezer.state"; }

plant_frozen_v1() { # COMMAND
	mount_v1 freezer
	mkdir -p "$(v1_of freezer)$cgroup"
	freeze_v1 THAWED
	cgroup_mount=$(v1_of freezer) start_fault_in "$cgroup" "$faults" "$1" "$server_ipv4" 4000
}

# A reader whose cgroup is frozen now and then: COMMAND
frozen_v1() {
	case $1 in
	plant) plant_frozen_v1 "$2" ;;
	suffer)
		on_client "$traffic" udp-send "$server_ipv4" 4000 60 20 3>&- &
		for _ in {1..6}; do
			freeze_v1 FROZEN
			sleep 0.15
			freeze_v1 THAWED
			sleep 0.1
		done
		wait $!
		;;
	esac
}

fault_frozen-v1() { frozen_v1 "$1" read; }
fault_frozen-v1-polling() { frozen_v1 "$1" read-polling; }

fault_frozen-v1-for-good() {
	case $1 in
	plant) plant_frozen_v1 read && freeze_v1 FROZEN ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 20 40 ;;
	esac
}

fault_stopped-listener() {
	case $1 in
	plant)
		start_fault "$faults" serve tcp "$server_ipv4" 5001 0
		kill -STOP "$(cat "$tmp/fault.pid")"
		;;
	suffer) on_client "$faults" open-only "$server_ipv4" 5001 10 ;;
	esac
}

# The program that takes its core dump does not read it.
fault_crashed() {
	case $1 in
	plant)
		printf '#!/bin/sh\nsleep 5\n' >"$tmp/take-core"
		chmod +x "$tmp/take-core"
		echo "|$tmp/take-core" >/proc/sys/kernel/core_pattern
		start_fault "$faults" read-and-crash "$server_ipv4" 4000 5
		;;
	suffer)
		on_client "$traffic" udp-send "$server_ipv4" 4000 30 60
		echo core >/proc/sys/kernel/core_pattern
		;;
	esac
}

# Another thread reads.
fault_by-thread() {
	case $1 in
	plant) start_fault "$faults" serve-by-thread "$server_ipv4" 5001 200 ;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 5001 20 10 ;;
	esac
}

# PLANT MS_TO_READ MS_TO_ANSWER: io_uring's thread reads and answers when it is told to, and runs all the while.
serve_by_ring() {
	case $1 in
	plant) start_fault "$faults" serve-by-ring "$server_ipv4" 5001 "$2" "$3" ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 5 10 ;;
	esac
}

fault_by-ring() { serve_by_ring "$1" 0 150; }
fault_unasked-ring() { serve_by_ring "$1" 50 0; }

# Each is another process, which begins after its request has come.
fault_by-child() {
	case $1 in
	plant) start_fault "$faults" serve-by-child "$server_ipv4" 5001 50 ;;
	suffer) on_client "$faults" ask-anew "$server_ipv4" 5001 20 ;;
	esac
}

# Nobody accepts but a process that is started for that, as by systemd.
fault_activated() {
	case $1 in
	plant) start_fault "$faults" serve-activated "$server_ipv4" 5001 80 ;;
	suffer) on_client "$faults" ask-anew "$server_ipv4" 5001 10 ;;
	esac
}

# It sends on its own account: no answer to the heartbeats that come meanwhile.
fault_publisher() {
	case $1 in
	plant) start_fault "$faults" publish "$server_ipv4" 5001 200 ;;
	suffer) on_client "$faults" subscribe "$server_ipv4" 5001 10 450 ;;
	esac
}

# It answers only when something happens.
fault_long-poll() {
	case $1 in
	plant) start_fault "$faults" poll "$server_ipv4" 5001 200 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 10 20 ;;
	esac
}

# Its ports are as low as those of services.
fault_low-clients() {
	local range=/proc/sys/net/ipv4/ip_local_port_range
	case $1 in
	plant)
		echo 1024 60999 >"$range"
		on_client tee "$range" <<<"1024 30000" >/dev/null
		start_fault "$faults" serve tcp "$server_ipv4" 5001 0
		;;
	suffer)
		on_client "$faults" ask tcp "$server_ipv4" 5001 10 200
		echo 32768 60999 >"$range"
		;;
	esac
}

fault_high-port() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 50051 150 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 50051 20 20 ;;
	esac
}

# Beside many that arrive.
fault_strays() {
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		on_client "$traffic" udp-send "$server_ipv4" 4000 500 2
		on_client "$traffic" udp-send "$server_ipv4" 4001 4 20
		;;
	esac
}

# on_client|on_server RULE, of NAT on the way out.
plant_nat() {
	"$1" nft "add table ip netstacklat;
		add chain ip netstacklat nat-out { type nat hook postrouting priority 100; };
		add rule ip netstacklat nat-out $2"
}

# NAT has two ports for 40 clients.
fault_no-nat-port() {
	case $1 in
	plant)
		plant_nat on_client "udp dport 4000 snat to $client_ipv4:6000-6001"
		start_peer on_server "$faults" read "$server_ipv4" 4000
		;;
	suffer)
		# shellcheck disable=SC2016 # the shell in the namespace expands it
		on_client bash -c 'for i in {1..40}; do echo >"/dev/udp/$0/4000"; sleep 0.02; done' "$server_ipv4" 2>/dev/null
		;;
	esac
}

# To translate any address, the kernel follows all connections. Those that are established are not thrown out for others.
fault_full-conntrack() {
	local before limit=/proc/sys/net/netfilter/nf_conntrack_max
	case $1 in
	plant)
		plant_nat on_server "udp dport 1 masquerade"
		start_fault "$faults" serve tcp "$server_ipv4" 5001 0
		;;
	suffer)
		before=$(cat $limit)
		echo 2 >$limit
		# shellcheck disable=SC2016 # the shell in the namespace expands it
		on_client bash -c 'exec 4<>"/dev/tcp/$0/5001" 5<>"/dev/tcp/$0/5001" && "$1" udp-send "$0" 4000 20 20' \
			"$server_ipv4" "$traffic"
		echo "$before" >$limit
		;;
	esac
}

fault_two-at-once() {
	fault_slow-answers-udp "$1"
	fault_nobody-listens "$1"
}

# As by a debugger.
fault_traced() {
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		"$faults" trace "$(cat "$tmp/fault.pid")" 4 300 3>&- &
		on_client "$traffic" udp-send "$server_ipv4" 4000 60 40
		wait $!
		;;
	esac
}

# By what may run whenever it likes, on the only CPU where it may run.
fault_crowded-out() {
	local i pids=()
	case $1 in
	plant) start_fault taskset -c 0 chrt -i 0 "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		for i in {1..3}; do
			taskset -c 0 sh -c 'while :; do :; done' 3>&- &
			pids+=("$!")
		done
		on_client taskset -c 1 "$traffic" udp-send "$server_ipv4" 4000 60 40
		kill "${pids[@]}"
		;;
	esac
}

# BY PLANT: a service waits for a lock, which another one holds.
locked() {
	case $2 in
	plant) start_fault "$faults" serve-locked "$1" "$server_ipv4" 5001 400 ;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 5001 20 20 ;;
	esac
}

fault_locked() { locked thread "$1"; }
fault_locked-by-other() { locked process "$1"; }

fault_piped() { held_at_work "$1" udp serve-piped; }

# Another host keeps it waiting, and the process that asks there.
# PLANT MS HOW: it waits for another host, which answers after MS.
ask_others() {
	case $1 in
	plant)
		start_peer on_client "$faults" poll "$client_ipv4" 5002 "$2"
		start_fault "$faults" "$3" "$server_ipv4" 5001 "$client_ipv4" 5002
		;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 20 20 ;;
	esac
}

fault_asking-for-others() { ask_others "$1" 150 front-by-other; }
fault_asking-often() { ask_others "$1" 6 front-often; }

# A host that has gone, which a router or the switch has not noticed yet.
fault_silent-peer() {
	case $1 in
	plant) ip -n "$netns_server" neigh add 192.0.2.9 lladdr 02:00:00:00:00:09 dev veth0 ;;
	suffer) on_server timeout 4 "$faults" connect-at-once 192.0.2.9 5432 5 || true ;;
	esac
}

# Of two servers, one answers, after 50 ms.
fault_asking-dns() {
	case $1 in
	plant)
		start_peer on_client "$faults" serve udp "$client_ipv4" 53 50
		ip -n "$netns_client" addr add 192.0.2.3/32 dev veth0
		start_peer on_client "$faults" read 192.0.2.3 53
		;;
	suffer)
		on_server "$faults" ask udp "$client_ipv4" 53 20 20
		on_server "$faults" ask-and-leave udp 192.0.2.3 53 5 50
		;;
	esac
}

fault_asking() { held_at_work "$1" tcp serve-asking; }

# ingress|egress ACTION...: what tc does with all that the server receives or sends.
plant_action() {
	tc -n "$netns_server" qdisc add dev veth0 clsact &&
		tc -n "$netns_server" filter add dev veth0 "$1" protocol ip matchall action "${@:2}"
}

# ingress|egress RATE BURST: what is beyond that is dropped.
plant_policer() { plant_action "$1" police rate "$2" burst "$3" conform-exceed drop; }

fault_policed() {
	case $1 in
	plant)
		plant_policer ingress 8kbit 1500
		start_fault "$faults" read "$server_ipv4" 4000
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 100 10 ;;
	esac
}

fault_bad-checksum() {
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send-bad "$server_ipv4" 4000 50 ;;
	esac
}

# From an address to which the server would not answer there.
fault_wrong-way() {
	case $1 in
	plant)
		start_fault "$faults" read "$server_ipv4" 4000
		# Nobody answers such an address who has the other.
		on_client ping -q -c 1 "$server_ipv4" >/dev/null
		on_server sysctl -qw net.ipv4.conf.all.rp_filter=1
		ip -n "$netns_client" address add 203.0.113.7/32 dev lo
		ip -n "$netns_client" route add "$server_ipv4" dev veth0 src 203.0.113.7
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 50 10 ;;
	esac
}

fault_forward-rule() {
	case $1 in
	plant)
		container_up
		plant_drop ip forward
		;;
	suffer) on_client "$traffic" udp-send "$container_ipv4" 4000 50 10 ;;
	esac
}

# For bursts, though it is fast.
fault_short-queue() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root tbf rate 5mbit burst 2000 limit 500
		start_peer on_client "$faults" read "$client_ipv4" 4000
		;;
	suffer) on_server "$faults" burst "$client_ipv4" 4000 10 200 100 ;;
	esac
}

# Its queue has room for 500 packets by default.
plant_tun() {
	start_fault "$faults" "$1" tun0 "${@:2}"
	ip -n "$netns_server" addr add 198.51.100.2/24 dev tun0
	ip -n "$netns_server" link set tun0 up
}

# A process reads what it is sent in time, then late and then too late for all of it.
fault_tun() {
	case $1 in
	plant) plant_tun read-tun 0 ;;
	suffer) on_server "$traffic" udp-send 198.51.100.1 4000 300 2 ;;
	esac
}
fault_late-tun() {
	case $1 in
	plant) plant_tun read-tun 30 ;;
	suffer)
		on_server "$traffic" udp-send 198.51.100.1 4000 40 20
		sleep 1
		;;
	esac
}
fault_slow-tun() {
	case $1 in
	plant) plant_tun read-tun 2 ;;
	suffer)
		on_server "$traffic" udp-send 198.51.100.1 4000 900
		sleep 2
		;;
	esac
}

fault_full-tun() {
	case $1 in
	plant) plant_tun ignore-tun ;;
	suffer)
		udp_traffic 100
		on_server "$traffic" udp-send 198.51.100.1 4000 700
		;;
	esac
}

# One leaves, ten wait, and there is no room for more of one flow.
fault_full-flow() {
	case $1 in
	plant) tc -n "$netns_server" qdisc add dev veth0 root fq flow_limit 10 ;;
	suffer)
		udp_traffic 100
		on_server "$faults" send-paced "$client_ipv4" 4000 111 1
		;;
	esac
}

fault_container-port() {
	case $1 in
	plant)
		container_up
		tc -n "$netns_server" qdisc add dev port0 root netem delay 30ms
		;;
	suffer) on_client ping -q -c 20 -i 0.05 "$container_ipv4" ;;
	esac
}

fault_short-buffer() {
	case $1 in
	plant) start_fault "$faults" read-small "$server_ipv4" 4000 ;;
	suffer) on_client "$faults" burst "$server_ipv4" 4000 10 100 50 ;;
	esac
}

fault_no-neighbour() {
	[ "$1" = plant ] || on_server "$traffic" udp-send 192.0.2.99 4000 250 20
}

# There is room for one, which is the client.
fault_full-neighbours() {
	local before limit=/proc/sys/net/ipv4/neigh/default/gc_thresh3
	[ "$1" != plant ] || return 0
	on_client ping -q -c 1 "$server_ipv4" >/dev/null
	# That of all namespaces.
	before=$(cat $limit)
	echo 1 >$limit
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	on_server bash -c 'for host in {100..139}; do echo >"/dev/udp/192.0.2.$host/4000"; done' 2>/dev/null || true
	echo "$before" >$limit
}

# A second is how long others are waited for.
fault_lost-fragments() {
	case $1 in
	plant) on_server sysctl -qw net.ipv4.ipfrag_time=1 ;;
	suffer) on_client "$faults" fragment-only 192.0.2.1 "$server_ipv4" 4000 40 ;;
	esac
}

fault_unsigned() {
	case $1 in
	plant) start_fault "$faults" serve-signed "$server_ipv4" 5001 192.0.2.1 ;;
	suffer) on_client "$faults" connect-at-once "$server_ipv4" 5001 10 ;;
	esac
}

fault_too-far() {
	case $1 in
	plant) start_fault "$faults" serve-near "$server_ipv4" 5001 ;;
	suffer) on_client "$faults" begin-only "$client_ipv4" "$server_ipv4" 5001 20 ;;
	esac
}

fault_full-backlog() {
	local before limit=/proc/sys/net/core/netdev_max_backlog
	case $1 in
	plant) start_fault "$faults" read "$server_ipv4" 4000 ;;
	suffer)
		# That of all namespaces.
		before=$(cat $limit)
		echo 1 >$limit
		on_server sh -c 'echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus'
		on_client taskset -c 0 "$faults" burst "$server_ipv4" 4000 10 100 50
		echo "$before" >$limit
		;;
	esac
}

# Addresses and ports of the container are the server's own, as of a container that is published.
fault_translated() {
	case $1 in
	plant)
		container_up
		plant_nat on_server "oifname br0 masquerade"
		on_server nft "add chain ip netstacklat pre { type nat hook prerouting priority -100; };
			add rule ip netstacklat pre ip daddr $server_ipv4 udp dport 4000 dnat to $container_ipv4"
		on_container "$faults" serve udp "$container_ipv4" 4000 0 >"$tmp/fault" 3>&- &
		wait_until grep -q ready "$tmp/fault"
		;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 4000 50 10 ;;
	esac
}

# The container asks its own service by the host's port: NAT drops what tells it of a shorter way (ICMP).
fault_hairpin() {
	case $1 in
	plant)
		fault_translated plant
		ip -n "$netns_server" link set port0 type bridge_slave hairpin on
		;;
	suffer) on_container "$faults" ask udp "$server_ipv4" 4000 50 10 ;;
	esac
}

# To two readers at once.
fault_multicast() {
	case $1 in
	plant)
		on_client ip route add 239.1.1.1 dev veth0
		start_fault "$faults" join 239.1.1.1 "$server_ipv4" 4000
		start_fault "$faults" join 239.1.1.1 "$server_ipv4" 4000
		;;
	suffer) on_client "$traffic" udp-send 239.1.1.1 4000 50 10 ;;
	esac
}

# One of two that share a port.
fault_stuck-worker() {
	case $1 in
	plant)
		start_fault "$faults" share "$server_ipv4" 4000
		start_fault "$faults" share "$server_ipv4" 4000
		;;
	suffer)
		kill -STOP "$(cat "$tmp/fault.pid")"
		for _ in {1..16}; do
			on_client "$traffic" udp-send "$server_ipv4" 4000 3 10
		done
		kill -CONT "$(cat "$tmp/fault.pid")"
		sleep 0.2
		;;
	esac
}

# NAME OPTIONS...: a device upon veth0, on both sides.
upper_up() {
	local namespace
	for namespace in "$netns_client" "$netns_server"; do
		ip -n "$namespace" link add "$@"
	done
	netns_configure "$netns_client" 198.51.100.1 2001:db8:1::1 "$1"
	netns_configure "$netns_server" 198.51.100.2 2001:db8:1::2 "$1"
}

# PLANT COMMAND...: what is late there, for what goes by the upper device.
late_by_vlan() {
	case $1 in
	plant)
		upper_up vlan5 link veth0 type vlan id 5
		"${@:2}"
		;;
	suffer) on_client ping -q -c 20 -i 0.05 198.51.100.2 ;;
	esac
}

# What leaves the server's INTERFACE does so 30 ms late.
plant_delay() { tc -n "$netns_server" qdisc add dev "$1" root netem delay 30ms; }

fault_vlan() { late_by_vlan "$1" plant_delay vlan5; }
fault_below-vlan() { late_by_vlan "$1" plant_delay veth0; }
fault_rules-below-vlan() { late_by_vlan "$1" plant_rules_below_ip netdev "egress device veth0" 1; }

# PLANT ADDRESS COMMAND...: what plants something, and a service at ADDRESS that answers at once.
requests_to() {
	case $1 in
	plant) "${@:3}" && start_fault "$faults" serve tcp "$2" 5001 0 ;;
	suffer) on_client "$faults" ask tcp "$2" 5001 60 10 ;;
	esac
}

# What COMMAND plants, while what the server sends is late on veth0.
plant_late() { "$@" && plant_delay veth0; }

vxlan=(type vxlan group 239.1.1.1 dstport 4789 dev veth0)
plant_vxlan() { upper_up vxlan5 "${vxlan[@]}" id 5; }
fault_vxlan() { requests_to "$1" 198.51.100.2 plant_vxlan; }
fault_below-vxlan() { requests_to "$1" 198.51.100.2 plant_late plant_vxlan; }

# Of this reason, netstacklat knows no more than its name.
fault_wrong-vni() {
	case $1 in
	plant)
		plant_vxlan
		ip -n "$netns_server" link delete vxlan5
		ip -n "$netns_server" link add vxlan5 "${vxlan[@]}" id 6
		ip -n "$netns_server" link set vxlan5 up
		ip -n "$netns_client" neighbour replace 198.51.100.2 lladdr 02:00:00:00:00:05 dev vxlan5
		;;
	suffer) on_client "$traffic" udp-send 198.51.100.2 4000 50 10 ;;
	esac
}

plant_macvlan() { upper_up macvlan5 link veth0 type macvlan mode bridge; }
fault_macvlan() { requests_to "$1" 198.51.100.2 plant_macvlan; }
fault_below-macvlan() { requests_to "$1" 198.51.100.2 plant_late plant_macvlan; }

# What one end knows of the other: NETNS PEER_NETNS PEER_ADDRESS
wireguard_peer() {
	ip netns exec "$1" wg set wg5 peer "$(ip netns exec "$2" wg show wg5 public-key)" endpoint "$3:51820" allowed-ips 0.0.0.0/0
}

plant_wireguard() {
	local namespace
	upper_up wg5 type wireguard
	for namespace in "$netns_client" "$netns_server"; do
		wg genkey | ip netns exec "$namespace" wg set wg5 listen-port 51820 private-key /proc/self/fd/0
	done
	wireguard_peer "$netns_client" "$netns_server" "$server_ipv4"
	wireguard_peer "$netns_server" "$netns_client" "$client_ipv4"
}

fault_wireguard() { requests_to "$1" 198.51.100.2 plant_wireguard; }
fault_below-wireguard() { requests_to "$1" 198.51.100.2 plant_late plant_wireguard; }

# NETNS PEER_MAC: frames from there, and to there, are encrypted with one key.
macsec_with() {
	local key=(pn 1 on key 01 00112233445566778899aabbccddeeff)
	ip -n "$1" macsec add macsec5 tx sa 0 "${key[@]}"
	ip -n "$1" macsec add macsec5 rx port 1 address "$2"
	ip -n "$1" macsec add macsec5 rx port 1 address "$2" sa 0 "${key[@]}"
}

mac_of() { ip netns exec "$1" cat /sys/class/net/veth0/address; }

plant_macsec() {
	upper_up macsec5 link veth0 type macsec encrypt on
	macsec_with "$netns_client" "$(mac_of "$netns_server")"
	macsec_with "$netns_server" "$(mac_of "$netns_client")"
}

fault_macsec() { requests_to "$1" 198.51.100.2 plant_macsec; }
fault_below-macsec() { requests_to "$1" 198.51.100.2 plant_late plant_macsec; }

# NETNS ADDRESS PEER NEXT_HOP: what goes from ADDRESS to PEER has a label, and such labels end there.
mpls_with() {
	ip netns exec "$1" sysctl -qw net.mpls.platform_labels=1000 net.mpls.conf.veth0.input=1
	ip -n "$1" link set lo up
	ip -n "$1" -f mpls route add 100 dev lo
	ip -n "$1" address add "$2/32" dev veth0
	ip -n "$1" route add "$3/32" encap mpls 100 via inet "$4" src "$2"
}

plant_mpls() {
	mpls_with "$netns_client" 198.51.100.1 198.51.100.2 "$server_ipv4"
	mpls_with "$netns_server" 198.51.100.2 198.51.100.1 "$client_ipv4"
}

fault_below-mpls() { requests_to "$1" 198.51.100.2 plant_late plant_mpls; }

# What goes from client to server, and back, is in ESP without a tunnel: NETNS DIRECTION DIRECTION
encrypt() {
	local from=$client_ipv4 to=$server_ipv4 direction
	for direction in "$2" "$3"; do
		ip -n "$1" xfrm state add src "$from" dst "$to" proto esp spi 1 mode transport \
			aead 'rfc4106(gcm(aes))' 0x0123456789012345678901234567890123456789 128
		ip -n "$1" xfrm policy add src "$from" dst "$to" dir "$direction" tmpl proto esp mode transport
		from=$server_ipv4 to=$client_ipv4
	done
}

plant_ipsec() { encrypt "$netns_client" out in && encrypt "$netns_server" in out; }
fault_ipsec() { requests_to "$1" "$server_ipv4" plant_ipsec; }
fault_below-ipsec() { requests_to "$1" "$server_ipv4" plant_late plant_ipsec; }

fault_mptcp() {
	case $1 in
	plant) start_fault "$faults" serve mptcp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask mptcp "$server_ipv4" 5001 50 20 ;;
	esac
}

# Simulated: the kernel makes two interfaces, which stay.
fault_wifi() {
	if [ "$1" = plant ]; then
		for module in /run/vm/modules/*; do
			insmod "$module" 2>/dev/null || true
		done
		ip link set wlan0 up
	fi
	fault_requests "$1"
}

# Its first packets would wait for a daemon.
plant_datapath() { on_server "$faults" add-datapath ovs5; }
fault_open-vswitch() { requests_to "$1" "$server_ipv4" plant_datapath; }

fault_sctp() {
	case $1 in
	plant) start_fault "$faults" serve sctp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask sctp "$server_ipv4" 5001 50 20 ;;
	esac
}

# As Go's services are by default, whose clients are not.
fault_slow-answers-mptcp() {
	case $1 in
	plant) start_fault "$faults" serve mptcp "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask tcp "$server_ipv4" 5001 30 20 ;;
	esac
}

# Of ten connections, there are descriptors for five.
fault_no-descriptors() {
	case $1 in
	plant) start_fault "$faults" accept-few "$server_ipv4" 5001 5 ;;
	suffer) on_client "$faults" open-only "$server_ipv4" 5001 10 ;;
	esac
}

# It does something else before it reads each answer.
fault_slow-client() {
	case $1 in
	plant) start_peer on_server "$faults" serve tcp "$server_ipv4" 5001 0 ;;
	suffer)
		ip netns exec "$netns_client" "$faults" ask-and-sleep "$server_ipv4" 5001 20 80 3>&- &
		echo $! >"$tmp/fault.pid"
		wait $!
		;;
	esac
}

# A client that closes as soon as a long answer begins.
fault_left-early() {
	case $1 in
	plant) start_peer on_server "$faults" serve-much "$server_ipv4" 5001 200000 ;;
	suffer) on_client "$faults" ask-and-leave tcp "$server_ipv4" 5001 20 1000 ;;
	esac
}

# A client that does not wait as long as the service takes.
fault_left-before() {
	case $1 in
	plant) start_fault "$faults" serve udp "$server_ipv4" 5001 150 ;;
	suffer) on_client "$faults" ask-and-leave udp "$server_ipv4" 5001 20 30 ;;
	esac
}

# The client sends what another host would that shares its address, and whose clock differs.
fault_from-the-past() {
	case $1 in
	plant) start_peer on_server "$faults" accept-few "$server_ipv4" 5001 100 ;;
	suffer) on_client "$faults" send-from-past "$server_ipv4" 5001 2 ;;
	esac
}

fault_policed-out() {
	case $1 in
	plant)
		plant_policer egress 8kbit 1500
		start_peer on_client "$faults" read "$client_ipv4" 4000
		;;
	suffer) on_server "$traffic" udp-send "$client_ipv4" 4000 100 10 ;;
	esac
}

# PLANT COMMAND...: what receives, and what keeps it from some, which come by UDP.
receive_despite() {
	case $1 in
	plant)
		start_fault "$faults" read "$server_ipv4" 4000
		"${@:2}"
		;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 50 10 ;;
	esac
}

fault_forbidden() {
	receive_despite "$1" ip -n "$netns_server" xfrm policy add dir in src "$client_ipv4" dst "$server_ipv4" action block
}

# Behind this host, and nothing tells the sender.
fault_too-big() {
	case $1 in
	plant)
		container_up
		ip -n "$netns_server" link set br0 mtu 600
		;;
	suffer) on_client "$faults" send-whole "$container_ipv4" 4000 50 1000 ;;
	esac
}

# PLANT SERVER ADDRESS: the server is not at that address.
send_beyond() {
	case $1 in
	plant) ip -n "$netns_client" route add "$3" via "$2" ;;
	suffer) on_client "$traffic" udp-send "$3" 4000 50 10 ;;
	esac
}

fault_not-forwarding() { send_beyond "$1" "$server_ipv4" 203.0.113.7; }
fault_not-forwarding-ipv6() {
	[ "$1" != plant ] || ip -n "$netns_server" route add 2001:db8:2::7 dev veth0
	send_beyond "$1" "$server_ipv6" 2001:db8:2::7
}
# SERVER ADDRESS: the client comes from ADDRESS, to where the server has no route.
come_from_nowhere() {
	ip -n "$netns_client" addr add "$2" dev lo &&
		ip -n "$netns_client" route replace "$1" dev veth0 src "$2"
}

# CASE SERVER ADDRESS
connect_from_nowhere() {
	case $1 in
	plant)
		come_from_nowhere "$2" "$3" || return 1
		start_fault "$faults" serve tcp "$2" 5001 0
		;;
	suffer) on_client "$faults" connect-at-once "$2" 5001 10 ;;
	esac
}
fault_no-route-back() { connect_from_nowhere "$1" "$server_ipv4" 203.0.113.1; }
fault_no-route-back-ipv6() { connect_from_nowhere "$1" "$server_ipv6" 2001:db8:2::1; }

# CASE: a service answers by UDP, where no answer can be sent to the client's address.
answer_nobody() {
	case $1 in
	plant) start_fault "$faults" serve-unheard "$server_ipv4" 5001 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 5001 20 10 ;;
	esac
}

# The other end is down, as where a cable is not plugged in.
fault_no-carrier() {
	case $1 in
	plant)
		ip -n "$netns_server" neigh replace "$client_ipv4" dev veth0 lladdr 02:00:00:00:00:77
		ip -n "$netns_client" link set veth0 down
		;;
	suffer) on_server "$traffic" udp-send "$client_ipv4" 4000 40 20 ;;
	esac
}

fault_no-route-udp() {
	[ "$1" != plant ] || come_from_nowhere "$server_ipv4" 203.0.113.1 || return 1
	answer_nobody "$1"
}

fault_prohibited-udp() {
	[ "$1" != plant ] || ip -n "$netns_server" route add prohibit "$client_ipv4"
	answer_nobody "$1"
}

# CASE CLIENT [SOURCE]: the server has five ports to connect from, and tries it ten times.
connect_without_ports() {
	case $1 in
	plant)
		on_server sysctl -qw net.ipv4.ip_local_port_range="40000 40004"
		start_peer on_client "$faults" accept-late "$2" 5002 0
		;;
	suffer) on_server "$faults" connect-often "$2" 5002 10 "${@:3}" ;;
	esac
}
fault_no-port() { connect_without_ports "$1" "$client_ipv4"; }
fault_no-port-bound() { connect_without_ports "$1" "$client_ipv4" "$server_ipv4"; }
fault_no-port-ipv6() { connect_without_ports "$1" 2001:db8::1; }

fault_no-route() {
	[ "$1" != plant ] || container_up
	send_beyond "$1" "$server_ipv4" 203.0.113.7
}

fault_filtered-socket() {
	case $1 in
	plant) start_fault "$faults" read-filtered "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 50 10 ;;
	esac
}

# PROGRAM COMMAND...: a server, all of whose packets a program of its cgroup sees, see filter_cgroup.py. The program stays
# with the cgroup, so it is its own.
start_filtered() {
	start_fault_in "$cgroup-$1" "${@:2}"
	tests/vm/filter_cgroup.py "$cgroup_mount$cgroup-$1" "$1"
}

# As systemd's IPAddressDeny= does.
fault_filtered-cgroup() {
	case $1 in
	plant) start_filtered drop_in "$faults" read "$server_ipv4" 4000 ;;
	suffer) on_client "$traffic" udp-send "$server_ipv4" 4000 50 10 ;;
	esac
}

# PLANT PROTOCOL in|out: a program of the service's cgroup takes long, such as one that accounts for its traffic.
slow_filter() {
	case $1 in
	plant) start_filtered "delay_$3" "$faults" serve "$2" "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask "$2" "$server_ipv4" 5001 40 20 ;;
	esac
}

fault_slow-filter-udp() { slow_filter "$1" udp in; }
fault_slow-filter-tcp() { slow_filter "$1" tcp in; }
fault_slow-filter-out() { slow_filter "$1" udp out; }

# HOOK MATCH...: a rule that drops each fifth packet that it matches.
drop_each_fifth() {
	on_server nft "add table ip netstacklat; add chain ip netstacklat drops { type filter hook $1 priority 0; };
		add rule ip netstacklat drops ${*:2} numgen inc mod 5 0 drop"
}

# TCP sends again what is lost in the server, which is no fault of the network.
fault_lossy-queue() { requests_to "$1" "$server_ipv4" tc -n "$netns_server" qdisc add dev veth0 root netem loss 20%; }
fault_answers-dropped() { requests_to "$1" "$server_ipv4" drop_each_fifth output tcp sport 5001; }
fault_requests-dropped() { requests_to "$1" "$server_ipv4" drop_each_fifth input tcp dport 5001; }

# Nothing is lost: some of it comes twice.
fault_duplicated() { requests_to "$1" "$server_ipv4" tc -n "$netns_client" qdisc add dev veth0 root netem duplicate 20%; }

# What comes to the server goes through another device's queue first, as whoever tries delays on the way in has it do.
plant_ifb() {
	ip -n "$netns_server" link add ifb0 type ifb &&
		ip -n "$netns_server" link set ifb0 up &&
		plant_delay ifb0 &&
		plant_action ingress mirred egress redirect dev ifb0
}
fault_ifb() { requests_to "$1" "$server_ipv4" plant_ifb; }

# A program at egress gives each packet a time to leave, as those do that limit the bandwidth of containers.
plant_time_to_leave() {
	tc -n "$netns_server" qdisc replace dev veth0 root fq &&
		tc -n "$netns_server" qdisc add dev veth0 clsact &&
		tc -n "$netns_server" filter add dev veth0 egress bpf direct-action \
			object-file .output/tests/vm/restamp.bpf.o section tc/leave_in_50ms
}
fault_shaped-by-bpf() { requests_to "$1" "$server_ipv4" plant_time_to_leave; }
fault_shaped-by-bpf-udp() {
	case $1 in
	plant) plant_time_to_leave && start_fault "$faults" serve udp "$server_ipv4" 5001 0 ;;
	suffer) on_client "$faults" ask udp "$server_ipv4" 5001 20 10 ;;
	esac
}
fault_shaped-container() {
	case $1 in
	plant)
		container_up
		plant_time_to_leave || return 1
		start_peer on_container "$faults" serve tcp "$container_ipv4" 5001 0
		;;
	suffer) on_client "$faults" ask tcp "$container_ipv4" 5001 20 10 ;;
	esac
}

# One of two listeners that share a port.
fault_stuck-listener() {
	case $1 in
	plant)
		start_fault "$faults" serve-beside "$server_ipv4" 5001
		start_fault "$faults" serve-beside "$server_ipv4" 5001
		kill -STOP "$(cat "$tmp/fault.pid")"
		;;
	suffer)
		for _ in {1..16}; do
			on_client timeout 0.5 "$faults" ask tcp "$server_ipv4" 5001 3 10 || [ $? -eq 124 ]
		done
		;;
	esac
}

# What the client sends is more than the server takes.
fault_policed-stream() {
	case $1 in
	plant)
		plant_policer ingress 8mbit 30000
		start_fault "$faults" collect "$server_ipv4" 5201 0
		;;
	suffer) on_client "$faults" stream "$server_ipv4" 5201 2000000 0 0 ;;
	esac
}

# What the server sends is more than its queue lets go.
fault_shaped-stream() {
	case $1 in
	plant) tc -n "$netns_server" qdisc add dev veth0 root tbf rate 4mbit burst 20000 limit 1mb ;;
	suffer)
		start_peer on_client "$faults" collect "$client_ipv4" 5201 0
		on_server "$faults" stream "$client_ipv4" 5201 1000000 0 0
		;;
	esac
}

# What else the server sends fills its queue, so that ACKs come later than TCP waits for them: nothing is lost.
fault_bloated() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root tbf rate 300kbit burst 10000 limit 1mb
		start_peer on_client "$faults" read "$client_ipv4" 4000
		start_fault "$faults" serve tcp "$server_ipv4" 5001 0
		;;
	suffer)
		on_server "$faults" burst "$client_ipv4" 4000 5 300 2000 3>&- &
		on_client "$faults" ask tcp "$server_ipv4" 5001 100 20
		wait $!
		;;
	esac
}

# Between a client and a container, on the way to this.
fault_lossy-forward() {
	case $1 in
	plant)
		container_up
		tc -n "$netns_server" qdisc add dev port0 root netem loss 20%
		start_peer on_container "$faults" serve tcp "$container_ipv4" 5001 0
		;;
	suffer) on_client "$faults" ask tcp "$container_ipv4" 5001 60 10 ;;
	esac
}

# HEADER, of segments to a port where somebody listens.
bad_checksum() {
	case $1 in
	plant) start_fault "$faults" serve tcp "$server_ipv4" 5001 0 ;;
	suffer)
		on_client "$faults" corrupt "$2" veth0 "$(on_server cat /sys/class/net/veth0/address)" \
			"$client_ipv4" "$server_ipv4" 5001 50
		;;
	esac
}

fault_bad-tcp-checksum() { bad_checksum "$1" tcp; }
fault_bad-ip-checksum() { bad_checksum "$1" ip; }

# In the reader, and on the way out.
fault_late-twice() {
	case $1 in
	plant)
		tc -n "$netns_server" qdisc add dev veth0 root netem delay 30ms
		start_fault "$traffic" udp-receive "$server_ipv4" 4000 1000 80
		;;
	suffer)
		on_client "$traffic" udp-send "$server_ipv4" 4000 40 60
		ping_peer
		;;
	esac
}

# Whether the verdict on NAME is what the table says, in the form of the schema; with JSON in $tmp/verdict. Of several
# at once, it has all classes, whoever the culprits are.
verdict_is_right() {
	local name class culprit classes=
	for name in ${1//+/ }; do
		read -r _ _ class culprit < <(list_faults | grep "^$name ")
		[ "$class" = healthy ] || classes+=,$class
	done
	class=${classes:1}
	class=${class:-healthy}
	[ "$name" = "$1" ] || culprit=-
	[ "$culprit" != pid= ] || culprit+=$(cat "$tmp/fault.pid")
	[ ! -s "$tmp/unplanted" ] || { cat "$tmp/unplanted" >&2; return 1; }
	tests/validate-json <"$tmp/verdict" && tests/verdict.py "$class" "$culprit" <"$tmp/verdict"
}
