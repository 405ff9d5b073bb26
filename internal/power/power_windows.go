package power

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// status is SYSTEM_POWER_STATUS.
type status struct {
	line, flag, percent, saver byte
	left, full                 uint32 // seconds
}

func onBattery() bool {
	var s status
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus")
	ok, _, _ := ask.Call(uintptr(unsafe.Pointer(&s)))
	return ok != 0 && s.line == 0 // 1 is plugged in, 255 is unknown
}
