package chunk

// A list of a shelf that is larger than a piece is cut into windows of so many tokens.
// Each repeats the last entry of the one before, if that has no more than so many
// (docs/design/chunking.md).
const (
	windowTokens = 45
	repeatTokens = 20
)

// shelf packs the blocks of a section of a shelf.
func (p *packer) shelf(all []block) {
	for len(all) > 0 {
		n := 0
		for n < len(all) && all[n].kind == list {
			n++
		}
		if n == 0 {
			p.add(all[0], 0)
			n = 1
		} else {
			p.lists(all[:n])
		}
		all = all[n:]
	}
}

// lists packs lists that follow one another. They stay together if all of them fit into
// a piece.
func (p *packer) lists(all []block) {
	start, end := all[0].start, all[len(all)-1].end
	if p.bare {
		start = p.start
	}
	if p.cost(start, end) <= p.limit {
		for _, b := range all {
			p.add(b, 0)
		}
		return
	}
	if !p.bare {
		p.flush()
	}
	most, last := min(windowTokens*weightPerToken, p.limit), -1 // last: where the entry before begins
	for _, b := range all {
		for item := range p.content(b) {
			if last >= 0 && p.cost(p.start, item.end) > most {
				p.flush()
				if p.cost(last, item.start) <= repeatTokens*weightPerToken && p.cost(last, item.end) <= most {
					p.start = last
				}
			}
			p.add(item, 1)
			last = item.start
		}
	}
	p.flush()
}
