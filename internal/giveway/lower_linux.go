package giveway

import "golang.org/x/sys/unix"

// niceness is how much the thread stands back behind others of this machine.
const niceness = 10

// lower gives the calling thread a lower priority. On Linux the number 0 means the thread
// and not the process, whatever setpriority(2) says of POSIX. Where it is not allowed the
// thread is like any other.
func lower() {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 less the nice value
	if err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-raw+niceness, 19))
	}
}
