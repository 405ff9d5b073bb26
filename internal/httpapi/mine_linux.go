package httpapi

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Mine reports whether the other end of a connection over loopback is a program
// of this user and not of another one, by the kernel's tables of sockets
// (proc_net_tcp(5)).
func Mine(remote, local netip.AddrPort) bool {
	uid := strconv.Itoa(os.Getuid())
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		if owner, ok := ownerOf(table, remote, local); ok {
			return owner == uid
		}
	}
	return false
}

// ownerOf looks up in a table which user has the socket with these two ends.
func ownerOf(table string, from, to netip.AddrPort) (uid string, ok bool) {
	f, err := os.Open(table)
	if err != nil {
		return "", false
	}
	defer f.Close()
	wants := [2]string{}
	for i, end := range []netip.AddrPort{from, to} {
		wants[i] = socketName(end, strings.HasSuffix(table, "6"))
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 7 && fields[1] == wants[0] && fields[2] == wants[1] {
			return fields[7], true
		}
	}
	return "", false
}

// socketName writes one end of a socket as the tables do: 32-bit words in the
// byte order of the machine, then the port.
func socketName(end netip.AddrPort, six bool) string {
	addr := end.Addr().Unmap()
	var b []byte
	if six {
		b16 := addr.As16()
		b = b16[:]
	} else if addr.Is4() {
		b4 := addr.As4()
		b = b4[:]
	}
	var name strings.Builder
	for ; len(b) >= 4; b = b[4:] {
		fmt.Fprintf(&name, "%08X", binary.NativeEndian.Uint32(b))
	}
	fmt.Fprintf(&name, ":%04X", end.Port())
	return name.String()
}
