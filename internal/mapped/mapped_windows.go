package mapped

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	// The view keeps the mapping alive.
	defer windows.CloseHandle(mapping)
	at, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, err
	}
	// The address is that of memory outside of Go's, which vet cannot know of
	// a plain conversion.
	data := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size)
	return data, func() error { return windows.UnmapViewOfFile(at) }, nil
}
