//go:build darwin || freebsd || netbsd

package mdfile

import (
	"io/fs"
	"syscall"
)

// stamp returns the stamp of a file, or 0 when the file system gives no facts
// for it.
func stamp(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return mix(st.Ctimespec.Nano(), uint64(st.Ino))
	}
	return 0
}
