package remember

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// doubles returns a finding for each group of active entries with the same
// words. In a day log only entries below the same heading of one file form a
// group, and a person has to decide: the same may have happened twice.
func (t *tidier) doubles(entries []*known) (found []TidyFinding) {
	groups := map[string][]*known{}
	var order []string
	replaced := stock(entries).replaced()
	for _, e := range entries {
		key := wording(e.Text)
		if !e.active() || key == "" || replaced.by(e) != "" {
			continue
		}
		if t.keeper.fixed(e.path) {
			key += "\x00" + strings.Join(e.Heading, "\x00")
		}
		if len(groups[key]) == 1 {
			order = append(order, key)
		}
		groups[key] = append(groups[key], e)
	}
	titles := titlesOf(entries)
	for _, key := range order {
		group := groups[key]
		slices.SortStableFunc(group, laterLast)
		merged, ok := merge(group)
		merged = t.identified(group[0], merged)
		certain := ok && !t.keeper.fixed(group[0].path) && !named(entries, group[1:])
		for _, e := range group {
			certain = certain && slices.Equal(section(e, titles), section(group[0], titles)) &&
				(e.path == group[0].path || e.path != layout.User && group[0].path != layout.User) && (e.Item || len(e.terms()) >= 4)
		}
		f := finding(Duplicate, fmt.Sprintf("the same words stand in %d entries: keep one, and its count", len(group)), nil, group...)
		f.Certain, f.plan = certain, t.merging(group, merged, f.paths)
		found = append(found, f)
	}
	return found
}

// laterLast orders entries with the same words: first that of MEMORY.md, which
// was pinned, then those that were told first.
func laterLast(a, b *known) int {
	rank := func(e *known) int {
		if e.path == layout.Memory {
			return 0
		}
		return 1
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a.observed(), b.observed()), strings.Compare(a.path, b.path), a.StartLine-b.StartLine)
}

// titlesOf returns the titles of files. A file has a title if all its entries
// stand below its first heading.
func titlesOf(entries []*known) map[string]string {
	titles := map[string]string{}
	for _, e := range entries {
		first := ""
		if len(e.Heading) > 0 {
			first = e.Heading[0]
		}
		if title, ok := titles[e.path]; ok && title != first {
			first = ""
		}
		titles[e.path] = first
	}
	return titles
}

// section returns the headings above an entry, without the title of its file.
func section(e *known, titles map[string]string) []string {
	if titles[e.path] != "" {
		return e.Heading[1:]
	}
	return e.Heading
}

// named reports whether an entry names one of a group by its id.
func named(entries, group []*known) bool {
	for _, e := range group {
		id := e.Fields.Get(entry.ID)
		if id != "" && slices.ContainsFunc(entries, func(o *known) bool {
			return o.Fields.Get(entry.By) == id || o.Fields.Get(entry.Replaces) == id
		}) {
			return true
		}
	}
	return false
}

// merge returns the fields that the first of a group gets from the others. ok
// says that nothing of theirs is lost.
func merge(group []*known) (fields entry.Fields, ok bool) {
	keep := group[0]
	count, last, most, ok := keep.number(entry.Count), keep.Fields.Get(entry.Last), keep.number(entry.Importance), true
	source := keep.Fields
	for _, e := range group[1:] {
		for _, f := range confirmed(source, e.Fields.Get(entry.Origin), e.Fields.Get(entry.Session)) {
			source = source.With(f)
		}
		count += 1 + e.number(entry.Count)
		last = max(last, e.observed(), e.Fields.Get(entry.Last))
		most = max(most, e.number(entry.Importance))
		for _, f := range e.Fields {
			switch have := keep.Fields.Get(f.Key); f.Key {
			case entry.ID, entry.Observed, entry.Count, entry.Last, entry.Session, entry.Request, entry.Importance, entry.Status, entry.Type, entry.Origin:
			case entry.Trigger, entry.Project:
				if have == "" && fields.Get(f.Key) == "" {
					fields = append(fields, f)
				} else if have != f.Value && fields.Get(f.Key) != f.Value {
					ok = false
				}
			default:
				ok = ok && have == f.Value
			}
		}
		for _, f := range keep.Fields {
			switch f.Key {
			case entry.ID, entry.Observed, entry.Count, entry.Last, entry.Session, entry.Request, entry.Importance, entry.Status, entry.Type, entry.Origin, entry.Trigger, entry.Project:
			default:
				ok = ok && e.Fields.Get(f.Key) == f.Value
			}
		}
	}
	fields = append(fields, entry.Field{Key: entry.Count, Value: strconv.Itoa(count)})
	if last != "" {
		fields = append(fields, entry.Field{Key: entry.Last, Value: last})
	}
	if most > keep.number(entry.Importance) {
		fields = append(fields, entry.Field{Key: entry.Importance, Value: strconv.Itoa(most)})
	}
	for _, key := range []string{entry.Origin, entry.Session} {
		if now := source.Get(key); now != keep.Fields.Get(key) {
			fields = append(fields, entry.Field{Key: key, Value: now})
		}
	}
	return fields, ok
}

// merging plans to keep the first of a group, with the fields of the others,
// and to remove those. It does so only if as many entries as before have the
// words.
func (t *tidier) merging(group []*known, fields entry.Fields, paths []string) func(*notebook.Draft) error {
	return func(d *notebook.Draft) error {
		texts := map[string]string{}
		var now []*known
		for _, path := range paths {
			text, _, err := d.Read(path)
			if err != nil {
				return err
			}
			texts[path] = text
			for _, e := range t.keeper.parse(path, text) {
				if e.active() && wording(e.Text) == wording(group[0].Text) && (!t.keeper.fixed(path) || slices.Equal(e.Heading, group[0].Heading)) {
					now = append(now, e)
				}
			}
		}
		slices.SortStableFunc(now, laterLast)
		if len(now) != len(group) || !slices.EqualFunc(now, group, func(a, b *known) bool { return a.path == b.path && slices.Equal(a.Fields, b.Fields) }) {
			return errGone
		}
		keep := now[0]
		// From the end of a note, so that the lines of earlier entries do not
		// move.
		slices.SortFunc(now, func(a, b *known) int { return b.Start - a.Start })
		for _, e := range now {
			if e == keep {
				texts[e.path] = entry.Set(texts[e.path], e.Entry, fields, layout.Curated(e.path))
			} else {
				texts[e.path] = entry.Remove(texts[e.path], e.Entry)
			}
		}
		for _, path := range paths {
			if err := d.Write(path, texts[path]); err != nil {
				return err
			}
		}
		return nil
	}
}
