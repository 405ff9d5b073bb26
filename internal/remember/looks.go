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
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
)

// looks is what earlier runs learned of notes and of pairs of entries, so that
// the next run checks only what has changed since. The file may be deleted at
// any time.
type looks struct {
	// Space is the space in which pairs were compared; with another one they are
	// compared again. Version changes when notes or pairs are checked in another
	// way.
	Space   string          `json:"space"`
	Version int             `json:"version"`
	Notes   map[string]look `json:"notes"`
	// Judged are the digests of entries that were compared with all others.
	// Pairs are those worth naming, by the digests of the older and the newer
	// entry.
	Judged map[string]bool    `json:"judged"`
	Pairs  map[string]verdict `json:"pairs"`
}

// looksVersion is the version of what [tidier.lookAt] and [comparer.meet] learn.
const looksVersion = 4

// look is what was learned of one note.
type look struct {
	Stamp string   `json:"stamp"`
	Links []string `json:"links,omitempty"` // to other notes, by their paths
	// Findings are those that depend on this note alone: secrets, the same words
	// twice, open tasks of a day log. They have their diffs. Before a finding is
	// applied it is made again.
	Findings []TidyFinding `json:"findings,omitempty"`
}

func (k *Keeper) looksPath() string { return filepath.Join(k.opts.Dir, "tidy.json") }

// loadLooks reads what earlier runs learned. What cannot be read is learned
// again.
func (k *Keeper) loadLooks() *looks {
	space := fmt.Sprintf("%+v", k.opts.Space)
	if k.opts.Reader == nil {
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

// saveLooks writes what was learned. If it cannot be written, the next run only
// takes longer.
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

// forgetLooks deletes the file, because something in it was forgotten.
func (k *Keeper) forgetLooks() error {
	if errors.Is(regular.Check(k.looksPath()), regular.ErrKind) {
		return nil // which holds nothing of memoir's
	}
	err := os.Remove(k.looksPath())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(err, atomicfile.Sweep(k.looksPath())); err != nil {
		return fmt.Errorf("forget what was looked at: %w", err)
	}
	return nil
}

// coarse is how coarse the clock of a file system is at worst. A file that was
// changed less than that ago may change again and still look the same.
const coarse = 2 * time.Second

// look checks all notes and collects the findings.
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
	now := time.Now() // the clock of the file system, not that of the notes
	for _, note := range notes {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.conflictCopy(note.Path)
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
		t.noteFindings(note, seen, notes)
	}
	t.entryFindings(ctx)
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
	order.By(notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	return notes, nil
}

// isNote reports whether a file is a Markdown file.
func isNote(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".md" || ext == ".markdown"
}

// lookAt learns what a note shows that depends neither on other notes nor on
// the day. ok is false for anything but an ordinary file that exists.
func (t *tidier) lookAt(file string) (look, bool) {
	text, err := t.keeper.opts.Notebook.Read(file)
	if err != nil {
		return look{}, false
	}
	l := look{Findings: t.secrets(file, text)}
	if !layout.Host(file) {
		journal := t.keeper.opts.Shelves.Type(file) == layout.Journal
		if links := strings.Contains(text, "]("); links || journal {
			entries := t.keeper.parse(file, text)
			for _, found := range linksOf(entries) {
				l.Links = append(l.Links, found.target)
			}
			if journal {
				l.Findings = append(append(l.Findings, t.doubles(entries)...), t.openTasks(entries)...)
			}
		}
	}
	for i := range l.Findings {
		t.finish(&l.Findings[i])
	}
	clear(t.masked) // only one note at a time is kept
	clear(t.clean)
	return l, true
}

// noteFindings adds the findings of one note. When findings are to be applied,
// it makes them from the note as it is now.
func (t *tidier) noteFindings(note Note, l look, notes []Note) {
	if t.apply && len(l.Findings) > 0 {
		l, _ = t.lookAt(note.Path)
	}
	day, dated := layout.Date(note.Path)
	for _, f := range l.Findings {
		if f.Kind != Stale || dated && t.age(day.Format(time.DateOnly)) > openDays {
			t.found(f)
		}
	}
	if len(l.Links) == 0 || !t.wants(Orphan) || conflicted(note.Path) {
		return
	}
	orphans := t.orphans(note.Path, l.Links, notes)
	if len(orphans) == 0 {
		return
	}
	entries, err := t.keeper.entries(note.Path)
	if err != nil {
		return // it was removed just now
	}
	for _, l := range linksOf(entries) {
		if slices.Contains(orphans, l.target) {
			t.found(t.orphan(l, notes))
		}
	}
}

// conflictCopy adds a finding when a note is a conflict copy. Only a person can
// say what of it holds. memoir does not merge or change conflict copies.
func (t *tidier) conflictCopy(file string) {
	of := layout.Conflict(file)
	if of == "" {
		return
	}
	lines := 0
	if text, err := t.keeper.opts.Notebook.Read(file); err == nil {
		lines = strings.Count(text, "\n")
	}
	t.found(TidyFinding{
		Kind: ConflictCopy, Entries: []Entry{{Ref: Ref{Place: Place{file, 1, lines + 1}}, Status: Active}},
		Proposal: fmt.Sprintf("it is a conflict copy of %s, which two machines changed at once: take over what is missing there, and delete the copy", of),
	})
}

// age returns how many days ago a day was, or a negative number when it is not
// a day.
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
