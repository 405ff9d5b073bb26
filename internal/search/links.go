package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/link"
	"github.com/memoir-ai/memoir/internal/name"
)

// Bounds of what links may cost a search (docs/design/links.md).
const (
	linkSources    = 4   // how many of the first chunks have their links followed
	maxLinks       = 64  // for each chunk
	maxNamesakes   = 3   // when more notes than that bear a name, it means none of them
	maxLinkedNotes = 32  // for all chunks together
	maxLinkedSize  = 512 // chunks of all linked notes together
)

// An outgoing link is a link of one of the first chunks, with the names by
// which to look up its target.
type outgoing struct {
	from  *candidate
	names []string
}

// linked is a note that the first chunks link to, with the highest score that
// one of them gives it.
type linked struct {
	memoir.LinkedDocument
	best explain.Link
}

// follow gives each note that the first chunks link to a part of the scores of
// those chunks, and orders the candidates anew. The best chunk of the note gets
// it. When several links lead to a note, only the one that gives most counts.
//
// All chunks of the linked notes are scored, whatever limit was asked for, so
// that a larger limit finds the same.
func (s *search) follow(ctx context.Context, all []*candidate) ([]*candidate, error) {
	if *s.searcher.cfg.Ranking.LinkWeight == 0 {
		return all, nil
	}
	if err := s.readTexts(ctx, all[:min(len(all), linkSources)]); err != nil {
		return nil, err
	}
	links, names := s.outgoing(all)
	if len(links) == 0 {
		return all, nil
	}
	documents, err := s.resolve(ctx, names, maxNamesakes+1)
	if err != nil {
		return nil, fmt.Errorf("resolve links: %w", err)
	}
	notes := s.notes(links, documents, all[0].score)
	if len(notes) == 0 {
		return all, nil
	}
	var chunks []memoir.ChunkID
	for _, n := range notes {
		for i := range n.Chunks {
			chunks = append(chunks, chunkOf(n.LinkedDocument, i))
		}
	}
	if all, err = s.include(ctx, all, chunks); err != nil {
		return nil, err
	}
	gifts := make(map[note]explain.Link, len(notes))
	for _, n := range notes {
		gifts[note{n.Scope, n.ID}] = n.best
	}
	for _, f := range all {
		if part, ok := gifts[noteOf(f.ChunkID)]; ok && f.score > 0 {
			f.link = part
			f.score = round(f.score + (1-f.score)*part.Score)
			delete(gifts, noteOf(f.ChunkID)) // later chunks of the note are not its best
		}
	}
	sortFound(all)
	return all, nil
}

// outgoing returns the links of the first chunks, and all names to look up.
func (s *search) outgoing(all []*candidate) (links []outgoing, names []string) {
	for _, from := range all[:min(len(all), linkSources)] {
		if from.score == 0 {
			continue
		}
		found := link.Find(from.chunk.Text)
		for _, l := range found[:min(len(found), maxLinks)] {
			of := name.ForLink(string(from.Doc), l)
			links, names = append(links, outgoing{from, of}), append(names, of...)
		}
	}
	return links, names
}

// bearers returns the notes that bear the first of a link's names that any note
// bears. Notes of the link's own memory come first; other memories count only
// when it has none.
func bearers(l outgoing, documents map[string][]memoir.LinkedDocument) (others []memoir.LinkedDocument) {
	for _, name := range l.names {
		all := documents[name]
		own := slices.DeleteFunc(slices.Clone(all), func(d memoir.LinkedDocument) bool { return d.Scope != l.from.Scope })
		if len(own) > 0 {
			return own
		}
		if others == nil {
			others = all
		}
	}
	return others
}

// notes returns the notes that the links lead to, in the order of the links.
func (s *search) notes(links []outgoing, documents map[string][]memoir.LinkedDocument, top float64) []*linked {
	var notes []*linked
	byID := map[note]*linked{}
	size := 0
	for _, l := range links {
		bearers := bearers(l, documents)
		if len(bearers) == 0 || len(bearers) > maxNamesakes {
			continue
		}
		share := l.from.score / top
		part := explain.Link{From: l.from.chunk.Citation(), Score: *s.searcher.cfg.Ranking.LinkWeight * l.from.score * share * share * share}
		for _, d := range bearers {
			key := note{d.Scope, d.ID}
			switch n := byID[key]; {
			case d.ID == l.from.Doc || !strings.HasPrefix(string(d.ID), s.query.Filter.Prefix):
			case n == nil && len(notes) < maxLinkedNotes && size+d.Chunks <= maxLinkedSize:
				byID[key] = &linked{d, part}
				notes = append(notes, byID[key])
				size += d.Chunks
			case n != nil && part.Score > n.best.Score:
				n.best = part
			}
		}
	}
	return notes
}

// include adds chunks that are not candidates yet, scored by both lists, and
// orders all candidates by their scores without links.
func (s *search) include(ctx context.Context, all []*candidate, chunks []memoir.ChunkID) ([]*candidate, error) {
	known := make(map[memoir.ChunkID]bool, len(all))
	for _, f := range all {
		known[f.ChunkID] = true
	}
	filter := s.query.Filter
	filter.Chunks = nil
	for _, id := range chunks {
		if !known[id] && lists(s.query.Filter, id) {
			filter.Chunks = append(filter.Chunks, id)
			known[id] = true
		}
	}
	if len(filter.Chunks) == 0 {
		return all, nil
	}
	added, _, err := s.candidates(ctx, filter, len(filter.Chunks)+1, 0)
	if err != nil {
		return nil, err
	}
	for _, f := range added {
		f.unrank()
	}
	all = append(all, added...)
	s.order(all)
	return all, nil
}
