package mdfile

import (
	"io/fs"
	"time"
)

// facts are what a file system says of a file.
type facts struct {
	regular bool
	link    bool
	size    int64
	modTime time.Time
	stamp   uint64 // as [memoir.DocumentMeta] has it
	shared  bool   // it has another name, too, under which it may be written to
}

func factsOf(info fs.FileInfo) facts {
	return facts{
		regular: info.Mode().IsRegular(), link: info.Mode()&fs.ModeSymlink != 0,
		size: info.Size(), modTime: info.ModTime(), stamp: stamp(info),
	}
}

// mix makes one number of the time at which the file system last noted a change
// of a file, whatever it was, and of the file's own number. An edit that is
// given the size and time of before has a new time of change; a file that took
// the place of another has its own number. It is never 0.
func mix(changed int64, number uint64) uint64 {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	x := uint64(changed)*spread ^ number
	x ^= x >> 29
	return max(x*spread, 1)
}
