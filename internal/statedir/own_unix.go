//go:build unix

package statedir

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// OwnFile does what [Own] does, for a file or folder that the caller has looked
// at. A group that has the number of the user counts as the user's own.
func OwnFile(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if int(stat.Uid) != os.Geteuid() {
		err := fmt.Errorf("%s belongs to another user (number %d)", path, stat.Uid)
		return memoir.WithHint(sentinel.As(err, memoir.ErrUnavailable), "run memoir as that user, or "+Hint)
	}
	if mode := info.Mode().Perm(); mode&0o002 != 0 || mode&0o020 != 0 && stat.Gid != stat.Uid {
		return memoir.WithHint(sentinel.As(fmt.Errorf("other users can write to %s", path), memoir.ErrUnavailable),
			"see that all of it is yours, then chmod go-w "+path+"; or "+Hint)
	}
	return nil
}
