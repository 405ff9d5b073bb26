package syserr_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir/internal/syserr"
)

func TestReason(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, open := os.Open(missing)
	rename := os.Rename(missing, missing+"2")
	for name, err := range map[string]error{
		"open": open, "wrapped": fmt.Errorf("read the questions: %w", open), "rename": rename,
	} {
		got := syserr.Reason(err)
		if !errors.Is(got, fs.ErrNotExist) {
			t.Errorf("%s: %q is no longer fs.ErrNotExist", name, got)
		}
		var path *fs.PathError
		if errors.As(got, &path) {
			t.Errorf("%s: %q still names a path", name, got)
		}
	}
	if other := errors.New("other"); syserr.Reason(other) != other {
		t.Error("another error changed")
	}
}

func TestTooManyFiles(t *testing.T) {
	for _, errno := range []error{syscall.EMFILE, syscall.ENFILE} {
		if err := fmt.Errorf("read: %w", &fs.PathError{Op: "open", Path: "a", Err: errno}); !syserr.TooManyFiles(err) {
			t.Errorf("%v: got false, want true", err)
		}
	}
	for _, err := range []error{nil, syscall.EACCES, fs.ErrNotExist} {
		if syserr.TooManyFiles(err) {
			t.Errorf("%v: got true, want false", err)
		}
	}
	if err := syserr.ProbeFiles(); err != nil {
		t.Errorf("with files to spare: got %v, want nil", err)
	}
}

func TestDiskFull(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if err := fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "a", Err: errno}); !syserr.DiskFull(err) {
			t.Errorf("%v: got false, want true", err)
		}
	}
	for _, err := range []error{nil, syscall.EACCES, fs.ErrNotExist} {
		if syserr.DiskFull(err) {
			t.Errorf("%v: got true, want false", err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, errno := range []error{syscall.EACCES, syscall.EPERM, syscall.EROFS} {
		if err := fmt.Errorf("write: %w", &fs.PathError{Op: "open", Path: "a", Err: errno}); !syserr.Refused(err) {
			t.Errorf("%v: got false, want true", err)
		}
	}
	for _, err := range []error{nil, syscall.ENOSPC, fs.ErrNotExist} {
		if syserr.Refused(err) {
			t.Errorf("%v: got true, want false", err)
		}
	}
}
