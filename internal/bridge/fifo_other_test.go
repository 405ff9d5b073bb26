//go:build !unix

package bridge_test

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
