package entry

import (
	"slices"
	"strings"
)

// A Reading is the entries of a note as it was read. When text was added at the end of
// the note, the next reading parses only the end. It may be used by several goroutines.
type Reading struct {
	Kept    int     // how many entries of the reading before stand first in the note, as they were
	Entries []Entry // the entries after those

	src    string    // the whole note
	simple bool      // the fields below are known
	stable int       // how many entries stand before the last block
	at     int       // where the last block begins
	line   int       // the number of that line
	path   []heading // the headings above it

	private bool // the note is private as a whole
}

// Next reads a note anew. A nil Reading is that of a note that was not read before. The
// entries do not keep the text of any reading but their own in memory.
func (was *Reading) Next(src string) *Reading {
	if was.begins(src) {
		end := strings.Clone(src[was.at:])
		if all, ok := simple(end, 0); ok && len(all) > 0 {
			r := &reader{src: end, line: was.line, path: slices.Clone(was.path), private: was.private}
			now := r.simple(all)
			for i := range now.Entries {
				now.Entries[i].Start += was.at
				now.Entries[i].End += was.at
			}
			now.Kept, now.src = was.stable, src
			now.stable += was.stable
			now.at += was.at
			return now
		}
	}
	r := &reader{src: src, line: 1, private: privateNote(src)}
	if all, ok := simple(src, frontMatter(src)); ok && len(all) > 0 {
		now := r.simple(all)
		now.src = src
		return now
	}
	r.blocks(blocksOf(src))
	return &Reading{Entries: r.all(), src: src}
}

// begins reports whether a note is a simple one that was read, with whole lines added.
func (was *Reading) begins(src string) bool {
	return was != nil && was.simple && strings.HasSuffix(was.src, "\n") && strings.HasPrefix(src, was.src)
}

// Lines returns how many line ends a note has. Of a note that was read, only the end is
// looked at.
func (was *Reading) Lines(src string) int {
	if was.begins(src) {
		return was.line - 1 + strings.Count(src[was.at:], "\n")
	}
	return strings.Count(src, "\n")
}

// simple reads the blocks of a simple note, of which there is one at least.
func (r *reader) simple(all []block) *Reading {
	last := len(all) - 1
	r.read(all[:last], all[last].start)
	now := &Reading{simple: true, stable: len(r.entries), at: all[last].start, path: slices.Clone(r.path), private: r.private}
	now.line = r.lineOf(now.at)
	r.blocks(all[last:])
	now.Entries = r.all()
	return now
}
