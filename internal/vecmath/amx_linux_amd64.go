package vecmath

import (
	"syscall"

	"golang.org/x/sys/cpu"
)

// amxGranted asks the kernel for the tile registers of AMX, which a process
// gets only on request (Linux 5.16 and newer,
// https://docs.kernel.org/arch/x86/xstate.html).
func amxGranted() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18     // XFEATURE_XTILEDATA
	)
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXInt8 {
		return false
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
