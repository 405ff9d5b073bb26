package statedir

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/memoir-ai/memoir/internal/regular"
)

// A Holder is the process that holds a lock, as it says itself. That is for people: a
// lock is free when its holder is gone, whatever stands in its file.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"` // on which that is its number
	Since time.Time `json:"since"`
	// About says more of why it holds the lock; "": nothing.
	About string `json:"about,omitempty"`
}

// Self returns this process as a holder, from now on.
func Self() Holder {
	host, _ := os.Hostname() // "" says that it is not known
	return Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)}
}

// Where the holder stands in the file of a lock, and in how many bytes. Windows locks the
// first byte.
const (
	holderAt    = 1
	holderBytes = 512
)

// Sign says in the file of a lock that this process holds it. It is no harm when that
// cannot be written.
func (l *Lock) Sign() { l.SignAbout("") }

// SignAbout does what Sign does, and says more; what is too long is left out.
func (l *Lock) SignAbout(about string) {
	h := Self()
	if h.About = about; len(about) > holderBytes/2 {
		h.About = ""
	}
	_ = l.Write(h, holderBytes)
}

// Write writes a value as JSON to the file of a lock, for [Read]. It takes up to so many
// bytes, of which what is not needed is filled.
func (l *Lock) Write(value any, most int) error {
	text, err := json.Marshal(value)
	if err == nil && len(text) > most {
		err = io.ErrShortBuffer
	}
	if err != nil {
		return err
	}
	f, err := regular.OpenFile(l.file.Path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, bytes.Repeat([]byte(" "), most-len(text))...), holderAt)
	return errors.Join(err, f.Close())
}

// Read reads what was written to the file of a lock. It is not ok when there is nothing
// that can be read.
func Read(path string, value any, most int) (ok bool) {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // of a file that was only read
	text := make([]byte, most)
	n, _ := f.ReadAt(text, holderAt)
	return json.Unmarshal(bytes.TrimSpace(text[:n]), value) == nil
}

// HeldBy returns who holds a lock, and whether somebody does. A holder without a number
// has not said who it is.
func HeldBy(path string) (Holder, bool) {
	if !Held(path) {
		return Holder{}, false
	}
	var h Holder
	if !Read(path, &h, holderBytes) {
		return Holder{}, true
	}
	return h, true
}

// A SyncNote is what is known of the last sync of an index.
type SyncNote struct {
	At      time.Time `json:"at"`     // when it ended
	TookMs  int64     `json:"tookMs"` // by the clock
	Files   int       `json:"files"`  // that were compared
	Added   int       `json:"added"`
	Changed int       `json:"changed"`
	Removed int       `json:"removed"`
	Skipped int       `json:"skipped"`
	PID     int       `json:"pid"` // of the process that did it
	Error   string    `json:"error,omitempty"`
	Action  string    `json:"action,omitempty"` // what a person can do about the error; "" is a further sync
}

// maxNote bounds a note of a sync, in bytes.
const maxNote = 4 << 10

// WriteSync notes a sync beside the index. It is told to people, and may be lost.
func WriteSync(index string, n SyncNote) error {
	for _, text := range []*string{&n.Error, &n.Action} {
		*text = string(bytes.ToValidUTF8([]byte((*text)[:min(len(*text), maxNote/8)]), nil))
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := Check(index); err != nil {
		return err
	}
	f, err := regular.OpenFile(index+SyncSuffix, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err = f.Truncate(0); err == nil { // now that it is known to be memoir's
		_, err = f.Write(text)
	}
	return errors.Join(err, f.Close())
}

// SyncSuffix is how the name of the file ends in which a sync is noted.
const SyncSuffix = ".synced"

// ReadSync returns what was noted of the last sync; false: nothing that can be read.
func ReadSync(index string) (SyncNote, bool) {
	f, err := regular.Open(index + SyncSuffix)
	if err != nil {
		return SyncNote{}, false
	}
	defer f.Close() // of a file that was only read
	text := make([]byte, maxNote)
	n, _ := f.Read(text)
	var note SyncNote
	err = json.Unmarshal(text[:n], &note)
	return note, err == nil
}
