package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A record is what is known of an agent's original files. Without it memoir's
// part can still be removed, but the original bytes cannot be restored.
type record struct {
	Program string             `json:"program"` // that the agent starts
	Files   map[string]*before `json:"files"`   // by path

	path string
}

// before is a file as it was before memoir's part was added.
type before struct {
	Existed bool   `json:"existed"`          // there was a file
	Backup  string `json:"backup,omitempty"` // its bytes, in the folder of the record
	Written string `json:"written"`          // the digest of the file with memoir's part
	Folder  bool   `json:"folder,omitempty"` // its folder was made for it
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// openRecord reads the record of an agent. It is empty if there is none, or it
// cannot be read.
func openRecord(dir, agent string) *record {
	r := &record{path: filepath.Join(dir, agent+".json")}
	if data, err := regular.ReadFile(r.path); err == nil {
		_ = json.Unmarshal(data, r) // what is not of its form is none
	}
	if r.Files == nil {
		r.Files = map[string]*before{}
	}
	for path, b := range r.Files {
		if b == nil || b.Backup != "" && !filepath.IsLocal(b.Backup) {
			delete(r.Files, path)
		}
	}
	return r
}

// original returns the original bytes of a file, if they are known and the file
// is still as memoir wrote it.
func (r *record) original(path string, now state) (data []byte, existed, ok bool) {
	b := r.Files[path]
	if b == nil || !now.there || digest(now.data) != b.Written {
		return nil, false, false
	}
	if !b.Existed {
		return nil, false, true
	}
	data = r.before(path)
	return data, true, data != nil
}

// before returns the bytes of a file before memoir's part was added, or nil if
// there were none or they are not known.
func (r *record) before(path string) []byte {
	b := r.Files[path]
	if b == nil || b.Backup == "" {
		return nil
	}
	data, err := regular.ReadFile(r.backup(b))
	if err != nil || !strings.HasSuffix(b.Backup, backupEnd(path, data)) {
		return nil // bytes that differ from those that were kept count for nothing
	}
	return append([]byte{}, data...) // an empty file is not nil
}

// isBefore reports whether a file is as it was before memoir's part was added.
func (r *record) isBefore(path string, now state) bool {
	before := r.before(path)
	return before != nil && bytes.Equal(before, now.data)
}

// made reports whether memoir made a file. Without a record it did if the file is for the user
// alone, as it makes them.
func (r *record) made(path string, now state) bool {
	b := r.Files[path]
	return b != nil && !b.Existed || b == nil && now.mode == newMode
}

// backupEnd is the end of the name of the file that keeps another file's bytes.
func backupEnd(path string, data []byte) string {
	return fmt.Sprintf("-%.12s.bak", digest(append([]byte(path+"\x00"), data...)))
}

// backup returns the path of the original bytes, or "" if there are none.
func (r *record) backup(b *before) string {
	if b == nil || b.Backup == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(r.path), b.Backup)
}

// keep records the state of a file before it is written. nil says that there
// was no file.
func (r *record) keep(agent, path string, data, written []byte) error {
	b := &before{Existed: data != nil, Written: digest(written), Folder: !exists(filepath.Dir(path))}
	if old := r.Files[path]; old != nil {
		b.Folder = old.Folder
	}
	if data != nil {
		backup, err := r.aside(agent, path, data)
		if err != nil {
			return err
		}
		b.Backup = filepath.Base(backup)
	}
	r.Files[path] = b
	return r.save()
}

// goBack restores the record of a file that could not be written.
func (r *record) goBack(path string, known *before) error {
	b := r.Files[path]
	if known == nil {
		return r.forget(path, true)
	}
	r.Files[path] = known
	if b.Backup != "" && b.Backup != known.Backup {
		_ = os.Remove(r.backup(b)) // it is in nobody's way
	}
	return r.save()
}

// aside keeps the bytes of a file and returns the path of the copy.
func (r *record) aside(agent, path string, data []byte) (string, error) {
	name := agent + "-" + filepath.Base(path) + backupEnd(path, data)
	backup := filepath.Join(filepath.Dir(r.path), name)
	return backup, put(backup, data)
}

// forget drops the record of a file. With bytesToo it also drops the kept
// bytes, unless they are needed.
func (r *record) forget(path string, bytesToo bool) error {
	b := r.Files[path]
	if b == nil {
		return nil
	}
	delete(r.Files, path)
	if backup := r.backup(b); backup != "" && bytesToo {
		if err := os.Remove(backup); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return syserr.Reason(err)
		}
	}
	return r.save()
}

func (r *record) save() error {
	if len(r.Files) == 0 {
		if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return syserr.Reason(err)
		}
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return put(r.path, append(data, '\n'))
}

func put(path string, data []byte) error {
	if err := statedir.Make(path); err != nil {
		return err
	}
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		err = statedir.WithHint(path, fmt.Errorf("keep the bytes as they were: %w", syserr.Reason(err)))
		if memoir.Hint(err) == "" {
			err = memoir.WithHint(err, room)
		}
		return err
	}
	return nil
}
