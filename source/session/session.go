// Package session is the [memoir.Source] of conversations: the transcripts that
// agents keep of what people and they said.
//
// Each agent has a format of its own, in a file of its own; none of them is
// documented, and all change often. So what is known is read, and what is not is
// left out and counted ([Report]). Files are only read, nothing outside the folder
// of the agent is, and links are not followed. What came out of memoir, what is
// marked private and what tools gave is left out, and secrets are masked, before
// anything leaves the package.
//
// A document has a line for each line of its transcript: what was said there on one
// line, nothing where nothing was. So a line that is cited is the line of the file. Of
// a database each session is a document, and each of its messages a line.
package session

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
)

// Folder is the first part of the ids of all sessions.
const Folder = "sessions"

// Prefix returns how the ids of an agent's sessions begin.
func Prefix(agent string) string { return Folder + "/" + agent + "/" }

// The defaults of [Options].
const (
	DefaultMaxBytes      = 256 << 20
	DefaultDeltaBytes    = 100_000
	DefaultDeltaMessages = 50
)

// Options say whose transcripts are meant.
type Options struct {
	Agent string // one of [Agents], or another name when there is a mapping
	Dir   string // the folder in which the agent keeps its state; it need not exist
	// DatabaseDir is the folder of the database in which the agent keeps sessions, where
	// that is another; "" is Dir.
	DatabaseDir string
	// Mapping says how the transcripts of an agent are read that memoir does not know.
	Mapping *Mapping
	// Part is the one of OpenClaw's agents whose sessions are meant; "" is all.
	Part string
	// MaxBytes is the size above which a transcript is skipped and listed, also of
	// what an archive expands to; 0 means [DefaultMaxBytes].
	MaxBytes int64
	// DeltaBytes and DeltaMessages are how much a transcript has to grow before a
	// search indexes it again; 0 means the defaults.
	DeltaBytes    int64
	DeltaMessages int
	// Location is where days are counted; nil means [time.Local].
	Location *time.Location
}

// A Source is the transcripts of an agent. It holds no open file between calls and
// is safe for concurrent use.
type Source struct {
	opts  Options
	dir   string // as the caller named it
	place place
	broke sync.Map // databases that are not opened again, by their paths
}

var (
	_ memoir.Source  = (*Source)(nil)
	_ memoir.Owner   = (*Source)(nil)
	_ memoir.Growing = (*Source)(nil)
)

// Open returns the source of an agent's transcripts. Nothing is read yet. An agent
// whose transcripts are not known gives [memoir.ErrInvalid].
func Open(opts Options) (*Source, error) {
	place, ok := places[opts.Agent]
	if !ok && opts.Mapping == nil {
		return nil, memoir.WithHint(fmt.Errorf("the transcripts of %q are not known: %w", opts.Agent, memoir.ErrInvalid), "one of "+strings.Join(Agents(), ", "))
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the transcripts of %s: %w", opts.Agent, err)
	}
	opts.Dir = dir
	if opts.DatabaseDir, err = filepath.Abs(cmp.Or(opts.DatabaseDir, dir)); err != nil {
		return nil, fmt.Errorf("open the transcripts of %s: %w", opts.Agent, err)
	}
	if !ok {
		opts.Dir, place = opts.Mapping.mapped(dir)
	}
	opts.MaxBytes = cmp.Or(opts.MaxBytes, DefaultMaxBytes)
	opts.DeltaBytes = cmp.Or(opts.DeltaBytes, DefaultDeltaBytes)
	opts.DeltaMessages = cmp.Or(opts.DeltaMessages, DefaultDeltaMessages)
	if opts.Location == nil {
		opts.Location = time.Local
	}
	return &Source{opts: opts, dir: dir, place: place}, nil
}

// Agent returns the agent whose transcripts they are.
func (s *Source) Agent() string { return s.opts.Agent }

// Dir returns the folder in which the agent keeps its state.
func (s *Source) Dir() string { return s.dir }

// Kind implements [memoir.Source].
func (s *Source) Kind() memoir.Kind { return memoir.KindSession }

// Owns implements [memoir.Owner].
func (s *Source) Owns(id memoir.DocID) bool {
	_, isFile := s.file(id)
	_, _, isRow := s.row(id)
	return isFile || isRow
}

// A place is where an agent keeps its transcripts.
type place struct {
	// bases are folders below that of the agent. The name of the first is left out
	// of ids.
	bases []string
	depth int // of folders below a base, at most
	// is reports whether a file, by its path below its base, is a transcript.
	is   func(file string) bool
	open func() parser
	// enters reports whether a folder, by its path below that of the agent, is looked
	// into; nil: each is.
	enters func(folder string) bool
	// beside reads what stands in other files than the transcript; nil: nothing does.
	beside func(s *Source, ctx context.Context, file string, p parser) error
	// schema is the database in which the agent keeps sessions; nil: it has none.
	schema *schema
}

var places = map[string]place{
	"claude-code": {bases: []string{"projects"}, depth: 1, is: isClaudeCode, open: newClaudeCode},
	"codex":       {bases: []string{"sessions", "archived_sessions"}, depth: 3, is: isCodex, open: newCodex},
	"gemini":      {bases: []string{"tmp"}, depth: 2, is: isGemini, open: newGemini},
	"openclaw":    {bases: []string{"agents"}, depth: 2, is: isOpenClaw, open: newOpenClaw, schema: openClawDB},
	"opencode":    {bases: []string{"storage"}, depth: 2, is: isOpenCode, enters: entersOpenCode, open: newOpenCode, beside: (*Source).besideOpenCode, schema: openCodeDB},
	"pi":          {bases: []string{"sessions"}, depth: 1, is: isPi, open: newOpenClaw},
	"cursor":      {bases: []string{"projects"}, depth: 3, is: isCursor, open: newCursor, schema: cursorDB},
}

// Agents returns the agents whose transcripts are known, in the order of their names.
func Agents() []string {
	var names []string
	for name := range places {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// id returns the id of a file, by its path below the folder of the agent.
func (s *Source) id(file string) memoir.DocID {
	return memoir.DocID(Prefix(s.opts.Agent) + strings.TrimPrefix(file, s.place.bases[0]+"/"))
}

// file returns the path below the folder of the agent of a transcript.
func (s *Source) file(id memoir.DocID) (file string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), Prefix(s.opts.Agent))
	if !ok {
		return "", false
	}
	for i, base := range slices.Backward(s.place.bases) {
		below := rest
		if i > 0 {
			if below, ok = strings.CutPrefix(rest, base+"/"); !ok {
				continue
			}
		}
		if file := path.Join(base, below); file == base+"/"+below && s.mine(file) && s.id(file) == id {
			return file, true
		}
	}
	return "", false
}

// mine reports whether a path below the folder of the agent is that of a transcript.
func (s *Source) mine(file string) bool {
	base, below, ok := strings.Cut(file, "/")
	if !ok || !slices.Contains(s.place.bases, base) || path.Clean(file) != file || strings.Contains(file, "..") {
		return false
	}
	if part, _, _ := strings.Cut(below, "/"); s.opts.Part != "" && part != s.opts.Part {
		return false
	}
	return strings.Count(below, "/") <= s.place.depth && s.place.is(below)
}

// A Session is a conversation.
type Session struct {
	Doc     memoir.DocID // of its transcript
	ID      string       // as the agent calls it
	Agent   string
	Project string // the folder in which the agent worked; "" when it is not known
	Title   string // the beginning of what the user said first
	Started time.Time
	Ended   time.Time // zero, as Started, when no time is known
	Turns   []Turn
	Report
}

// The roles of turns.
const (
	User      = "user"
	Assistant = "assistant"
	Summary   = "summary" // of what was said before, when the agent compacted it
)

// A Turn is what one side said.
type Turn struct {
	Role string
	Text string // without what memoir and hooks added, what is private, and secrets
	Time time.Time
	Line int // of the transcript, 1-based
}

// A Report says what of transcripts was read.
type Report struct {
	Sessions int            // transcripts that were read
	Records  int            // of all
	Unknown  map[string]int // records that were left out for their form, by what they call themselves
}

// maxUnknown bounds how many forms are told apart.
const maxUnknown = 32

func (r *Report) unknown(form string) {
	if r.Unknown == nil {
		r.Unknown = map[string]int{}
	}
	form = strings.ToValidUTF8(form[:min(len(form), 48)], "")
	if _, ok := r.Unknown[form]; !ok && len(r.Unknown) >= maxUnknown {
		form = "others"
	}
	r.Unknown[form]++
}

// Add joins two reports.
func (r *Report) Add(other Report) {
	r.Sessions, r.Records = r.Sessions+other.Sessions, r.Records+other.Records
	for form, n := range other.Unknown {
		for range n {
			r.unknown(form)
		}
	}
}
