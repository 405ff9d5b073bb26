//go:build unix

package cli_test

import (
	"os"
	"syscall"
)

func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

func pause(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
