# shellcheck shell=bash
# Two network namespaces joined by a veth pair, for the tests and the demo. To be sourced, by root.

netns_client=netstacklat-client
netns_server=netstacklat-server
# Behind the server, if a test or case makes it.
netns_container=netstacklat-container
# Documentation addresses (RFC 5737, RFC 3849), which route nowhere else.
client_ipv4=192.0.2.1
server_ipv4=192.0.2.2
server_ipv6=2001:db8::2

netns_up() {
	netns_down
	ip -batch - <<-END
		netns add $netns_client
		netns add $netns_server
		link add veth0 netns $netns_client type veth peer name veth0 netns $netns_server
	END
	netns_configure "$netns_client" "$client_ipv4" 2001:db8::1
	netns_configure "$netns_server" "$server_ipv4" "$server_ipv6"
}

# NAMESPACE IPV4 IPV6 [INTERFACE]
netns_configure() {
	local interface=${4-veth0}
	ip -n "$1" -batch - <<-END
		address add $2/24 dev $interface
		address add $3/64 dev $interface nodad
		link set lo up
		link set $interface up
	END
}

# Takes the namespaces down with all that runs in them; the veth pair goes with them.
netns_down() {
	local namespace
	for namespace in "$netns_client" "$netns_server" "$netns_container"; do
		[ -e "/run/netns/$namespace" ] || continue
		# iperf3 may wait for its peer when it is asked to end.
		ip netns pids "$namespace" 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
		ip netns delete "$namespace" 2>/dev/null || true
	done
}

on_client() { ip netns exec "$netns_client" "$@"; }
on_server() { ip netns exec "$netns_server" "$@"; }
on_container() { ip netns exec "$netns_container" "$@"; }
