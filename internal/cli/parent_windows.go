package cli

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// parent is a handle of the parent process, held open from the start so that
// the system gives its number to no other process. It is 0 if the parent is
// already gone or cannot be opened; then only the pipes tell.
var parent = openParent(os.Getppid())

// openParent opens a process if it is older than this one. A younger process
// only has the number of a parent that is gone.
func openParent(pid int) windows.Handle {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	its, failed := began(h)
	own, err := began(windows.CurrentProcess())
	if errors.Join(failed, err) != nil || its.After(own) {
		_ = windows.CloseHandle(h) // it was only looked at
		return 0
	}
	return h
}

// began returns when a process was started.
func began(h windows.Handle) (time.Time, error) {
	var started, ended, system, user windows.Filetime
	err := windows.GetProcessTimes(h, &started, &ended, &system, &user)
	return time.Unix(0, started.Nanoseconds()), err
}

// orphaned reports whether the parent has ended. On Windows a process keeps its
// parent's number.
func orphaned() bool {
	if parent == 0 {
		return false
	}
	event, err := windows.WaitForSingleObject(parent, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}
