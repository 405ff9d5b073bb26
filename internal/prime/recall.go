package prime

import (
	"context"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/tag"
)

// RecallMaxTokens is the default budget of what a message calls for.
const RecallMaxTokens = 600

// A Passage is some lines of a note that were found for a message.
type Passage struct {
	Scope     string // as in [Notes]
	Path      string // of the note, below the workspace
	StartLine int    // of the text, counted from 1
	Text      string
	Citation  string // of the passage, as people and models are told it; "" when it is not told
	Day       string // that the passage is about; "" when none is known
}

// source returns the line that stands above what is given of a passage.
func (p *Passage) source() string {
	if p.Citation == "" {
		return ""
	}
	line := "From " + p.Citation
	if p.Day != "" && !strings.Contains(p.Citation, p.Day) {
		line += ", " + p.Day
	}
	return tag.Escape(strings.Join(strings.Fields(line), " ")) + ":"
}

// RecallOptions say what a message in the middle of a session calls for. In
// Options, a MaxTokens of 0 means [RecallMaxTokens].
type RecallOptions struct {
	Options
	// Passages are what a search for the message found, the best first.
	Passages []Passage
	// Given reports whether the session was already given a line; nil: it was
	// given none.
	Given func(line string) bool
}

// Recall returns the entries whose trigger phrases the message contains, and
// the entries in the passages that were found for it, without what the session
// was given before. It returns an error only when ctx is done.
func Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	c := newChooser(opts.Options, RecallMaxTokens)
	c.given = opts.Given
	c.triggers()
	if err := ctx.Err(); err != nil {
		return Primed{}, err
	}
	for _, p := range opts.Passages {
		c.of = max(0, slices.IndexFunc(c.memories, func(n Notes) bool { return n.Scope == p.Scope }))
		for _, e := range c.holding(entry.Parse(p.Text)) {
			e.StartLine, e.EndLine = p.StartLine+e.StartLine-1, p.StartLine+e.EndLine-1
			c.addFrom(p.Path, p.source(), related, e)
		}
	}
	return c.within(), nil
}
