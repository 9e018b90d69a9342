#!/usr/bin/env bats
# Whatever names the version names that of the Makefile.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	version=$(sed -n 's/^VERSION := //p' Makefile)
}

@test "the program has the version of the Makefile" {
	run -0 ./netstacklat --version
	[ "$output" = "netstacklat $version" ]
}

@test "the image of the DaemonSet has the version of the Makefile" {
	grep -q "image: netstacklat:$version " contrib/kubernetes/daemonset.yaml
}

@test "the Debian package has the version of the Makefile" {
	[[ $(head -n 1 packaging/debian/changelog) == "netstacklat ($version) "* ]]
}

# Between releases, what comes is unreleased.
@test "the newest section of the changelog is unreleased or this version" {
	newest=$(sed -n 's/^## \[\([^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
	echo "newest: $newest"
	[[ $newest == Unreleased || $newest == "$version" ]]
}
