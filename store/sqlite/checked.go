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
	// checkedSuffix names a file that says when the index was last checked, and
	// how large it was then.
	checkedSuffix = ".checked"
	// checkAge is how long an index that has not changed need not be checked
	// again. It is limited because a disk can lose bits without telling anybody.
	checkAge = 24 * time.Hour
	// maxChecked is how many bytes of that file are read at most.
	maxChecked = 1 << 10
)

// checked is what the file says, as JSON.
type checked struct {
	At       time.Time `json:"at"`       // when the index was checked and found sound
	Size     int64     `json:"size"`     // of the index, as memoir has left it since
	Modified time.Time `json:"modified"` // of the index, as memoir has left it since
}

// lately returns when the index was checked. It returns nil when that is long
// ago, or when somebody other than memoir has changed the index since.
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

// verify notes when the index was checked, and its size and time then. If the
// note cannot be written, the index is simply checked once more.
func (s *Store) verify(at time.Time, index fs.FileInfo) {
	s.verified.Store(&at)
	s.remember(at, index)
}

// vouch notes the state in which memoir leaves an index that was sound when
// memoir opened it and that memoir has written to since. The caller holds the
// mutex.
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
