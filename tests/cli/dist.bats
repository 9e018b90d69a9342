#!/usr/bin/env bats
# What a release is made of.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	git rev-parse HEAD >/dev/null 2>&1 || skip "no git repository, so nothing to pack"
}

# In a folder of its own, of the last commit, by this Makefile.
pack() {
	git clone --quiet . "$1"
	cp Makefile "$1"
	make --silent -C "$1" dist
}

@test "sources packed in two folders at different times, by different users, are identical" {
	umask 022
	pack "$BATS_TEST_TMPDIR/one"
	# gzip and tar know seconds.
	sleep 1.1
	umask 077
	pack "$BATS_TEST_TMPDIR/two"
	cmp "$BATS_TEST_TMPDIR"/{one,two}/.output/dist/netstacklat-*.tar.gz
	cmp "$BATS_TEST_TMPDIR"/{one,two}/.output/dist/netstacklat-*.tar.gz.sha256
}

@test "the archive has all files of the commit, in one folder, and its checksum is right" {
	pack "$BATS_TEST_TMPDIR/one"
	cd "$BATS_TEST_TMPDIR/one/.output/dist"
	sha256sum --check netstacklat-*.sha256
	tar -xzf netstacklat-*.tar.gz
	folder=$(ls -d netstacklat-*/)
	[ "$folder" = "netstacklat-$(sed -n 's/^VERSION := //p' ../../Makefile)/" ]
	diff <(cd "$folder" && find . -type f -o -type l | sed 's|^\./||' | sort) \
		<(git -C ../.. ls-files | sort)
}
