package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/regular"
)

// How many notes a notebook holds at most as it read them last, and how large they may be
// in bytes.
const (
	maxHeld     = 16
	maxHeldSize = 2 << 20
)

// heldNotes are notes as they were read last. They are safe for concurrent use. The zero
// value holds none.
type heldNotes struct {
	mu  sync.Mutex  // guards all
	all []*heldNote // the one that was asked for last at the end
}

// of returns what is held of the note at a path of the file system.
func (h *heldNotes) of(full string) *heldNote {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.all, func(n *heldNote) bool { return n.full == full })
	note := &heldNote{full: full}
	switch {
	case at >= 0:
		note = h.all[at]
		h.all = slices.Delete(h.all, at, at+1)
	case len(h.all) >= maxHeld:
		h.all = slices.Delete(h.all, 0, 1)
	}
	h.all = append(h.all, note)
	return note
}

// heldNote is a note as it was read last, so that of one that was added to, only what was
// added is looked at. Nothing is held of a large one. It is safe for concurrent use.
type heldNote struct {
	full   string
	whole  bool       // it is held however large it is
	mu     sync.Mutex // guards the rest
	text   *regular.Text
	proper string // a text of which it is known that it is valid UTF-8
	summed string // a text of which sum is the digest
	sum    hash.Cloner
}

// read reads the note.
func (h *heldNote) read() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.text == nil {
		h.text = new(regular.Text)
	}
	text, err := h.text.Read(h.full)
	if err != nil || h.large(text) {
		h.text = nil
	}
	return text, err
}

// large reports whether a text is too large to be held.
func (h *heldNote) large(text string) bool { return len(text) > maxHeldSize && !h.whole }

// valid reports whether a text of the note is valid UTF-8.
func (h *heldNote) valid(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	added, ok := strings.CutPrefix(text, h.proper)
	if !ok {
		added = text
	}
	if !utf8.ValidString(added) {
		return false
	}
	if h.proper = text; h.large(text) {
		h.proper = ""
	}
	return true
}

// digest returns the digest of a text of the note with what is added to it.
func (h *heldNote) digest(text, addition string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	added, ok := strings.CutPrefix(text, h.summed)
	if !ok || h.sum == nil {
		h.sum, added = sha256.New().(hash.Cloner), text
	}
	feed(h.sum, added)
	h.summed = text
	whole, err := h.sum.Clone()
	if err != nil || h.large(text) {
		h.sum, h.summed = nil, ""
	}
	if err != nil {
		return digest(text + addition)
	}
	feed(whole, addition)
	return hex.EncodeToString(whole.Sum(nil))
}

// digest returns the SHA-256 of a text, in hexadecimal.
func digest(text string) string {
	sum := sha256.New()
	feed(sum, text)
	return hex.EncodeToString(sum.Sum(nil))
}

// feed adds a text to a digest, without a copy of it.
func feed(sum hash.Hash, text string) {
	part := make([]byte, min(len(text), 8<<10))
	for text != "" {
		n := copy(part, text)
		sum.Write(part[:n]) // never fails
		text = text[n:]
	}
}
