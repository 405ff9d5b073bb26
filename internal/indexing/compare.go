package indexing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// compare compares the index with what the sources list and returns what is to be
// indexed. It reads no documents.
func (x *Indexer) compare(ctx context.Context, all extent) (work syncWork, stats memoir.SyncStats, err error) {
	c := comparison{ready: make(chan struct{})}
	go func() { // reads the index while the sources look at their files
		defer close(c.ready)
		if c.err = c.list(ctx, x.store); all == everything {
			for i := range c.known {
				c.known[i].Recipe = "" // it counts as indexed in another way
			}
		}
	}()
	defer func() { <-c.ready }()
	folders, listed := 0, 0 // of notes, and what they list
	for _, src := range x.sources {
		n, err := x.compareSource(ctx, src, all == whatIsDue, &c, &work, &stats)
		if err != nil {
			return work, stats, err
		}
		if src.Kind() == memoir.KindNote {
			folders, listed = folders+1, listed+n
		}
	}
	if err := c.wait(); err != nil {
		return work, stats, err
	}
	work.remove = c.unclaimed()
	work.away = c.away()
	if all == whatIsDue && folders > 0 && listed == 0 {
		work.stays(&c)
	}
	return work, stats, nil
}

// compareSource compares what one source lists with what is known, adds what is new
// or changed to the work, and returns how many files the source lists.
func (x *Indexer) compareSource(ctx context.Context, src memoir.Source, due bool, c *comparison, work *syncWork, stats *memoir.SyncStats) (listed int, err error) {
	read := src.Read
	growing, grows := memoir.As[ability.Growing](src)
	grows = grows && due
	for entry, err := range src.Scan(ctx) {
		if err != nil {
			return listed, fmt.Errorf("scan the workspace: %w", err)
		}
		if err := c.wait(); err != nil {
			return listed, err
		}
		listed++
		known, first := c.claim(entry.ID, entry.Skip != "")
		if entry.Temporary {
			c.kept = append(c.kept, string(entry.ID))
			c.why = append(c.why, entry.Skip)
		}
		switch {
		case entry.Skip != "":
			stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: entry.Skip})
		case !first:
			work.hidden++
			stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: reasonNamesake})
		default:
			stats.Scanned++
			current := known != nil && known.Recipe == x.recipe
			if current && (sameFile(known, &entry.DocumentMeta) || grows && !growing.Due(ctx, *known, entry.DocumentMeta)) {
				continue
			}
			work.put = append(work.put, syncItem{read, entry.DocumentMeta, known})
		}
	}
	return listed, nil
}

// stays leaves indexed notes where they are whose folder holds none at all: as likely as
// not their disk is not mounted. A single one may well have been the last.
func (w *syncWork) stays(c *comparison) {
	for i := range c.known {
		if c.known[i].Kind == memoir.KindNote && c.claims[i] == unclaimed {
			w.stay++
		}
	}
	if w.stay < 2 {
		w.stay = 0
		return
	}
	w.remove = slices.DeleteFunc(w.remove, func(id memoir.DocID) bool {
		i, ok := c.find(id)
		return ok && c.known[i].Kind == memoir.KindNote
	})
}

const reasonNamesake = "another source before this one has a file of the same name"

// sameFile reports whether a listed file is the one that is known, as far as
// can be told without reading it.
func sameFile(known, found *memoir.DocumentMeta) bool {
	return known.Size == found.Size && known.Stamp == found.Stamp && known.ModTime.Equal(found.ModTime)
}

// comparison compares what is indexed with what the sources list. Both mostly
// come in the same order.
type comparison struct {
	ready chan struct{} // closed when what follows is listed, or err says why it is not
	err   error

	known  []memoir.DocumentMeta // ordered by id
	claims []claim               // one for each of known
	fresh  map[memoir.DocID]bool // ids that were listed and are not known
	kept   []string              // ids of files and folders that may be readable in a moment
	why    []string              // they are not, one for each of kept
	next   int                   // the index in known of the document likely to be listed next
}

// claim says as what a source first listed an id.
type claim uint8

const (
	unclaimed claim = iota
	document
	skippedFile
)

func (c *comparison) list(ctx context.Context, store memoir.Store) error {
	if stats, err := store.Stats(ctx, memoir.Space{}); err == nil {
		c.known = make([]memoir.DocumentMeta, 0, stats.Documents)
	}
	for meta, err := range store.Documents(ctx) {
		if err != nil {
			return err
		}
		c.known = append(c.known, meta)
	}
	c.claims, c.fresh = make([]claim, len(c.known)), map[memoir.DocID]bool{}
	return nil
}

// wait waits until the index is listed.
func (c *comparison) wait() error {
	if <-c.ready; c.err != nil {
		return fmt.Errorf("list the index: %w", c.err)
	}
	return nil
}

// find returns where a document stands among the known ones.
func (c *comparison) find(id memoir.DocID) (int, bool) {
	return slices.BinarySearchFunc(c.known, id, func(m memoir.DocumentMeta, id memoir.DocID) int { return strings.Compare(string(m.ID), string(id)) })
}

// claim records that a source lists an id. It returns what the index knows of
// the document, nil when it is new, and whether this is the first source to
// list it.
func (c *comparison) claim(id memoir.DocID, skipped bool) (known *memoir.DocumentMeta, first bool) {
	i, ok := c.next, true
	if i == len(c.known) || c.known[i].ID != id {
		i, ok = c.find(id)
	}
	if !ok {
		first = !c.fresh[id]
		c.fresh[id] = true
		return nil, first
	}
	c.next = i + 1
	if c.claims[i] != unclaimed {
		return nil, false
	}
	c.claims[i] = document
	if skipped {
		c.claims[i] = skippedFile
	}
	return &c.known[i], true
}

// unclaimed returns the documents that no source lists, ordered by id. It
// leaves out those that their source could not look at now.
func (c *comparison) unclaimed() (ids []memoir.DocID) {
	for i, claim := range c.claims {
		if claim != document && !c.keeps(string(c.known[i].ID), claim) {
			ids = append(ids, c.known[i].ID)
		}
	}
	return ids
}

// keeps reports whether a document stays although no source lists it.
func (c *comparison) keeps(id string, claim claim) bool {
	return slices.ContainsFunc(c.kept, func(kept string) bool {
		return id == kept || claim == unclaimed && strings.HasPrefix(id, kept+"/")
	})
}

// away returns the folders that are kept for a moment and of which documents are indexed.
func (c *comparison) away() (all []away) {
	for k, folder := range c.kept {
		stay := 0
		first, _ := c.find(memoir.DocID(folder + "/"))
		for i := first; i < len(c.known) && strings.HasPrefix(string(c.known[i].ID), folder+"/"); i++ {
			if c.claims[i] == unclaimed {
				stay++
			}
		}
		if stay > 0 {
			all = append(all, away{c.why[k], stay})
		}
	}
	return all
}
