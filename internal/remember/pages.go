package remember

import (
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
}

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
	} else {
		now.entries = slices.Concat(was.entries[:kept], added)
	}
	if p.all == nil || len(p.all) >= maxPages {
		p.all = map[string]page{}
	}
	p.all[path] = now
	return slices.Clip(now.entries)
}

// equal reports whether an entry of one text is the same at the same place in another.
func equal(a entry.Entry, in string, b entry.Entry, of string) bool {
	return a.Start == b.Start && a.End == b.End && a.StartLine == b.StartLine && a.EndLine == b.EndLine &&
		a.Item == b.Item && a.PrivateNote == b.PrivateNote && slices.Equal(a.Heading, b.Heading) && in[a.Start:a.End] == of[b.Start:b.End]
}

// reading returns how a note was read last, nil when it was not.
func (p *pages) reading(path string) *entry.Reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[path].reading
}
