package regular

import (
	"errors"
	"io"
	"math"
	"strings"
	"sync"
)

// A Text is what a file holds that is read again and again. Each time the file is read
// whole and compared with what it held before. Where something was only added, the text
// takes memory for that alone. The zero value has read nothing. It is for one goroutine
// at a time; the texts that it has returned stay as they are.
type Text struct{ all *strings.Builder }

// Read returns the content of a file. With an error the next reading is as good as before.
func (t *Text) Read(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // of a file that was only read
	if t.all == nil {
		t.all = new(strings.Builder)
	}
	was, same := t.all.String(), 0 // so many bytes are as before
	all := t.all
	anew := func() {
		all = new(strings.Builder)
		if info, err := f.Stat(); err == nil && info.Size() < math.MaxInt32 {
			all.Grow(int(info.Size())) // at one go
		}
		all.WriteString(was[:same])
	}
	if was == "" {
		anew()
	}
	part := parts.Get().(*[32 << 10]byte)
	defer parts.Put(part)
	for {
		n, err := f.Read(part[:])
		piece := part[:n]
		if all == t.all && same < len(was) {
			if m := min(n, len(was)-same); string(piece[:m]) == was[same:same+m] {
				same, piece = same+m, piece[m:]
			} else {
				anew()
			}
		}
		all.Write(piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if all == t.all && same < len(was) {
		anew() // it has become shorter
	}
	t.all = all
	return all.String(), nil
}

var parts = sync.Pool{New: func() any { return new([32 << 10]byte) }}
