package sqlite

import (
	"context"
	"sync"
)

// vectorBytes is how much memory is spent on vectors that were measured: a
// point read takes SQLite several times as long as measuring does.
const vectorBytes = 16 << 20

// vectorCache keeps vectors of one space that were read last. It is safe for
// concurrent use, by views of different states of the index.
//
// What is true of a text changes with a new id alone: a vector in the place of
// another gets one, and none is given twice. Those that are used are not removed.
type vectorCache struct {
	mu         sync.Mutex
	generation int64 // of the index that the cache has followed
	space      int64
	through    int64 // the highest id that was given by then
	limit      int   // of each of the maps
	young, old map[int64]keptVector
}

type keptVector struct {
	id      int64
	values  []float32
	squares float64
}

// follow lets go of what was replaced up to the state that the connection sees,
// and returns the highest id that was given by then.
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
		return last, nil // an older state than another view sees
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

// put keeps the vector of a text as a view sees it, unless that is of the past.
func (k *vectorCache) put(space, last, text int64, v keptVector) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.space == space && k.through == last {
		k.keep(text, v)
	}
}

// keep adds a vector. When half of the memory is full of those that were used
// since the last time, the others go.
func (k *vectorCache) keep(text int64, v keptVector) {
	if len(k.young) >= k.limit {
		k.young, k.old = map[int64]keptVector{}, k.young
	}
	k.young[text] = v
}

// forget lets go of everything.
func (k *vectorCache) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.generation, k.space, k.young, k.old = 0, 0, nil, nil
}
