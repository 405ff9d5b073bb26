package mounttest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// own is set in the processes that Own starts.
const own = "MEMOIR_TEST_MOUNTS"

// Own runs the test again in a process whose mounts are its own, and reports whether this
// is that process; in the other one nothing is left to do. Where the system allows no such
// process the test is skipped.
func Own(t *testing.T) bool {
	t.Helper()
	if os.Getenv(own) != "" {
		return true
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), own+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		child.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
	}
	out, err := child.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM):
		t.Skipf("no file system of its own for a process: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	default:
		t.Logf("%s", out)
	}
	return false
}

// Disk returns a folder that is a disk of a size, such as 64k or 8m, in a process of
// [Own]. It ends with the test.
func Disk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no disk can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
