//go:build !windows

package cli

import "os"

// parent is the parent process. It is read at the very start, because a parent
// that is already gone cannot be told from init.
var parent = os.Getppid()

// orphaned reports whether the parent is gone: this process then has another
// one.
func orphaned() bool { return os.Getppid() != parent }
