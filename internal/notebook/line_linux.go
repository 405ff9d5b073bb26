package notebook

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/regular"
)

// A place is one in the line before the lock of the notes, in which nobody overtakes:
// whoever comes between the release of a lock and the moment in which the first one that
// waits runs would get it. The file of the line holds the next number (8 bytes, little
// endian). Who takes number n locks the byte n+1 behind it until it leaves, and waits for
// the byte n. A process that ends gives its bytes back, however it ends. These are locks of
// an open file (F_OFD_SETLK in fcntl(2)).
//
// The line only keeps order: the lock keeps apart. So whatever fails here, the lock is
// asked for out of turn.
type place struct {
	file   *os.File
	number int64
}

const (
	lineNumber = 8         // bytes of the number
	lineMost   = 1<<40 - 1 // numbers are taken modulo this
)

// takePlace takes the last place in the line of a file. It is nil where there is none to
// be had, and when another one keeps the number for longer than patience lasts, such as a
// process that was stopped just then.
func takePlace(ctx context.Context, path string, patience time.Duration) (p *place, err error) {
	f, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		if errors.Is(err, regular.ErrKind) {
			return nil, err
		}
		return nil, nil // such as a disk on which nothing can be made
	}
	p = &place{file: f}
	const pause = time.Millisecond // a number is kept for some microseconds
	for until := time.Now().Add(patience); ; {
		switch taken, err := p.take(); {
		case taken:
			return p, nil
		case err != nil || time.Now().After(until):
			return nil, f.Close()
		}
		select {
		case <-ctx.Done():
			return nil, f.Close()
		case <-time.After(pause):
		}
	}
}

// take takes the next number, or reports false while another one does.
func (p *place) take() (taken bool, err error) {
	switch err := p.lock(unix.F_OFD_SETLK, unix.F_WRLCK, 0, lineNumber); {
	case errors.Is(err, unix.EAGAIN):
		return false, nil
	case err != nil:
		return false, err
	}
	var next [lineNumber]byte
	if _, err := io.ReadFull(p.file, next[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	p.number = int64(binary.LittleEndian.Uint64(next[:]) % lineMost)
	binary.LittleEndian.PutUint64(next[:], uint64(p.number)+1)
	if err := p.lock(unix.F_OFD_SETLK, unix.F_WRLCK, lineNumber+p.number+1, 1); err != nil {
		return false, err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	if _, err := p.file.Write(next[:]); err != nil {
		return false, err
	}
	err = p.lock(unix.F_OFD_SETLK, unix.F_UNLCK, 0, lineNumber)
	return err == nil, err
}

// first reports whether the one before has left.
func (p *place) first() bool {
	return p == nil || !errors.Is(p.lock(unix.F_OFD_SETLK, unix.F_RDLCK, lineNumber+p.number, 1), unix.EAGAIN)
}

// wait waits until the one before has left.
func (p *place) wait() {
	_ = p.lock(unix.F_OFD_SETLKW, unix.F_RDLCK, lineNumber+p.number, 1) // out of turn, then
}

// leave lets the next one go on, also while this one still waits.
func (p *place) leave() error {
	if p == nil {
		return nil
	}
	_ = p.lock(unix.F_OFD_SETLK, unix.F_UNLCK, lineNumber+p.number+1, 1) // the end of the process does it
	return p.file.Close()
}

// lock locks bytes of the file, or unlocks them.
func (p *place) lock(how int, kind int16, start, bytes int64) error {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return err
	}
	what := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: start, Len: bytes}
	controlErr := conn.Control(func(fd uintptr) {
		for {
			if err = unix.FcntlFlock(fd, how, &what); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	return errors.Join(controlErr, err)
}
