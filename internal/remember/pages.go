package remember

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir/internal/entry"
)

// maxPages is how many notes a keeper keeps parsed: the shelves, OpenClaw's files and
// some day logs.
const maxPages = 16

// pages are notes as they were read last, so that a keeper that lives on parses only what
// was added to them. They are safe for concurrent use.
type pages struct {
	mu  sync.Mutex // guards all
	all map[string]page
}

type page struct {
	text    string
	entries []*known
	reading *entry.Reading
	words   *saying
}

// saying finds the entries of a note by the hash of their words: their places among the
// entries, in order. It grows when it is asked, by those that were added since. It is
// guarded by the mutex of its pages.
type saying struct {
	n  int // so many entries are in it
	at map[uint64][]int
}

func newSaying() *saying { return &saying{at: map[uint64][]int{}} }

// read returns the entries of a note with this text, in a slice that nobody may change.
// make turns the new ones into known ones.
func (p *pages) read(path, text string, make func(path string, entries []entry.Entry) []*known) []*known {
	p.mu.Lock()
	was := p.all[path]
	p.mu.Unlock()
	if was.reading != nil && was.text == text {
		return slices.Clip(was.entries)
	}
	now := page{text: text, reading: was.reading.Next(text)}
	kept, fresh := now.reading.Kept, now.reading.Entries
	if kept > 0 && kept == len(was.entries)-1 && len(fresh) > 0 && equal(was.entries[kept].Entry, was.text, fresh[0], text) {
		kept, fresh = kept+1, fresh[1:] // the last one was read again, because it might have gone on
	}
	added := make(path, fresh)
	now.reading.Entries = nil // the known ones have them
	p.mu.Lock()
	defer p.mu.Unlock()
	if kept == len(was.entries) && p.all[path].reading == was.reading {
		now.entries = append(was.entries, added...) // behind all that anybody was given
		now.words = was.words
	} else {
		now.entries = slices.Concat(was.entries[:kept], added)
	}
	if now.words == nil {
		now.words = newSaying()
	}
	if p.all == nil || len(p.all) >= maxPages {
		p.all = map[string]page{}
	}
	p.all[path] = now
	return slices.Clip(now.entries)
}

// saying returns the entries of a note with this text that have the words, in order.
func (p *pages) saying(path, text string, make func(path string, entries []entry.Entry) []*known, w words) iter.Seq[*known] {
	return func(yield func(*known) bool) {
		entries := p.read(path, text, make)
		for _, i := range p.sayingAt(path, text, entries, w) {
			if entries[i].says(w) && !yield(entries[i]) {
				return
			}
		}
	}
}

// sayingAt returns the places of the entries that may have the words.
func (p *pages) sayingAt(path, text string, entries []*known, w words) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.all[path].words
	if p.all[path].text != text { // somebody has read another text meanwhile
		s = newSaying()
	}
	for ; s.n < len(entries); s.n++ {
		hash := entries[s.n].said().hash
		s.at[hash] = append(s.at[hash], s.n)
	}
	return slices.Clone(s.at[w.hash])
}

// stands reports whether an entry is known to stand where it was in a note that has this
// text.
func (p *pages) stands(e *known, text string) bool {
	p.mu.Lock()
	was := p.all[e.path]
	p.mu.Unlock()
	if was.reading == nil || was.text != text {
		return false
	}
	at, ok := slices.BinarySearchFunc(was.entries, e.Start, func(one *known, start int) int { return cmp.Compare(one.Start, start) })
	if !ok {
		return false
	}
	one := was.entries[at]
	id := e.Fields.Get(entry.ID)
	return one == e || one.StartLine == e.StartLine && id != "" && one.Fields.Get(entry.ID) == id
}

// fork returns pages that know what these know, and what is read into the one is not known
// to the other.
func (p *pages) fork() *pages {
	p.mu.Lock()
	defer p.mu.Unlock()
	other := &pages{all: map[string]page{}}
	for path, one := range p.all {
		one.entries, one.words = slices.Clip(one.entries), newSaying()
		other.all[path] = one
	}
	return other
}

// equal reports whether an entry of one text is the same at the same place in another.
func equal(a entry.Entry, in string, b entry.Entry, of string) bool {
	return a.Start == b.Start && a.End == b.End && a.StartLine == b.StartLine && a.EndLine == b.EndLine &&
		a.Item == b.Item && a.Private == b.Private && slices.Equal(a.Heading, b.Heading) && in[a.Start:a.End] == of[b.Start:b.End]
}

// reading returns how a note was read last, nil when it was not.
func (p *pages) reading(path string) *entry.Reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[path].reading
}
