package remember

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// normal returns the text of the future entry as texts are compared.
func (t *told) normal() string {
	if t.norm == "" || t.normQuote != t.quote {
		t.norm, t.normQuote = judge.Normal(t.shown()), t.quote
	}
	return t.norm
}

// shown returns the words of the future entry as people read them.
func (t *told) shown() string {
	text := t.words()
	if entries := entry.Parse(entry.Item(text, nil, false)); len(entries) == 1 {
		text = entries[0].Text
	}
	return text
}

// says reports whether an entry has the words of the text, but for case, width, blanks and
// final punctuation. The normal form also lets go of accents, and spells words alike that
// are not: "schon" is not "schön".
func (t *told) says(e *known) bool { return wording(t.shown()) == wording(e.Text) }

// wording returns a text without what does not change its words.
func wording(text string) string {
	folded := strings.ToLower(width.Fold.String(norm.NFC.String(text)))
	return strings.TrimRight(strings.Join(strings.Fields(folded), " "), " .。!！…~")
}

// words returns the words of the future entry.
func (t *told) words() string {
	if !t.quote {
		return t.text
	}
	return "> " + strings.ReplaceAll(t.text, "\n", "\n> ")
}

// item returns the text as an entry of a file.
func (k *Keeper) item(t *told, file string, id, replaces string) string {
	fields := entry.Fields{{Key: entry.ID, Value: id}}
	put := func(key, value string) {
		if value != "" {
			fields = append(fields, entry.Field{Key: key, Value: value})
		}
	}
	if day, ok := layout.Date(file); !ok || day.Format("2006-01-02") != t.day() {
		put(entry.Observed, t.day())
	}
	if file == layout.User {
		put(entry.Status, "active")
	}
	put(entry.Origin, t.Origin)
	if t.Importance > 0 {
		put(entry.Importance, strconv.Itoa(importance(t.Importance)))
	}
	put(entry.Replaces, replaces)
	if t.Type != layout.Journal { // a log is history
		put(entry.Updates, strings.Join(t.updates, " "))
	}
	put(entry.Session, t.Session)
	if t.Key != "" {
		put(entry.Request, k.key(t))
	}
	if layout.Curated(file) && k.opts.Shelves.Type(file) == "" {
		put(entry.Type, t.Type)
	}
	return entry.Item(t.words(), fields, layout.Curated(file))
}

// importance converts an importance from 1 to 5 to OpenClaw's scale, which
// notes use and which goes to 10.
func importance(n int) int { return 2 * n }

// newID returns the id of an entry: eight letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:8]) }

// newID returns the id of the entry that the text becomes, if it was decided on ahead.
func (t *told) newID() string { return cmp.Or(t.id, newID()) }

// toMemory plans to add an entry to MEMORY.md, with its type and an id among
// its fields, and returns where it will stand.
func (k *Keeper) toMemory(draft *notebook.Draft, old *known, fields entry.Fields) (Ref, error) {
	if fields.Get(entry.ID) == "" {
		fields = append(entry.Fields{{Key: entry.ID, Value: newID()}}, fields...)
	}
	if old.typ != "" {
		fields = fields.With(entry.Field{Key: entry.Type, Value: old.typ})
	}
	return k.toEnd(draft, layout.Memory, entry.Item(old.Text, fields, true), fields.Get(entry.ID))
}

// onShelf plans to add an entry of MEMORY.md to the note of its type.
func (k *Keeper) onShelf(draft *notebook.Draft, old *known, day time.Time) error {
	file := k.opts.Shelves.File(old.typ, day)
	fields := slices.DeleteFunc(slices.Clone(old.Fields), func(f entry.Field) bool { return f.Key == entry.Type })
	_, err := k.toEnd(draft, file, entry.Item(old.Text, fields, layout.Curated(file)), old.Fields.Get(entry.ID))
	return err
}

// toEnd plans to put an item at the end of what a note holds for any entry
// ([entry.Reading.Place]). It makes the note if there is none.
func (k *Keeper) toEnd(draft *notebook.Draft, file, item, id string) (Ref, error) {
	text, _, err := draft.Read(file)
	if err != nil {
		return Ref{}, err
	}
	p := k.placed(file, text, item)
	ref := Ref{ID: id, Place: Place{file, p.StartLine, p.EndLine}}
	if p.At < len(text) {
		return ref, draft.Write(file, p.In(text))
	}
	return ref, draft.Append(file, p.Text)
}

// placed returns where an item goes in a note that has this text, and makes the note if
// there is none.
func (k *Keeper) placed(file, text, item string) entry.Placed {
	if strings.TrimSpace(text) != "" {
		return k.pages.reading(file).Place(text, item, title(file))
	}
	head := "# " + title(file) + "\n"
	p := k.pages.reading(file).Place(text+head, item, title(file))
	p.At, p.Text = len(text), head+p.Text
	return p
}

// title returns the heading of a new file.
func title(file string) string {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if _, ok := layout.Date(file); ok {
		return name
	}
	name = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "-", " "), "_", " "))
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// citation returns where an entry without an id stands.
func citation(p Place) string {
	if p.StartLine == p.EndLine {
		return fmt.Sprintf("%s#L%d", p.Path, p.StartLine)
	}
	return fmt.Sprintf("%s#L%d-L%d", p.Path, p.StartLine, p.EndLine)
}
