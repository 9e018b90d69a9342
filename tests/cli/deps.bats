#!/usr/bin/env bats
# tests/deps, which installs what is missing. Nothing gets installed here: apt finds no packages.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	command -v apt-get >/dev/null || skip "for Debian's package manager"
}

teardown() {
	[ -z "${holder-}" ] || kill "$holder" 2>/dev/null || true
}

# An apt that has all its files, with its locks, in a folder of the test's.
make_apt() {
	apt=$BATS_TEST_TMPDIR/apt
	mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,dpkg,log}
	touch "$apt/dpkg/status"
	export APT_CONFIG=$apt/conf
	cat >"$APT_CONFIG" <<-END
		Dir::State "$apt/state";
		Dir::State::status "$apt/dpkg/status";
		Dir::Cache "$apt/cache";
		Dir::Log "$apt/log";
		Dir::Etc::SourceList "/dev/null";
		Dir::Etc::SourceParts "/dev/null";
		APT::Sandbox::User "";
	END
}

# A PATH without mmdebstrap, and with a sudo that needs none.
path_without_mmdebstrap() {
	local bin=$BATS_TEST_TMPDIR/bin name
	mkdir "$bin"
	for name in bash env cat id sleep apt-get; do
		ln -s "$(command -v "$name")" "$bin/$name"
	done
	printf '#!/bin/sh\nexec "$@"\n' >"$bin/sudo"
	chmod +x "$bin/sudo"
	echo "$bin"
}

# TEXT FILE PID: until that process has said it; shows what it said, and fails, if it ends without.
wait_for() {
	until grep -qF "$1" "$2" 2>/dev/null; do
		kill -0 "$3" || { cat "$2"; return 1; }
		sleep 0.1
	done
}

# Installs a package that apt does not find, which it says only once it has the lock; that is held until it asks.
install_while_held() {
	local installer path said=$BATS_TEST_TMPDIR/said
	make_apt
	path=$(path_without_mmdebstrap)
	tests/cli/hold.py "$apt/$1" >"$BATS_TEST_TMPDIR/held" 3>&- &
	holder=$!
	wait_for held "$BATS_TEST_TMPDIR/held" "$holder"
	timeout 300 env PATH="$path" tests/deps install userland >"$said" 2>&1 3>&- &
	installer=$!
	wait_for "Could not get lock $apt/$1" "$said" "$installer"
	kill "$holder"
	! wait "$installer" || return 1
	cat "$said"
	grep -q "Unable to locate package mmdebstrap" "$said"
}

@test "install waits for the lock of dpkg" {
	install_while_held dpkg/lock-frontend
}

@test "install waits for the lock of apt's lists" {
	install_while_held state/lists/lock
}

@test "fetching a userland without mmdebstrap names that, and how to install it" {
	bin=$(path_without_mmdebstrap)
	for name in dirname readlink sort md5sum cut awk mkdir mktemp rm; do
		ln -s "$(command -v $name)" "$bin/$name"
	done
	XDG_CACHE_HOME=$BATS_TEST_TMPDIR PATH=$bin run ! tests/vm/userland sid
	echo "$output"
	[[ $output == *"missing here: mmdebstrap;"*"apt-get install mmdebstrap"* ]]
	[[ $output != *network* ]]
}

# tests/deps has all libraries that are linked; so do the packages, by the names that the two distributions have for them.
@test "the libraries of the Makefile are known to tests/deps, and to both packages" {
	local library debian fedora
	diff <(sed -n 's/^LIBRARIES := //p' Makefile | tr ' ' '\n' | sort) \
		<(sed -nE 's/^\s*build\s+library:(\S+).*/\1/p' tests/deps | sort)
	while read -r _ library debian fedora; do
		grep -qE "^(Build-Depends:)? +$debian,?$" packaging/debian/control || { echo "$library: $debian"; return 1; }
		grep -qE "^BuildRequires: +$fedora$" packaging/rpm/netstacklat.spec || { echo "$library: $fedora"; return 1; }
	done < <(grep -E '^\s*build\s+library:' tests/deps)
}
