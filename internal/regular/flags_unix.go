//go:build unix

package regular

import "golang.org/x/sys/unix"

// NonBlock is a flag for opening without waiting for the other end of a pipe.
// It changes nothing for ordinary files.
const NonBlock = unix.O_NONBLOCK

// NoFollow is a flag for opening no link in the place of the file; 0 where that
// cannot be said.
const NoFollow = unix.O_NOFOLLOW

// Writable returns why this user may not write to a file or make one in a folder, nil where
// nothing is known against it. Nothing is changed to find out.
func Writable(path string) error { return unix.Access(path, unix.W_OK) }
