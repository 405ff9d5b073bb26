package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/link"
	"github.com/memoir-ai/memoir/internal/name"
)

// Bounds of what an outline searches through.
const (
	outlineLinks = 512 // links of the note that are resolved
	linkHolders  = 200 // chunks that are searched for each of the note's names
	linkedFrom   = 100 // notes that link to it
)

// An Outline says how a note is cut into passages and how it is linked with
// other notes.
type Outline struct {
	Title     string // from the front matter, or the first heading of level 1; may be ""
	FrontEnds int    // the last line of the front matter, counted from 1; 0 when there is none
	Passages  []OutlinePassage
	// Links are the notes that the note links to. The keys are the targets as
	// [link.Find] reads them. A target is missing when it names no note, or
	// several.
	Links map[string]memoir.DocID
	// From are the notes that link to the note, in order. When its name is a
	// common word, some may be missing.
	From []memoir.DocID
}

// An OutlinePassage is a passage of a note, with the lines and headings of the
// chunk that is indexed.
type OutlinePassage struct {
	StartLine, EndLine int      // counted from 1, both inclusive
	Heading            []string // headings above it, from the top down
}

// Outline reads a note as its source has it now, and its links from the index.
// When no source has the document it returns [memoir.ErrNotFound]. Links are resolved as if the
// documents that hides reports were not there; nil hides none.
func (e *Searcher) Outline(ctx context.Context, id memoir.DocID, hides func(memoir.DocID) bool) (Outline, error) {
	doc, err := e.cfg.Notes.Read(ctx, id)
	if err != nil {
		return Outline{}, err
	}
	cut := e.cfg.Notes.Analyse(doc)
	out := Outline{Title: cut.Title, Links: map[string]memoir.DocID{}}
	if front := chunk.Markdown(doc.Text, chunk.Options{}).FrontMatter; front != "" {
		out.FrontEnds = strings.Count(front, "\n") + 1
	}
	for _, c := range cut.Chunks {
		out.Passages = append(out.Passages, OutlinePassage{c.StartLine, c.EndLine, c.Heading})
	}
	err = e.cfg.Store.View(ctx, func(v memoir.View) error {
		if err := out.links(ctx, v, &cut, hides); err != nil {
			return fmt.Errorf("resolve the links of %s: %w", id, err)
		}
		if err := out.from(ctx, v, &cut); err != nil {
			return fmt.Errorf("look for links to %s: %w", id, err)
		}
		return nil
	})
	return out, err
}

// links resolves the links of the note.
func (o *Outline) links(ctx context.Context, v memoir.View, cut *memoir.IndexedDocument, hides func(memoir.DocID) bool) error {
	names := map[string][]string{} // by target
	var all []string
	for _, c := range cut.Chunks {
		for _, l := range link.Find(c.Text) {
			if len(names) < outlineLinks && names[l.Target] == nil {
				names[l.Target] = name.ForLink(string(cut.ID), l)
				all = append(all, names[l.Target]...)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	limit := 2
	if hides != nil {
		limit = math.MaxInt32 // however many are hidden, the others are found
	}
	bearers, err := v.Resolve(ctx, all, limit)
	if hides != nil {
		hidden := map[memoir.DocID]bool{}
		for n, documents := range bearers {
			bearers[n] = seen(documents, hides, hidden)
		}
	}
	for target, of := range names {
		if i := slices.IndexFunc(of, func(n string) bool { return len(bearers[n]) > 0 }); i >= 0 && len(bearers[of[i]]) == 1 {
			o.Links[target] = bearers[of[i]][0].ID
		}
	}
	return err
}

// seen returns the first two of the documents that are not hidden. hidden has what was asked.
func seen(documents []memoir.LinkedDocument, hides func(memoir.DocID) bool, hidden map[memoir.DocID]bool) (all []memoir.LinkedDocument) {
	for _, d := range documents {
		is, asked := hidden[d.ID]
		if !asked {
			is = hides(d.ID)
			hidden[d.ID] = is
		}
		if !is {
			all = append(all, d)
		}
		if len(all) == 2 {
			break
		}
	}
	return all
}

// from searches the chunks that hold the file name or the title of the note,
// because every link to the note contains one of these.
func (o *Outline) from(ctx context.Context, v memoir.View, cut *memoir.IndexedDocument) error {
	ours := map[string]bool{}
	for _, n := range cut.Names {
		ours[n] = true
	}
	var holders []memoir.ChunkID
	for _, called := range []string{name.File(string(cut.ID)), cut.Title} {
		terms := analyze.Phrase(called)
		if len(terms) == 0 {
			continue
		}
		found, err := v.List(ctx, memoir.Filter{Phrases: []memoir.Phrase{{Terms: terms}}}, linkHolders)
		if err != nil {
			return err
		}
		for _, c := range found {
			if c.Doc != cut.ID {
				holders = append(holders, c.ChunkID)
			}
		}
	}
	if len(holders) == 0 {
		return nil
	}
	chunks, err := v.Chunks(ctx, holders)
	if err != nil {
		return err
	}
	for _, c := range chunks { // ordered by document
		if len(o.From) == linkedFrom || slices.Contains(o.From, c.Doc) {
			continue
		}
		for _, l := range link.Find(c.Text) {
			if slices.ContainsFunc(name.ForLink(string(c.Doc), l), func(n string) bool { return ours[n] }) {
				o.From = append(o.From, c.Doc)
				break
			}
		}
	}
	return nil
}
