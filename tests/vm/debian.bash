# shellcheck shell=bash
# What tests/vm/kernel and tests/vm/userland share to fetch from Debian. To be sourced.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/netstacklat

die() { echo "vm: $*" >&2; exit 1; }

# UNPACKED FOLDER: what was fetched goes to where it is looked for, unless another process was faster.
move_into_cache() {
	mv -T "$1" "$2" 2>/dev/null || [ -e "$2" ] || die "cannot move what was fetched to $2: is the disk full?"
}

# Sets mirror, to this machine's own if it has one, and keyring.
find_debian() {
	command -v apt-get >/dev/null ||
		die "fetching from Debian needs apt; without it, test this machine's own kernel: sudo make check-here"
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e "$keyring" ] || die "the packages' signatures need $keyring: install debian-archive-keyring"
	# shellcheck disable=SC2016 # the variables are apt's
	mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
		awk '$1 == "Debian" { print $2; exit }')
	mirror=${mirror:-http://deb.debian.org/debian/}
	mkdir -p "$cache"
}
