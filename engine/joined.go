package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/joined"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/search"
)

// A Joined is the user's memory and a project's, searched as one. Each keeps
// its own index, settings and history. A search answers with one list, whose
// scores are those of a single index with all notes (docs/design/scopes.md). It
// is safe for concurrent use.
//
// Answers say whose memory a document belongs to; its path is the one below its
// own workspace. Names of documents are those of [memoir.Scope.Name]. A path
// alone means the project's document or, when it is only read and the project
// has none, the user's.
type Joined struct {
	user, project *Engine
	store         *joined.Store
	searcher      *search.Searcher
}

// Join joins two memories. The user's memory decides how they are searched, and
// with which model. The caller closes both engines, after the joined one.
func Join(user, project *Engine) (*Joined, error) {
	own := joined.Part{Scope: memoir.ScopeUser, Store: user.store, Space: user.Space}
	other := joined.Part{Scope: memoir.ScopeProject, Store: project.store, Space: project.Space}
	if user.sessions() {
		// Both indexes hold the sessions of the same agents. One copy is enough.
		other.Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
	}
	j := &Joined{user: user, project: project, store: joined.New(own, other)}
	cfg := user.asking
	cfg.Store, cfg.Documents, cfg.Notes, cfg.Weigh, cfg.Joined = j.store, documents{j}, nil, j.weigh, true
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

// weigh returns the salience of the entries in chunks of both memories.
func (j *Joined) weigh(ctx context.Context, passages []memoir.Chunk) ([]memoir.Salience, error) {
	all := make([]memoir.Salience, len(passages))
	for _, scope := range both {
		var own []memoir.Chunk
		var places []int
		for i, p := range passages {
			if p.Scope == scope {
				own, places = append(own, p), append(places, i)
			}
		}
		said, err := j.of(scope).weigh(ctx, own)
		if err != nil {
			return nil, err
		}
		for i, at := range places {
			all[at] = said[i]
		}
	}
	return all, nil
}

// Command rewrites the commands of a hint so that they act on one of the two
// memories.
func Command(scope memoir.Scope, hint string) string { return joined.Command(scope, hint) }

// Close ends all waiting for the embedder.
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

// begin starts a call of both engines, which end ends.
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

// documents are those of both memories, for the search.
type documents struct{ *Joined }

// Freshen implements [search.Documents]. It runs on both memories at once,
// because each has its own time budget.
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
	if failed == err { // both wait for the same
		failed = nil
	}
	return one || other, errors.Join(failed, err)
}

// Search answers a query as [Engine.Search] does, from both memories. A path in the
// query may name one of them, as "user:memory/".
func (j *Joined) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	end, err := j.begin("search")
	if err != nil {
		return memoir.Results{}, err
	}
	defer end()
	res, err := j.searcher.Search(ctx, q)
	if err != nil {
		return res, err
	}
	logAnswer(j.user.asking.Logger, res)
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

// Why answers as [Engine.Why] does, from the document's own memory alone.
func (j *Joined) Why(ctx context.Context, q memoir.Query, name memoir.DocID, line int) (memoir.Why, error) {
	scope, id, err := j.locate(ctx, name)
	if err != nil {
		return memoir.Why{}, err
	}
	return j.of(scope).Why(ctx, q, id, line)
}

// locate returns the document that a name means, for reading.
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

// meant returns the documents that a name can mean, the likeliest first.
func (j *Joined) meant(name memoir.DocID) []named {
	all := []named{{memoir.ScopeProject, name}, {memoir.ScopeUser, name}}
	if scope, id := memoir.ParseName(string(name)); scope != "" { // otherwise a note with that name
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

// Documents yields the indexed documents of both memories, ordered by the names
// that the other methods take.
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
		order.By(all, func(a, b memoir.DocumentMeta) int { return cmp.Compare(a.ID, b.ID) })
		for _, meta := range all {
			if !yield(meta, nil) {
				return
			}
		}
	}
}

// owner returns the memory that the name of a note to be written means. It
// never falls back on the other memory: that would change a note which was not
// meant.
func owner(name string) (memoir.Scope, string) {
	scope, id := memoir.ParseName(name)
	if scope == "" {
		scope = memoir.ScopeProject
	}
	return scope, string(id)
}

// Note returns the content of a note as [Engine.Note] does.
func (j *Joined) Note(name string) (string, error) {
	scope, path := owner(name)
	return j.of(scope).Note(path)
}

// Prime returns what a session starts with as [Engine.Prime] does: the user's part, then
// the project's if the user has agreed to it, within one budget.
func (j *Joined) Prime(ctx context.Context, opts PrimeOptions) (Primed, error) {
	end, err := j.begin("read the notes")
	if err != nil {
		return Primed{}, err
	}
	defer end()
	return choose(ctx, j.primeOptions(ctx, opts))
}

func (j *Joined) primeOptions(ctx context.Context, opts PrimeOptions) prime.Options {
	o := j.user.primeOptions(ctx, opts)
	o.Scope = string(memoir.ScopeUser)
	if j.project.agreed() {
		of := j.project.primeNotes(ctx)
		of.Scope, of.Whose = string(memoir.ScopeProject), cmp.Or(of.Whose, "the notes of the project")
		o.Project = &of
	}
	return o
}

// Recall returns what a message calls for as [Engine.Recall] does.
func (j *Joined) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	end, err := j.begin("recall")
	if err != nil {
		return Primed{}, err
	}
	defer end()
	searcher, sessions := j.searcher, j.user.sessions() || j.project.sessions()
	if !j.project.agreed() {
		searcher, sessions = j.user.searcher, j.user.sessions()
	}
	return recall(ctx, opts, searcher, j.user.reader(), sessions, j.primeOptions)
}

// Flush says when a session has to keep what it holds, as [Engine.Flush] does.
// Day logs belong to the project, if the user has agreed to its notes.
func (j *Joined) Flush(window, used int) Flush {
	if !j.project.agreed() {
		return j.user.Flush(window, used)
	}
	return j.project.Flush(window, used)
}

// tidied applies findings in one of the memories.
func (j *Joined) tidied(ctx context.Context, opts TidyOptions) (Tidying, error) {
	scope, ids := memoir.ScopeProject, []string{}
	for i, id := range opts.IDs {
		whose, own := owner(id)
		if i > 0 && whose != scope {
			return Tidying{}, memoir.WithHint(fmt.Errorf("these findings are of two memories: %w", memoir.ErrInvalid), "apply those of each memory by themselves")
		}
		scope, ids = whose, append(ids, own)
	}
	opts.IDs = ids
	done, err := j.of(scope).Tidy(ctx, opts)
	return scoped(scope, done), err
}

// scoped adds to findings whose memory they belong to.
func scoped(scope memoir.Scope, t Tidying) Tidying {
	name := func(id string) string { return scope.Name(memoir.DocID(id)) }
	for i := range t.Findings {
		f := &t.Findings[i]
		f.ID, f.Entries = name(f.ID), slices.Clone(f.Entries)
		for k := range f.Entries {
			f.Entries[k].Scope = scope
		}
	}
	for i := range t.Skipped {
		t.Skipped[i].ID = name(t.Skipped[i].ID)
	}
	t.Applied, t.Written = appendNames(scope, t.Applied[:0], t.Applied), appendNames(scope, t.Written[:0], t.Written)
	return t
}

// Owns reports whether a name is that of a note of one of the memories. It reads nothing.
func (j *Joined) Owns(name string) bool {
	scope, path := owner(name)
	return j.of(scope).Owns(path)
}
