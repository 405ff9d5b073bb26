//go:build darwin || freebsd || netbsd

package mdfile

import (
	"io/fs"
	"syscall"
)

// stamp returns the stamp of a file, 0 where the file system says nothing for it.
func stamp(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return mix(st.Ctimespec.Nano(), uint64(st.Ino))
	}
	return 0
}
