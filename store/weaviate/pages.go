package weaviate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// pagesAtOnce is how many pages are asked for in one request.
const pagesAtOnce = 32

func (s *Store) readPages(ctx context.Context, ids []uuid, into map[uuid]page) error {
	for some := range slices.Chunk(ids, pagesAtOnce) {
		found, err := s.objects(ctx, wordsClass, some, dataFields)
		if err != nil {
			return err
		}
		for id, o := range found {
			p, err := parsePage(o.Data)
			if err != nil {
				return err
			}
			into[id] = p
		}
		for _, id := range some {
			if _, ok := into[id]; ok {
				continue
			}
			if into[id], err = s.rarePage(ctx, id); err != nil {
				delete(into, id)
				return err
			}
		}
	}
	return nil
}

// errMissing reports a page that no replica that answers has.
var errMissing = errors.New("a page of the listing is missing")

// rarePage reads a page that most replicas do not have: one that was written while one of
// them was away, and that another has lost when it was killed. It is damage when all say
// that they do not have it, and not while one of them is silent.
func (s *Store) rarePage(ctx context.Context, id uuid) (page, error) {
	o, there, err := s.fetch(ctx, wordsClass, id, allReplicas)
	switch {
	case err != nil:
		return page{}, fmt.Errorf("%w: %w", errMissing, err)
	case !there:
		return page{}, fmt.Errorf("%w: %w", memoir.ErrCorrupt, errMissing)
	}
	return parsePage(o.Data)
}

func parsePage(data string) (p page, err error) {
	if err := unpack(data, &p); err != nil {
		return page{}, fmt.Errorf("%w: a page of the listing: %v", memoir.ErrCorrupt, err)
	}
	for _, r := range p.Documents {
		if r == nil || r.ID == "" {
			return page{}, fmt.Errorf("%w: a page of the listing has a document without an id", memoir.ErrCorrupt)
		}
		for _, c := range r.Chunks {
			if c.Length < 0 {
				return page{}, fmt.Errorf("%w: a page of the listing has a passage of %d terms", memoir.ErrCorrupt, c.Length)
			}
		}
	}
	return p, nil
}
