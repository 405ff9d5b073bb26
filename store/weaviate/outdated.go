package weaviate

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
)

// missed is what a view has met that its state does not explain.
type missed struct {
	gone    []*record // of documents that it names, whose objects are not there
	unknown []uuid    // objects that hold what was asked for, and that it does not name
}

// Outdated implements [ability.Ager]. It asks for the state of the tenant, whatever
// [Options.Fresh] says. What is gone although that state names it is for [Store.Heal].
func (v *view) Outdated(ctx context.Context) bool {
	if len(v.gone)+len(v.unknown) == 0 {
		return false
	}
	now, err := v.store.reload(ctx, false)
	if err != nil {
		return len(v.gone) > 0 // nobody knows; the next view says what is wrong
	}
	if slices.ContainsFunc(v.gone, func(r *record) bool { return !now.lists(r) }) {
		return true
	}
	if slices.ContainsFunc(v.unknown, func(id uuid) bool {
		// What a new document says would not have been found a moment ago either.
		p, named := now.chunks[id]
		return named && v.contents.byID[p.ID] != nil
	}) {
		return true
	}
	if v.store.opts.Turns != nil && v.store.level() != "" {
		return len(v.gone) > 0 // the state is what one replica knows, and may be that of a moment ago
	}
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	for _, r := range v.gone {
		v.store.broken[r.ID] = r.Revision
	}
	return false
}

// lists reports whether contents still name the objects of a document.
func (k *contents) lists(r *record) bool {
	now := k.byID[r.ID]
	return now != nil && now.Revision == r.Revision
}

// known returns the chunk that an object holds. ok is false when the view does not name it.
func (v *view) known(o *object) (id uuid, p place, ok bool) {
	if id, ok = o.id(); !ok {
		return id, p, false
	}
	if p, ok = v.contents.chunks[id]; !ok {
		v.unknown = append(v.unknown, id)
	}
	return id, p, ok
}

// readChunks reads chunks in the order of their places. It leaves out those that are gone.
func (v *view) readChunks(ctx context.Context, places []place) ([]memoir.Chunk, error) {
	chunks, err := v.store.readChunks(ctx, places)
	if err != nil || len(chunks) == len(places) {
		return chunks, err
	}
	read := make(map[memoir.ChunkID]bool, len(chunks))
	for i := range chunks {
		read[chunks[i].ChunkID] = true
	}
	for _, p := range places {
		if !read[p.id()] {
			v.gone = append(v.gone, p.record)
		}
	}
	return chunks, nil
}

// forwards returns the terms of documents. It leaves out documents that are gone.
func (v *view) forwards(ctx context.Context, records []*record) (map[uuid]*forward, error) {
	out, err := v.store.forwards(ctx, records)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if out[r.Revision] == nil {
			v.gone = append(v.gone, r)
		}
	}
	return out, nil
}
