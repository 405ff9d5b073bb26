package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/link"
	"github.com/memoir-ai/memoir/internal/name"
)

// Bounds of what exact phrases and names may cost a search.
const (
	maxPhrases   = 8   // phrases beyond that count as words
	maxHolders   = 512 // a phrase in more chunks than that says little and counts as words
	maxNameBytes = 256 // of a query that may be a name
)

// exact is what a query names exactly, looked up once.
type exact struct {
	holders map[memoir.ChunkID]int // for each chunk, how many of the phrases it holds
	named   map[note]bool          // notes that the query is a name of
	chunks  []memoir.ChunkID       // all of the above
	found   []memoir.ChunkMeta     // the chunks of holders
}

// A note is a document in one of the memories that are searched.
type note struct {
	scope memoir.Scope
	id    memoir.DocID
}

func noteOf(id memoir.ChunkID) note { return note{id.Scope, id.Doc} }

// chunkOf returns the id of a chunk of a document.
func chunkOf(d memoir.LinkedDocument, ordinal int) memoir.ChunkID {
	return memoir.ChunkID{Doc: d.ID, Ordinal: ordinal, Scope: d.Scope}
}

// lookUp finds what the query names exactly.
func (s *search) lookUp(ctx context.Context) (exact, error) {
	x := exact{holders: map[memoir.ChunkID]int{}, named: map[note]bool{}}
	if err := s.lookUpPhrases(ctx, &x); err != nil {
		return x, fmt.Errorf("search a phrase: %w", err)
	}
	if err := s.lookUpNames(ctx, &x); err != nil {
		return x, fmt.Errorf("look up a name: %w", err)
	}
	return x, nil
}

// lookUpPhrases finds the chunks with the quoted phrases. It drops the phrases that count
// as words.
func (s *search) lookUpPhrases(ctx context.Context, x *exact) error {
	phrases := s.asked.phrases[:min(len(s.asked.phrases), maxPhrases)]
	phrases = append(slices.Clip(phrases), s.longNumbers(ctx)...)
	s.asked.phrases = nil
	for _, p := range phrases {
		holders, err := s.passing(ctx, p.holders(), maxHolders+1)
		if errors.Is(err, memoir.ErrUnavailable) && s.vector != nil {
			break // words search for it
		}
		if err != nil {
			return err
		}
		if len(holders) > maxHolders {
			continue
		}
		s.asked.phrases = append(s.asked.phrases, p)
		for _, c := range holders {
			if x.holders[c.ChunkID]++; x.holders[c.ChunkID] == 1 {
				x.chunks, x.found = append(x.chunks, c.ChunkID), append(x.found, c)
			}
		}
	}
	return nil
}

// lookUpNames finds the notes that the whole query is a name of.
func (s *search) lookUpNames(ctx context.Context, x *exact) error {
	whole := strings.Trim(s.asked.text, "\"“”「」『』《》`[]")
	if whole == "" || len(whole) > maxNameBytes {
		return nil
	}
	names := name.ForLink("", link.Link{Target: whole, Label: whole})
	if words := strings.Fields(whole); len(words) > 1 { // file names have no blanks
		for _, dash := range []string{"-", "_"} {
			file := strings.Join(words, dash)
			names = append(names, name.ForLink("", link.Link{Target: file, Label: file})...)
		}
	}
	bearers, err := s.resolve(ctx, names, maxNamesakes+1)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(names, func(n string) bool { return len(bearers[n]) > 0 })
	if at < 0 || len(bearers[names[at]]) > maxNamesakes {
		return nil
	}
	for _, d := range bearers[names[at]] {
		x.named[note{d.Scope, d.ID}] = true
		for i := range min(d.Chunks, maxLinkedSize) {
			x.chunks = append(x.chunks, chunkOf(d, i))
		}
	}
	return nil
}

// resolve looks names up; when the store cannot, it says so once and nothing bears them.
func (s *search) resolve(ctx context.Context, names []string, limit int) (map[string][]memoir.LinkedDocument, error) {
	if s.noNames {
		return nil, nil
	}
	bearers, err := s.index.Resolve(ctx, names, limit)
	if errors.Is(err, memoir.ErrUnavailable) {
		s.noNames = true
		s.degrade("names", err.Error(), cmp.Or(memoir.Hint(err), "memoir index"))
		return nil, nil
	}
	return bearers, err
}

// lift raises what the query names exactly above all else: passages with more
// of the phrases above those with less, and a note by its name above all. Where
// the scores say the same they stay. It orders the candidates anew.
func (s *search) lift(all []*candidate) {
	if len(s.exact.chunks) == 0 {
		return
	}
	top := len(s.asked.phrases)
	named := map[note]bool{}
	tiers := make([][]*candidate, top+2)
	for _, f := range all {
		f.exact.Phrases = s.exact.holders[f.ChunkID]
		tier := f.exact.Phrases
		if doc := noteOf(f.ChunkID); s.exact.named[doc] && !named[doc] {
			named[doc], f.exact.Name = true, true
			tier = top + 1
		}
		tiers[tier] = append(tiers[tier], f)
	}
	above := 0.0 // the best score of the tiers below
	for tier, list := range tiers {
		raise := tier > 0 && slices.ContainsFunc(list, func(f *candidate) bool { return f.score <= above })
		best := above
		for _, f := range list {
			if raise {
				f.exact.Above = above
				f.score = round(above + (1-above)*(1+f.score)/2)
			}
			best = max(best, f.score)
		}
		above = best
	}
	sortFound(all)
}
