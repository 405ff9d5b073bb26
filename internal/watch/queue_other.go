//go:build !linux

package watch

import "os"

// queue is none: this system is not asked.
type queue struct{}

func open() *queue { return nil }

func (*queue) add(*os.File) bool       { return false }
func (*queue) drain() (n int, ok bool) { return 0, false }
func (*queue) close()                  {}
