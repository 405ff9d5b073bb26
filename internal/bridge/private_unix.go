//go:build unix

package bridge

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a file belongs to this user and nobody else may write
// to it.
func private(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
