// Package lazyregexp compiles regular expressions when they are first used. All those of
// a program together take milliseconds at its start, and most runs need few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that gives the compiled expression. It panics if the
// expression is wrong. It may be called by several goroutines.
func New(expr string) func() *regexp.Regexp {
	return (&lazy{expr: expr}).get
}

// lazy is an expression that may not be compiled yet. Some two hundred stand in the
// program from its start, which is why it is smaller than sync.OnceValue makes it.
type lazy struct {
	expr     string
	once     sync.Once
	compiled *regexp.Regexp
}

func (l *lazy) get() *regexp.Regexp {
	l.once.Do(l.compile)
	return l.compiled
}

func (l *lazy) compile() { l.compiled = regexp.MustCompile(l.expr) }
