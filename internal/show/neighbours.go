package show

import (
	"slices"
	"sort"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
)

// reach is how many chunks on either side a small hit is shown with at most.
const reach = 2

// neighbours are the chunks beside the small ones of an answer.
type neighbours struct {
	chunks map[memoir.ChunkID]memoir.Chunk
	budget budget // for one chunk with its neighbours: as much as a chunk may hold
}

// readNeighbours reads the chunks beside each small hit.
func readNeighbours(hits []memoir.Hit, opts Options) neighbours {
	n := neighbours{map[memoir.ChunkID]memoir.Chunk{}, budget{opts.ChunkTokens, snippetRunes}}
	var ids []memoir.ChunkID
	for i := range hits {
		for d := 1; n.small(&hits[i]) && d <= reach; d++ {
			ids = append(ids, away(&hits[i], -d), away(&hits[i], d))
		}
	}
	if len(ids) == 0 {
		return n
	}
	for _, c := range opts.Read(ids) {
		n.chunks[c.ChunkID] = c
	}
	return n
}

// small reports whether a hit fills less than a third of what a chunk may hold.
// Entries of curated files, and those that say since when they hold, are never small,
// because each stands for itself.
func (n neighbours) small(h *memoir.Hit) bool {
	return !layout.Curated(string(h.Doc)) && !h.Labels.Has(memoir.LabelStanding) && 3*chunk.Tokens(h.Text) < n.budget.tokens
}

// away returns the chunk at a distance of d from a hit.
func away(h *memoir.Hit, d int) memoir.ChunkID {
	id := h.ChunkID
	id.Ordinal += d
	return id
}

// beside returns the chunk at a distance of d from a hit, if it is in the same
// section.
func (n neighbours) beside(h *memoir.Hit, d int) (stretch, bool) {
	c, ok := n.chunks[away(h, d)]
	return stretch{strings.Split(c.Text, "\n"), c.StartLine}, ok && slices.Equal(c.Heading, h.Heading)
}

// widen adds lines of a hit's neighbours that were not shown yet.
func (n neighbours) widen(h *memoir.Hit, x extract, shown shownLines, budget budget) extract {
	if len(n.chunks) == 0 || !n.small(h) || x.part() == "" {
		return x
	}
	all := n.around(h, stretch{strings.Split(x.text, "\n"), x.line})
	from := x.number(x.start) - all.first
	to := from + 1 + strings.Count(x.part(), "\n")
	lo, hi := from, to
	for lo > 0 && !shown.hold(h, all.first+lo-1, all.lines[lo-1]) {
		lo--
	}
	for hi < len(all.lines) && !shown.hold(h, all.first+hi, all.lines[hi]) {
		hi++
	}
	text := strings.Join(all.lines[lo:hi], "\n")
	begin := len(strings.Join(append(slices.Clone(all.lines[lo:from]), ""), "\n"))
	end := len(strings.Join(all.lines[lo:to], "\n"))
	parts := segments(text)
	first := sort.Search(len(parts), func(i int) bool { return parts[i].Start >= begin })
	last := sort.Search(len(parts), func(i int) bool { return parts[i].Start >= end })
	first, last = grow(text, parts, first, last, budget)
	return extract{text, all.first + lo, parts[first].Start, parts[last-1].End}
}

// around joins a hit's lines with those of its neighbours.
func (n neighbours) around(h *memoir.Hit, all stretch) stretch {
	for d := 1; d <= reach; d++ {
		c, ok := n.beside(h, d)
		if all, ok = all.join(c, ok); !ok {
			break
		}
	}
	for d := 1; d <= reach; d++ {
		c, ok := n.beside(h, -d)
		if c, ok = c.join(all, ok); !ok {
			break
		}
		all = c
	}
	return all
}

// stretch is some consecutive lines of a document.
type stretch struct {
	lines []string
	first int // number of the first
}

// join appends the lines of b, if they follow directly, follow after a blank
// line, or begin with the last lines of a. It reports whether they do. A long
// line that was cut into several chunks is not joined.
func (a stretch) join(b stretch, may bool) (stretch, bool) {
	at := b.first - a.first
	if !may || at < 0 || at > len(a.lines)+1 {
		return a, false
	}
	lines := slices.Clone(a.lines)
	if at > len(lines) {
		lines = append(lines, "")
	}
	again := lines[at:]
	if len(again) > len(b.lines) || !slices.EqualFunc(again, b.lines[:len(again)], func(x, y string) bool {
		return strings.TrimRight(x, "\r") == strings.TrimRight(y, "\r")
	}) {
		return a, false
	}
	return stretch{append(lines, b.lines[len(again):]...), a.first}, true
}
