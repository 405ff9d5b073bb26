package memoir

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// A Filter restricts a search before its limit applies. The zero value lets
// everything pass; fields that are set must all hold. An empty list is as good as
// none: what lets nothing pass is [NoChunk]. Strings are valid UTF-8.
type Filter struct {
	// Scope is one of several memories that are searched as one; "" is all of them. A
	// store does not look at it.
	Scope  Scope
	Kinds  []Kind  // one of them; none: every kind
	Labels []Label // the chunk bears each
	Prefix string  // documents whose id starts so; "" is every document
	// Paths are parts of the document's path, which is a slash and its id; each
	// is one of it. ASCII letters are compared without case.
	Paths []string
	// Names are names that the document bears, each of them ([IndexedDocument]).
	Names []string
	// From and To are the first and the last day of [ChunkMeta.Date], "2026-03-02";
	// "" is an open end. A chunk without a date passes neither.
	From, To string
	Phrases  []Phrase  // the chunk holds each
	Chunks   []ChunkID // only these; none: every chunk
	Without  []Filter  // what passes one of these does not pass
}

// NoChunk returns a filter that nothing passes: it leaves out what passes the
// zero one.
func NoChunk() Filter { return Filter{Without: []Filter{{}}} }

// AnyOf returns a filter that passes what one of some filters passes: it leaves
// out what passes none of them.
func AnyOf(filters ...Filter) Filter { return Filter{Without: []Filter{{Without: filters}}} }

// A Phrase is terms that stand one after the other in one field of a chunk.
// One without terms is held by every chunk.
type Phrase struct {
	Terms  []string
	Fields []Field // one of them; none: any
	// Text, unless it is "", is another way to hold the phrase: [Phrase.In] says
	// whether a chunk has it. Every chunk that does holds the terms Inside, of
	// which there is one at least, one after the other in one field. Where more
	// than [MaxInside] chunks hold those the text is not looked for.
	Text   string
	Inside []string
}

// In reports whether the title, a heading or the lines of a chunk hold the text of
// the phrase, the ends of which may cut numbers, and words of scripts that are
// written without spaces.
func (p Phrase) In(c *Chunk) bool {
	holds := func(text string) bool { return analyze.Holds(analyze.Wording(text), p.Text) }
	return p.Text != "" && (holds(c.Text) || holds(c.Title) || slices.ContainsFunc(c.Heading, holds))
}
