//go:build !windows

package cli

import "os"

// parent is the process that started this one. It is asked for first thing, for one
// that is gone by then cannot be told from init.
var parent = os.Getppid()

// orphaned reports whether that process is gone: then this one has got another parent.
func orphaned() bool { return os.Getppid() != parent }
