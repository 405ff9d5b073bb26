//go:build !unix && !windows

package mapped

import (
	"io"
	"os"
)

// mapFile reads the file where nothing can be mapped.
func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
