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
	shared  bool   // it has another name, under which it may be changed unseen
}

func factsOf(info fs.FileInfo) facts {
	return facts{
		regular: info.Mode().IsRegular(), link: info.Mode()&fs.ModeSymlink != 0,
		size: info.Size(), modTime: info.ModTime(), stamp: stamp(info),
	}
}

// mix combines two numbers into one: when the file system last noted any change
// of a file, and the file's own number. Someone may give an edited file its old
// size and time, but then the time of change differs. A file that replaces
// another has a number of its own. The result is never 0.
func mix(changed int64, number uint64) uint64 {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	x := uint64(changed)*spread ^ number
	x ^= x >> 29
	return max(x*spread, 1)
}
