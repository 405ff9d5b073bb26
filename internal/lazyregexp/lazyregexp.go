// Package lazyregexp compiles regular expressions when they are first used. All those of
// a program together take milliseconds at its start, and most runs need few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that gives the compiled expression. It panics at its first
// call if the expression is wrong. It may be called by several goroutines.
//
// It is not inlined: each of some two hundred callers would get a copy of its
// functions.
//
//go:noinline
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
