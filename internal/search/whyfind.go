package search

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/show"
	"github.com/memoir-ai/memoir/internal/typo"
)

// Bounds of what is tried to find a passage.
const (
	triedWords    = 6  // each takes a search
	weighedWords  = 48 // each is looked up
	shownWords    = 2
	shownNear     = 3
	lightTerm     = .5 // terms of lower weight mean little, or accompany their stem
	missingWords  = 32
	countedChunks = 200
)

// endOfTime lies after every pause that follows a failure.
var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// terms returns the terms of all fields of a chunk asked about, and the chunk's
// text.
func (w *inquiry) terms(id memoir.ChunkID) (held map[string]bool, text string) {
	held = map[string]bool{}
	for _, c := range w.chunks {
		if c.ChunkID != id {
			continue
		}
		text = c.EmbedText()
		for _, field := range c.Terms {
			for _, t := range field {
				held[t] = true
			}
		}
	}
	return held, text
}

// spelling returns the word of a text that a term comes from, or the term
// itself when there is none. In a script without blanks it returns the
// characters of the text.
func spelling(text, term string) string {
	for _, word := range show.Words(text) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if spaceless(word) {
			for a, b := range show.Pairs(word) {
				if slices.Contains(analyze.Document(nil, word[a:b]), term) {
					return word[a:b]
				}
			}
			continue
		}
		if slices.Contains(analyze.Document(nil, word), term) {
			return word
		}
	}
	return term
}

// spaceless reports whether a word is of a script that puts no blanks between words.
func spaceless(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// nearest returns the terms that are spelled much like another: at most a third
// of the letters differ.
func nearest(term string, held map[string]bool) []string {
	type near struct {
		term     string
		distance int
	}
	var found []near
	length := utf8.RuneCountInString(term)
	most := length / 3
	for t := range held {
		if d := utf8.RuneCountInString(t) - length; most > 0 && max(d, -d) <= most && spaceless(t) == spaceless(term) {
			if d := typo.Distance(term, t); d <= most {
				found = append(found, near{t, d})
			}
		}
	}
	order.By(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.term, b.term))
	})
	var out []string
	for _, f := range found[:min(shownNear, len(found))] {
		out = append(out, f.term)
	}
	return out
}

// advise says what would bring the chunk into the answer.
func (w *inquiry) advise(ctx context.Context, f *candidate) error {
	switch w.out.Verdict {
	case explain.VerdictHit:
		return nil
	case explain.VerdictFiltered:
		w.try("leave out the filter, or widen it")
		return nil
	case explain.VerdictBelowMinimum:
		// The value is a little lower, because the flag is compared with more
		// digits than are shown.
		w.try("--min-score %.3f", math.Floor(f.score*1000)/1000)
	case explain.VerdictBelowLimit:
		if limited(w.query) {
			w.try("a larger --max-tokens or --max-chars")
		}
		if n := w.notes(); n > w.query.Limit {
			w.out.Try = append(w.out.Try, explain.Remedy{Action: fmt.Sprintf("-n %d", n), Rank: w.out.Rank})
		}
	}
	switch w.out.Vector {
	case explain.VectorPending:
		w.try("memoir index, which computes the vector that is missing")
	case explain.VectorFailed:
		w.try("memoir index --retry-failed")
	}
	return w.adviseWords(ctx, f)
}

// notes returns the lowest limit with which the passage is in the answer, or 0
// when there is none.
func (w *inquiry) notes() int {
	if w.out.Rank == 0 {
		return 0
	}
	before := map[note]bool{}
	for _, f := range w.ranked[:w.out.Rank-1] {
		before[noteOf(f.ChunkID)] = true
	}
	if n := max(len(before), (w.out.Rank-1)/memoir.PassagesPerNote) + 1; n <= memoir.MaxLimit {
		return n
	}
	return 0
}

// adviseWords tries to add words of the chunk to the query until some make it a
// hit. It begins with the words nearest to what is missing, then tries the
// rarest.
func (w *inquiry) adviseWords(ctx context.Context, f *candidate) error {
	candidates, err := w.addable(ctx, f)
	if err != nil {
		return err
	}
	q := w.query
	q.NoSync = true
	good := 0
	for _, word := range candidates[:min(triedWords, len(candidates))] {
		q.Text = w.query.Text + " " + word
		res, err := w.by.Search(ctx, q)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(res.Hits, func(h memoir.Hit) bool { return w.holds(h.ChunkID) })
		if i < 0 {
			continue
		}
		w.out.Try = append(w.out.Try, explain.Remedy{Action: fmt.Sprintf("add the word %q", word), Rank: i + 1})
		if good++; good == shownWords {
			break
		}
	}
	return nil
}

// addable returns words of the chunk that the query does not hold.
func (w *inquiry) addable(ctx context.Context, f *candidate) ([]string, error) {
	asked := map[string]bool{}
	for _, t := range analyze.Document(nil, w.query.Text) {
		asked[t] = true
	}
	var out []string
	for _, m := range w.out.Missing {
		out = append(out, m.Near...)
	}
	out = out[:min(len(out), triedWords/2)]
	type rare struct {
		word   string
		chunks int
	}
	var found []rare
	for word := range contentWords(f.chunk.EmbedText()) {
		terms := slices.DeleteFunc(analyze.Query(word), func(t analyze.Term) bool { return t.Kind == analyze.Character })
		if len(found) == weighedWords {
			break
		}
		if len(terms) == 0 || asked[terms[len(terms)-1].Text] || !strings.ContainsFunc(word, unicode.IsLetter) { // who looks for a number does not know it
			continue
		}
		last := terms[len(terms)-1].Text // the stem, where there is one
		asked[last] = true
		var matches []memoir.Match
		if err := w.search.inView(ctx, func() (err error) {
			matches, err = memoir.SearchText(ctx, w.search.index, []memoir.Term{{Text: last, Weight: 1}}, memoir.Filter{}, countedChunks)
			return err
		}); err != nil {
			return nil, fmt.Errorf("count the word %q: %w", word, err)
		}
		found = append(found, rare{word, len(matches)})
	}
	order.Stable(found, func(a, b rare) int {
		return cmp.Or(cmp.Compare(a.chunks, b.chunks), cmp.Compare(len(b.word), len(a.word)))
	})
	for _, r := range found {
		if !slices.Contains(out, r.word) {
			out = append(out, r.word)
		}
	}
	return out, nil
}

// contentWords yields words that a person could add to a query: words between
// blanks, and pairs of characters in scripts without blanks.
func contentWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' }
		for _, word := range show.Runs(text, inWord) {
			switch {
			case !spaceless(word):
				if utf8.RuneCountInString(word) > 2 && !yield(word) {
					return
				}
			default:
				for a, b := range show.Pairs(word) {
					if utf8.RuneCountInString(word[a:b]) == 2 && !yield(word[a:b]) {
						return
					}
				}
			}
		}
	}
}
