package chunk

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// packer fills pieces with ranges of text, in order.
type packer struct {
	*outline
	limit   int // of a piece, in weight
	overlap int // in weight
	entries bool
	shelved bool
	lines   []int // offset of each line
	weights []int // weight of the text before each line, and of all of it
	pieces  []Piece
	last    int // where the last piece begins

	// The current piece is text[start:end]. Its part before fresh repeats the
	// end of the previous piece. Ranges are consecutive, so it ends where the
	// next range begins.
	start, end int
	fresh      int
	path       []string
	bare       bool    // it has only headings
	cuts       []int   // where the parts of cut lines began
	solids     []block // blocks in whose middle a piece should not begin
}

func newPacker(o *outline, opts Options) *packer {
	p := &packer{
		outline: o,
		limit:   opts.MaxTokens * weightPerToken,
		overlap: opts.OverlapTokens * weightPerToken,
		entries: opts.Entries,
		shelved: opts.Shelf,
		start:   o.body,
		end:     o.body,
		fresh:   o.body,
	}
	n := strings.Count(o.text, "\n") + 1
	p.lines, p.weights = make([]int, 0, n), make([]int, 0, n+1)
	total := 0
	for i := 0; i < len(o.text); {
		_, next := blocks.Line(o.text, i)
		p.lines = append(p.lines, i)
		p.weights = append(p.weights, total)
		total += weight(o.text[i:next])
		i = next
	}
	p.weights = append(p.weights, total)
	return p
}

// plain packs a text that is not Markdown.
func (p *packer) plain() []Piece {
	if p.text != "" {
		p.section(section{blocks: []block{{end: len(p.text)}}})
		p.flush()
	}
	return p.pieces
}

// section packs a section. A heading without text of its own waits for the next
// section.
func (p *packer) section(s section) {
	if !p.bare {
		p.flush()
	}
	p.path = s.path
	blocks := s.blocks
	if s.headed {
		bare := p.bare || p.start == p.end
		p.add(blocks[0], 0)
		p.bare = bare
		blocks = blocks[1:]
	}
	switch {
	case p.entries:
		for _, b := range blocks {
			p.entry(b)
		}
		return
	case p.shelved:
		p.shelf(blocks)
		return
	}
	before, turns := p.conversation(blocks)
	if turns != nil {
		blocks = before
	}
	for _, b := range blocks {
		p.add(b, 0)
	}
	p.talk(turns)
}

// entry packs a block of a curated file, in which entries of lists stay apart.
func (p *packer) entry(b block) {
	if b.kind != list {
		p.add(b, 0)
		return
	}
	for item := range p.content(b) {
		if !p.bare {
			p.flush()
		}
		p.add(item, 1)
	}
	p.flush()
}

// add puts a block into the current piece or the next one. If it is larger than
// a piece, add puts its parts.
func (p *packer) add(b block, depth int) {
	if p.put(b.start, b.end, !p.bare || solid(b)) {
		if solid(b) {
			p.solids = append(p.solids, b)
		}
		return
	}
	if depth < maxDepth {
		if p.nests(b) {
			for c := range p.content(b) {
				p.add(c, depth+1)
			}
			return
		}
		if parts := p.parts(b); parts != nil {
			for _, c := range parts {
				p.add(c, depth+1)
			}
			return
		}
	}
	for i := p.line(b.start); i < len(p.lines) && p.lines[i] < b.end; i++ {
		p.addLine(p.lines[i], p.lineEnd(i))
	}
}

// parts returns the parts of a block without inner blocks that may be
// separated, or nil when those are lines.
func (p *packer) parts(b block) []block {
	switch {
	case b.form == code:
		return p.members(b)
	case b.form != 0:
		return nil
	case b.kind == plain:
		if entries := p.entriesOf(b); entries != nil {
			return entries
		}
		return p.paragraphs(b)
	case b.kind == fence:
		return p.functions(b)
	case b.kind == paragraph:
		return p.entriesOf(b)
	}
	return nil
}

func (p *packer) addLine(start, end int) {
	if p.put(start, end, !p.bare) {
		return
	}
	for start < end {
		next := start + cut(p.text[start:end], p.limit)
		p.put(start, next, true)
		p.cuts = append(p.cuts, start)
		start = next
	}
}

// put appends text[start:end] to the current piece if it fits. If it does not,
// and apart allows it, it begins the next piece. put reports whether it did
// either.
func (p *packer) put(start, end int, apart bool) bool {
	if s := p.text[start:end]; s != "\n" && s != "\r\n" { // an empty line always fits
		switch last := p.trimmed(end); {
		case p.weigh(p.start, last) <= p.limit:
		case apart && p.weigh(start, last) <= p.limit:
			next := p.repeated(last)
			p.flush()
			p.start = next
		default:
			return false
		}
	}
	p.end = end
	p.bare = false
	return true
}

// repeated returns where the next piece begins, if the range after the current
// piece ends at end: some lines, or parts of a cut line, before the current
// end.
func (p *packer) repeated(end int) int {
	from := p.end
	if strings.TrimSpace(p.text[p.start:p.end]) == "" {
		return from
	}
	first, _ := p.trim(p.start, p.end)
	last := p.trimmed(p.end)
	for at := p.end; ; {
		prev := p.lineBefore(at)
		if n := len(p.cuts); n > 0 && p.cuts[n-1] > prev {
			prev = p.cuts[n-1]
			p.cuts = p.cuts[:n-1]
		}
		if prev <= first || p.weigh(prev, last) > p.overlap || p.weigh(prev, end) > p.limit {
			return from
		}
		at = prev
		if !slices.ContainsFunc(p.solids, func(b block) bool { return b.start < at && at < b.end }) {
			from = at
		}
	}
}

// flush ends the current piece. It makes no piece of white space alone, nor of
// what the previous piece already has.
func (p *packer) flush() {
	if strings.TrimSpace(p.text[p.fresh:p.end]) != "" {
		if start, end := p.trim(p.start, p.end); !p.join(start, end) {
			p.pieces = append(p.pieces, p.piece(start, end, p.path))
			p.last = start
		}
	}
	p.start, p.fresh = p.end, p.end
	p.bare = false
	p.cuts = p.cuts[:0]
	p.solids = p.solids[:0]
}

// join adds text[start:end] to the last piece if there are very many pieces and
// both fit into one.
func (p *packer) join(start, end int) bool {
	n := len(p.pieces)
	if n < minPieces+start/pieceBytes || p.weigh(p.last, end) > p.limit {
		return false
	}
	path := p.pieces[n-1].Heading
	same := 0
	for same < len(path) && same < len(p.path) && path[same] == p.path[same] {
		same++
	}
	p.pieces[n-1] = p.piece(p.last, end, path[:same:same])
	p.note("it has very many small parts, of which some are joined")
	return true
}

func (p *packer) piece(start, end int, path []string) Piece {
	return Piece{
		StartLine: p.line(start) + 1,
		EndLine:   p.line(end-1) + 1,
		Heading:   path,
		Assistant: p.byAssistant(start, end),
		Text:      p.text[start:end],
	}
}

// trim leaves out blank lines at either end, and the end of the last line.
func (p *packer) trim(start, end int) (int, int) {
	body := p.text[start:end]
	first := len(body) - len(strings.TrimLeftFunc(body, unicode.IsSpace))
	last := len(strings.TrimRightFunc(body, unicode.IsSpace))
	if n := strings.IndexByte(body[last:], '\n'); n >= 0 {
		end = start + last + n
		if end > start && p.text[end-1] == '\r' {
			end--
		}
	}
	return start + strings.LastIndexByte(body[:first], '\n') + 1, end
}

// line returns the index of the line that holds offset i.
func (p *packer) line(i int) int {
	return sort.SearchInts(p.lines, i+1) - 1
}

func (p *packer) lineEnd(line int) int {
	if line+1 < len(p.lines) {
		return p.lines[line+1]
	}
	return len(p.text)
}

// lineBefore returns the start of the line that holds the byte before offset i.
func (p *packer) lineBefore(i int) int {
	if i == 0 {
		return 0
	}
	return p.lines[p.line(i-1)]
}

// trimmed returns where the last line that is not empty ends before i, without
// its line end.
func (p *packer) trimmed(i int) int {
	for i > 0 && p.text[i-1] == '\n' {
		i--
		if i > 0 && p.text[i-1] == '\r' {
			i--
		}
	}
	return i
}

// cost returns the weight of text[a:b] without trailing line ends.
func (p *packer) cost(a, b int) int { return p.weigh(a, p.trimmed(b)) }

// weigh returns the weight of text[a:b], or 0 if a is not before b. It takes
// the same time for any number of lines.
func (p *packer) weigh(a, b int) int {
	if a >= b {
		return 0
	}
	first, last := p.line(a), p.line(b)
	if first == last {
		return weight(p.text[a:b])
	}
	return weight(p.text[a:p.lines[first+1]]) + p.weights[last] - p.weights[first+1] + weight(p.text[p.lines[last]:b])
}
