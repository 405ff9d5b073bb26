package show

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
)

// usefulTokens is the least room in which it is worth showing part of a
// passage: a line or two.
const usefulTokens = 24

// A budget is how much text there is room for.
type budget struct {
	tokens, chars int
}

// sizeOf returns how much room a text takes.
func sizeOf(text string) budget { return budget{chunk.Tokens(text), utf8.RuneCountInString(text)} }

func (r budget) holds(text string) bool {
	if len(text) <= min(r.tokens, r.chars) {
		return true // no character has more tokens than bytes
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	size := sizeOf(text)
	return size.chars <= r.chars && size.tokens <= r.tokens
}

func (r budget) less(size budget) budget {
	return budget{r.tokens - size.tokens, r.chars - size.chars}
}

func (r budget) within(other budget) budget {
	return budget{min(r.tokens, other.tokens), min(r.chars, other.chars)}
}

func (r budget) useful() bool { return r.tokens >= usefulTokens && r.chars >= 4*usefulTokens }

// Options say how to show an answer.
type Options struct {
	Terms []analyze.Term // of the query
	// MaxTokens and MaxChars bound all snippets together, as in [memoir.Query].
	MaxTokens, MaxChars int
	Brief               bool // as in [memoir.Query]
	ChunkTokens         int  // size limit of a chunk
	// Read returns those of the given chunks that exist, in any order.
	Read func([]memoir.ChunkID) []memoir.Chunk
}

// limited reports whether the answer has to stay within a budget.
func (o *Options) limited() bool { return o.MaxTokens > 0 || o.MaxChars > 0 }

// budget returns the budget of all snippets together.
func (o *Options) budget() budget {
	return budget{cmp.Or(o.MaxTokens, math.MaxInt), cmp.Or(o.MaxChars, math.MaxInt)}
}

// How much a brief answer shows, in characters: whole passages up to the first
// number, and then the best passage of each note that was not shown yet, cut to
// the second. Other passages have no snippet.
const (
	wholeRunes = 1500
	briefRunes = 160
)

// Snippets writes the snippets of an answer as long as the budget lasts, and
// cuts the last one to fit. It narrows hits to the entries that no better one shows.
// Within a budget no line is shown twice, and a small passage is shown with its neighbours. In a brief answer the best passages are
// shown whole and the rest in a line or two (docs/design/answers.md).
func Snippets(res *memoir.Results, opts Options) {
	var near neighbours
	if opts.limited() {
		near = readNeighbours(res.Hits, opts)
	}
	left, shown, found := opts.budget(), shownLines{}, newMatcher(opts.Terms)
	notes, used := map[string]bool{}, 0
	for i := range res.Hits {
		h, most := &res.Hits[i], snippetRunes
		if opts.Brief && !opts.limited() && used >= wholeRunes {
			if most = briefRunes; notes[h.Scope.Name(h.Doc)] {
				put(h, extract{}, found)
				continue
			}
		}
		notes[h.Scope.Name(h.Doc)] = true
		own, turns := opts.own(i, h, shown, found)
		if most == briefRunes && own.start == 0 {
			own.start = headings(h, own.text) // the line with its place says them
		}
		fill := func(r budget) extract {
			r.chars = min(r.chars, most)
			switch {
			case !r.holds(own.part()):
				if part := own; opts.limited() && own.start == 0 {
					part.start = headings(h, own.text) // room is for what they are about
					return part.cut(opts.Terms, r)
				}
				return own.cut(opts.Terms, r)
			case turns != nil:
				return own // the neighbouring turns are hits themselves if they matter
			}
			return near.widen(h, own, shown, r.within(near.budget))
		}
		x := fill(budget{math.MaxInt, math.MaxInt})
		if !left.holds(x.part()) {
			res.Truncated = true
			if i > 0 && !left.useful() {
				res.Hits = res.Hits[:i]
				return
			}
			x = fill(left)
			res.Hits = res.Hits[:i+1]
		}
		put(h, x, found)
		size := sizeOf(h.Snippet)
		res.Tokens += size.tokens
		if len(res.Hits) == i+1 {
			return
		}
		left, used = left.less(size), used+size.chars
		if slices.ContainsFunc(res.Hits[i+1:], func(o memoir.Hit) bool { return o.Doc == h.Doc && o.Scope == h.Scope }) {
			shown.add(h)
		}
	}
}

// own returns what the i-th passage has to show by itself. It leaves out entries that
// were shown, and within a budget all lines. Within a budget it also returns the turns if
// the passage is a talk.
func (o *Options) own(i int, h *memoir.Hit, shown shownLines, found *matcher) (own extract, turns []chunk.Turn) {
	if shown.once(h) {
		return extract{h.Text, h.StartLine, 0, 0}, nil
	}
	own = extract{h.Text, h.StartLine, 0, len(h.Text)}
	if o.limited() {
		own = shown.fresh(h, own)
		turns = chunk.Turns(h.Text)
	}
	if h.Ordinal > 0 && !h.Labels.Has(memoir.LabelCode) {
		own = own.whole(found)
	}
	if i >= bothSides {
		own = own.trim(turns, named(turns, found))
	}
	return own, turns
}

// put makes an extract the snippet of a hit.
func put(h *memoir.Hit, x extract, terms *matcher) {
	h.Snippet = x.part()
	h.Highlights = terms.matches(h.Snippet)
	h.SnippetStart, h.SnippetEnd = 0, 0
	if h.Snippet != "" {
		h.SnippetStart = x.number(x.start)
		h.SnippetEnd = h.SnippetStart + strings.Count(h.Snippet, "\n")
	}
}

// An extract is a part of some lines of a document.
type extract struct {
	text       string
	line       int // number of its first line
	start, end int // bytes of the part
}

// part returns the part without trailing white space.
func (x extract) part() string {
	return strings.TrimRightFunc(x.text[x.start:x.end], unicode.IsSpace)
}

// number returns the number of the line that holds a byte.
func (x extract) number(i int) int { return x.line + strings.Count(x.text[:i], "\n") }

// bothSides is how many passages of talks show, within a budget, what all sides say. Of
// those after, when the query names one who speaks, the turns of others at both ends are
// left out: what Ann has painted is told by Ann.
const bothSides = 3

// named returns which turns are of the one speaker that the query names: all, when it
// names none or several.
func named(turns []chunk.Turn, found *matcher) func(who, text string) bool {
	one := ""
	for _, t := range turns {
		if t.Who == one || len(found.matches(t.Who)) == 0 {
			continue
		}
		if one != "" {
			return func(_, _ string) bool { return true }
		}
		one = t.Who
	}
	return func(who, _ string) bool { return one == "" || who == one }
}

// trim narrows the part to the turns from the first that counts to the last. If
// none counts the part stays.
func (x extract) trim(turns []chunk.Turn, counts func(who, text string) bool) extract {
	first, last := -1, 0
	for i, turn := range turns {
		end := x.end
		if i+1 < len(turns) {
			end = min(end, turns[i+1].Start)
		}
		start := max(turn.Start, x.start)
		if start < end && counts(turn.Who, x.text[start:end]) {
			if first < 0 {
				first = start
			}
			last = end
		}
	}
	if first >= 0 {
		x.start, x.end = first, last
	}
	return x
}

// whole drops the rest of a sentence at the beginning of the part, unless that
// matches.
func (x extract) whole(found *matcher) extract {
	if x.start > 0 || x.end <= x.start {
		return x
	}
	if n := fragment(x.text[:x.end]); n < x.end && len(found.matches(x.text[:n])) == 0 {
		x.start = n
	}
	return x
}

// cut narrows the part to what fits the budget, round its best match.
func (x extract) cut(terms []analyze.Term, budget budget) extract {
	start, end := window(x.text[x.start:x.end], terms, budget)
	x.start, x.end = x.start+start, x.start+end
	return x
}

// shownLines are the lines of documents that were shown. A line that was cut
// has an entry for each part.
type shownLines map[shownDocument]map[shownLine]bool

type shownDocument struct {
	scope memoir.Scope
	doc   memoir.DocID
}

type shownLine struct {
	number int
	text   string
}

func (l shownLines) add(h *memoir.Hit) {
	of, number := shownDocument{h.Scope, h.Doc}, h.SnippetStart
	if l[of] == nil {
		l[of] = map[shownLine]bool{}
	}
	for text := range strings.Lines(h.Snippet) {
		l[of][shownLine{number, strings.TrimRightFunc(text, unicode.IsSpace)}] = true
		number++
	}
}

// of returns the lines of the document of a hit; nil when none was shown.
func (l shownLines) of(h *memoir.Hit) map[shownLine]bool { return l[shownDocument{h.Scope, h.Doc}] }

func (l shownLines) hold(h *memoir.Hit, number int, text string) bool {
	of := l.of(h)
	return of != nil && of[shownLine{number, strings.TrimRightFunc(text, unicode.IsSpace)}]
}

// fresh drops blank lines, and lines that were already shown, at both ends.
func (l shownLines) fresh(h *memoir.Hit, x extract) extract {
	number, at, first := x.line, 0, true
	start, end := 0, 0
	for text := range strings.Lines(x.text) {
		at += len(text)
		known := strings.TrimSpace(text) == "" || l.hold(h, number, text)
		number++
		switch {
		case known && first:
			start, end = at, at
		case !known:
			first, end = false, at
		}
	}
	x.start, x.end = start, end
	return x
}
