// Package syserr reads errors of the operating system: what they say without
// the path that a message names already, and whether the process has as many
// files open as it may.
package syserr

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Reason returns the cause in an error of the file system, without the
// operation and the path; another error is returned as it is. It is for
// messages that name the path themselves.
func Reason(err error) error {
	if cause := Cause(err); cause != nil {
		return cause
	}
	return err
}

// Cause returns the cause in an error of the file system, nil for any other error.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return nil
}

// MoreFiles is what a person can do when [TooManyFiles] holds.
const MoreFiles = "ulimit -n 1024, which lets more files be open at once; then run it again"

// TooManyFiles reports whether an error says that the process, or the system,
// has as many files open as it may. It says nothing of the file that was meant.
func TooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// MakeRoom is what a person can do when [DiskFull] holds.
const MakeRoom = "make room on that disk, then run it again"

// windowsFull are the numbers by which Windows says that a disk is full. On another
// system they mean something else.
var windowsFull = [...]syscall.Errno{39, 112}

// DiskFull reports whether an error says that a disk has no more room, or this user no
// more of it.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && (errors.Is(err, windowsFull[0]) || errors.Is(err, windowsFull[1]))
}

// BringBack is what a person can do when a folder of notes is not where it was.
const BringBack = "bring the folder back or mount its disk; if it was moved, name its new place with --workspace"

// LetWrite is what a person can do when [Refused] holds.
const LetWrite = "let this user write there, then run it again; memoir doctor looks where that is not so"

// Refused reports whether an error says that this user may not do that to a file, or
// nobody may, because its file system is read-only.
func Refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// Prepare opens the files by which Go's runtime waits for others, before others take
// their places: the runtime ends a process that has no room for them later.
func Prepare() {
	if f, err := os.Open(os.DevNull); err == nil {
		_ = f.Close()
	}
}

// spare is how many files [ProbeFiles] opens at once: those of one connection
// to a database with its log, and a few.
const spare = 8

// ProbeFiles returns the error for which [TooManyFiles] holds when the process
// cannot open a few more files, else nil. It is for libraries that do not say
// why they could not open one.
func ProbeFiles() error {
	for range spare {
		f, err := os.Open(os.DevNull)
		if TooManyFiles(err) {
			return Reason(err)
		}
		if err == nil {
			defer f.Close()
		}
	}
	return nil
}
