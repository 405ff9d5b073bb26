package remember

import (
	"slices"
	"strconv"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

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
