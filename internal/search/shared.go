package search

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
)

// Shared is what a passage has of a text by more than chance.
type Shared struct {
	Words int  // words of the text that few passages hold. One in the title, a heading or the file name counts twice
	Named bool // it holds an identifier of the text that few passages hold
}

// rareShare is the share of all passages that hold a word at most for it to tell what a
// text is about: one in a hundred.
const rareShare = 100

// Shared returns what each of some hits shares with a text. One word in common is
// chance, and so are words that many passages hold.
func (e *Searcher) Shared(ctx context.Context, text string, hits []memoir.Hit) ([]Shared, error) {
	all := make([]Shared, len(hits))
	terms := slices.DeleteFunc(analyze.Query(text), func(t analyze.Term) bool {
		return t.Kind != analyze.Identifier && t.Weight < 1 // no word in its main form
	})
	if len(terms) == 0 || len(hits) == 0 {
		return all, nil
	}
	s := search{searcher: e}
	asked := make([]memoir.Term, len(terms))
	for i, t := range terms {
		asked[i] = s.storeTerm(t)
	}
	var counts memoir.WordCounts
	err := e.cfg.Store.View(ctx, func(v memoir.View) (err error) {
		counts, err = memoir.CountWords(ctx, v, asked, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	terms = slices.DeleteFunc(terms, func(t analyze.Term) bool {
		few := fewHolders
		if t.Kind != analyze.Identifier {
			few = max(few, counts.Chunks/rareShare)
		}
		return counts.Holders[t.Text].Chunks > few
	})
	for i := range hits {
		all[i] = sharedWith(terms, &hits[i].Chunk)
	}
	return all, nil
}

// sharedWith counts the terms that a chunk holds. Of two pairs of characters that overlap
// one counts, for both are of one word.
func sharedWith(terms []analyze.Term, c *memoir.Chunk) (s Shared) {
	heads, holds := analyze.Document(nil, headings(c)), analyze.Document(nil, c.Text)
	last := utf8.RuneError // the last character of the pair before that counts
	for _, t := range terms {
		headed := slices.Contains(heads, t.Text)
		first, _ := utf8.DecodeRuneInString(t.Text)
		switch {
		case !headed && !slices.Contains(holds, t.Text), t.Kind == analyze.Bigram && first == last:
			continue
		case t.Kind == analyze.Identifier:
			s.Named = true
		case headed:
			s.Words++
		}
		s.Words++
		last = utf8.RuneError
		if t.Kind == analyze.Bigram {
			last, _ = utf8.DecodeLastRuneInString(t.Text)
		}
	}
	return s
}
