package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// documentList is what a sync has to know: the documents at one generation of the
// index, without what searches know of their chunks. It never changes.
type documentList struct {
	generation int64
	files      []fileFacts // by id; where their chunks begin is not known
	byPath     []int32     // indexes of files, in the order of the paths
}

// documents returns the documents of the state that the connection sees. Where searches
// have been here, or the listing has pages that say it all, their contents do.
func (s *Store) documents(ctx context.Context, c *conn) (*documentList, error) {
	count, chunks, err := readTotals(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.current.Load() != nil || count >= unlisted<<pageBits {
		k, err := s.contents(ctx, c)
		if err != nil {
			return nil, err
		}
		return &documentList{k.generation, k.files, k.byPath}, nil
	}
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	if last := s.listed.Load(); last != nil && last.generation == generation {
		return last, nil
	}
	l := &documentList{generation: generation, files: make([]fileFacts, 0, count)}
	found := 0
	err = readRows(ctx, c, "true ORDER BY id", nil, "", nil, func(f fileFacts) error {
		found += f.chunks
		l.files = append(l.files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(l.files) != count || found != chunks {
		return nil, miscounted(count, chunks, len(l.files), found)
	}
	l.byPath = orderByPath(l.files)
	s.listed.Store(l)
	return l, nil
}

// readRows reads what a sync has to know of documents, and more columns, which are
// in their places when add is called.
func readRows(ctx context.Context, c *conn, where string, args []any, columns string, places []any, add func(fileFacts) error) error {
	var kind memoir.Kind
	var recipe string
	query := "SELECT id, path, kind, size, modified, stamp, hash, recipe, date, importance, reinforced, accessed, chunks" + columns + " FROM files WHERE " + where
	return c.each(ctx, query, args, func(scan func(...any) error) error {
		f := fileFacts{fileRow: &fileRow{}}
		m := &f.meta
		var modified string
		var stamp int64
		if err := scan(append([]any{&f.id, &m.ID, &m.Kind, &m.Size, &modified, &stamp, &m.Hash, &m.Recipe, &f.date,
			&f.salience.Importance, &f.salience.Reinforced, &f.salience.Accessed, &f.chunks}, places...)...); err != nil {
			return err
		}
		if m.Kind == kind && m.Recipe == recipe {
			m.Kind, m.Recipe = kind, recipe // in memory once
		}
		kind, recipe = m.Kind, m.Recipe
		m.ModTime, m.Stamp = parseTime(modified), uint64(stamp)
		return add(f)
	})
}

// orderByPath returns the indexes of documents in the order of their paths. A
// sync finds documents in that order, so most are sorted already; later ones
// are sorted in.
func orderByPath(files []fileFacts) []int32 {
	order := make([]int32, len(files))
	for i := range order {
		order[i] = int32(i)
	}
	compare := func(a, b int32) int { return strings.Compare(string(files[a].meta.ID), string(files[b].meta.ID)) }
	sorted := 1
	for sorted < len(order) && compare(order[sorted-1], order[sorted]) < 0 {
		sorted++
	}
	if sorted >= len(order) {
		return order
	}
	first, rest := order[:sorted], order[sorted:]
	slices.SortFunc(rest, compare)
	merged := make([]int32, 0, len(order))
	for len(first) > 0 && len(rest) > 0 {
		if compare(first[0], rest[0]) < 0 {
			merged, first = append(merged, first[0]), first[1:]
		} else {
			merged, rest = append(merged, rest[0]), rest[1:]
		}
	}
	return append(append(merged, first...), rest...)
}

func miscounted(documents, chunks, foundDocuments, foundChunks int) error {
	return fmt.Errorf("%w: the index counts %d documents with %d chunks, but has %d with %d",
		memoir.ErrCorrupt, documents, chunks, foundDocuments, foundChunks)
}

// complete reads what a list of the same state does not say.
func (k *contents) complete(ctx context.Context, c *conn, known *documentList) error {
	at := 0
	err := c.each(ctx, "SELECT id, terms, facts FROM files ORDER BY id", nil, func(scan func(...any) error) error {
		var id int64
		var terms int
		var facts sql.RawBytes
		if err := scan(&id, &terms, &facts); err != nil {
			return err
		}
		if at == len(known.files) || known.files[at].id != id {
			return fmt.Errorf("%w: document %d is not among those that were listed", memoir.ErrCorrupt, id)
		}
		f := known.files[at]
		at++
		if err := f.check(terms, facts); err != nil {
			return err
		}
		k.add(f, facts)
		return nil
	})
	k.byPath = known.byPath
	return err
}
