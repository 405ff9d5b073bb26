package engine

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/search"
)

// An Outline says how a note is cut into passages and how it is linked with
// other notes.
type Outline = search.Outline

// An OutlinePassage is a passage of an Outline.
type OutlinePassage = search.OutlinePassage

// Outline returns the passages of a document as it is now, and the links from
// and to other notes. When no source has the document it returns
// [memoir.ErrNotFound]. Links are resolved as if the documents that hides reports
// were not there; nil hides none.
func (e *Engine) Outline(ctx context.Context, id memoir.DocID, hides func(memoir.DocID) bool) (Outline, error) {
	if err := e.calls.begin("read " + string(id)); err != nil {
		return Outline{}, err
	}
	defer e.calls.end()
	return e.searcher.Outline(ctx, id, hides)
}

// Sample returns at most limit vectors of chunks in the space that answers
// searches. The choice is as good as random. While there are no vectors it
// returns none.
func (e *Engine) Sample(ctx context.Context, limit int) (sample []memoir.SampledVector, err error) {
	if err := e.calls.begin("sample vectors"); err != nil {
		return nil, err
	}
	defer e.calls.end()
	stats, err := e.store.Stats(ctx, e.Space())
	if err != nil {
		return nil, err
	}
	answers, _ := e.searcher.Vectors(stats)
	if answers == (memoir.Space{}) {
		return nil, nil
	}
	err = e.store.View(ctx, func(v memoir.View) error {
		sample, err = v.Sample(ctx, answers, limit)
		return err
	})
	return sample, err
}

// Outline returns what [Engine.Outline] does, with names as both memories use
// them. Links are those within the document's own memory.
func (j *Joined) Outline(ctx context.Context, name memoir.DocID, hides func(memoir.DocID) bool) (Outline, error) {
	scope, id, err := j.locate(ctx, name)
	if err != nil {
		return Outline{}, err
	}
	own := hides
	if hides != nil {
		own = func(id memoir.DocID) bool { return hides(memoir.DocID(scope.Name(id))) }
	}
	out, err := j.of(scope).Outline(ctx, id, own)
	for target, to := range out.Links {
		out.Links[target] = memoir.DocID(scope.Name(to))
	}
	out.From = scope.Names(out.From)
	return out, err
}

// Sample returns vectors of both memories as [Engine.Sample] does, each under
// the name of its document. When the two spaces differ, it returns vectors of
// the user's only.
func (j *Joined) Sample(ctx context.Context, limit int) (all []memoir.SampledVector, err error) {
	for i, scope := range both {
		if i > 0 && j.of(scope).Space() != j.user.Space() {
			break
		}
		sample, err := j.of(scope).Sample(ctx, (limit+1)/len(both))
		if err != nil {
			return nil, err
		}
		for _, v := range sample {
			v.Doc = memoir.DocID(scope.Name(v.Doc))
			all = append(all, v)
		}
	}
	return all, nil
}

// Sync makes both indexes agree with their sources, as [Engine.Sync] does.
func (j *Joined) Sync(ctx context.Context, progress memoir.Progress) (sum memoir.SyncStats, err error) {
	for _, scope := range both {
		stats, err := j.of(scope).Sync(ctx, progress)
		sum.Scanned, sum.Added, sum.Changed, sum.Removed = sum.Scanned+stats.Scanned, sum.Added+stats.Added, sum.Changed+stats.Changed, sum.Removed+stats.Removed
		for _, x := range stats.Skipped {
			sum.Skipped = append(sum.Skipped, memoir.Skipped{ID: memoir.DocID(scope.Name(x.ID)), Reason: x.Reason})
		}
		for _, x := range stats.Warnings {
			x.ID = memoir.DocID(scope.Name(x.ID))
			sum.Warnings = append(sum.Warnings, x)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// Scan looks for secrets in the notes of both memories, as [Engine.Scan] does.
func (j *Joined) Scan(ctx context.Context) (all []Finding, sum ScanStats, err error) {
	for _, scope := range both {
		found, stats, err := j.of(scope).Scan(ctx)
		if err != nil {
			return nil, sum, err
		}
		for _, f := range found {
			if f.ID != "" {
				f.ID = memoir.DocID(scope.Name(f.ID))
			}
			all = append(all, f)
		}
		sum.Scanned += stats.Scanned
		for _, x := range stats.Skipped {
			sum.Skipped = append(sum.Skipped, memoir.Skipped{ID: memoir.DocID(scope.Name(x.ID)), Reason: x.Reason})
		}
	}
	return all, sum, nil
}
