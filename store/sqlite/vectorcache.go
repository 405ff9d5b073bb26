package sqlite

import (
	"context"
	"sync"
)

// vectorBytes is how much memory the cache of measured vectors may take. For
// SQLite, reading one vector takes several times as long as measuring it.
const vectorBytes = 16 << 20

// vectorCache keeps the vectors of one space that were read last. It is safe
// for concurrent use, even by views of different states of the index.
//
// A vector that replaces another gets a new id, and no id is given twice. So a
// cached vector is valid as long as its id is. Vectors that are in use are not
// removed from the index.
type vectorCache struct {
	mu         sync.Mutex
	generation int64 // of the index, up to which the cache is current
	space      int64
	through    int64 // the highest id of a vector at that generation
	limit      int   // size of each of the two maps
	young, old map[int64]keptVector
}

type keptVector struct {
	id      int64
	values  []float32
	squares float64
}

// follow drops the vectors that were replaced before the state that the
// connection sees. It returns the highest id at that state.
func (k *vectorCache) follow(ctx context.Context, c *conn, space int64, dimensions int) (last int64, err error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation == generation && k.space == space {
		return k.through, nil
	}
	if err := c.one(ctx, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0)", nil, &last); err != nil {
		return 0, err
	}
	switch {
	case k.young == nil || k.space != space:
		k.space, k.through, k.limit = space, last, max(1, vectorBytes/2/(4*dimensions))
		k.young, k.old = map[int64]keptVector{}, nil
	case last < k.through:
		return last, nil // another view sees a newer state
	case last-k.through > int64(len(k.young)+len(k.old)):
		k.young, k.old = map[int64]keptVector{}, nil
	case last > k.through:
		err = c.each(ctx, "SELECT text FROM vectors WHERE id > ? AND space = ?", []any{k.through, space}, func(scan func(...any) error) error {
			var text int64
			err := scan(&text)
			delete(k.young, text)
			delete(k.old, text)
			return err
		})
	}
	if err == nil {
		k.generation, k.through = generation, last
	}
	return last, err
}

// get returns the vector of a text, for a view in which ids go up to last.
func (k *vectorCache) get(space, last, text int64) (keptVector, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.space != space {
		return keptVector{}, false
	}
	v, ok := k.young[text]
	if !ok {
		if v, ok = k.old[text]; ok {
			k.keep(text, v)
		}
	}
	return v, ok && v.id <= last
}

// put keeps the vector of a text, unless the view that read it sees an old
// state.
func (k *vectorCache) put(space, last, text int64, v keptVector) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.space == space && k.through == last {
		k.keep(text, v)
	}
}

// keep adds a vector. The cache has two halves: when the vectors used since the
// last change fill one, all others are dropped.
func (k *vectorCache) keep(text int64, v keptVector) {
	if len(k.young) >= k.limit {
		k.young, k.old = map[int64]keptVector{}, k.young
	}
	k.young[text] = v
}

// forget empties the cache.
func (k *vectorCache) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.generation, k.space, k.young, k.old = 0, 0, nil, nil
}
