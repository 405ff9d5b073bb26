package memoir

import (
	"cmp"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// maxAlsoIn is how many passages with the same text a hit names.
const maxAlsoIn = 10

// usefulTokens is the least room that a part of a passage is worth showing in:
// a line or two.
const usefulTokens = 24

// collapse leaves out the candidates whose text a better one has, and names
// them with that one.
func collapse(all []found) []found {
	at := make(map[string]int, len(all))
	kept := make([]found, 0, len(all))
	for _, f := range all {
		i, known := at[f.chunk.Text]
		switch {
		case !known:
			at[f.chunk.Text] = len(kept)
			kept = append(kept, f)
		case f.score > 0 && len(kept[i].alsoIn) < maxAlsoIn:
			kept[i].alsoIn = append(kept[i].alsoIn, f.chunk)
		}
	}
	return kept
}

// hits makes the answer of the candidates; what scores nothing is no hit.
func (s *searcher) hits(all []found) []Hit {
	hits := []Hit{}
	for _, f := range all {
		if len(hits) == s.query.Limit || f.score < s.query.MinScore || f.score == 0 {
			break
		}
		h := Hit{
			Chunk: f.chunk, Score: f.score, TextScore: round(f.lists.Text), VectorScore: round(f.lists.Vector),
			AlsoIn: f.alsoIn,
		}
		if s.query.Explain {
			h.Explain = &Explain{
				Fusion: s.engine.ranking.Fusion,
				Text:   Part{f.lists.TextRank, f.share, f.lists.Text, f.weights.Text},
				Vector: Part{f.lists.VectorRank, f.cosine, f.lists.Vector, f.weights.Vector},
				Link:   f.link, Signals: f.signals, Exact: f.exact, Rerank: f.rerank,
			}
		}
		hits = append(hits, h)
	}
	return hits
}

// room is how much text there is place for.
type room struct {
	tokens, chars int
}

func (r room) holds(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	return utf8.RuneCountInString(text) <= r.chars && chunk.Tokens(text) <= r.tokens
}

func (r room) less(text string) room {
	return room{r.tokens - chunk.Tokens(text), r.chars - utf8.RuneCountInString(text)}
}

func (r room) useful() bool { return r.tokens >= usefulTokens && r.chars >= 4*usefulTokens }

// budget returns the room for the snippets of an answer.
func (q Query) budget() room {
	return room{cmp.Or(q.MaxTokens, math.MaxInt), cmp.Or(q.MaxChars, math.MaxInt)}
}

// show writes the snippets of an answer while the query's budget lasts, which
// the last one is cut for. Within a budget no line is shown twice.
func (s *searcher) show(res *Results) {
	left := s.query.budget()
	shown := lines{}
	for i := range res.Hits {
		h := &res.Hits[i]
		start, end := 0, len(h.Text)
		if s.query.limited() {
			start, end = shown.fresh(h)
		}
		s.cut(h, &start, &end, room{math.MaxInt, snippetRunes})
		if !left.holds(h.Text[start:end]) {
			res.Truncated = true
			if i > 0 && !left.useful() {
				res.Hits = res.Hits[:i]
				return
			}
			s.cut(h, &start, &end, left)
			res.Hits = res.Hits[:i+1]
		}
		h.show(start, end)
		h.Highlights = matches(h.Snippet, s.terms)
		res.Tokens += chunk.Tokens(h.Snippet)
		left = left.less(h.Snippet)
		if len(res.Hits) == i+1 {
			return
		}
		shown.add(h)
	}
}

// cut narrows the part of a hit's text to what there is room for.
func (s *searcher) cut(h *Hit, start, end *int, room room) {
	from, to := window(h.Text[*start:*end], s.terms, room)
	*start, *end = *start+from, *start+to
}

// show makes a part of the text the snippet.
func (h *Hit) show(start, end int) {
	h.Snippet = strings.TrimRightFunc(h.Text[start:end], unicode.IsSpace)
	h.SnippetStart, h.SnippetEnd = 0, 0
	if h.Snippet != "" {
		h.SnippetStart = h.StartLine + strings.Count(h.Text[:start], "\n")
		h.SnippetEnd = h.SnippetStart + strings.Count(h.Snippet, "\n")
	}
}

// lines are lines of documents that were shown, with what was shown of them.
type lines map[line]bool

type line struct {
	doc    DocID
	number int
	text   string
}

func (l lines) add(h *Hit) {
	number := h.SnippetStart
	for text := range strings.Lines(h.Snippet) {
		l[line{h.Doc, number, strings.TrimRightFunc(text, unicode.IsSpace)}] = true
		number++
	}
}

// fresh returns the range of a hit's text without the lines at both ends that were shown.
func (l lines) fresh(h *Hit) (start, end int) {
	number := h.StartLine
	at, first := 0, true
	for text := range strings.Lines(h.Text) {
		at += len(text)
		trimmed := strings.TrimRightFunc(text, unicode.IsSpace)
		known := trimmed == "" || l[line{h.Doc, number, trimmed}]
		number++
		switch {
		case known && first:
			start, end = at, at
		case !known:
			first, end = false, at
		}
	}
	return start, end
}
