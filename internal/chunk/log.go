package chunk

import "strings"

// minEntries is how many lines with a time stamp make a log.
const minEntries = 3

// entriesOf returns the entries of a log. Each begins at a line with a time
// stamp and ends before the next such line. The result is nil when the block is
// no log.
func (p *packer) entriesOf(b block) []block {
	starts := []int{b.start}
	stamped := 0
	for i := p.line(b.start); i < len(p.lines) && p.lines[i] < b.end; i++ {
		start := max(p.lines[i], b.start)
		if stamp(afterBullet(strings.TrimLeft(p.text[start:p.lineEnd(i)], " \t"))) == 0 {
			continue
		}
		stamped++
		if start > b.start {
			starts = append(starts, start)
		}
	}
	if stamped < minEntries {
		return nil
	}
	return blocksAt(starts, b.end, entry)
}

// paragraphs returns the parts of a text between blank lines, or nil when there
// is only one.
func (p *packer) paragraphs(b block) []block {
	starts := []int{b.start}
	blank := false
	for i := p.line(b.start); i < len(p.lines) && p.lines[i] < b.end; i++ {
		empty := strings.TrimSpace(p.text[p.lines[i]:p.lineEnd(i)]) == ""
		if blank && !empty && p.lines[i] > b.start {
			starts = append(starts, p.lines[i])
		}
		blank = empty
	}
	if len(starts) == 1 {
		return nil
	}
	return blocksAt(starts, b.end, 0)
}

// blocksAt returns blocks that begin at the offsets and reach to the next one,
// the last to end.
func blocksAt(starts []int, end int, form form) []block {
	blocks := make([]block, len(starts))
	for i, start := range starts {
		blocks[i] = block{start: start, end: end, form: form}
		if i > 0 {
			blocks[i-1].end = start
		}
	}
	return blocks
}
