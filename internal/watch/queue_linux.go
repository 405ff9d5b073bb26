package watch

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// queue is an inotify instance (inotify(7)). An event is in it when the system
// call that caused it returns.
type queue struct {
	fd     int
	buffer []byte
}

// events are those that a folder is watched for. What is written to a file that is
// mapped makes none until the file is closed.
const events = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK

// kinds are the file systems on which nobody but this machine writes, and whose
// changes inotify sees.
var kinds = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, // ext2 and ext3, too
	unix.XFS_SUPER_MAGIC:  true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
	unix.TMPFS_MAGIC: true, unix.RAMFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true,
	0x2fc12fc1: true, // ZFS, which the kernel's headers do not have
}

func open() *queue {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil // there are too many, or none are allowed
	}
	return &queue{fd: fd, buffer: make([]byte, 64<<10)}
}

// add watches the folder itself, whatever its path leads to by now.
func (q *queue) add(folder *os.File) bool {
	var st unix.Statfs_t
	fd := int(folder.Fd())
	if err := unix.Fstatfs(fd, &st); err != nil || !kinds[int64(st.Type)] {
		return false
	}
	_, err := unix.InotifyAddWatch(q.fd, "/proc/self/fd/"+strconv.Itoa(fd), events)
	return err == nil
}

// drain takes what is in the queue and returns how much that is, 0 for nothing.
// It is not ok when it cannot be read.
func (q *queue) drain() (n int, ok bool) {
	for {
		read, err := unix.Read(q.fd, q.buffer)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return n, true
		case err != nil || read == 0:
			return n, false
		default:
			n += read // of bytes; a lost event is one, too
		}
	}
}

func (q *queue) close() { _ = unix.Close(q.fd) }
