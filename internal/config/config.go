// Package config reads memoir's settings: defaults, the user's file, the
// workspace's file, the environment and flags, each layer over the one before.
//
// One table, [Keys], holds every setting with its documentation. Files,
// environment names, the output of "memoir config", the reference and the
// messages about mistakes all come from it, so adding a setting is adding a row.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
)

// Settings are the effective values. [Keys] documents each of them.
type Settings struct {
	Workspace    string // absolute path of the folder of notes, or of this machine's copy of them
	Bucket       Bucket
	Scope        string // which memories to use when there are two
	StateDir     string // absolute path of the folder of state
	Store        string // [StoreSQLite] or [StoreWeaviate]
	Weaviate     Weaviate
	ModelsDir    string // absolute path of the folder of models; "" when there is no home folder
	Agent        string
	Include      []string
	Exclude      []string
	MaxFileBytes int64
	Chunking     Chunking
	Shelves      Shelves
	Provider     string
	Model        string // [ModelInside], the name of an installed model, or an absolute path
	Hub          Hub
	Update       Update
	AllowRemote  bool
	OpenAI       Remote
	Gemini       Remote
	Voyage       Remote
	Mistral      Remote
	Ollama       Remote
	LlamaCpp     Remote
	Embed        Embed
	Sync         Sync
	LogLevel     string // log level of processes that live on: one of [LogLevels]
	Query        Query
	Rerank       Rerank
	Summaries    Summaries
	Terminal     Terminal
	Hook         Hook
	Cache        Cache
	Sessions     Sessions
	Collections  []Collection // of the user's memory; a project's has none when there are both
	// ServeWorkspaces are served in addition to the main one. [NamedWorkspace]
	// reads them.
	ServeWorkspaces []string
	ServeFolder     string // below which new ones are made; "" or absolute
	ServeMaxOpen    int    // how many of them are open at once; > 0
	ServeJoin       bool   // memoir mcp uses a running server
}

// Sessions say whose transcripts are indexed beside the notes.
type Sessions struct {
	Enabled       bool
	Agents        []string
	DeltaBytes    int
	DeltaMessages int
	Custom        []string // files of mappings
	Archive       bool
	// Mappings are the contents of those files. Load fills them in.
	Mappings []Mapping
	// Dirs are the folders in which agents keep their state, by name; Load fills them in.
	Dirs map[string]string
	// DatabaseDirs are the folders of agents' databases, where they differ from
	// Dirs. Load fills them in.
	DatabaseDirs map[string]string
}

// Hook says how to answer agents at the events of a session.
type Hook struct {
	SearchTime time.Duration // time that a search for a prompt may take
}

// Embed says how the vectors of notes are computed.
type Embed struct {
	Threads   int  // 0: as many as suit the command
	OnBattery bool // also for many notes, in a process that lives on
}

// Sync says how a process that lives on follows the notes.
type Sync struct {
	Watch    bool
	Interval time.Duration // 0: it does not look by itself
}

// Cache bounds the vectors that are kept for texts that may come back.
type Cache struct {
	MaxEntries int
	MaxAge     time.Duration
}

// Chunking says how to cut notes. Load fills in Tokens and Overlap from the
// preset if they are not set.
type Chunking struct {
	Preset  string
	Tokens  int // estimated tokens
	Overlap int // estimated tokens; 0 is none
}

// Shelves are the notes that entries are written to, by type: slash-separated paths
// below the workspace.
type Shelves struct {
	Preference, Instruction, Contact, Project, Decision, Learning, Journal string
}

// ByType returns the shelves as [layout.Shelves].
func (s Shelves) ByType() layout.Shelves {
	return layout.Shelves{
		layout.Preference: s.Preference, layout.Instruction: s.Instruction, layout.Contact: s.Contact, layout.Project: s.Project,
		layout.Decision: s.Decision, layout.Learning: s.Learning, layout.Journal: s.Journal,
	}
}

// Update says where releases are.
type Update struct {
	BaseURL string // of the page of releases, up to the part before /latest
}

// Hub says where published models are.
type Hub struct {
	BaseURL string
	Token   string // secret, as [Remote.APIKey]
}

// Query holds the defaults of a search.
type Query struct {
	Mode                string
	MaxResults          int
	MinScore            float64
	CandidateMultiplier int
	Fusion              string
	TextWeight          float64
	VectorWeight        float64
	LinkWeight          float64 // 0: links are not followed
	Signals             Signals
	SyncBudget          time.Duration // 0: a search never syncs
	EmbedTimeout        time.Duration
	Log                 bool
}

// Signals say what counts besides words, vectors and links. A value of 0
// switches a signal off.
type Signals struct {
	DateWeight        float64
	DateWindowDays    int
	RecencyWeight     float64
	AssistantWeight   float64
	TemporalDecay     TemporalDecay
	Salience          string
	MMR               MMR
	FeedbackWeight    float64
	AdaptiveThreshold float64
}

// TemporalDecay lets scores fall with age. A half-life of 0 means that they do
// not.
type TemporalDecay struct {
	Enabled             bool
	HalfLifeDays        float64
	SessionHalfLifeDays float64
	Floor               float64
}

// MMR is maximal marginal relevance.
type MMR struct {
	Enabled bool
	Lambda  float64
}

// Layer says where a value came from.
type Layer string

// The layers, lowest first.
const (
	LayerDefault   Layer = "default"
	LayerUser      Layer = "user file"
	LayerWorkspace Layer = "workspace file"
	LayerEnv       Layer = "environment"
	LayerFlag      Layer = "flag"
)

// An Origin is where a value came from.
type Origin struct {
	Layer Layer
	Place string // "file:line", the variable's name, the flag's name, or a short reason; may be ""
}

// String returns the origin for people.
func (o Origin) String() string {
	if o.Place == "" {
		return string(o.Layer)
	}
	return fmt.Sprintf("%s (%s)", o.Layer, o.Place)
}

// Loaded is Settings with the origin of every value.
type Loaded struct {
	Settings
	// Files are the settings files that were read, lowest layer first.
	Files []string
	// UnknownEnv are variables that look like memoir's but name no setting,
	// sorted.
	UnknownEnv []string

	origins    map[string]Origin
	references map[string]string // by name of the setting: the ${VARIABLE} it was read through
	here       string            // see [Place]
	loader     *loader           // that has read them; nil: none has
}

// UsersOwn reports whether the workspace is the user's own, which no flag, variable or
// folder named.
func (l *Loaded) UsersOwn() bool {
	at := l.Origin("workspace")
	return at.Layer == LayerUser || at == Origin{Layer: LayerDefault}
}

// NotesHere reports whether Markdown files stand in the current folder, which is in no
// workspace and could be one.
func (l *Loaded) NotesHere() bool {
	if l.here == "" {
		return false
	}
	entries, err := os.ReadDir(l.here)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Type().IsRegular() && strings.EqualFold(filepath.Ext(e.Name()), ".md")
	})
}

// Origin returns where the value of the named setting came from.
func (l *Loaded) Origin(name string) Origin {
	if o, ok := l.origins[name]; ok {
		return o
	}
	return Origin{Layer: LayerDefault}
}

// IsSet reports whether any layer above the defaults set the value.
func (l *Loaded) IsSet(name string) bool { return l.Origin(name).Layer != LayerDefault }

// An Entry is one setting as it can be shown to anybody.
type Entry struct {
	Name   string
	Value  string // secrets masked
	Origin Origin
	Doc    string
}

// Entries returns every setting in the order of [Keys].
func (l *Loaded) Entries() []Entry {
	var out []Entry
	for _, k := range Keys() {
		value := format(k.at(&l.Settings))
		if k.Secret {
			value = mask(value, l.references[k.Name])
		}
		out = append(out, Entry{Name: k.Name, Value: value, Origin: l.Origin(k.Name), Doc: k.Doc})
	}
	return out
}

// mask says whether a secret is set, and reveals nothing else of it.
func mask(value, reference string) string {
	switch {
	case reference != "" && value == "":
		return "${" + reference + "} (not set)"
	case reference != "":
		return "${" + reference + "} (hidden)"
	case value == "":
		return ""
	}
	return "(hidden)"
}

// An Error is a mistake in the settings.
type Error struct {
	File    string // or "" when the mistake is in a variable or flag
	Line    int    // 1-based; 0 when unknown
	Message string
	Hint    string // the next step; may be ""
	Flag    string // the flag or the value of --compare that is wrong; "" when it is none
	Err     error  // the cause; may be nil

	plain string // the message without quotations from the file; "": it quotes nothing
}

// Error returns the place and the message.
func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Message
	case e.Line == 0:
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
