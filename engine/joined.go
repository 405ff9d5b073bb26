package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/joined"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/search"
)

// A Joined is the user's memory and that of a project as one. Each stays what it is,
// with its own index, settings and history; a search answers with one list, whose
// scores are those of one index with all notes (docs/design/scopes.md). It is safe for
// concurrent use.
//
// Answers say whose memory something is of, with paths below its own workspace. What
// is asked about is named as [memoir.Scope.Name] does; a path alone is the project's,
// or else the user's where it is only read.
type Joined struct {
	user, project *Engine
	store         *joined.Store
	searcher      *search.Searcher
}

// Join makes one memory of two. How it searches, and with which model, is the user's
// to say. The caller closes both engines, the joined one first.
func Join(user, project *Engine) (*Joined, error) {
	own := joined.Part{Scope: memoir.ScopeUser, Store: user.store, Space: user.Space}
	other := joined.Part{Scope: memoir.ScopeProject, Store: project.store, Space: project.Space}
	if user.sessions() {
		// Both indexes hold the sessions of the same agents; one of them is enough.
		other.Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
	}
	j := &Joined{user: user, project: project, store: joined.New(own, other)}
	cfg := user.asking
	cfg.Store, cfg.Documents, cfg.Notes = j.store, documents{j}, nil
	cfg.Kinds = slices.Clone(cfg.Kinds)
	for _, kind := range project.asking.Kinds {
		if !slices.Contains(cfg.Kinds, kind) {
			cfg.Kinds = append(cfg.Kinds, kind)
		}
	}
	var err error
	j.searcher, err = search.New(cfg)
	return j, err
}

// Command lets the commands of a hint act on one of two memories.
func Command(scope memoir.Scope, hint string) string { return joined.Command(scope, hint) }

// Close ends what waits for the embedder.
func (j *Joined) Close() { j.searcher.Close() }

// of returns the engine of a memory.
func (j *Joined) of(scope memoir.Scope) *Engine {
	if scope == memoir.ScopeUser {
		return j.user
	}
	return j.project
}

// both are the memories, the user's first.
var both = []memoir.Scope{memoir.ScopeUser, memoir.ScopeProject}

// begin lets a call of both engines begin, which end ends.
func (j *Joined) begin(doing string) (end func(), err error) {
	if err := j.user.calls.begin(doing); err != nil {
		return nil, err
	}
	if err := j.project.calls.begin(doing); err != nil {
		j.user.calls.end()
		return nil, err
	}
	return func() { j.user.calls.end(); j.project.calls.end() }, nil
}

// documents are those of both, for the search.
type documents struct{ *Joined }

// Freshen implements [search.Documents]: side by side, for each has its own time.
func (d documents) Freshen(ctx context.Context, embedding func(context.Context) (context.Context, context.CancelFunc, bool)) []memoir.Degradation {
	found := make([][]memoir.Degradation, len(both))
	var work sync.WaitGroup
	for i, scope := range both {
		work.Go(func() {
			for _, x := range d.of(scope).indexer.Freshen(ctx, embedding) {
				found[i] = append(found[i], joined.Of(scope, x))
			}
		})
	}
	work.Wait()
	return slices.Concat(found...)
}

// Filling implements [search.Documents].
func (d documents) Filling() (bool, error) {
	one, failed := d.user.indexer.Filling()
	other, err := d.project.indexer.Filling()
	return one || other, errors.Join(failed, err)
}

// Search answers a query as [Engine.Search] does, from both memories. A filter's
// prefix may name one of them, as "user:memory/".
func (j *Joined) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	end, err := j.begin("search")
	if err != nil {
		return memoir.Results{}, err
	}
	defer end()
	if scope, path := memoir.ParseName(q.Filter.Prefix); scope != "" && q.Filter.Scope == "" {
		q.Filter.Scope, q.Filter.Prefix = scope, string(path)
	}
	res, err := j.searcher.Search(ctx, q)
	if err != nil {
		return res, err
	}
	if res.Space != (memoir.Space{}) {
		res.Degraded = append(res.Degraded, j.store.Apart(ctx)...)
	}
	for _, scope := range both {
		if answered := j.of(scope).answered; answered != nil {
			own := res
			own.Hits = slices.DeleteFunc(slices.Clone(res.Hits), func(h memoir.Hit) bool { return h.Scope != scope })
			answered(q, own)
		}
	}
	return res, nil
}

// Stats counts what is indexed in both memories.
func (j *Joined) Stats(ctx context.Context) (memoir.StoreStats, error) {
	end, err := j.begin("count the index")
	if err != nil {
		return memoir.StoreStats{}, err
	}
	defer end()
	return j.store.Stats(ctx, j.user.Space())
}

// Why answers as [Engine.Why] does, for the memory that the document is of alone.
func (j *Joined) Why(ctx context.Context, q memoir.Query, name memoir.DocID, line int) (memoir.Why, error) {
	scope, id, err := j.locate(ctx, name)
	if err != nil {
		return memoir.Why{}, err
	}
	return j.of(scope).Why(ctx, q, id, line)
}

// locate returns which document is meant by a name that is read.
func (j *Joined) locate(ctx context.Context, name memoir.DocID) (memoir.Scope, memoir.DocID, error) {
	var first error
	for _, m := range j.meant(name) {
		_, err := j.of(m.scope).Get(ctx, m.id, 0, 0)
		if !errors.Is(err, memoir.ErrNotFound) && !errors.Is(err, memoir.ErrInvalid) {
			return m.scope, m.id, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", "", first
}

// named is a document of one memory.
type named struct {
	scope memoir.Scope
	id    memoir.DocID
}

// meant returns what a name can mean, the likeliest first.
func (j *Joined) meant(name memoir.DocID) []named {
	all := []named{{memoir.ScopeProject, name}, {memoir.ScopeUser, name}}
	if scope, id := memoir.ParseName(string(name)); scope != "" { // else a note that is called so
		all = append([]named{{scope, id}}, all...)
	}
	return all
}

// Get returns lines of a document as [Engine.Get] does.
func (j *Joined) Get(ctx context.Context, name memoir.DocID, from, to int) (memoir.Excerpt, error) {
	var first error
	for _, m := range j.meant(name) {
		x, err := j.of(m.scope).Get(ctx, m.id, from, to)
		x.Scope = m.scope
		if !errors.Is(err, memoir.ErrNotFound) {
			return x, err
		}
		if first == nil {
			first = err
		}
	}
	return memoir.Excerpt{}, first
}

// Documents yields what is indexed in both memories, under the names that the other
// methods take, ordered by them.
func (j *Joined) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		var all []memoir.DocumentMeta
		for _, scope := range both {
			for meta, err := range j.of(scope).Documents(ctx) {
				if err != nil {
					yield(memoir.DocumentMeta{}, err)
					return
				}
				meta.ID = memoir.DocID(scope.Name(meta.ID))
				all = append(all, meta)
			}
		}
		slices.SortFunc(all, func(a, b memoir.DocumentMeta) int { return cmp.Compare(a.ID, b.ID) })
		for _, meta := range all {
			if !yield(meta, nil) {
				return
			}
		}
	}
}

// owner returns the memory that a name of a note to be written means. Nothing falls
// back on another memory here: that would change what was not meant.
func owner(name string) (memoir.Scope, string) {
	scope, id := memoir.ParseName(name)
	if scope == "" {
		scope = memoir.ScopeProject
	}
	return scope, string(id)
}

// Note returns what a note holds as [Engine.Note] does.
func (j *Joined) Note(name string) (string, error) {
	scope, path := owner(name)
	return j.of(scope).Note(path)
}

// Edit changes notes as [Engine.Edit] does, of one memory: that of the first name in the
// draft. Notes of both in one change give [memoir.ErrInvalid].
func (j *Joined) Edit(ctx context.Context, who, why string, plan func(*Draft) error) (Change, error) {
	change, other, err := j.edit(ctx, memoir.ScopeProject, who, why, plan)
	if other {
		change, _, err = j.edit(ctx, memoir.ScopeUser, who, why, plan)
	}
	return change, err
}

// edit changes notes of one memory. Other says that the plan began with another one,
// and nothing was changed.
func (j *Joined) edit(ctx context.Context, in memoir.Scope, who, why string, plan func(*Draft) error) (change Change, other bool, err error) {
	change, err = j.of(in).Edit(ctx, who, why, func(d *Draft) error {
		begun := false
		other = false
		d.at = func(name string) (string, error) {
			scope, path := owner(name)
			if scope == in && !other {
				begun = true
				return path, nil
			}
			other = !begun
			return "", fmt.Errorf("%s is of another memory than the notes before it: %w", name, memoir.ErrInvalid)
		}
		if err := plan(d); err != nil || !other {
			return err
		}
		return fmt.Errorf("the notes are of another memory: %w", memoir.ErrInvalid)
	})
	change.Scope = string(in)
	return change, other && in == memoir.ScopeProject, err
}

// Prime returns what a session starts with as [Engine.Prime] does: the user's part, then
// the project's, within one budget.
func (j *Joined) Prime(ctx context.Context, opts PrimeOptions) (Primed, error) {
	end, err := j.begin("read the notes")
	if err != nil {
		return Primed{}, err
	}
	defer end()
	return prime.Choose(ctx, j.primeOptions(ctx, opts))
}

func (j *Joined) primeOptions(ctx context.Context, opts PrimeOptions) prime.Options {
	o := j.user.primeOptions(ctx, opts)
	of := j.project.primeNotes(ctx)
	o.Scope, of.Scope = string(memoir.ScopeUser), string(memoir.ScopeProject)
	o.Project = &of
	return o
}

// Recall returns what a message calls for as [Engine.Recall] does.
func (j *Joined) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	end, err := j.begin("recall")
	if err != nil {
		return Primed{}, err
	}
	defer end()
	return recall(ctx, opts, j.searcher.Search, j.user.sessions() || j.project.sessions(),
		func(ctx context.Context, o PrimeOptions) prime.Options { return j.primeOptions(ctx, o) })
}

// Flush says when a session has to keep what it holds, as [Engine.Flush] does; a day log
// is the project's.
func (j *Joined) Flush(window, used int) Flush { return j.project.Flush(window, used) }

// OfUser reports whether entries of a type are the user's, wherever they are told:
// preferences, instructions and contacts. All others are the project's.
func OfUser(typ string) bool {
	return typ == layout.Preference || typ == layout.Instruction || typ == layout.Contact
}

// Remember keeps a statement as [Engine.Remember] does: where the entry stands that it
// replaces, else in the memory that it names, else in that which its type belongs to.
func (j *Joined) Remember(ctx context.Context, st Statement) (Outcome, error) {
	scope := st.Scope
	switch {
	case scope != "" && !slices.Contains(both, scope):
		return Outcome{}, fmt.Errorf("%q is none of the memories, which are user and project: %w", scope, memoir.ErrInvalid)
	case st.Replaces != "":
		of, ref, err := j.entry(ctx, st.Replaces)
		if err != nil {
			return Outcome{}, err
		}
		if scope != "" && scope != of {
			return Outcome{}, fmt.Errorf("%s stands in the %s's memory, and cannot be replaced in the %s's: %w", st.Replaces, of, scope, memoir.ErrInvalid)
		}
		scope, st.Replaces = of, ref
	case scope == "" && st.Type == "":
		// What type it is, the text says; who is asked does not matter.
		dry := st
		dry.DryRun, dry.Key = true, ""
		found, err := j.user.Remember(ctx, dry)
		if err != nil {
			return Outcome{}, err
		}
		if found.Outcome == Refused || found.Type == "" {
			scope = memoir.ScopeUser
			break
		}
		st.Type = found.Type
	}
	if scope == "" {
		if scope = memoir.ScopeProject; OfUser(st.Type) {
			scope = memoir.ScopeUser
		}
	}
	out, err := j.of(scope).Remember(ctx, st)
	if out.Path != "" {
		out.Scope = scope
	}
	if out.Replaces != nil {
		replaces := *out.Replaces
		replaces.Scope = scope
		out.Replaces = &replaces
	}
	for i := range out.Similar {
		out.Similar[i].Scope = scope
	}
	return out, err
}

// entry returns the memory that an entry stands in, by its id or where it stands, and
// what that calls it.
func (j *Joined) entry(ctx context.Context, ref string) (memoir.Scope, string, error) {
	if scope, path := memoir.ParseName(ref); scope != "" {
		return scope, string(path), nil
	}
	if strings.Contains(ref, "#") || strings.HasSuffix(strings.ToLower(ref), ".md") {
		return memoir.ScopeProject, ref, nil // what a path alone means, for what is written
	}
	var found []memoir.Scope
	for _, scope := range both {
		switch _, err := j.of(scope).Forget(ctx, Target{Ref: ref}, true); {
		case err == nil:
			found = append(found, scope)
		case !errors.Is(err, memoir.ErrNotFound):
			return "", "", err
		}
	}
	switch len(found) {
	case 0:
		return "", "", memoir.WithHint(fmt.Errorf("there is no entry %q: %w", ref, memoir.ErrNotFound), "memoir entries lists them with their ids")
	case 1:
		return found[0], ref, nil
	}
	return "", "", memoir.WithHint(fmt.Errorf("both memories have an entry %q: %w", ref, memoir.ErrConflict), "name it by where it stands, such as user:memory/contacts.md#L3")
}

// Forget takes entries out as [Engine.Forget] does: where they stand, and those of a
// session or an origin from both memories.
func (j *Joined) Forget(ctx context.Context, target Target, dryRun bool) (Forgetting, error) {
	from := both
	if target.Ref != "" {
		scope, ref, err := j.entry(ctx, target.Ref)
		if err != nil {
			return Forgetting{}, err
		}
		from, target.Ref = []memoir.Scope{scope}, ref
	}
	all := Forgetting{Entries: []Entry{}, Notes: []string{}, DryRun: dryRun}
	var none error
	for _, scope := range from {
		done, err := j.of(scope).Forget(ctx, target, dryRun)
		if errors.Is(err, memoir.ErrNotFound) {
			none = err
			continue
		}
		if err != nil {
			return all, err
		}
		for _, e := range done.Entries {
			e.Scope = scope
			all.Entries = append(all.Entries, e)
		}
		for _, note := range done.Notes {
			all.Notes = append(all.Notes, scope.Name(memoir.DocID(note)))
		}
		for _, note := range done.Written {
			all.Written = append(all.Written, scope.Name(memoir.DocID(note)))
		}
	}
	if len(all.Entries)+len(all.Notes) == 0 && none != nil {
		return all, none
	}
	return all, nil
}

// Entries returns the entries of both memories as [Engine.Entries] does, the user's first.
func (j *Joined) Entries(ctx context.Context, f EntryFilter) (all []Entry, err error) {
	for _, scope := range both {
		found, err := j.of(scope).Entries(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			e.Scope = scope
			all = append(all, e)
		}
	}
	return all, nil
}

// Similar returns entries of both memories as [Engine.Similar] does.
func (j *Joined) Similar(ctx context.Context, text string, threshold float64) (all []Similar, err error) {
	for _, scope := range both {
		found, err := j.of(scope).Similar(ctx, text, threshold)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			x.Scope = scope
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b Similar) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// Tidy looks at the notes of the project alone, as [Engine.Tidy] does: what should be
// better in the user's is asked of that.
func (j *Joined) Tidy(ctx context.Context, opts TidyOptions) (Tidying, error) {
	return j.project.Tidy(ctx, opts)
}

// History returns what was changed in both memories, the oldest first.
func (j *Joined) History() (all []Change, err error) {
	for _, scope := range both {
		changes, err := j.of(scope).History()
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			c.Scope = string(scope)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return a.Time.Compare(b.Time) })
	return all, nil
}

// Undo takes a change of one memory back as [Engine.Undo] does, "" the last one of both.
func (j *Joined) Undo(ctx context.Context, id string) (Change, error) {
	changes, err := j.History()
	if err != nil {
		return Change{}, err
	}
	scope := memoir.ScopeProject
	for _, c := range slices.Backward(changes) {
		if id == "" || c.ID == id {
			scope = memoir.Scope(c.Scope)
			break
		}
	}
	change, err := j.of(scope).Undo(ctx, id)
	change.Scope = string(scope)
	return change, err
}

// Lost returns the lost entries of both memories as [Engine.Lost] does.
func (j *Joined) Lost(ctx context.Context) ([]Lost, error) {
	return j.lost(func(e *Engine) ([]Lost, error) { return e.Lost(ctx) })
}

// Restore puts lost entries of both memories back as [Engine.Restore] does.
func (j *Joined) Restore(ctx context.Context, ids []string) ([]Lost, error) {
	return j.lost(func(e *Engine) ([]Lost, error) { return e.Restore(ctx, ids) })
}

func (j *Joined) lost(of func(*Engine) ([]Lost, error)) (all []Lost, err error) {
	all = []Lost{}
	for _, scope := range both {
		found, err := of(j.of(scope))
		if err != nil {
			return all, err
		}
		for _, l := range found {
			l.Scope = scope
			all = append(all, l)
		}
	}
	return all, nil
}

// Owns reports whether a name is that of a note of one of the memories. It reads nothing.
func (j *Joined) Owns(name string) bool {
	scope, path := owner(name)
	return j.of(scope).Owns(path)
}
