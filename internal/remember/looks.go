package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
)

// looks is what was learned of notes and of pairs of entries, so that the next run looks
// only at what has changed since. The file may be deleted at any time.
type looks struct {
	// Space is what the pairs were compared with; with another one they are compared
	// anew. Version is another one when notes are looked at otherwise.
	Space   string          `json:"space"`
	Version int             `json:"version"`
	Notes   map[string]look `json:"notes"`
	// Judged are the digests of entries that have met all others; Pairs are those that
	// are worth naming, by the digests of the older and the newer one.
	Judged map[string]bool    `json:"judged"`
	Pairs  map[string]verdict `json:"pairs"`
}

// looksVersion is the version of what [tidier.lookAt] learns.
const looksVersion = 1

// look is what was learned of a note.
type look struct {
	Stamp   string   `json:"stamp"`
	Secret  bool     `json:"secret,omitempty"`  // it holds one
	Doubles bool     `json:"doubles,omitempty"` // a day log with the same words twice
	Open    bool     `json:"open,omitempty"`    // a day log with a task that is not done
	Links   []string `json:"links,omitempty"`   // to other notes, by path
}

func (k *Keeper) looksPath() string { return filepath.Join(k.opts.Dir, "tidy.json") }

// loadLooks reads what was learned; what cannot be read is learned again.
func (k *Keeper) loadLooks() *looks {
	space := fmt.Sprintf("%+v", k.opts.Space)
	if k.opts.Read == nil {
		space = ""
	}
	l := &looks{}
	data, err := regular.ReadFile(k.looksPath())
	if err != nil || json.Unmarshal(data, l) != nil || l.Version != looksVersion {
		l = &looks{}
	}
	if l.Space != space || l.Judged == nil || l.Pairs == nil {
		l.Judged, l.Pairs = map[string]bool{}, map[string]verdict{}
	}
	if l.Notes == nil {
		l.Notes = map[string]look{}
	}
	l.Space, l.Version = space, looksVersion
	return l
}

// saveLooks writes what was learned. That it cannot be written costs time later.
func (k *Keeper) saveLooks(l *looks) {
	data, err := json.Marshal(l)
	if err != nil || makeFolder(k.opts.Dir) != nil {
		return
	}
	_ = atomicfile.Write(k.looksPath(), 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// forgetLooks drops what was learned, of which something was forgotten.
func (k *Keeper) forgetLooks() error {
	if err := os.Remove(k.looksPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was looked at: %w", err)
	}
	return nil
}

// coarse is how exactly file systems tell time at worst: what was changed less than
// that ago may change once more and look the same.
const coarse = 2 * time.Second

// look looks at all notes and collects the findings.
func (t *tidier) look(ctx context.Context) error {
	k := t.keeper
	var err error
	if t.stock, err = k.stock(); err != nil {
		return err
	}
	notes, err := t.notes(ctx)
	if err != nil {
		return err
	}
	learned := k.loadLooks()
	before := learned.Notes
	learned.Notes = make(map[string]look, len(notes))
	now := time.Now() // the clock of files, whatever day the notes have
	for _, note := range notes {
		if err := ctx.Err(); err != nil {
			return err
		}
		seen, ok := before[note.Path]
		if !ok || note.Stamp == "" || seen.Stamp != note.Stamp {
			if seen, ok = t.lookAt(note.Path); !ok {
				continue
			}
			seen.Stamp = note.Stamp
		}
		if note.Stamp != "" && now.Sub(note.Modified) > coarse {
			learned.Notes[note.Path] = seen
		}
		if err := t.noteFindings(note.Path, seen, notes); err != nil {
			return err
		}
	}
	t.entryFindings()
	if t.wants(NearDuplicate) || t.wants(Contradiction) {
		if err := t.pairs(ctx, learned); err != nil {
			return err
		}
	}
	k.saveLooks(learned)
	return nil
}

// notes returns all notes, ordered by path.
func (t *tidier) notes(ctx context.Context) ([]Note, error) {
	var notes []Note
	if t.keeper.opts.List != nil {
		all, err := t.keeper.opts.List(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the notes: %w", err)
		}
		for _, note := range all {
			if isNote(note.Path) {
				notes = append(notes, note)
			}
		}
	} else {
		for _, file := range t.keeper.files() {
			notes = append(notes, Note{Path: file})
		}
	}
	slices.SortFunc(notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	return notes, nil
}

// isNote reports whether a file is one of Markdown.
func isNote(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".md" || ext == ".markdown"
}

// lookAt learns of a note what does not depend on others, nor on the day. What is no
// ordinary file, or gone, is none.
func (t *tidier) lookAt(file string) (look, bool) {
	text, err := t.keeper.opts.Notebook.Read(file)
	if err != nil {
		return look{}, false
	}
	l := look{Secret: len(secret.Find(text)) > 0}
	if layout.Host(file) {
		return l, true
	}
	if strings.Contains(text, "](") {
		for _, found := range linksOf(t.keeper.parse(file, text)) {
			l.Links = append(l.Links, found.target)
		}
	}
	if t.keeper.opts.Shelves.Type(file) != layout.Journal {
		return l, true
	}
	seen := map[string]bool{}
	for _, e := range t.keeper.parse(file, text) {
		words := strings.Join(e.Heading, "\x00") + "\x00" + e.normal()
		l.Doubles = l.Doubles || seen[words]
		l.Open = l.Open || isTask(e)
		seen[words] = true
	}
	return l, true
}

// noteFindings adds what is found in one note, which is read for it.
func (t *tidier) noteFindings(file string, l look, notes []Note) error {
	day, dated := layout.Date(file)
	doubles := l.Doubles && t.wants(Duplicate)
	open := l.Open && t.wants(Stale) && dated && t.age(day.Format(time.DateOnly)) > openDays
	secrets := l.Secret && t.wants(SecretKept)
	var orphans []string
	if len(l.Links) > 0 && t.wants(Orphan) {
		orphans = t.orphans(file, l.Links, notes)
	}
	if !doubles && !open && !secrets && len(orphans) == 0 {
		return nil
	}
	text, err := t.keeper.opts.Notebook.Read(file)
	if err != nil {
		return nil // it went away this moment
	}
	entries := t.keeper.parse(file, text)
	if secrets {
		t.secrets(file, text)
	}
	if doubles {
		t.doubles(entries)
	}
	for _, e := range entries {
		if open && isTask(e) {
			t.found(t.openTask(e))
		}
	}
	for _, l := range linksOf(entries) {
		if slices.Contains(orphans, l.target) {
			t.found(t.orphan(l, notes))
		}
	}
	return nil
}

// age is how many days ago a day was, below 0 for what is no day.
func (t *tidier) age(day string) int {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return -1
	}
	today, err := time.Parse(time.DateOnly, t.today.Format(time.DateOnly))
	if err != nil {
		return -1
	}
	return int(today.Sub(at) / (24 * time.Hour))
}
