#!/usr/bin/env bats
# What shells offer, each asked itself. That all options are there, tests/unit/test_completion.c tells.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

in_bash() {
	bash -c 'source contrib/completion/netstacklat.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_netstacklat 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' bash netstacklat "$@"
}

# shellcheck disable=SC2016 # fish expands it
in_fish() {
	fish --no-config -c 'source contrib/completion/netstacklat.fish; complete -C $argv[1]' "netstacklat $1" | cut -f 1
}

in_zsh() {
	timeout 60 zsh -f tests/cli/complete.zsh "netstacklat $1" | tr ' ' '\n' | sort -u
}

# assert_offers WHAT VALUE...: exactly these, sorted.
assert_offers() {
	local found=$1
	shift
	found=$(sort <<<"$found" | xargs)
	echo "offered: $found"
	[ "$found" = "$*" ]
}

@test "bash completes options, and values by name" {
	assert_offers "$(in_bash --so)" --sort=
	assert_offers "$(in_bash --output = js)" json
	assert_offers "$(in_bash --sort =)" count p99 sum
	assert_offers "$(in_bash -g interface,n)" interface,netns
	assert_offers "$(in_bash -e udp-socket-r)" udp-socket-read
	assert_offers "$(in_bash -n s)" self
	assert_offers "$(in_bash -i lo)" lo
	assert_offers "$(in_bash --btf = READ)" README.md
	assert_offers "$(in_bash --late =)"
}

@test "fish completes options, and values by name" {
	assert_offers "$(in_fish --so)" --sort
	assert_offers "$(in_fish --output=js)" --output=json
	assert_offers "$(in_fish '--sort ')" count p99 sum
	assert_offers "$(in_fish '-g interface,n')" interface,netns
	assert_offers "$(in_fish '-e udp-socket-r')" udp-socket-read
	assert_offers "$(in_fish '-n s')" self
	assert_offers "$(in_fish '-i lo')" lo
	assert_offers "$(in_fish '--btf READ')" README.md
	assert_offers "$(in_fish '--late ')"
}

@test "zsh completes options, and values by name" {
	assert_offers "$(in_zsh --so)" --sort
	assert_offers "$(in_zsh --output=js)" json
	assert_offers "$(in_zsh '-g interface,n')" netns
	assert_offers "$(in_zsh '-e udp-socket-r')" udp-socket-read
	assert_offers "$(in_zsh '-i lo')" lo
}

@test "a port that a socket listens at is offered" {
	python3 -m http.server --bind 127.0.0.1 0 >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
	for _ in {1..100}; do
		port=$(ss -Hltnp | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pid=$!,.*/\1/p")
		[ -z "$port" ] || break
		sleep 0.1
	done
	found=$(in_bash -P "80,$port")
	kill $!
	assert_offers "$found" "80,$port"
}

@test "a cgroup is offered by its path" {
	cgroup=$(find /sys/fs/cgroup -mindepth 1 -type d -printf '/%P\n' -quit)
	[ -n "$cgroup" ] || skip "no cgroups here"
	[[ $'\n'$(in_bash -c "$cgroup")$'\n' == *$'\n'"$cgroup"$'\n'* ]]
}
