package remember

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// goneOf returns the entries that a target means in the history alone. meant are those that
// it means in the notes; none is the error where there are none, which is returned when there
// are none in the history either.
func (k *Keeper) goneOf(ctx context.Context, target Target, meant []*known, none error) (gone []*known, err error) {
	if target.Ref != "" && (len(meant) > 0 || !isID(target.Ref)) {
		return nil, none
	}
	defer func() {
		if err == nil && len(gone) == 0 {
			err = none
		}
	}()
	_, all, err := k.hereAndGone(ctx)
	if err != nil {
		return nil, err
	}
	ids := slices.DeleteFunc(append(slices.Clone(target.Refs), target.Ref), func(ref string) bool { return !isID(ref) })
	return slices.DeleteFunc(all, func(e *known) bool {
		return !slices.Contains(ids, e.Fields.Get(entry.ID)) && !target.from(e)
	}), nil
}

// isID reports whether a name is that of an entry, and no citation or path.
func isID(ref string) bool {
	return ref != "" && !strings.Contains(ref, "#") && !strings.HasSuffix(strings.ToLower(ref), ".md")
}

// exact reports whether a question is the words of an entry.
func exact(question string) func(*known) bool {
	normal := judge.Normal(question)
	return func(e *known) bool { return e.normal() == normal }
}

// hereAndGone returns the entries of all notes, and those that stand in the history alone. The
// history is read first: what is told meanwhile would seem to stand there alone.
func (k *Keeper) hereAndGone(ctx context.Context) (here, gone []*known, err error) {
	changes, err := k.opts.Notebook.History()
	if err != nil {
		return nil, nil, fmt.Errorf("look into the history: %w", err)
	}
	if here, err = k.everywhere(ctx); err != nil {
		return nil, nil, err
	}
	stands, err := k.standing(ctx, here)
	if err != nil {
		return nil, nil, err
	}
	return here, k.gone(changes, here, stands), nil
}

// standing returns the bare words of the lines of all notes but the agent's own, without the
// lines of some entries.
func (k *Keeper) standing(ctx context.Context, without []*known) (map[string]bool, error) {
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	stands, goes := map[string]bool{}, map[string]map[int]bool{}
	for _, e := range without {
		if goes[e.path] == nil {
			goes[e.path] = map[int]bool{}
		}
		for n := e.StartLine; n <= e.EndLine; n++ {
			goes[e.path][n] = true
		}
	}
	for _, path := range paths {
		if layout.Host(path) {
			continue
		}
		text, err := k.opts.Notebook.Read(path)
		if err != nil {
			continue // everywhere says so, or there is no such note
		}
		for n, line := range numbered(text) {
			if !goes[path][n] {
				stands[bareWords(judge.Normal(line))] = true
			}
		}
	}
	return stands, nil
}

// recordedIn returns the entries of lines of a note, and each line that is in no entry: a heading, a
// row of a table or a line of code. A row that stands alone among the lines reads as an entry.
func (k *Keeper) recordedIn(path, lines string) []*known {
	all := k.known(path, entry.Parse(lines))
	entries := len(all)
	for n, line := range numbered(lines) {
		inside := func(e *known) bool { return e.StartLine <= n && n <= e.EndLine }
		if says(line) && !slices.ContainsFunc(all[:entries], inside) {
			all = append(all, &known{Entry: entry.Entry{Text: line}, path: path})
		}
	}
	return all
}

// says reports whether a line has words.
func says(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// gone returns the entries and the lines beside them that stand in the history and in no note
// any more: they were taken back, changed, or removed by hand. here are the entries of the
// notes; stands has the other lines of these. Each is there once, as it was last; in which line of
// its note it stood is not said. One whose id an entry of the notes has bears no id.
func (k *Keeper) gone(changes []notebook.Change, here []*known, stands map[string]bool) []*known {
	words, now, whole := map[string]bool{}, map[string]string{}, map[string]string{}
	for _, e := range here {
		words[e.normal()] = true
		now[e.Fields.Get(entry.ID)] = e.normal()
	}
	var all []*known
	seen := map[string]int{}
	for _, c := range changes {
		for _, edit := range c.Edits {
			for _, lines := range []string{edit.Old, edit.New} {
				for _, e := range k.recordedIn(edit.Path, lines) {
					id := e.Fields.Get(entry.ID)
					key := id + "\x00" + e.normal()
					row := id == "" && !e.Item && stands[bareWords(e.normal())] // of a table that stands there
					if row || words[e.normal()] {
						continue
					}
					if len(e.normal()) > len(whole[id]) {
						whole[id] = e.normal()
					}
					e.StartLine, e.EndLine = 0, 0
					if i, is := seen[key]; is {
						all[i] = e
						continue
					}
					seen[key] = len(all)
					all = append(all, e)
				}
			}
		}
	}
	part := func(e *known, of string) bool { return of != e.normal() && strings.Contains(of, e.normal()) }
	all = slices.DeleteFunc(all, func(e *known) bool { // a change may have only some lines of an entry
		id := e.Fields.Get(entry.ID)
		return id != "" && (part(e, whole[id]) || part(e, now[id]))
	})
	for _, e := range all {
		e.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f entry.Field) bool { return f.Key == entry.ID && now[f.Value] != "" })
	}
	return all
}

// removeAll removes whole notes from a draft and returns what backIn does of the others.
func (k *Keeper) removeAll(d *notebook.Draft, whole []string, gone []*known) (back []*known, err error) {
	for _, path := range whole {
		if err := d.Remove(path); err != nil {
			return nil, err
		}
	}
	return k.backIn(d, gone, whole)
}

// otherThan returns entries but for those that have the place and the words of others.
func otherThan(others, all []*known) []*known {
	return slices.DeleteFunc(slices.Clone(all), func(e *known) bool {
		return slices.ContainsFunc(others, func(o *known) bool { return o.path == e.path && o.normal() == e.normal() })
	})
}

// backIn returns the entries of a draft that have the words of those that stood in the history
// alone when they were looked for: somebody told them, or took a change back, while this one
// waited for its turn.
func (k *Keeper) backIn(d *notebook.Draft, gone []*known, whole []string) (back []*known, err error) {
	for _, e := range gone {
		if slices.Contains(whole, e.path) {
			continue
		}
		text, exists, err := d.Read(e.path)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		for _, now := range k.parse(e.path, text) {
			if now.normal() == e.normal() {
				back = append(back, now)
			}
		}
	}
	return back, nil
}
