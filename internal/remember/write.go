package remember

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/secret"
)

// answer is what the history keeps of a request with a key. It holds none of
// its words.
type answer struct {
	Text string `json:"told"` // the digest of what was told
	Outcome
}

// answered returns the outcome of an earlier request with the same key, and
// whether there was one.
func (k *Keeper) answered(t *told) (Outcome, bool, error) {
	if t.Key == "" {
		return Outcome{}, false, nil
	}
	c, ok, back, err := k.opts.Notebook.Keyed(k.key(t))
	switch {
	case err == nil && !ok && back && t.Aside: // nobody has asked for it again
		return refusal(Forgotten), true, nil
	case err != nil || !ok:
		return Outcome{}, false, err
	}
	var before answer
	if err := json.Unmarshal(c.Answer, &before); err != nil {
		return Outcome{}, false, fmt.Errorf("read the earlier answer to this request: %w", err)
	}
	if before.Text != k.marks.digest(judge.Normal(t.text)) {
		return refusal(DuplicateKey), true, nil
	}
	if !slices.ContainsFunc(c.Edits, func(e notebook.Edit) bool { return strings.Contains(e.New, before.ID) }) {
		// The history has lost the entry on purpose. A person may tell it again all the same.
		return refusal(Forgotten), t.Origin != User, nil
	}
	before.Repeated = true
	return before.Outcome, true, nil
}

// words gives the answer to a request that came before the words that it had: those that
// the entries have by now, because the history keeps none. What is not where it was is not
// named as similar any more.
func (k *Keeper) words(ctx context.Context, t *told, before *Outcome) error {
	if !before.Repeated || before.ID == "" {
		return nil
	}
	similar := before.Similar[:0]
	for _, s := range before.Similar {
		if e := k.still(s.Ref); e != nil {
			s.Place, s.Text = e.place(), e.Text
			similar = append(similar, s)
		}
	}
	before.Similar = similar
	switch {
	case before.Replaces != nil:
		if e := k.still(*before.Replaces); e != nil {
			before.Known, _ = secret.Mask(e.Text)
		}
	case before.Outcome == Reinforced:
		return k.reworded(ctx, t, before)
	}
	return nil
}

// still returns the entry with the id of a reference in the note that it names; nil when
// there is none.
func (k *Keeper) still(ref Ref) *known {
	if ref.ID == "" {
		return nil
	}
	entries, err := k.entries(ref.Path)
	if err != nil {
		return nil // a note that cannot be read says nothing of it
	}
	is := func(e *known) bool { return e.Fields.Get(entry.ID) == ref.ID }
	at, _ := slices.BinarySearchFunc(entries, ref.StartLine, func(e *known, line int) int { return cmp.Compare(e.StartLine, line) })
	if at < len(entries) && is(entries[at]) {
		return entries[at] // where it was
	}
	if i := slices.IndexFunc(entries, is); i >= 0 {
		return entries[i]
	}
	return nil
}

// reworded adds to the answer to a request that came before what the entry says which it
// reinforced, and the text where that is in other words.
func (k *Keeper) reworded(ctx context.Context, t *told, before *Outcome) error {
	e, err := k.named(ctx, before.ID)
	switch {
	case errors.Is(err, memoir.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !e.active():
		return nil
	case e.normal() != t.normal():
		before.Told = t.text
	}
	before.Known, _ = secret.Mask(e.Text)
	return nil
}

// key returns the form of the request's key that the history and the entry
// hold.
func (k *Keeper) key(t *told) string { return k.marks.digest("key\x00" + t.Key) }

// write carries out the decision in one change that can be taken back.
func (k *Keeper) write(ctx context.Context, t *told, d decision) (Outcome, error) {
	w := k.writing(t, d)
	if t.DryRun {
		err := k.opts.Notebook.Preview(w.Plan)
		return w.out, k.notKept(t, err)
	}
	change, err := k.opts.Notebook.Do(ctx, w.Who, w.Why, w.Plan)
	if err != nil {
		return Outcome{}, k.notKept(t, err)
	}
	return k.written(ctx, w, change)
}

// writing is a decision that is being carried out.
type writing struct {
	notebook.Step
	t   *told
	out Outcome // as the plan has it
}

// writing returns the step that carries out a decision.
func (k *Keeper) writing(t *told, d decision) *writing {
	w := &writing{t: t, Step: notebook.Step{Who: "remember", Why: d.why(t)}}
	w.Plan = func(draft *notebook.Draft) error {
		draft.Join(t.Bundle)
		before, ok, err := k.answered(t) // another process may have answered meanwhile
		if w.out = before; ok || err != nil {
			return err
		}
		if w.out, err = k.plan(draft, t, d); err != nil || t.Key == "" {
			return err
		}
		signed := answer{k.marks.digest(judge.Normal(t.text)), w.out}
		signed.Known = ""
		if w.out.Replaces != nil {
			signed.Replaces = &Ref{ID: w.out.Replaces.ID, Place: w.out.Replaces.Place}
		}
		signed.Similar = nil
		for _, s := range w.out.Similar {
			s.Text, s.Check = "", ""
			signed.Similar = append(signed.Similar, s)
		}
		b, err := json.Marshal(signed)
		draft.Sign(k.key(t), b)
		return err
	}
	return w
}

// written returns the outcome of a decision that was carried out.
func (k *Keeper) written(ctx context.Context, w *writing, change notebook.Change) (Outcome, error) {
	t, out := w.t, w.out
	for _, e := range change.Edits {
		out.Written = append(out.Written, e.Path)
	}
	out.Change = change.ID
	if err := k.words(ctx, t, &out); err != nil {
		return Outcome{}, k.notKept(t, err)
	}
	if len(out.Written) > 0 {
		k.keepVector(t)
	}
	return out, nil
}

// keepVector keeps the vector of a text that becomes an entry, where it has one.
func (k *Keeper) keepVector(t *told) {
	if digest := k.marks.digest(t.normal()); t.side.Vector != nil && k.vectors.load().of(digest) == nil {
		k.vectors.put(digest, t.side.Vector)
	}
}

// why returns the reason that the history gives for the change.
func (d decision) why(t *told) string {
	switch {
	case d.same:
		return "told again: an entry of " + d.old.path
	case d.old != nil:
		return "replaced: an entry of " + d.old.path
	}
	return "kept in " + t.path
}

// plan plans the change, with the notes as they are now.
func (k *Keeper) plan(draft *notebook.Draft, t *told, d decision) (Outcome, error) {
	if d.old != nil {
		text, _, err := draft.Read(d.old.path)
		if err != nil {
			return Outcome{}, err
		}
		now := k.again(d.old, text)
		if t.Replaces != "" && (now == nil || t.hidden(d.old.path, text)) {
			return Outcome{}, fmt.Errorf("the entry %q was removed meanwhile: %w", t.Replaces, memoir.ErrNotFound)
		}
		if now == nil || !now.active() && t.Replaces == "" {
			if t.Type = cmp.Or(t.Type, d.old.typ, layout.Journal); t.path == "" {
				t.path = k.opts.Shelves.File(t.Type, t.At)
			}
			now, d.same = nil, false
		}
		d.old = now
	}
	var out Outcome
	var err error
	switch {
	case d.same && t.Pin && d.old.path != layout.Memory:
		out, err = k.pin(draft, t, d.old)
	case d.same:
		out, err = k.reinforce(draft, t, d.old)
	case d.old != nil:
		out, err = k.supersede(draft, t, d.old)
	case d.beside != nil:
		out, err = k.addBeside(draft, t, d.beside)
	default:
		out, err = k.add(draft, t, t.newID(), nil)
	}
	switch {
	case err != nil:
		return out, err
	case d.same && d.old.normal() != t.normal():
		out.Told = t.text
	case out.Outcome == Superseded:
		out.Known, _ = secret.Mask(d.old.Text)
	}
	switch {
	case t.stays != nil && out.Outcome == Added:
		out.Reason.Text = reasons[besideNamed]
	case len(d.similar) > 0 && out.Reason.Code == New:
		out.Reason.Text = reasons[besideOthers]
	}
	out.Similar, err = k.similarNow(draft, out.Path, d)
	out.Similar = slices.DeleteFunc(out.Similar, func(s Similar) bool { // the text's own entry, which was there already
		return s.Path == out.Path && s.StartLine == out.StartLine
	})
	return out, err
}

// normal returns the text of the future entry as texts are compared.
func (t *told) normal() string {
	if t.norm == "" || t.normQuote != t.quote {
		text := t.words()
		if entries := entry.Parse(entry.Item(text, nil, false)); len(entries) == 1 {
			text = entries[0].Text
		}
		t.norm, t.normQuote = judge.Normal(text), t.quote
	}
	return t.norm
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

// logged looks for the words of a text in the file that it goes to, if that
// file was not looked at yet because it is the log of a day.
func (k *Keeper) logged(t *told, d *decision) error {
	if slices.Contains(k.files(), t.path) || d.old != nil || t.path == "" {
		return nil
	}
	text, _, err := k.read(t.path)
	if err != nil || text == "" {
		return err // of a log that is too large to be compared nothing is known before it is written to
	}
	if e := k.among(t, t.path, text, nil); e != nil {
		d.old, d.same = e, true
	}
	return nil
}

// among returns the active entry of a note, which has this text, with the words of another
// text, except the entry that the other text replaces.
func (k *Keeper) among(t *told, path, text string, old *Ref) *known {
	for e := range k.pages.saying(path, text, k.known, wordsOf(t.normal())) {
		if e.active() && (old == nil || e.place() != old.Place) {
			return e
		}
	}
	return nil
}

// add plans a new entry at the end of the text's file. old is the entry that it
// replaces, or nil. If another writer has just added the same words, that entry
// counts.
func (k *Keeper) add(draft *notebook.Draft, t *told, id string, old *Ref) (Outcome, error) {
	text, _, err := draft.Read(t.path)
	if err != nil {
		return Outcome{}, err
	}
	if e := k.among(t, t.path, text, old); e != nil {
		if old == nil {
			draft.Explain(decision{old: e, same: true}.why(t))
		}
		return k.reinforce(draft, t, e)
	}
	replaces := ""
	out := Outcome{Outcome: Added, Reason: reason(t.code), Type: t.Type, ID: id, Path: t.path}
	if old != nil {
		replaces = cmp.Or(old.ID, citation(old.Place))
		out.Outcome, out.Reason, out.Replaces = Superseded, reason(Changed), old
	}
	ref, err := k.toEnd(draft, t.path, k.item(t, t.path, id, replaces), id)
	if err != nil {
		return Outcome{}, err
	}
	return out.at(ref), nil
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

// outcomeOf returns the outcome for an entry that exists.
func outcomeOf(verb, code string, e *known) Outcome {
	out := Outcome{Outcome: verb, Reason: reason(code), Type: e.typ, ID: e.Fields.Get(entry.ID), Path: e.path, StartLine: e.StartLine, EndLine: e.EndLine}
	if verb == Reinforced {
		out.Known, _ = secret.Mask(e.Text)
	}
	return out
}

// at returns the outcome with the place of its entry.
func (o Outcome) at(ref Ref) Outcome {
	o.ID, o.Path, o.StartLine, o.EndLine = ref.ID, ref.Path, ref.StartLine, ref.EndLine
	return o
}

// reinforce plans to note that an entry was told again. Of day logs, and of notes
// that are not memoir's, only what was said of its source changes.
func (k *Keeper) reinforce(draft *notebook.Draft, t *told, old *known) (Outcome, error) {
	if t.Key != "" && old.Fields.Get(entry.Request) == k.key(t) {
		out := outcomeOf(Added, t.code, old) // the request that made the entry, if the history has lost it
		out.Repeated = true
		return out, nil
	}
	out := outcomeOf(Reinforced, Same, old)
	fields := again(t, old)
	if k.fixed(old.path) {
		if fields = confirmed(old.Fields, t.Origin, t.Session); len(fields) == 0 || conflicted(old.path) {
			return out, nil
		}
	}
	text, _, err := draft.Read(old.path)
	if err != nil {
		return Outcome{}, err
	}
	if out.ID == "" {
		out.ID = newID()
		fields = append(entry.Fields{{Key: entry.ID, Value: out.ID}}, fields...)
	}
	return out, draft.Write(old.path, entry.Set(text, old.Entry, fields, layout.Curated(old.path)))
}

// again returns the fields of an entry that was told once more.
func again(t *told, old *known) entry.Fields {
	count, _ := strconv.Atoi(old.Fields.Get(entry.Count)) // 0 when the field is not a number
	fields := entry.Fields{{Key: entry.Count, Value: strconv.Itoa(max(count, 0) + 1)}}
	if last := max(old.Fields.Get(entry.Last), old.Fields.Get(entry.Observed), t.day()); last != "" {
		fields = append(fields, entry.Field{Key: entry.Last, Value: last})
	}
	if was, _ := strconv.Atoi(old.Fields.Get(entry.Importance)); importance(t.Importance) > was {
		fields = append(fields, entry.Field{Key: entry.Importance, Value: strconv.Itoa(importance(t.Importance))})
	}
	return append(fields, confirmed(old.Fields, t.Origin, t.Session)...)
}

// pin plans to move an existing entry to MEMORY.md, with its fields.
func (k *Keeper) pin(draft *notebook.Draft, t *told, old *known) (Outcome, error) {
	text, _, err := draft.Read(old.path)
	if err != nil {
		return Outcome{}, err
	}
	fields := append(entry.Fields{}, old.Fields...)
	for _, f := range again(t, old) {
		fields = fields.With(f)
	}
	fields = slices.DeleteFunc(fields, func(f entry.Field) bool { return f.Value == "" })
	ref, err := k.toMemory(draft, old, fields)
	if err != nil {
		return Outcome{}, err
	}
	if !k.fixed(old.path) {
		if err := draft.Write(old.path, entry.Remove(text, old.Entry)); err != nil {
			return Outcome{}, err
		}
	}
	return outcomeOf(Reinforced, Same, old).at(ref), nil
}

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

// toEnd plans to add an item at the end of a note. It makes the note if there
// is none.
func (k *Keeper) toEnd(draft *notebook.Draft, file, item, id string) (Ref, error) {
	text, _, err := draft.Read(file)
	if err != nil {
		return Ref{}, err
	}
	addition := k.addition(file, text, item)
	end := k.pages.reading(file).Lines(text) + strings.Count(addition, "\n")
	return Ref{ID: id, Place: Place{file, end - strings.Count(item, "\n"), end}}, draft.Append(file, addition)
}

// addition returns what puts an item at the end of a note that has this text, and makes
// the note if there is none.
func (k *Keeper) addition(file, text, item string) string {
	head := ""
	if strings.TrimSpace(text) == "" {
		head = "# " + title(file) + "\n"
	}
	return head + k.pages.reading(file).Addition(text+head, item)
}
