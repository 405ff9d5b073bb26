package mdfile

import (
	"io/fs"
	"syscall"
)

// stamp returns the stamp of a file. A listing tells neither the file's number
// nor when it was changed, but when it was made: that of another file differs.
func stamp(info fs.FileInfo) uint64 {
	if d, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return mix(d.CreationTime.Nanoseconds(), 0)
	}
	return 0
}
