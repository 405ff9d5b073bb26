package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// queue is an inotify instance (inotify(7)). An event is in it by the time the
// system call that caused it returns.
type queue struct {
	fd     int
	file   *os.File // fd as a file, so that the runtime can wait for it
	buffer []byte
	turn   chan struct{} // holds one token while somebody waits
	mounts int           // the list of mounts; watching a folder does not report changes of it
}

// events are what folders are watched for. Writing to a mapped file causes none
// until the file is closed.
const events = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK

// kinds are the file systems on which nobody but this machine writes, and whose
// changes inotify sees, with their names.
var kinds = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", // ext2 and ext3, too
	unix.XFS_SUPER_MAGIC:  "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.F2FS_SUPER_MAGIC: "f2fs",
	unix.TMPFS_MAGIC: "tmpfs", unix.RAMFS_MAGIC: "ramfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
	0x2fc12fc1: "zfs", // which the kernel's headers do not have
}

// others are file systems that are not told of, with their names.
var others = map[int64]string{
	unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smb", unix.CIFS_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "smb", unix.FUSE_SUPER_MAGIC: "fuse",
	unix.V9FS_MAGIC: "9p", unix.MSDOS_SUPER_MAGIC: "vfat", unix.EXFAT_SUPER_MAGIC: "exfat", unix.CEPH_SUPER_MAGIC: "ceph", unix.AFS_SUPER_MAGIC: "afs",
}

// system asks the system about the file system of a folder, and how many folders one user
// may watch.
func system(dir string) (name string, limit int) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) == nil {
		kind := int64(st.Type)
		name = cmp.Or(kinds[kind], others[kind], fmt.Sprintf("type %#x", kind))
	}
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err == nil {
		limit, _ = strconv.Atoi(strings.TrimSpace(string(text))) // 0 says that it is not known
	}
	return name, limit
}

func open() (*queue, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if errors.Is(err, unix.EMFILE) {
		return nil, errors.New("too many programs watch folders (fs.inotify.max_user_instances)")
	}
	if err != nil {
		return nil, fmt.Errorf("the system does not let folders be watched: %w", err)
	}
	// Not opened by package os, because the runtime would poll it too, and each
	// change is reported only once (proc_pid_mountinfo(5)).
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("the system does not tell what is mounted: %w", err)
	}
	return &queue{fd: fd, file: os.NewFile(uintptr(fd), "inotify"), buffer: make([]byte, 64<<10), turn: make(chan struct{}, 1), mounts: mounts}, nil
}

// add watches the folder itself, whatever its path leads to by now, and returns the
// number of the watch, which count from 1.
func (q *queue) add(folder *os.File) (int, error) {
	var st unix.Statfs_t
	fd := int(folder.Fd())
	if err := unix.Fstatfs(fd, &st); err != nil {
		return 0, fmt.Errorf("the file system does not say what it is: %w", err)
	}
	if kinds[int64(st.Type)] == "" {
		return 0, fmt.Errorf("the file system (%s) does not tell of all changes", cmp.Or(others[int64(st.Type)], fmt.Sprintf("type %#x", st.Type)))
	}
	number, err := unix.InotifyAddWatch(q.fd, "/proc/self/fd/"+strconv.Itoa(fd), events)
	if errors.Is(err, unix.ENOSPC) {
		return 0, errors.New("more folders than may be watched (fs.inotify.max_user_watches)")
	}
	return number, err
}

// drain empties the queue and returns the amount of events, 0 for none. A
// change of mounts counts too, because another folder may have taken the place
// of a watched one.
func (q *queue) drain() (n int, err error) {
	mounts := []unix.PollFd{{Fd: int32(q.mounts), Events: unix.POLLPRI}}
	if ready, err := unix.Poll(mounts, 0); err == nil && ready > 0 && mounts[0].Revents&unix.POLLPRI != 0 {
		n++
	}
	for {
		read, err := unix.Read(q.fd, q.buffer)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return n, nil
		case err != nil:
			return n, err
		case read == 0:
			return n, errors.New("the queue of changes has ended")
		default:
			n += read // in bytes; a lost event counts as one
		}
	}
}

// wait returns when there is something in the queue, come returns true, ctx is
// done, or the queue is closed.
func (q *queue) wait(ctx context.Context, come func() bool) {
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		return
	}
	conn, err := q.file.SyscallConn()
	if err != nil {
		return
	}
	for ctx.Err() == nil {
		if q.file.SetReadDeadline(time.Time{}) != nil {
			return
		}
		stop := context.AfterFunc(ctx, func() { _ = q.file.SetReadDeadline(time.Unix(1, 0)) })
		err := conn.Read(func(fd uintptr) bool { return come() || readable(int(fd)) })
		stop()
		// The deadline may come from an earlier wait or from wake.
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// wake makes a wait check again. The system wakes it only for what is still in
// the queue, not for what was taken out meanwhile.
func (q *queue) wake() { _ = q.file.SetReadDeadline(time.Unix(1, 0)) }

// readable reports whether there is something in the queue.
func readable(fd int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err != nil || n > 0
}

func (q *queue) close() {
	_ = q.file.Close()
	_ = unix.Close(q.mounts)
}
