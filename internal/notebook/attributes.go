//go:build linux || darwin

package notebook

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// measured are attributes that the system computes from the content of a file. Those of one
// would be wrong for the other.
var measured = []string{"security.ima", "security.evm"}

// keepAttributes gives a file the extended attributes of another: tags of people and of
// Finder, lists of who may do what on Linux, labels of SELinux. Those that this user may not
// set are left out, and where a file system has none there is nothing to do.
func keepAttributes(f, like *os.File) {
	to, from := int(f.Fd()), int(like.Fd())
	list := attribute(func(b []byte) (int, error) { return unix.Flistxattr(from, b) })
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if name == "" || slices.Contains(measured, name) {
			continue
		}
		value := attribute(func(b []byte) (int, error) { return unix.Fgetxattr(from, name, b) })
		if value != nil {
			_ = unix.Fsetxattr(to, name, value, 0)
		}
	}
}

// attribute returns what get gives, which reports a size when it is given no room; nil when
// it gives nothing.
func attribute(get func([]byte) (int, error)) []byte {
	size, err := get(nil)
	if err != nil {
		return nil
	}
	b := make([]byte, size)
	if size > 0 {
		if size, err = get(b); err != nil { // also when it has grown meanwhile
			return nil
		}
	}
	return b[:size]
}
