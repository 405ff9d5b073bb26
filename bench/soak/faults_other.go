//go:build !linux

package main

import (
	"context"
	"errors"
)

// tracer is the program that makes faults; there is none here.
func tracer() string { return "" }

func (l *life) runFaulty(context.Context, ...string) ([]byte, string, bool, error) {
	return nil, "", false, errors.ErrUnsupported
}
