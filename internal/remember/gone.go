package remember

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
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
	return here, k.gone(changes, here), nil
}

// gone returns the entries that stand in the history and in no note any more: they were
// taken back, changed, or removed by hand. here are those of the notes. Each stands there
// once, as it was last; in which line of its note it stood is not said. One whose id an
// entry of the notes has bears no id.
func (k *Keeper) gone(changes []notebook.Change, here []*known) []*known {
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
				for _, e := range k.known(edit.Path, entry.Parse(lines)) {
					id := e.Fields.Get(entry.ID)
					key := id + "\x00" + e.normal()
					if words[e.normal()] {
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
