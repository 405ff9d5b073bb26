package mdfile

import (
	"io/fs"
	"syscall"
)

// stamp returns the stamp of a file. A listing gives neither the file's number
// nor its time of change, but it gives the time when it was made, which differs
// for another file.
func stamp(info fs.FileInfo) uint64 {
	if d, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return mix(d.CreationTime.Nanoseconds(), 0)
	}
	return 0
}
