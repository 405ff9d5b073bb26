package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// A fault is something that goes wrong below memoir. A call of the operating
// system fails, or it is left out although it reports success, or the machine
// stops at it. The program is the real one, and strace stands between it and
// the kernel.
type fault struct {
	calls, does string
	lasts       bool // from then on; else once
	most        int  // it begins with one of so many calls
}

// faults are the faults that can happen. Those of pwrite64 hit SQLite alone,
// because nothing else calls it. The others hit SQLite, notes and history.
var faults = []fault{
	{calls: "fsync,fdatasync", does: "error=EIO", most: 6},
	{calls: "fsync,fdatasync", does: "error=EIO", most: 6, lasts: true},
	{calls: "pwrite64", does: "error=EIO", most: 60},
	{calls: "pwrite64", does: "error=ENOSPC", most: 60, lasts: true},
	{calls: "pwrite64", does: "retval=512", most: 60},  // a page is cut short
	{calls: "pwrite64", does: "retval=8192", most: 60}, // a page is lost, and nobody says so
	{calls: "write", does: "error=ENOSPC", most: 10},
	{calls: "write", does: "error=EIO", most: 10, lasts: true},
	{calls: "ftruncate", does: "error=EIO", most: 3},
	{calls: "renameat,renameat2", does: "error=EIO", most: 3}, // without unlinkat: what cannot be removed would stay
	{calls: "pwrite64", does: "signal=KILL", most: 60},
	{calls: "write", does: "signal=KILL", most: 10},
	{calls: "fsync,fdatasync", does: "signal=KILL", most: 6},
	{calls: "ftruncate", does: "signal=KILL", most: 3},
	{calls: "renameat,renameat2", does: "signal=KILL", most: 3},
	{calls: "pread64", does: "error=EIO", most: 40},
	{calls: "pread64", does: "error=EIO", most: 40, lasts: true},
}

// tracer is the program that makes faults, "" where there is none.
func tracer() string {
	path, err := exec.LookPath("strace")
	if err != nil {
		return ""
	}
	// It may be there, but not be allowed to trace.
	if exec.Command(path, "-qq", "-o", "/dev/null", "-e", "trace=none", "true").Run() != nil {
		return ""
	}
	return path
}

// runFaulty runs memoir with a fault below it. killed says that the machine stopped.
func (l *life) runFaulty(ctx context.Context, args ...string) (out []byte, errs string, killed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f := faults[l.rng.IntN(len(faults))]
	when := fmt.Sprint(1 + l.rng.IntN(f.most))
	if f.lasts {
		when += "+"
	}
	cmd := l.command(ctx, args...)
	inject := fmt.Sprintf("inject=%s:%s:when=%s", f.calls, f.does, when)
	cmd.Args = append([]string{l.strace, "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=" + f.calls, "-e", inject, "--", l.program}, cmd.Args[1:]...)
	cmd.Path = l.strace
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	first, _, _ := strings.Cut(f.calls, ",")
	l.faults[first+" "+f.does]++
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && (ws.Signaled() || ws.ExitStatus() == 128+int(syscall.SIGKILL)) {
			killed = true
		}
	}
	if err != nil {
		err = fmt.Errorf("with %s: memoir %s: %w\n%s%s", inject, strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes(), stderr.String(), killed, err
}
