package remember

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/regular"
)

// known is an entry, and where it stood when it was read. It is never changed, for the
// keeper hands it out again while its note is the same.
type known struct {
	entry.Entry
	path string
	typ  string // "" when nothing tells

	replaces string // what it replaces, by id or citation
	past     bool   // it is superseded

	hash  atomic.Uint64         // that of norm, 0 before it is known
	norm  atomic.Pointer[words] // see normal
	parts atomic.Pointer[terms] // see pieces
	words atomic.Pointer[terms] // see terms
}

// once returns what a place holds, and puts it there the first time. When several
// goroutines are first, all put the same.
func once[T any](at *atomic.Pointer[T], make func() T) T {
	if v := at.Load(); v != nil {
		return *v
	}
	v := make()
	at.Store(&v)
	return v
}

// normal returns the words of the entry as texts are compared.
func (e *known) normal() string { return e.said().normal }

// said returns the words of the entry.
func (e *known) said() words {
	return once(&e.norm, func() words {
		w := wordsOf(judge.Normal(e.Text))
		e.hash.Store(w.hash)
		return w
	})
}

// says reports whether the words of the entry are these.
func (e *known) says(w words) bool {
	if h := e.hash.Load(); h != 0 && h != w.hash {
		return false
	}
	return e.said() == w
}

// words are a text as texts are compared, which is quick when few are equal.
type words struct {
	normal string
	hash   uint64
}

func wordsOf(normal string) words { return words{normal, maphash.String(seed, normal)} }

// pieces returns the pieces of the entry's words, each as often as it stands there.
func (e *known) pieces() terms {
	return once(&e.parts, func() terms { return pieces(e.normal()) })
}

// terms returns the terms of the entry.
func (e *known) terms() terms {
	return once(&e.words, func() terms { return termsOf(e.Text) })
}

// place returns where the entry stands.
func (e *known) place() Place { return Place{e.path, e.StartLine, e.EndLine} }

func (e *known) ref() Ref {
	r := Ref{ID: e.Fields.Get(entry.ID), Place: e.place()}
	if r.ID == "" && e.StartLine > 0 { // else it stands in no note
		r.Check = e.check()
	}
	return r
}

// checkMark stands between a citation and its check.
const checkMark = "~"

// check returns a short digest of the words of the entry. It tells whether these still
// stand where a citation says.
func (e *known) check() string { return judge.Check(e.normal()) }

// Certain reports whether a name of an entry means the same one whatever was removed
// before: an id does, and a citation with a check.
func Certain(ref string) bool {
	_, lines, cited := strings.Cut(ref, "#")
	return !cited || strings.Contains(lines, checkMark)
}

// standing returns the entries of a note that the end of a citation names: all on its lines,
// or, with a check, the one with these words that is nearest to the lines.
func standing(entries []*known, end string) (found []*known) {
	end, check, checked := strings.Cut(end, checkMark)
	start, stop, ok := parseLines(end)
	for _, e := range entries {
		switch {
		case !ok:
		case !checked && e.StartLine <= stop && e.EndLine >= start:
			found = append(found, e)
		case checked && e.check() == check && (found == nil || away(e, start) < away(found[0], start)):
			found = []*known{e}
		}
	}
	return found
}

// away returns how many lines from a line an entry begins.
func away(e *known, line int) int { return max(e.StartLine-line, line-e.StartLine) }

// active reports whether the entry is not superseded.
func (e *known) active() bool { return !e.past }

// conflicted reports whether a file is a conflict copy of a synced folder, to
// which memoir writes nothing.
func conflicted(path string) bool { return layout.Conflict(path) != "" }

// fixed reports whether memoir only adds to a file: to day logs, and to files
// that are not memoir's.
func (k *Keeper) fixed(path string) bool {
	typ := k.opts.Shelves.Type(path)
	return typ == layout.Journal || typ == "" && !layout.Curated(path)
}

// stock is the entries that a new text may repeat or change: those of the
// shelves and of OpenClaw's files, without day logs.
type stock []*known

// replacements maps an entry, by id or citation, to the id of the entry that
// replaces it. For entries of day logs nothing else says so.
type replacements map[string]string

func (s stock) replaced() replacements {
	all := replacements{}
	for _, e := range s {
		if e.replaces != "" {
			all[e.replaces] = e.Fields.Get(entry.ID)
		}
	}
	return all
}

// by returns the id of the entry that replaces another, or "" when none does.
func (r replacements) by(e *known) string {
	if len(r) == 0 {
		return ""
	}
	if id := e.Fields.Get(entry.ID); id != "" {
		return r[id]
	}
	return r[citation(e.place())]
}

// maxParsed is the size of the largest file that is read to compare its entries
// with a text. Of a larger one only search finds entries.
const maxParsed = 2 << 20

// stock reads the entries.
func (k *Keeper) stock() (stock, error) { return k.gather(&told{}) }

// gather reads the entries that a text may be compared with.
func (k *Keeper) gather(t *told) (stock, error) {
	var notes []stock
	for _, path := range k.files() {
		entries, err := k.seen(t, path)
		if err != nil {
			return nil, err
		}
		notes = append(notes, entries)
	}
	return slices.Concat(notes...), nil
}

// files returns the files of the stock.
func (k *Keeper) files() []string {
	files := []string{layout.Memory, layout.User}
	for _, typ := range layout.Types() {
		if file := k.opts.Shelves.File(typ, time.Time{}); typ != layout.Journal && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// entries returns the entries of a note, or none when there is no such note. Nobody may
// change the slice.
func (k *Keeper) entries(path string) ([]*known, error) {
	_, entries, err := k.read(path)
	return entries, err
}

// seen returns the entries of a note that a text may be compared with.
func (k *Keeper) seen(t *told, path string) ([]*known, error) {
	text, entries, err := k.read(path)
	if t.hidden(path, text) {
		return nil, err
	}
	return entries, err
}

// hidden reports whether whoever tells a text may not see a note.
func (t *told) hidden(path, text string) bool {
	return t.Shared && (layout.Private(path) || entry.HasPrivate(text))
}

// read returns the content of a note and its entries. It returns nothing for a
// file that is missing, is not a note or is too large.
func (k *Keeper) read(path string) (string, []*known, error) {
	text, err := k.ahead.read(k, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, nil
	case errors.Is(err, regular.ErrKind), errors.Is(err, regular.ErrFolder):
		return "", nil, nil // a folder or the like holds no notes; whoever writes there gets an error
	case err != nil:
		return "", nil, fmt.Errorf("read %s: %w", path, err)
	case len(text) > maxParsed:
		return "", nil, nil
	}
	return text, k.parse(path, text), nil
}

// parse returns the entries of a note with this text, in a slice that nobody may change.
func (k *Keeper) parse(path, text string) []*known {
	return k.pages.read(path, text, k.known)
}

// known returns entries of a note with what its path tells of them.
func (k *Keeper) known(path string, entries []entry.Entry) []*known {
	all, each := make([]*known, len(entries)), make([]known, len(entries))
	typ, curated := k.opts.Shelves.Type(path), layout.Curated(path)
	for i, e := range entries {
		all[i] = &each[i]
		all[i].Entry, all[i].path, all[i].typ = e, path, typ
		all[i].replaces, all[i].past = e.Fields.Get(entry.Replaces), e.Superseded()
		if curated && e.Fields.Get(entry.Type) != "" {
			all[i].typ = e.Fields.Get(entry.Type)
		}
	}
	return all
}

// equal returns the active entry with the words of a text. An event is the same
// only on its own day.
func (s stock) equal(t *told) *known {
	if t.Type == layout.Journal {
		return nil
	}
	wanted := wordsOf(t.normal())
	for _, e := range s {
		if e.active() && e.says(wanted) && t.says(e) {
			return e
		}
	}
	return nil
}

func noEntry(ref string) error {
	return memoir.WithHint(fmt.Errorf("there is no entry %q: %w", ref, memoir.ErrNotFound), "memoir entries lists them with their ids")
}

// named returns the entry with an id or citation; nil for "". Of the entries on the
// lines of a citation one at most may be active.
func (k *Keeper) named(ctx context.Context, ref string) (*known, error) {
	if ref == "" {
		return nil, nil
	}
	missing := noEntry(ref)
	if path, lines, ok := strings.Cut(ref, "#"); ok {
		entries, err := k.entries(path)
		if errors.Is(err, notebook.ErrPath) {
			return nil, missing
		}
		if err != nil {
			return nil, err
		}
		var found *known
		for _, e := range standing(entries, lines) {
			switch {
			case found == nil || !found.active():
				found = e
			case e.active():
				return nil, memoir.WithHint(fmt.Errorf("%s is more than one entry: %w", ref, memoir.ErrInvalid),
					fmt.Sprintf("name one of them, the first is %s", citation(found.place())))
			}
		}
		if found == nil {
			return nil, missing
		}
		return found, nil
	}
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := k.opts.Notebook.Read(path)
		if err != nil || !strings.Contains(text, ref) {
			continue // the entry is not in this note
		}
		for _, e := range k.parse(path, text) {
			if e.Fields.Get(entry.ID) == ref {
				return e, nil
			}
		}
	}
	return nil, missing
}

// paths returns the notes: first those of the stock, then the others with the
// latest day logs first.
func (k *Keeper) paths(ctx context.Context) ([]string, error) {
	paths := k.files()
	if k.opts.List == nil {
		return append(paths, k.opts.Shelves.File(layout.Journal, k.opts.Now())), nil
	}
	all, err := k.opts.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the notes: %w", err)
	}
	var rest []string
	for _, note := range all {
		if !slices.Contains(paths, note.Path) {
			rest = append(rest, note.Path)
		}
	}
	slices.SortFunc(rest, func(a, b string) int {
		dayA, _ := layout.Date(a)
		dayB, _ := layout.Date(b)
		if c := dayB.Compare(dayA); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return append(paths, rest...), nil
}

// parseLines reads the lines of a citation: "L3", "L3-L9", "3-9".
func parseLines(s string) (start, end int, ok bool) {
	from, to, more := strings.Cut(s, "-")
	start, err := strconv.Atoi(strings.TrimPrefix(from, "L"))
	if end = start; more && err == nil {
		end, err = strconv.Atoi(strings.TrimPrefix(to, "L"))
	}
	return start, end, err == nil && start >= 1 && end >= start
}

// stays reports whether an entry is where it was in the current text of a note. It may
// say no of one that is.
func (e *known) stays(text string) bool {
	if e.End > len(text) || strings.Count(text[:e.Start], "\n") != e.StartLine-1 {
		return false
	}
	words := e.Text
	if id := e.Fields.Get(entry.ID); id != "" {
		words = id
	}
	return strings.Contains(text[e.Start:e.End], words)
}

// again finds an entry in the current text of a note: by its id, or else by its
// words, nearest to where they stood. Of several with the id, for lines are copied by
// hand, it is the one with the words. It returns nil when the entry is gone.
func (k *Keeper) again(e *known, text string) *known {
	var found *known
	id := e.Fields.Get(entry.ID)
	for _, now := range k.parse(e.path, text) {
		same := now.normal() == e.normal()
		if id != "" && now.Fields.Get(entry.ID) != id || id == "" && !same {
			continue
		}
		was := found != nil && found.normal() == e.normal()
		if found == nil || same && (!was || away(now, e.StartLine) < away(found, e.StartLine)) {
			found = now
		}
	}
	return found
}
