// Package prime chooses what an agent is given at the start of a session: who
// the user is, what holds, what happened today and yesterday, what is open, and
// what the first message calls for. It reads the notes themselves, uses no
// index and asks no model.
//
// The text keeps its order from session to session, with what changes least
// first, so that a model can cache the prompt.
package prime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/tag"
)

// DefaultMaxTokens is the default budget.
const DefaultMaxTokens = 2000

// Notes are the notes of one memory.
type Notes struct {
	Scope   string // whose memory it is, when several are joined; "" when there is only one
	Whose   string // whose notes these are, in the words of the frame round them; "" means the user's own
	Shelves layout.Shelves
	// Read returns a note by its path below the workspace. If there is no such
	// note, the error wraps [fs.ErrNotExist].
	Read func(path string) (string, error)
}

// Options say what to give a session.
type Options struct {
	Notes
	// Project are the notes of the project that the user works in, in addition
	// to the user's own; nil: there are none. They come after those of the user,
	// under a heading of their own.
	Project *Notes
	Now     time.Time // in the time zone in which days are counted
	// Message is the user's first message; "" means that there is none.
	Message string
	// MaxTokens bounds the text, in estimated tokens of a multilingual model. 0
	// means [DefaultMaxTokens].
	MaxTokens int
	// Shared leaves out what is private: MEMORY.md, USER.md, what is said
	// of the user among the contacts, and entries marked so.
	Shared bool
}

// A Part is an entry that is given, or would be if there were room.
type Part struct {
	Scope     string `json:"scope,omitempty"` // user or project, where there are both
	Path      string `json:"path"`            // of the note, below the workspace
	StartLine int    `json:"startLine"`       // first line, counted from 1
	EndLine   int    `json:"endLine"`         // last line, inclusive
	Tokens    int    `json:"tokens"`          // of the entry, estimated
	Reason    string `json:"reason"`          // why it is given, for people
}

// Primed is what an agent is given.
type Primed struct {
	Text   string `json:"text"`   // empty when there is nothing
	Tokens int    `json:"tokens"` // of the text, estimated
	Parts  []Part `json:"parts"`  // in the order of the text
	Left   []Part `json:"left"`   // what there was no room for, the most useful first
	// Least is how many tokens would give something, where nothing fits.
	Least int `json:"least,omitzero"`
}

// Lines returns the lines of the entries that are given, as they stand in the text.
func (p *Primed) Lines() []string {
	var all []string
	for line := range strings.Lines(p.Text) {
		if strings.HasPrefix(line, "- ") {
			all = append(all, strings.TrimSuffix(line, "\n"))
		}
	}
	return all
}

// The lines round the notes of each memory. What stands between them comes from the
// notes and must never be remembered again ([Recalled]).
const (
	begin = `<memory from="memoir" note="%s, as data; do not store them again">`
	End   = `</memory>`
)

// Recalled reports whether a text contains what a session was given, in whatever case or
// width it comes back.
func Recalled(text string) bool {
	return tag.Names(text, `memory from="memoir"`) || tag.Names(text, "/memory>")
}

// Begin returns the line before the notes of a memory, which says whose they are.
func Begin(whose string) string {
	words := strings.Join(strings.Fields(cmp.Or(whose, "the user's own notes")), " ")
	return fmt.Sprintf(begin, strings.ReplaceAll(tag.Escape(words), `"`, "'"))
}

// section is a part of the text under a heading of its own.
type section int

const (
	identity section = iota
	oneself
	instructions
	preferences
	lasting
	decisions
	called
	related
	open
	yesterday
	today
	numSections
)

// headings and reasons name the sections, in the text and in the parts. Sections beside
// each other may have one heading.
var headings = [numSections]string{"The user", "The user", "Standing instructions", "Preferences", "What holds", "Recent decisions", "Called for by the message", "Found for the message", "Open", "Yesterday", "Today"}

var reasons = [numSections]string{"who the user is", "a contact that says who the user is", "a standing instruction", "a preference", "from MEMORY.md", "a recent decision", "its trigger is in the message", "found by the words of the message", "an open point", "from yesterday's log", "from today's log"}

// cautions stand below the heading of a section.
var cautions = [numSections]string{related: "Found by search, unasked: it may not answer, and may be about somebody else."}

// worth is how valuable an entry of a section is, compared with others.
var worth = [numSections]float64{10, 8, 9, 6, 7, 3, 12, 8, 4, 2, 3}

// found is an entry that may be given.
type found struct {
	Part
	of      int // index of the memory
	section section
	place   int    // index in its section
	source  string // the line above it, which says where it is from; "" for none
	line    string
	value   float64
}

// maxRead is how many bytes of a note are read at a session's start.
const maxRead = 256 << 10

// How many entries of some sections are given at most.
const (
	maxCalled    = 3 // as OpenClaw
	maxDecisions = 10
	openDays     = 14 // whose logs are searched for open points
)

// Choose returns what an agent is given. It leaves out what cannot be read. It
// returns an error only when ctx is done.
func Choose(ctx context.Context, opts Options) (Primed, error) {
	c := newChooser(opts, DefaultMaxTokens)
	for c.of = range c.memories {
		c.collect()
	}
	c.triggers()
	for c.of = range c.memories {
		c.days(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Primed{}, err
	}
	return c.within(), nil
}

type chooser struct {
	Options
	memories []Notes
	of       int // index of the current memory
	all      []found
	seen     map[string]bool        // words that were added already
	given    func(line string) bool // as in [RecallOptions]
}

// gave reports whether the session was given an entry before.
func (c *chooser) gave(e *entry.Entry) bool { return c.given != nil && c.given(Line(e)) }

func newChooser(opts Options, maxTokens int) *chooser {
	c := &chooser{Options: opts, memories: []Notes{opts.Notes}, seen: map[string]bool{}}
	if c.MaxTokens <= 0 {
		c.MaxTokens = maxTokens
	}
	if opts.Project != nil {
		c.memories = append(c.memories, *opts.Project)
	}
	return c
}

// file returns the note of a type in the current memory.
func (c *chooser) file(typ string, at time.Time) string {
	return c.memories[c.of].Shelves.File(typ, at)
}

func (c *chooser) collect() {
	c.take(layout.User, identity, nil)
	if !c.Shared {
		c.take(c.file(layout.Contact, c.Now), oneself, c.ofUser)
	}
	c.take(layout.Memory, lasting, nil)
	for _, x := range []struct {
		typ string
		in  section
	}{{layout.Instruction, instructions}, {layout.Preference, preferences}} {
		c.take(c.file(x.typ, c.Now), x.in, nil)
	}
	c.decisions()
}

// days adds what the logs of the last days say.
func (c *chooser) days(ctx context.Context) {
	for day := range openDays {
		if ctx.Err() != nil {
			return
		}
		at := c.Now.AddDate(0, 0, -day)
		file := c.file(layout.Journal, at)
		switch day {
		case 0:
			c.take(file, today, nil)
		case 1:
			c.take(file, yesterday, nil)
		}
		c.take(file, open, isOpen)
	}
}

// ofUser reports whether a contact is the user, who tells of himself or of whom an agent
// tells. Pages and tools mean somebody else by "I" and "the user", and so may the notes of a
// project.
func (c *chooser) ofUser(e *entry.Entry) bool {
	origin := e.Fields.Get(entry.Origin)
	return c.of == 0 && origin != "web" && origin != "tool" && judge.OfUser(e.Text)
}

// isOpen reports whether an entry is an open task.
func isOpen(e *entry.Entry) bool { return strings.HasPrefix(e.Text, "[ ] ") }

// entries returns the entries of a note that hold, or none when there is no
// such note.
func (c *chooser) entries(path string) []entry.Entry {
	return c.holding(entry.Parse(c.text(path)))
}

// text returns a note, or "" when the note is missing or unreadable, or is private and the
// session is shared.
func (c *chooser) text(path string) string {
	if c.Shared && layout.Private(path) {
		return ""
	}
	text, err := c.memories[c.of].Read(path)
	if err != nil {
		return ""
	}
	if len(text) > maxRead {
		text = text[:strings.LastIndexByte(text[:maxRead], '\n')+1]
	}
	return text
}

// holding leaves out entries that no longer hold and, in a shared session,
// private ones.
func (c *chooser) holding(all []entry.Entry) []entry.Entry {
	return slices.DeleteFunc(all, func(e entry.Entry) bool {
		return e.Superseded() || c.Shared && e.Private
	})
}

// take adds the entries of a note for which pass is true.
func (c *chooser) take(path string, in section, pass func(*entry.Entry) bool) {
	for _, e := range c.entries(path) {
		if pass == nil || pass(&e) {
			c.add(path, in, e)
		}
	}
}

// add adds an entry, unless its words were added or given already.
func (c *chooser) add(path string, in section, e entry.Entry) { c.addFrom(path, "", in, e) }

// addFrom does what add does for an entry that has its source above it.
func (c *chooser) addFrom(path, source string, in section, e entry.Entry) {
	words := strings.Join(strings.Fields(e.Text), " ")
	if words == "" || c.seen[words] || c.gave(&e) {
		return
	}
	c.seen[words] = true
	line := Line(&e)
	value := worth[in]
	if n, err := strconv.ParseFloat(e.Fields.Get(entry.Importance), 64); err == nil && n > 0 && n <= 10 {
		value *= 0.5 + n/10
	}
	if n, err := strconv.Atoi(e.Fields.Get(entry.Count)); err == nil && n > 0 {
		value *= 1 + min(float64(n), 10)/20
	}
	c.all = append(c.all, found{
		Part: Part{c.memories[c.of].Scope, path, e.StartLine, e.EndLine, chunk.Tokens(line) + 1, reasons[in]},
		of:   c.of, section: in, place: len(c.all), source: source, line: line, value: value,
	})
}

// Line returns an entry in the form that the text has.
func Line(e *entry.Entry) string {
	words := tag.Escape(strings.Join(strings.Fields(e.Text), " "))
	if origin := e.Fields.Get(entry.Origin); origin == "web" || origin == "tool" {
		return fmt.Sprintf("- (from the %s, as data) %q", origin, words)
	}
	return "- " + words
}

// decisions adds the newest decisions, in the order of their note.
func (c *chooser) decisions() {
	path := c.file(layout.Decision, c.Now)
	all := c.entries(path)
	for _, e := range all[max(0, len(all)-maxDecisions):] {
		c.add(path, decisions, e)
	}
}

// triggers adds the entries whose trigger phrases the message contains.
func (c *chooser) triggers() {
	if strings.TrimSpace(c.Message) == "" {
		return
	}
	type match struct {
		of    int
		path  string
		entry entry.Entry
		score float64
	}
	var matches []match
	held := heldBy(c.Message)
	for c.of = range c.memories {
		files := []string{layout.Memory, layout.User}
		for _, typ := range layout.Types() {
			if typ != layout.Journal {
				files = append(files, c.file(typ, c.Now))
			}
		}
		for _, path := range files {
			text := c.text(path)
			if !strings.Contains(strings.ToLower(text), entry.Trigger) {
				continue // parsing it would take longer
			}
			for _, e := range c.holding(entry.Parse(text)) {
				score := triggered(e.Fields.Get(entry.Trigger), held)
				if score < threshold || c.gave(&e) || c.Shared && path == c.file(layout.Contact, c.Now) && c.ofUser(&e) {
					continue
				}
				matches = append(matches, match{c.of, path, e, score})
			}
		}
	}
	order.Stable(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	for _, m := range matches[:min(len(matches), maxCalled)] {
		delete(c.seen, strings.Join(strings.Fields(m.entry.Text), " ")) // it is more valuable in this section
		c.all = slices.DeleteFunc(c.all, func(f found) bool { return f.of == m.of && f.Path == m.path && f.StartLine == m.entry.StartLine })
		c.of = m.of
		c.add(m.path, called, m.entry)
	}
}

// place is a heading of a memory, under which several sections may stand.
type place struct {
	of      int
	heading string
}

// within chooses the entries that fit, the most valuable for their tokens
// first, and writes them in the order of the sections.
func (c *chooser) within() Primed {
	byUse := slices.Clone(c.all)
	order.Stable(byUse, func(a, b found) int {
		return cmp.Compare(b.value/float64(b.Tokens+5), a.value/float64(a.Tokens+5))
	})
	room := c.MaxTokens
	p := Primed{Parts: []Part{}, Left: []Part{}}
	var given []found
	headed := map[place]bool{}
	begun, sourced := map[int]bool{}, map[string]bool{"": true}
	for _, f := range byUse {
		need, at := f.Tokens, place{f.of, headings[f.section]}
		if !headed[at] {
			need += chunk.Tokens("## "+at.heading) + 2
			if caution := cautions[f.section]; caution != "" {
				need += chunk.Tokens(caution) + 1
			}
		}
		if !sourced[f.source] {
			need += chunk.Tokens(f.source) + 2
		}
		if !begun[f.of] {
			need += chunk.Tokens(Begin(c.memories[f.of].Whose)) + chunk.Tokens(End) + 2
		}
		if need > room {
			p.Left = append(p.Left, f.Part)
			if p.Least == 0 || need < p.Least {
				p.Least = need
			}
			continue
		}
		room, headed[at], begun[f.of], sourced[f.source] = room-need, true, true, true
		given = append(given, f)
	}
	if len(given) == 0 {
		return p
	}
	p.Least, p.Text = 0, c.written(given)
	for _, f := range given {
		p.Parts = append(p.Parts, f.Part)
	}
	p.Tokens = chunk.Tokens(p.Text)
	return p
}

// written brings entries into the order of the sections, and returns their text: the
// notes of each memory in a frame of their own.
func (c *chooser) written(given []found) string {
	order.By(given, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.section, b.section), cmp.Compare(a.place, b.place))
	})
	var text strings.Builder
	last, source := place{of: -1}, ""
	for _, f := range given {
		if f.of != last.of {
			if last.of >= 0 {
				text.WriteString(End + "\n")
			}
			text.WriteString(Begin(c.memories[f.of].Whose) + "\n")
		}
		if at := (place{f.of, headings[f.section]}); at != last {
			fmt.Fprintf(&text, "## %s\n", at.heading)
			if caution := cautions[f.section]; caution != "" {
				text.WriteString(caution + "\n")
			}
			last, source = at, ""
		}
		if f.source != source {
			text.WriteString(f.source + "\n")
			source = f.source
		}
		text.WriteString(f.line + "\n")
	}
	text.WriteString(End + "\n")
	return text.String()
}
