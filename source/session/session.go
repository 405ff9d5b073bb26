// Package session is the [memoir.Source] of conversations: the transcripts in
// which agents keep what people and they said.
//
// Each agent has its own format, which has a file in this package. None of the
// formats is documented, and all change often. So the package reads the records
// it knows, and leaves out and counts the others ([Report]). It only reads
// files, only within the agent's folder, and follows no links. Before anything
// leaves the package, it leaves out what came from memoir, what is marked
// private and what tools returned, and masks secrets.
//
// A document has a line for each line of its transcript: what was said there,
// on one line, or nothing. So a cited line is the line of the file. In a
// database, each session is a document, and each of its messages a line.
package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/digest"
)

// Folder is the first part of the ids of all sessions.
const Folder = "sessions"

// Prefix returns what the ids of an agent's sessions begin with.
func Prefix(agent string) string { return Folder + "/" + agent + "/" }

// The defaults of [Options].
const (
	DefaultMaxBytes      = 256 << 20
	DefaultDeltaBytes    = 100_000
	DefaultDeltaMessages = 50
)

// Options say whose transcripts to read, and how.
type Options struct {
	Agent string // one of [Agents], or another name when there is a mapping
	Dir   string // the folder in which the agent keeps its state; it need not exist
	// DatabaseDir is the folder of the database in which the agent keeps
	// sessions, if it is not Dir; "" means Dir.
	DatabaseDir string
	// Mapping says how to read the transcripts of an agent that memoir does not
	// know.
	Mapping *Mapping
	// Part is the one of OpenClaw's agents whose sessions are read; "" means
	// all.
	Part string
	// MaxBytes is the size above which a transcript is skipped and listed, also
	// that of an unpacked archive. 0 means [DefaultMaxBytes].
	MaxBytes int64
	// DeltaBytes and DeltaMessages are how much a transcript has to grow before a
	// search indexes it again; 0 means the defaults.
	DeltaBytes    int64
	DeltaMessages int
	// Forgotten is the folder in which is noted which sessions were forgotten, as
	// digests; "" means that none was, and none can be.
	Forgotten string
	// Location is the time zone in which days are counted; nil means
	// [time.Local].
	Location *time.Location
}

// A Source reads the transcripts of an agent. It holds no open file between
// calls and is safe for concurrent use.
type Source struct {
	opts  Options
	dir   string // as the caller spelled it
	place place
	broke sync.Map // by path: databases that must not be opened again
	salt  digest.Digests
}

var (
	_ memoir.Source   = (*Source)(nil)
	_ ability.Owner   = (*Source)(nil)
	_ ability.Growing = (*Source)(nil)
)

// Open returns the source of an agent's transcripts. It reads nothing yet. An
// unknown agent gives [memoir.ErrInvalid].
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
	return &Source{opts: opts, dir: dir, place: place, salt: digest.Digests{Dir: opts.Forgotten}}, nil
}

// Agent returns the agent whose transcripts the source reads.
func (s *Source) Agent() string { return s.opts.Agent }

// Dir returns the folder in which the agent keeps its state.
func (s *Source) Dir() string { return s.dir }

// Kind implements [memoir.Source].
func (s *Source) Kind() memoir.Kind { return memoir.KindSession }

// Owns implements [ability.Owner].
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
	depth int // depth of folders below a base, at most
	// is reports whether a file, by its path below its base, is a transcript.
	is   func(file string) bool
	open func() parser
	// enters reports whether to look into a folder, by its path below the
	// agent's folder; nil: always.
	enters func(folder string) bool
	// beside reads parts of a transcript that are in other files; nil: there are
	// none.
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

// Agents returns the agents whose transcripts are known, sorted by name.
func Agents() []string {
	var names []string
	for name := range places {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// id returns the id of a file, by its path below the agent's folder.
func (s *Source) id(file string) memoir.DocID {
	return memoir.DocID(Prefix(s.opts.Agent) + strings.TrimPrefix(file, s.place.bases[0]+"/"))
}

// file returns the path of a transcript below the agent's folder.
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

// mine reports whether a path below the agent's folder is that of a transcript.
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
	Doc     memoir.DocID // id of its transcript
	ID      string       // as the agent calls it
	Agent   string
	Project string // the folder in which the agent worked; "" when unknown
	Title   string // the beginning of the user's first message
	Started time.Time
	Ended   time.Time // like Started, zero when no time is known
	Turns   []Turn
	Report
}

// The roles of turns.
const (
	User      = "user"
	Assistant = "assistant"
	Summary   = "summary" // of earlier turns, when the agent compacted the session
)

// A Turn is what one side said.
type Turn struct {
	Role string
	Text string // without what memoir and hooks added, what is private, and secrets
	Time time.Time
	Line int // of the transcript, 1-based
}

// A Report says what was read of transcripts.
type Report struct {
	Sessions int            // transcripts that were read
	Records  int            // all records
	Unknown  map[string]int // records that were left out because their form is unknown, by their own names for it
	// Versions are transcripts by the version that stands in them, of the agent or of the
	// format; those without one are not in it.
	Versions map[string]int
}

// maxUnknown is how many unknown forms are counted separately at most.
const maxUnknown = 32

func (r *Report) unknown(form string) { counted(&r.Unknown, form, 1) }

// counted counts a text of a transcript, bounded in length and in how many are told apart.
func counted(all *map[string]int, text string, n int) {
	if *all == nil {
		*all = map[string]int{}
	}
	text = strings.ToValidUTF8(text[:min(len(text), 48)], "")
	if _, ok := (*all)[text]; !ok && len(*all) >= maxUnknown {
		text = "others"
	}
	(*all)[text] += n
}

// versionOf returns the version of an agent or a format: a text or a number; "" for
// anything else.
func versionOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// Add joins two reports.
func (r *Report) Add(other Report) {
	r.Sessions, r.Records = r.Sessions+other.Sessions, r.Records+other.Records
	for form, n := range other.Unknown {
		counted(&r.Unknown, form, n)
	}
	for version, n := range other.Versions {
		counted(&r.Versions, version, n)
	}
}
