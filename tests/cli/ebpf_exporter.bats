#!/usr/bin/env bats
# What is made for ebpf_exporter, and the time stamping that it lacks. tests/vm/ebpf_exporter.bats loads it.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	# Of the make that runs these tests.
	unset MAKEFLAGS MAKELEVEL
	make OUTPUT="$BATS_FILE_TMPDIR/made" ebpf_exporter >"$BATS_FILE_TMPDIR/said"
	cp "$BATS_FILE_TMPDIR/made/ebpf_exporter/netstacklat.yaml" "$BATS_FILE_TMPDIR"
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	made=$BATS_FILE_TMPDIR/made
	object=$made/ebpf_exporter/netstacklat.bpf.o
	config=$made/ebpf_exporter/netstacklat.yaml
	default=$BATS_FILE_TMPDIR/netstacklat.yaml
}

make_for_exporter() { env -u MAKEFLAGS -u MAKELEVEL make OUTPUT="$made" ebpf_exporter "$@"; }

programs_in() { readelf -SW "$1" | grep -oE ' (fentry|fexit|tp_btf)/[a-z0-9_]+' | cut -d/ -f2 | sort -u; }

@test "make ebpf_exporter makes two files, and says how to start it" {
	[ "$(tail -n 1 "$BATS_FILE_TMPDIR/said")" = "ebpf_exporter --config.dir=${object%/*} --config.names=netstacklat" ]
	[ "$(ls "${object%/*}")" = "netstacklat.bpf.o
netstacklat.yaml" ]
}

@test "the configuration is what ebpf_exporter's sources ask for" {
	tests/vm/ebpf_exporter.py check "$default"
	make_for_exporter HOOKS="netif-receive,ip-forward" WITHOUT="ip6_*"
	tests/vm/ebpf_exporter.py check "$config"
}

# Each a change of the configuration, and what is said of it.
@test "what they do not ask for is found" {
	while IFS="|" read -r change message; do
		sed "$change" "$default" >"$BATS_TEST_TMPDIR/changed.yaml"
		run -1 tests/vm/ebpf_exporter.py check "$BATS_TEST_TMPDIR/changed.yaml"
		echo "$change: $output"
		[[ $output == *"$message"* ]]
	done <<-'END'
		s/^metrics/Metrics/|lacks metrics
		s/bucket_max/bucket_maximum/|unknown key bucket_maximum
		/help/d|lacks help
		s/size: 2/padding: 2/|lacks size
		s/uint/uint64/|no decoder uint64
		s/exp2/log2/|no bucket type log2
		s/"\([0-9]*\)"/\1/|in a map of strings
		s/0.000000001/a billionth/|bucket_multiplier: 'a billionth' is not
		s/bucket_max: 35/bucket_max: 0/|no buckets
		s/size: 2/size: 3/|no number has 3 bytes
		s/name: bucket/name: hook/|two labels are called hook
	END
}

@test "only the chosen hooks are in the object, with the programs that they need" {
	make_for_exporter HOOKS="udp-start,udp-socket-enqueued" WITHOUT=udpv6_rcv
	[ "$(programs_in "$object")" = "__udp_enqueue_schedule_skb
udp_queue_rcv_one_skb
udp_rcv
udpv6_queue_rcv_one_skb" ]
	run -0 grep -o '[0-9]*": udp.*' "$config"
	[ "$(cut -d' ' -f2 <<<"$output" | sort | uniq -c | xargs)" = "2 udp-socket-enqueued 2 udp-start" ]
}

@test "without a hook that tells the time, or with a mistake, nothing is made" {
	rm -f "$object" "$config"
	for lists in HOOKS=udp-socket-read HOOKS=nonesuch WITHOUT=nonesuch; do
		run -2 make_for_exporter "$lists"
		[[ $output == *"netstacklat: "* ]]
		[ ! -e "$object" ]
		[ ! -e "$config" ]
	done
}

@test "hooks that have stages alone are refused, however they are chosen" {
	for hooks in "ip-rcv,tx-*" "ip-rcv,tx-ip" "ip-rcv,net_dev_queue"; do
		rm -f "$object" "$config"
		run -2 make_for_exporter HOOKS="$hooks"
		[[ $output == *"netstacklat: tx-"*" has stages only, which programs for ebpf_exporter do not count; leave it out"* ]]
		[ ! -e "$object" ]
		[ ! -e "$config" ]
	done
	make_for_exporter HOOKS="ip-rcv,tx-*" WITHOUT="tx-*"
}

@test "--timestamping-only holds until a signal" {
	for signal in TERM INT; do
		./netstacklat --timestamping-only 2>"$BATS_TEST_TMPDIR/said-$signal" 3>&- &
		until grep -qs "packets are stamped" "$BATS_TEST_TMPDIR/said-$signal"; do sleep 0.05; done
		readlink "/proc/$!/fd/"* | grep -q socket:
		kill "-$signal" $!
		wait $!
	done
}

@test "the unit for time stamping is in order, and has no rights" {
	sed "s:/usr/local/sbin/netstacklat:$PWD/netstacklat:" contrib/netstacklat-timestamping.service \
		>"$BATS_TEST_TMPDIR/netstacklat-timestamping.service"
	systemd-analyze verify --man=no "$BATS_TEST_TMPDIR/netstacklat-timestamping.service"
	run -0 systemd-analyze security --offline=yes --threshold=15 contrib/netstacklat-timestamping.service
}
