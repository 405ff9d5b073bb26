//go:build !linux

package watch

import (
	"context"
	"errors"
	"os"
)

// queue is empty: on this system changes are not watched.
type queue struct{}

func open() (*queue, error) { return nil, errNotAsked }

// system knows nothing: this system is not asked.
func system(string) (name string, limit int) { return "", 0 }

var errNotAsked = errors.New("on this system memoir is not told of changes")

func (*queue) add(*os.File) (int, error)         { return 0, errNotAsked }
func (*queue) drain() (n int, err error)         { return 0, errNotAsked }
func (*queue) wait(context.Context, func() bool) {}
func (*queue) wake()                             {}
func (*queue) close()                            {}
