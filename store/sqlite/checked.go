package sqlite

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/memoir-ai/memoir/internal/regular"
)

const (
	// checkedSuffix names a file that says when the index was looked through, and
	// how it was then.
	checkedSuffix = ".checked"
	// checkAge is how long an index that is as it was then is not looked through
	// again: a disk can lose bits and tell nobody.
	checkAge = 24 * time.Hour
	// maxChecked is how much of the file is read.
	maxChecked = 1 << 10
)

// checked is what the file says, as JSON.
type checked struct {
	At       time.Time `json:"at"`       // when it was looked through and found sound
	Size     int64     `json:"size"`     // of the index, as memoir left it since
	Modified time.Time `json:"modified"` // of the index
}

// lately returns when the index was looked through, if it is as memoir left it
// since and that is not long ago, and nil otherwise.
func (s *Store) lately(index fs.FileInfo) *time.Time {
	f, err := regular.Open(s.path + checkedSuffix)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxChecked))
	if err != nil {
		return nil
	}
	var c checked
	if json.Unmarshal(data, &c) != nil || c.Size != index.Size() || !c.Modified.Equal(index.ModTime()) {
		return nil
	}
	if age := time.Since(c.At); age < 0 || age > checkAge {
		return nil
	}
	return &c.At
}

// verify notes that the index was looked through at a time, and how it was. Where
// the note cannot be written the index is looked through once more.
func (s *Store) verify(at time.Time, index fs.FileInfo) {
	s.verified.Store(&at)
	s.remember(at, index)
}

// vouch notes how memoir leaves an index that was sound when it was opened and
// that it has written to since. The caller holds the mutex.
func (s *Store) vouch(opened fs.FileInfo) {
	at := s.verified.Load()
	if at == nil || !s.wrote.Load() {
		return
	}
	if _, met := s.damaged(); met {
		return
	}
	if index, err := stat(s.path); err == nil && os.SameFile(opened, index) {
		s.remember(*at, index)
	}
}

func (s *Store) remember(at time.Time, index fs.FileInfo) {
	data, err := json.Marshal(checked{at, index.Size(), index.ModTime()})
	if err != nil {
		return
	}
	f, err := regular.OpenFile(s.path+checkedSuffix, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_ = f.Truncate(0)
	_, _ = f.Write(data)
	_ = f.Close()
}
