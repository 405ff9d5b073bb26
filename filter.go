package memoir

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// A Filter restricts a search before its limit applies. A chunk passes when it
// meets every field that is set; the zero value lets every chunk pass. An empty
// list counts as a field that is not set: use [NoChunk] to let nothing pass.
// Strings are valid UTF-8.
type Filter struct {
	// Scope picks one of several memories that are searched as one; "" is all of
	// them. Stores ignore it.
	Scope  Scope
	Kinds  []Kind  // the document is of one of these; empty: any kind
	Labels []Label // the chunk bears all of these
	Prefix string  // the document's id begins with this; "": any document
	// Paths are parts of the document's path, which is a slash followed by its
	// id. The path must contain all of them. ASCII letters match in either case.
	Paths []string
	// Names are names of the document ([IndexedDocument]). It must bear all of
	// them.
	Names []string
	// From and To are the first and the last day that [ChunkMeta.Date] may have,
	// both inclusive, as "2026-03-02". "" leaves that end open. When either is
	// set, a chunk without a date does not pass.
	From, To string
	Phrases  []Phrase  // the chunk holds all of these
	Chunks   []ChunkID // only these chunks; empty: every chunk
	Without  []Filter  // a chunk that passes any of these is left out
}

// NoChunk returns a filter that no chunk passes.
func NoChunk() Filter { return Filter{Without: []Filter{{}}} }

// AnyOf returns a filter that a chunk passes when it passes at least one of the
// given filters.
func AnyOf(filters ...Filter) Filter { return Filter{Without: []Filter{{Without: filters}}} }

// A Phrase is a run of terms that stand one after the other in one field of a
// chunk. Every chunk holds a phrase without terms.
type Phrase struct {
	Terms  []string
	Fields []Field // one of them; none: any
	// Text, when it is not "", is another way to hold the phrase: [Phrase.In]
	// says whether a chunk contains it. A chunk that contains Text also holds
	// the terms Inside, of which there is at least one, one after the other in
	// one field. When more than [MaxInside] chunks hold those terms, Text is not
	// looked for.
	Text   string
	Inside []string
}

// In reports whether the title, a heading or the lines of a chunk contain the
// phrase's text. Either end of the text may lie within a number, or within a
// word of a script that is written without spaces.
func (p Phrase) In(c *Chunk) bool {
	holds := func(text string) bool { return analyze.Holds(analyze.Wording(text), p.Text) }
	return p.Text != "" && (holds(c.Text) || holds(c.Title) || slices.ContainsFunc(c.Heading, holds))
}
