# Made from the table of options by lib/generate/completion.c.

function __netstacklat_values
	switch $argv[1]
	case -e
		printf '%s\n' netif-receive ip-rcv ip-forward ip-deliver tcp-start udp-start icmp-start tcp-do-rcv tcp-data-queue tcp-socket-enqueued udp-queue-rcv udp-socket-enqueued raw-socket-enqueued tcp-socket-read udp-socket-read raw-socket-read tcp-accept tcp-rtt tcp-min-rtt tcp-send udp-send raw-send tcp-transmit tcp-retransmit udp-transmit raw-transmit tx-ip tx-neighbour egress tx-queue tx-start tun-read drop softirq-net-rx napi-poll hardware
	case -d
		printf '%s\n' netif-receive ip-rcv ip-forward ip-deliver tcp-start udp-start icmp-start tcp-do-rcv tcp-data-queue tcp-socket-enqueued udp-queue-rcv udp-socket-enqueued raw-socket-enqueued tcp-socket-read udp-socket-read raw-socket-read tcp-accept tcp-rtt tcp-min-rtt tcp-send udp-send raw-send tcp-transmit tcp-retransmit udp-transmit raw-transmit tx-ip tx-neighbour egress tx-queue tx-start tun-read drop softirq-net-rx napi-poll hardware
	case -i
		ls /sys/class/net
	case -n
		printf '%s\n' self all; ls /run/netns 2>/dev/null
	case -c
		find /sys/fs/cgroup -mindepth 1 -type d -printf '/%P\n' 2>/dev/null
	case -p
		ls /proc | grep '^[0-9]'
	case -P
		ss -Hltun | awk '{ sub(/.*:/, "", $5); print $5 }' | sort -nu
	case -g
		printf '%s\n' interface netns cgroup port socket pid tid comm cpu ip-version reason packets sequence limit retransmit
	case --sort
		printf '%s\n' count sum p99
	case -o
		printf '%s\n' text json openmetrics prometheus heatmap html collapsed none
	case --color
		printf '%s\n' auto always never
	end
end

# Behind what is in a list already.
function __netstacklat_list
	set -l before (string match -r '^(?:--[^=]*=|-.)?(.*,)' -- (commandline -ct))
	while read -l value
		echo "$before[2]$value"
	end
end

complete -c netstacklat -f
complete -c netstacklat -s r -l report-interval -x -d 'Print a report every SECONDS, 0.001 to 86400 (default 5)'
complete -c netstacklat -l duration -x -d 'End after DURATION, such as 10s or 5m, as by a signal'
complete -c netstacklat -s e -l enable-probes -x -a '(__netstacklat_values -e | __netstacklat_list)' -d 'Measure at these hooks only: names, kernel functions or patterns such as tcp-*, separated by commas; patterns leave out what is off by default, if they name others'
complete -c netstacklat -s d -l disable-probes -x -a '(__netstacklat_values -d | __netstacklat_list)' -d 'Do not measure at these hooks'
complete -c netstacklat -l stages -d 'Also measure how long packets take from each hook to the next, and count those at netif-receive and ip-deliver'
complete -c netstacklat -l wakeups -d 'Like --stages, and show what readers did while a packet was in their queue: slept, waited for a CPU, ran'
complete -c netstacklat -s l -l list-probes -d 'List the hooks in packet order, and whether this kernel has them'
complete -c netstacklat -s y -l include-tcp-hol-delay -d 'At tcp-socket-read, count data that waited behind a lost segment, too'
complete -c netstacklat -l diagnose -d 'Watch for 10 seconds (or DURATION, or INTERVAL, COUNT times), and say in sentences what is late or dropped, why, and what to look at next'
complete -c netstacklat -l late -x -d 'With --diagnose, what takes DURATION or more is late (default 1ms), and what waits for a task from 10ms on'
complete -c netstacklat -l late-application -x -d 'With --diagnose, an application that takes DURATION or more to reply is late (default 100ms)'
complete -c netstacklat -l stack -d 'With --diagnose, show in what code of the kernel tasks let packets wait'
complete -c netstacklat -s i -l interfaces -x -a '(__netstacklat_values -i | __netstacklat_list)' -d 'Names or indexes, in the network namespaces of -n or, without -n, in this one'
complete -c netstacklat -s n -l network-namespace -x -a '(__netstacklat_values -n | __netstacklat_list)' -d 'Names, paths, process ids, inode numbers, self or all (default all)'
complete -c netstacklat -s c -l cgroups -x -a '(__netstacklat_values -c | __netstacklat_list)' -d 'Of sockets: paths or ids of cgroups (v2), with all that is below them'
complete -c netstacklat -s m -l cgroup-mount -x -d 'The folder at which cgroups (v2) are mounted, where paths of -c begin and names are found (default: the first such mount)'
complete -c netstacklat -s p -l pids -x -a '(__netstacklat_values -p | __netstacklat_list)' -d 'Of processes that read, at *-socket-read'
complete -c netstacklat -l comm -x -d 'The names of threads that read, at *-socket-read'
complete -c netstacklat -s P -l ports -x -a '(__netstacklat_values -P | __netstacklat_list)' -d 'Local ports, or ranges such as 8000-8100, where a TCP or UDP socket is known'
complete -c netstacklat -l sequence -x -d 'TCP segments that came in-order, behind-gap, received-before or with no-data, at tcp-do-rcv'
complete -c netstacklat -l remote -x -d 'IPv4 and IPv6 addresses that packets come from, or prefixes such as 192.0.2.0/24'
complete -c netstacklat -s 4 -d 'IPv4'
complete -c netstacklat -s 6 -d 'IPv6'
complete -c netstacklat -s q -l min-queuelength -x -d 'Packets that find N or more on their socket\'s receive queue'
complete -c netstacklat -s g -l group-by -x -a '(__netstacklat_values -g | __netstacklat_list)' -d 'A histogram each by interface, netns, cgroup, port, socket, pid, tid, comm, cpu, ip-version, reason, packets, sequence, limit or retransmit, in any combination'
complete -c netstacklat -s I -l groupby-interface -d 'The same as -g interface'
complete -c netstacklat -s C -l groupby-cgroup -d 'The same as -g cgroup'
complete -c netstacklat -l sort -x -a '(__netstacklat_values --sort | __netstacklat_list)' -d 'Order the groups of a hook by count, sum or p99, descending (default count)'
complete -c netstacklat -l top -x -d 'In text, show the first N groups of a hook, or of all stages (default 10)'
complete -c netstacklat -l max-groups -x -d 'Room for N rows: each group takes one for each kernel function and CPU that it is seen at (default 8192)'
complete -c netstacklat -l forget -x -d 'With --listen, -o openmetrics or -o prometheus, move the counts of groups that were not seen for DURATION to one called other'
complete -c netstacklat -l slow -x -d 'Report each packet that is as late as DURATION at a hook (or, with --stages, from one hook to the next), as it happens'
complete -c netstacklat -l trace -d 'Report the whole way of each packet, out and in'
complete -c netstacklat -l slow-limit -x -d 'Report RATE slow packets a second at most (default 100), and count the others; with --trace, of RATE places where packets were (default 10000)'
complete -c netstacklat -l count -x -d 'End after N slow packets'
complete -c netstacklat -l pcap -r -F -d 'Write their first 128 bytes from the IP header on to FILE, as pcapng for Wireshark'
complete -c netstacklat -s o -l output -x -a '(__netstacklat_values -o | __netstacklat_list)' -d 'Print reports as text, json, openmetrics, prometheus, heatmap, html, collapsed or none (default text; none with --listen, if neither INTERVAL nor --slow is given)'
complete -c netstacklat -l live -d 'Draw the last ten minutes on the terminal, a panel for each hook, stage or group, every second or INTERVAL, and print the total at the end'
complete -c netstacklat -s j -l json -d 'The same as -o json'
complete -c netstacklat -l output-file -r -F -d 'With -o html, openmetrics or prometheus, replace FILE at each report; with --live, when w is pressed'
complete -c netstacklat -l listen -x -d 'Serve all since the start at http://ADDRESS:PORT/metrics, for Prometheus (default address 127.0.0.1); or at unix:PATH, or at the socket that systemd passes'
complete -c netstacklat -l host -x -d 'With --listen, answer only where this host is asked for by an address, as localhost, or by one of NAMES, separated by commas (default: none at a loopback address, any at others)'
complete -c netstacklat -l web.config.file -r -F -d 'With --listen, serve by TLS, and only to those who have a certificate or a password, as FILE says, in the format of Prometheus\' exporters'
complete -c netstacklat -s k -l resolution -x -d 'Count in 2^K buckets an octave, K from 0 to 4 (default 3, or 2 for heatmaps and --live; Prometheus gets octaves)'
complete -c netstacklat -s s -l summary -d 'In text, show a line for each hook and group instead of its histogram'
complete -c netstacklat -l color -x -a '(__netstacklat_values --color | __netstacklat_list)' -d 'Colour heatmaps and --live auto, always or never (default auto: on terminals that can)'
complete -c netstacklat -l full -d 'Show every bucket in text, not just octaves'
complete -c netstacklat -l cumulative -d 'Report what was counted since the start, not in each interval'
complete -c netstacklat -l overhead -d 'Show what each program costs this host, in CPU time'
complete -c netstacklat -l compare -d 'Say whether the runs in files of -j differ from those in the files behind --, and how sure that is'
complete -c netstacklat -l fail-if -x -d 'With --compare, exit with 3 if a figure changed by more than LIMIT, such as \'udp-socket-read p99 +20%\', and with 4 if that cannot be told'
complete -c netstacklat -l check -d 'Print what this host can do and what to do about the rest, hook by hook'
complete -c netstacklat -l btf -r -F -d 'Take the types of this very kernel from FILE, where /sys/kernel/btf is hidden'
complete -c netstacklat -l timestamping-only -d 'Only turn on receive time stamps, for other tools, until a signal'
complete -c netstacklat -s v -l verbose -d 'Log each step, with the warnings of libbpf'
complete -c netstacklat -s h -l help -d 'Print this help'
complete -c netstacklat -l usage -d 'Print a short usage message'
complete -c netstacklat -s V -l version -d 'Print the version'
