// Package mapped has a file as memory: nothing is read at first, the system
// brings in the pages that are used, and processes share them.
//
// The file must not be shortened while it is mapped: touching what is gone
// ends the process. Files that are only ever replaced by renaming another one
// over them, as memoir's models are, are safe. Who uses another file looks before and after
// whether it was written to.
package mapped

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"sync"
)

// A File is a file as memory. It is safe for concurrent use.
type File struct {
	data  []byte
	close func() error // once
}

// Of maps an ordinary file that is open for reading. The memory lives on when
// the caller closes the file.
func Of(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "map", Path: f.Name(), Err: errors.New("it is no ordinary file")}
	case size == 0:
		return &File{close: func() error { return nil }}, nil
	case size > math.MaxInt:
		return nil, &fs.PathError{Op: "map", Path: f.Name(), Err: fmt.Errorf("%d bytes do not fit into memory", size)}
	}
	data, unmap, err := mapFile(f, int(size))
	runtime.KeepAlive(f)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return &File{data: data, close: sync.OnceValue(unmap)}, nil
}

// Bytes returns the content. Writing to it, or using it after Close, ends the
// process.
func (f *File) Bytes() []byte { return f.data }

// Close gives the memory back. A second call does nothing.
func (f *File) Close() error { return f.close() }
