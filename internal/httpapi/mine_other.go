//go:build !linux

package httpapi

import "net/netip"

// Mine reports whether the other end of a connection over loopback is a program
// of this user. Here the system does not tell, and a ticket or a cookie counts
// by itself.
func Mine(_, _ netip.AddrPort) bool { return true }
