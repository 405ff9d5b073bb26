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

// established is the state of an open connection, as the tables write it.
const established = "01"

// Mine reports whether the other end of a connection over loopback is a program
// of this user and not of another one, by the kernel's tables of sockets
// (proc_net_tcp(5)). The user of a socket that its program has closed is not
// known, and neither is one who has no number in this user namespace.
func Mine(remote, local netip.AddrPort) bool {
	first, ok := socketOf(remote, local)
	// While a program closes a socket, the kernel may give the user as 0 and the
	// inode as it was. A socket that still has its inode was open before.
	second, open := socketOf(remote, local)
	return ok && open && first == second && first.uid == strconv.Itoa(os.Getuid()) && first.uid != unmapped()
}

// unmapped is the number that the tables have for users without one in this
// user namespace (user_namespaces(7)).
func unmapped() string {
	uid, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil {
		return "65534"
	}
	return strings.TrimSpace(string(uid))
}

// socket is what the tables say of an open socket that a program has.
type socket struct{ uid, inode string }

// socketOf looks up the socket with these two ends.
func socketOf(from, to netip.AddrPort) (socket, bool) {
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		if s, ok := socketIn(table, from, to); ok {
			return s, true
		}
	}
	return socket{}, false
}

func socketIn(table string, from, to netip.AddrPort) (socket, bool) {
	f, err := os.Open(table)
	if err != nil {
		return socket{}, false
	}
	defer f.Close() // of a file that was only read
	wants := [2]string{}
	for i, end := range []netip.AddrPort{from, to} {
		wants[i] = socketName(end, strings.HasSuffix(table, "6"))
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 9 && fields[1] == wants[0] && fields[2] == wants[1] && fields[3] == established && fields[9] != "0" {
			return socket{uid: fields[7], inode: fields[9]}, true
		}
	}
	return socket{}, false
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
