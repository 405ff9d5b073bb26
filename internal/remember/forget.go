package remember

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
)

// A Target says what to forget. One of its fields is set.
type Target struct {
	// Ref is the id of an entry; a citation ("memory/contacts.md#L3"), which
	// means all entries on its lines, or with a check ("memory/contacts.md#L3~1a2b3c4d",
	// see [Ref.Name]) the one with these words; or the path of a note, which is removed
	// as a whole.
	Ref string
	// Refs are several of those, forgotten as one. What names nothing is left out.
	Refs    []string
	Session string // a session: all entries of it, and what an index has of its transcript
	// Names are what else entries may call the session.
	Names []string
	// Again says that the session was forgotten before: what a killed process left of it may
	// be anywhere in an index.
	Again  bool
	Origin string // all entries of an origin
	// Query is a question. It means the entries with exactly its words, or else the only entry
	// that has all of its words and is about the same thing. Superseded entries count, too. It
	// may match nothing.
	Query string
	// All makes a Query mean every entry that has all of its words.
	All bool
}

// Forget removes entries from the notes and from the history, for good, and the
// lines of summaries that stand on them. An id, a session, an origin and a question also mean
// entries that stand in the history alone. Entries that name a removed one as what they replace,
// or are replaced by, name the next one of the chain instead. It leaves only a mark that
// reveals nothing of them. Because of it the same words are refused when an agent, a tool,
// the web or an import brings them back, but not when a person does. When the target
// matches nothing, the error wraps [memoir.ErrNotFound]. With any error, Written are the
// notes that may have changed all the same. The index is the caller's to clear, who says
// with [Keeper.Settle] that it is.
func (k *Keeper) Forget(ctx context.Context, target Target, dryRun bool) (Forgetting, error) {
	m, err := k.meant(ctx, target)
	if err != nil {
		return Forgetting{Unmarked: m.unmarked, Of: target}, fmt.Errorf("forget: %w", err)
	}
	meant, whole := m.entries, m.notes
	summaries, err := k.ofThem(ctx, slices.Concat(meant, m.gone))
	if err != nil {
		return Forgetting{}, fmt.Errorf("forget: %w", err)
	}
	meant = append(meant, summaries...)
	bound, err := k.boundTo(ctx, slices.Concat(meant, m.gone))
	if err != nil {
		return Forgetting{}, fmt.Errorf("forget: %w", err)
	}
	out := k.planned(ctx, m, meant)
	out.DryRun, out.Of = dryRun, target
	if dryRun || len(meant)+len(m.gone)+len(whole) == 0 {
		err := k.staying(&out, m, meant, nil)
		return out, err
	}
	digests, err := k.bury(slices.Concat(meant, m.gone))
	if err == nil {
		err = k.owe()
	}
	if err != nil {
		return Forgetting{}, fmt.Errorf("forget: %w", err)
	}
	scrub := target.withoutSummaries(scrubOf(slices.Concat(meant, m.gone), bound))
	if out.Unread, err = k.forgetLeftovers(ctx, scrub, whole); err != nil {
		return Forgetting{}, fmt.Errorf("forget what was left over: %w", err)
	}
	var back []*known // of the history alone, which stand in a note again by now
	change, err := k.opts.Notebook.Forget(ctx, "forget", fmt.Sprintf("forgot %d of the entries", len(meant)), func(d *notebook.Draft) (err error) {
		if back, err = k.removeAll(d, whole, m.gone); err != nil {
			return err
		}
		return k.takeOut(d, slices.Concat(meant, back), bound, whole)
	}, scrub)
	for _, e := range change.Edits {
		out.Written = append(out.Written, e.Path)
	}
	out.Entries = append(out.Entries, listed(back)...)
	out.InHistory = listed(otherThan(back, m.gone))
	if errors.Is(err, notebook.ErrUnsure) { // it was done, and the disk has said nothing
		for _, e := range slices.Concat(meant, back, bound.entries) {
			out.Written = append(out.Written, e.path)
		}
	}
	if err != nil {
		return out, fmt.Errorf("forget: %w", err)
	}
	if err := errors.Join(k.vectors.drop(digests), k.forgetLooks(), atomicfile.Sweep(summedPath(k.opts.Dir))); err != nil {
		return out, fmt.Errorf("forget what is known of entries: %w", err)
	}
	err = k.staying(&out, m, meant, out.Written)
	return out, err
}

// planned returns what is to be forgotten, and what the history keeps.
func (k *Keeper) planned(ctx context.Context, m meaning, meant []*known) Forgetting {
	recorded := otherThan(m.left, k.recorded(ctx, slices.Concat(meant, m.gone)))
	return Forgetting{
		Entries: append([]Entry{}, listed(meant)...), Notes: append([]string{}, m.notes...),
		InHistory: listed(m.gone), Recorded: listed(append(m.left, recorded...)), Unmarked: m.unmarked,
	}
}

// bury marks the words of entries as forgotten, and returns their digests.
func (k *Keeper) bury(entries []*known) (digests map[string]bool, err error) {
	var normals []string
	digests = map[string]bool{}
	for _, e := range entries {
		normals = append(normals, e.normal())
		digests[k.marks.digest(e.normal())] = true
	}
	return digests, k.marks.bury(normals)
}

// listed returns entries as they are listed.
func listed(entries []*known) (all []Entry) {
	for _, e := range entries {
		all = append(all, e.entry())
	}
	return all
}

// staying lists the entries that stay beside those that are gone, where they stand once
// the written notes are as they are now.
func (k *Keeper) staying(out *Forgetting, m meaning, gone []*known, written []string) error {
	texts := map[string]string{}
	list := func(entries []*known) (listed []Entry, err error) {
		for _, e := range entries {
			if slices.ContainsFunc(gone, func(o *known) bool { return o.place() == e.place() }) {
				continue
			}
			if slices.Contains(written, e.path) {
				text, read := texts[e.path]
				if !read {
					if text, err = k.opts.Notebook.Read(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
						return nil, fmt.Errorf("read %s: %w", e.path, err)
					}
					texts[e.path] = text
				}
				if e = k.again(e, text); e == nil {
					continue // somebody else has removed it meanwhile
				}
			}
			listed = append(listed, e.entry())
		}
		return listed, nil
	}
	var also, some, near error
	out.Also, also = list(m.also)
	out.Some, some = list(m.some)
	out.Near, near = list(m.near)
	return errors.Join(also, some, near)
}

// forgetLeftovers takes what is forgotten out of the files that killed processes left
// beside the notes. It removes those of whole notes. It returns the paths of the files that
// could not be read.
func (k *Keeper) forgetLeftovers(ctx context.Context, scrub notebook.Scrub, whole []string) (unread []string, err error) {
	kept, err := k.opts.Notebook.Leftovers(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range kept {
		text := ""
		if !slices.Contains(whole, l.Of) {
			text = scrub(l.Of, l.Text)
		}
		switch {
		case l.Err != nil || !utf8.ValidString(l.Text):
			unread = append(unread, l.Path)
		case text != l.Text:
			err = errors.Join(err, k.opts.Notebook.Amend(ctx, l, text))
		}
	}
	return unread, err
}

// bonds are what entries that stay say of forgotten ones: which of these replaced them,
// and which they replaced.
type bonds struct {
	entries []*known
	// By the id of a forgotten entry, what stands in its place: "" when nothing is left.
	by, replaces map[string]string
	checks       map[string]bool // of the words of the forgotten entries
	stands       map[string]bool // the lines that stay in the notes, see [Keeper.standing]
}

// boundTo returns the entries that stay and name forgotten ones, and what they shall name
// instead.
func (k *Keeper) boundTo(ctx context.Context, meant []*known) (bonds, error) {
	b := bonds{by: map[string]string{}, replaces: map[string]string{}, checks: map[string]bool{}}
	gone := map[Place]bool{}
	for _, e := range meant {
		gone[e.place()], b.checks[e.check()] = true, true
		if id := e.Fields.Get(entry.ID); id != "" {
			b.by[id], b.replaces[id] = e.Fields.Get(entry.By), e.Fields.Get(entry.Replaces)
		}
	}
	if len(gone) == 0 {
		return b, nil
	}
	paths, err := k.paths(ctx)
	if err == nil {
		b.stands, err = k.standing(ctx, meant)
	}
	if err != nil {
		return b, err
	}
	for _, path := range paths {
		text, err := k.opts.Notebook.Read(path)
		if err != nil || conflicted(path) || !b.in(text) {
			continue // nothing there says anything of them
		}
		for _, e := range k.parse(path, text) {
			_, copied := b.by[e.Fields.Get(entry.ID)]
			if !copied && !gone[e.place()] && len(b.of(e.Entry)) > 0 {
				b.entries = append(b.entries, e)
			}
		}
	}
	return b, nil
}

// in reports whether a note may say something of a forgotten entry.
func (b bonds) in(text string) bool {
	if !slices.ContainsFunc([]string{entry.By, entry.Replaces, entry.Updates}, func(key string) bool {
		return strings.Contains(text, key+":")
	}) {
		return false
	}
	for id := range b.by {
		if strings.Contains(text, id) {
			return true
		}
	}
	for check := range b.checks {
		if strings.Contains(text, check) {
			return true
		}
	}
	return false
}

// of returns what an entry shall say instead of what it says of forgotten ones.
func (b bonds) of(e entry.Entry) (fields entry.Fields) {
	next := func(key string, of map[string]string) {
		said := e.Fields.Get(key)
		id := said
		for range len(of) { // as long as a chain may be
			if other, forgotten := of[id]; forgotten {
				id = other
			}
		}
		if id != said {
			fields = append(fields, entry.Field{Key: key, Value: id})
		}
	}
	next(entry.By, b.by)
	next(entry.Replaces, b.replaces)
	if said := e.Fields.Get(entry.Updates); said != "" {
		if kept := updatesWithout(e, b.checks); kept != strings.Join(strings.Fields(said), " ") {
			fields = append(fields, entry.Field{Key: entry.Updates, Value: kept})
		}
	}
	return fields
}

// takeOut plans to remove entries, and to mend what others say of them. It skips notes
// that are removed as a whole.
func (k *Keeper) takeOut(d *notebook.Draft, meant []*known, bound bonds, whole []string) error {
	byPath := map[string][]*known{}
	var paths []string
	for _, e := range slices.Concat(meant, bound.entries) {
		if slices.Contains(whole, e.path) {
			continue
		}
		if byPath[e.path] == nil {
			paths = append(paths, e.path)
		}
		byPath[e.path] = append(byPath[e.path], e)
	}
	for _, path := range paths {
		text, _, err := d.Read(path)
		if err != nil {
			return err
		}
		type step struct {
			*known
			mend bool
		}
		var now []step
		for _, e := range byPath[path] {
			mend := slices.Contains(bound.entries, e)
			if e := k.again(e, text); e != nil && !slices.ContainsFunc(now, func(o step) bool { return o.Start == e.Start }) {
				now = append(now, step{e, mend})
			}
		}
		order.By(now, func(a, b step) int { return b.Start - a.Start })
		for _, e := range now {
			if e.mend {
				text = entry.Set(text, e.Entry, bound.of(e.Entry), layout.Curated(path))
			} else {
				text = entry.Remove(text, e.Entry)
			}
		}
		if err := d.Write(path, text); err != nil {
			return err
		}
	}
	return nil
}

// scrubOf returns what removes entries from the lines of old changes, wherever those were
// made, and mends what others say of them there. It also removes each line with the same bare
// words, unless a note has such a line still: a heading, code or a row of a table is no
// entry, and an entry may be a part of another.
func scrubOf(meant []*known, bound bonds) notebook.Scrub {
	ids, words, bare := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range meant {
		words[e.normal()] = true
		if line := bareWords(e.normal()); !bound.stands[line] {
			bare[line] = true
		}
		if id := e.Fields.Get(entry.ID); id != "" {
			ids[id] = true
		}
	}
	return func(note, lines string) string {
		entries := entry.Parse(lines)
		for _, e := range slices.Backward(entries) {
			if k := (&known{Entry: e}); ids[e.Fields.Get(entry.ID)] || words[k.normal()] {
				lines = entry.Remove(lines, e)
			} else if fields := bound.of(e); len(fields) > 0 {
				lines = entry.Set(lines, e, fields, layout.Curated(note))
			}
		}
		var kept strings.Builder
		next, stop := iter.Pull2(numbered(lines))
		defer stop()
		for line := range strings.Lines(lines) {
			if _, words, _ := next(); words == "" || !bare[bareWords(judge.Normal(words))] {
				kept.WriteString(line)
			}
		}
		return kept.String()
	}
}

// A meaning is what a target means.
type meaning struct {
	entries []*known
	notes   []string // removed as a whole
	gone    []*known // that stand in the history alone
	left    []*known // in the history alone, with the words of a question, but not certain
	// Entries that stay, of a question; see [Forgetting].
	also, some, near []*known
	unmarked         []string // see [Forgetting.Unmarked]
}

// meant returns what a target means.
func (k *Keeper) meant(ctx context.Context, target Target) (m meaning, err error) {
	given := 0
	for _, is := range []bool{target.Ref != "", len(target.Refs) > 0, target.Session != "", target.Origin != "", target.Query != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return m, fmt.Errorf("say what to forget: an entry or a note, a session, an origin, or a question, and only one of these: %w", memoir.ErrInvalid)
	case target.All && target.Query == "":
		return m, fmt.Errorf("only a question has words that all can mean: %w", memoir.ErrInvalid)
	case target.Ref != "":
		m.entries, m.notes, err = k.referred(ctx, target.Ref)
	case len(target.Refs) > 0:
		m.entries, m.notes, err = k.referredAll(ctx, target.Refs)
	case target.Query != "":
		return k.asked(ctx, target.Query, target.All)
	default:
		m, err = k.allFrom(ctx, target)
	}
	if err == nil || errors.Is(err, memoir.ErrNotFound) {
		m.gone, err = k.goneOf(ctx, target, m.entries, err)
	}
	return m, err
}

// referredAll returns what several names mean, each once.
func (k *Keeper) referredAll(ctx context.Context, refs []string) (meant []*known, whole []string, err error) {
	var missing error
	for _, ref := range refs {
		entries, notes, err := k.referred(ctx, ref)
		switch {
		case errors.Is(err, memoir.ErrNotFound):
			missing = err
		case err != nil:
			return nil, nil, err
		}
		for _, e := range entries {
			if !slices.ContainsFunc(meant, func(o *known) bool { return o.place() == e.place() }) {
				meant = append(meant, e)
			}
		}
		for _, note := range notes {
			if !slices.Contains(whole, note) {
				whole = append(whole, note)
			}
		}
	}
	if len(meant)+len(whole) == 0 {
		return nil, nil, missing
	}
	return meant, whole, nil
}

// referred returns the entries that an id, a citation or a path names.
func (k *Keeper) referred(ctx context.Context, ref string) (meant []*known, whole []string, err error) {
	path, lines, cited := strings.Cut(ref, "#")
	if isID(ref) {
		e, err := k.named(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		return []*known{e}, nil, nil
	}
	if layout.Host(path) {
		return nil, nil, fmt.Errorf("%s belongs to the agent, not to memoir: %w", path, memoir.ErrInvalid)
	}
	text, err := k.opts.Notebook.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("there is no note %s: %w", path, memoir.ErrNotFound)
	case err != nil:
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	entries := k.parse(path, text)
	if !cited {
		return entries, []string{path}, nil
	}
	switch meant = standing(entries, lines); {
	case len(meant) > 0:
		return meant, nil, nil
	case Certain(ref):
		return nil, nil, memoir.WithHint(fmt.Errorf("what stood at %s is not in the note any more: %w", ref, memoir.ErrNotFound), "memoir get shows what the note says now")
	}
	return nil, nil, fmt.Errorf("there is no entry at %s: %w", ref, memoir.ErrNotFound)
}
