#!/usr/bin/env bats
# bats file_tags=once
# --live on a real terminal: what is drawn, what keys do, and how it is left behind.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	export LC_ALL=C.UTF-8
	tmux=(tmux -L "live$$" -f /dev/null)
}

teardown() {
	"${tmux[@]}" kill-server 2>/dev/null || true
	stop_everything
}

# The shell that is left behind says how it ended, and what became of the terminal, which is a $terminal, or what
# tmux says.
terminal=
start_live() {
	"${tmux[@]}" new-session -d -x 120 -y 40 "stty -g >'$tmp/before'; ${terminal:+TERM=$terminal} ./netstacklat --live $* 2>'$tmp/err'; echo ended \$? >'$tmp/ended'; stty -g >'$tmp/after'; exec cat"
	wait_until shows 'arrows Enter'
}

screen() { "${tmux[@]}" capture-pane -p; }
shows() { screen | grep -qE -- "$1"; }
hides() { ! shows "$1"; }
press() { "${tmux[@]}" send-keys "$@"; }

# Sends a signal to it, which the shell in the terminal started.
send_signal() { pkill "-$1" -P "$("${tmux[@]}" display -p '#{pane_pid}')" -x netstacklat; }

has_ended() { [ "$(cat "$tmp/ended")" = "ended $1" ] && [ -s "$tmp/after" ]; }

terminal_is_sane() {
	cmp "$tmp/before" "$tmp/after" && [ "$("${tmux[@]}" display -p '#{alternate_on} #{cursor_flag}')" = "0 1" ]
}

@test "a hook has a panel, and the total is exact" {
	start_live -e udp-start,udp-socket-read
	wait_until shows 'no packets yet'
	send_udp 37
	wait_until shows '^ {6}udp-socket-read'
	wait_until shows 'udp-start +[0-9.]+us'
	shows '[─═]'
	press q
	wait_until has_ended 0
	wait_until shows 'count 37 '
	[ "$(screen | grep -c 'count 37 ')" -eq 2 ]
	terminal_is_sane
}

# bats test_tags=long
@test "a key writes a page with all of it" {
	start_live "-e udp-start --output-file=$tmp/page.html"
	send_udp 37
	wait_until shows 'udp-start +[0-9.]+us'
	press w
	wait_until shows 'a page goes to the file'
	press q
	wait_until has_ended 0
	wait_until shows 'count 37 '
	tests/vm/in-reports formats.page_counts udp-start=37 <"$tmp/page.html"
}

# bats test_tags=long
@test "keys open, filter, pause and help" {
	start_live --stages -e udp-start,udp-socket-read
	send_udp 10
	wait_until shows 'UDP over IPv4: udp-socket-read'
	press s
	wait_until shows 'netstacklat .* hooks'
	wait_until shows '^ {6}udp-socket-read'
	press Enter
	wait_until shows 'p99\.9'
	press Escape
	wait_until hides 'p99\.9'
	press / s t a r t Enter
	wait_until hides '^ {6}udp-socket-read'
	shows '^ {6}udp-start'
	press Escape
	wait_until shows '^ {6}udp-socket-read'
	press Space
	wait_until shows PAUSED
	press Space
	wait_until hides PAUSED
	press '?'
	wait_until shows 'latency goes up'
	press x
	wait_until hides 'latency goes up'
	press q
	wait_until has_ended 0
	terminal_is_sane
}

# bats test_tags=long
@test "it takes the size that the terminal has" {
	start_live -e udp-start,udp-socket-read
	send_udp 10
	wait_until shows 'share'
	"${tmux[@]}" resize-window -x 80 -y 24
	wait_until hides 'share'
	[ "$(screen | wc -l)" -eq 24 ]
	[ "$(screen | head -n 1 | cut -c 1-11)" = netstacklat ]
	"${tmux[@]}" resize-window -x 200 -y 50
	wait_until shows 'share'
	"${tmux[@]}" resize-window -x 30 -y 8
	wait_until shows 'too small'
}

# bats test_tags=long
@test "slow packets are below" {
	start_live --stages --slow=1ns -e udp-start,udp-socket-read
	wait_until shows 'no slow packets yet'
	send_udp 5
	wait_until shows 'the latest first'
	wait_until shows 'udp-socket-read .*4000'
	shows ' \+[0-9.]+[um]?s udp-[a-z-]+  <- [0-9]+ %$'
	press q
	wait_until has_ended 0
	wait_until shows 'of [0-9]+ packets were slower than'
}

# bats test_tags=long
@test "groups are shown by all keys, or by one" {
	start_live -e udp-socket-read -g port,ip-version
	send_udp 5 7
	wait_until shows 'netstacklat .* hooks'
	press s
	wait_until shows 'groups by port, ip-version'
	wait_until shows 'ip_version="4",port="4000"|port="4000",ip_version="4"'
	press g
	wait_until shows 'groups by port( |$)'
	wait_until shows '\{?port="4000"\}? '
	hides 'ip_version="4"'
	press g
	wait_until shows 'groups by ip-version'
	wait_until shows 'ip_version="4"'
	shows 'ip_version="6"'
	hides 'port="4000"'
}

# A verdict of two seconds after the other, and at the end the last one as text.
# bats test_tags=long
@test "the verdict is below, in whole sentences" {
	start_live --diagnose --late=10ms -n "$netns_server" 2
	shows 'no verdict yet'
	start_receiver reader udp-receive "$server_ipv4" 4000 100 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 100 2 3>&- &
	wait_until shows 'the verdict at'
	wait_until shows '^ 1  .*4000'
	screen
	shows '^    -> '
	[ "$(screen | wc -L)" -le 120 ]
	receiver_result reader
	press q
	wait_until has_ended 3
	terminal_is_sane
}

@test "a signal ends it as q does" {
	start_live -e udp-start
	send_udp 3
	send_signal TERM
	wait_until has_ended 0
	wait_until shows 'count 3 '
	terminal_is_sane
}

@test "a crash restores the terminal" {
	start_live -e udp-start
	send_signal SEGV
	wait_until has_ended 139
	terminal_is_sane
}

# bats test_tags=long
@test "eight colours, and none, tell what is full by shades" {
	local colours
	for terminal in linux vt100; do
		rm -f "$tmp/ended"
		start_live -e udp-socket-read
		send_udp 20
		wait_until shows '[─═]'
		wait_until shows '[░▒▓█]'
		hides '[▀▄]'
		colours=$("${tmux[@]}" capture-pane -p -e | grep -cE $'\033\\[3[1-7]m' || true)
		if [ "$terminal" = vt100 ]; then [ "$colours" -eq 0 ]; else [ "$colours" -gt 0 ]; fi
		press q
		wait_until has_ended 0
		terminal_is_sane
		"${tmux[@]}" kill-server
	done
}

# bats test_tags=long
@test "a dumb terminal gets text" {
	"${tmux[@]}" new-session -d -x 120 -y 40 "TERM=dumb ./netstacklat --live -e udp-socket-read 2>'$tmp/err'; echo ended \$? >'$tmp/ended'; exec cat"
	wait_until grep -q -- '--live takes a terminal' "$tmp/err"
	send_udp 11
	send_signal INT
	wait_until shows 'count 11 '
}

@test "without a terminal, reports are text" {
	start_netstacklat text --live -o text -e udp-socket-read 2>&1 || true
	grep -q -- '--live takes a terminal' "$tmp/text.err"
	send_udp 11
	stop_netstacklat text
	grep -q 'count 11 ' "$tmp/text.out"
}
