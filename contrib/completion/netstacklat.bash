# shellcheck shell=bash disable=SC2010,SC2012
# Made from the table of options by lib/generate/completion.c.

# Of what stands behind an option, or all options.
_netstacklat_values() {
	case $1 in
	-r | --report-interval) ;;
	--duration) ;;
	-e | --enable-probes) printf '%s\n' netif-receive ip-rcv ip-forward ip-deliver tcp-start udp-start icmp-start tcp-do-rcv tcp-data-queue tcp-socket-enqueued udp-queue-rcv udp-socket-enqueued raw-socket-enqueued tcp-socket-read udp-socket-read raw-socket-read tcp-accept tcp-rtt tcp-min-rtt tcp-send udp-send raw-send tcp-transmit tcp-retransmit udp-transmit raw-transmit tx-ip tx-neighbour egress tx-queue tx-start tun-read drop softirq-net-rx napi-poll hardware ;;
	-d | --disable-probes) printf '%s\n' netif-receive ip-rcv ip-forward ip-deliver tcp-start udp-start icmp-start tcp-do-rcv tcp-data-queue tcp-socket-enqueued udp-queue-rcv udp-socket-enqueued raw-socket-enqueued tcp-socket-read udp-socket-read raw-socket-read tcp-accept tcp-rtt tcp-min-rtt tcp-send udp-send raw-send tcp-transmit tcp-retransmit udp-transmit raw-transmit tx-ip tx-neighbour egress tx-queue tx-start tun-read drop softirq-net-rx napi-poll hardware ;;
	--late) ;;
	--late-application) ;;
	-i | --interfaces) ls /sys/class/net ;;
	-n | --network-namespace) printf '%s\n' self all; ls /run/netns 2>/dev/null ;;
	-c | --cgroups) find /sys/fs/cgroup -mindepth 1 -type d -printf '/%P\n' 2>/dev/null ;;
	-m | --cgroup-mount) ;;
	-p | --pids) ls /proc | grep '^[0-9]' ;;
	--comm) ;;
	-P | --ports) ss -Hltun | awk '{ sub(/.*:/, "", $5); print $5 }' | sort -nu ;;
	--sequence) ;;
	--remote) ;;
	-q | --min-queuelength) ;;
	-g | --group-by) printf '%s\n' interface netns cgroup port socket pid tid comm cpu ip-version reason packets sequence limit retransmit ;;
	--sort) printf '%s\n' count sum p99 ;;
	--top) ;;
	--max-groups) ;;
	--forget) ;;
	--slow) ;;
	--slow-limit) ;;
	--count) ;;
	--pcap) compgen -f -- "$2" ;;
	-o | --output) printf '%s\n' text json openmetrics prometheus heatmap html collapsed none ;;
	--output-file) compgen -f -- "$2" ;;
	--listen) ;;
	--host) ;;
	--web.config.file) compgen -f -- "$2" ;;
	-k | --resolution) ;;
	--color) printf '%s\n' auto always never ;;
	--fail-if) ;;
	--btf) compgen -f -- "$2" ;;
	*) printf '%s\n' -r --report-interval= --duration= -e --enable-probes= -d --disable-probes= --stages --wakeups -l --list-probes -y --include-tcp-hol-delay --diagnose --late= --late-application= --stack -i --interfaces= -n --network-namespace= -c --cgroups= -m --cgroup-mount= -p --pids= --comm= -P --ports= --sequence= --remote= -4 -6 -q --min-queuelength= -g --group-by= -I --groupby-interface -C --groupby-cgroup --sort= --top= --max-groups= --forget= --slow= --trace --slow-limit= --count= --pcap= -o --output= --live -j --json --output-file= --listen= --host= --web.config.file= -k --resolution= -s --summary --color= --full --cumulative --overhead --compare --fail-if= --check --btf= --timestamping-only -v --verbose -h --help --usage -V --version ;;
	esac
}

_netstacklat_files=' --pcap --output-file --web.config.file --btf '

_netstacklat() {
	local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before value
	if [[ $option == '=' ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $current == '=' ]]; then
		current=
	fi
	before=${current%"${current##*,}"}
	COMPREPLY=()
	while read -r value; do
		value=$before$value
		[[ $value != "$current"* ]] || COMPREPLY+=("${value//\\/\\\\}")
	done < <(_netstacklat_values "$option" "$current")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
	[[ $_netstacklat_files != *" $option "* ]] || compopt -o filenames 2>/dev/null
}

complete -F _netstacklat netstacklat
