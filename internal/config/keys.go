package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/layout"
)

// A Key is one setting.
type Key struct {
	Name    string // dotted, as in the files: "query.minScore"
	Default string // as text; "" where the default is empty or depends on the machine
	Doc     string // one or two sentences
	OneOf   []string
	Secret  bool

	want  string              // what is expected, beyond the type; "" when the type says all
	at    func(*Settings) any // pointer to the field
	ok    func(*Settings) bool
	yours *yours // nil: a workspace's own file may set any value
}

// Env returns the name of the variable that sets the key: "query.minScore"
// gives MEMOIR_QUERY_MIN_SCORE.
func (k Key) Env() string {
	var b strings.Builder
	b.WriteString("MEMOIR_")
	var last rune
	for _, r := range k.Name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
		last = r
	}
	return b.String()
}

// IsBool reports whether the setting is true or false.
func (k Key) IsBool() bool {
	_, is := k.at(&Settings{}).(*bool)
	return is
}

// The sizes of the presets, in estimated tokens. The default is the engine's,
// chosen by measurement.
const (
	defaultTokens, defaultOverlap   = 180, 40
	openclawTokens, openclawOverlap = 400, 80
)

// isName reports whether a name can be a file name on every platform and has at
// most that many characters: letters, digits and _, and after the first also -
// and a dot. It runs at every start, where compiling a regular expression would
// take longer.
func isName(name string, most int) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) && (i == 0 || r != '-' && r != '.') {
			return false
		}
	}
	return name != "" && utf8.RuneCountInString(name) <= most
}

// Yours is the default agent. Its index is the user's own.
const Yours = "main"

// ModelInside is the value of the setting model for the model inside the
// binary.
const ModelInside = "inside"

// Keys returns every setting, in the order in which they are documented.
func Keys() []Key { return slices.Clone(allKeys()) }

// allKeys makes the table once, because loading looks at it many times.
var allKeys = sync.OnceValue(func() []Key {
	keys := slices.Concat(placeKeys(), bucketKeys(), storeKeys(), shelfKeys(), providerKeys(), remoteKeys(), syncKeys(), queryKeys(), signalKeys(), rerankKeys(), summaryKeys(), cacheKeys(), terminalKeys(), hookKeys(), sessionKeys(), collectionKeys(), serveKeys())
	for i := range keys {
		if y := keys[i].yours; y != nil {
			keys[i].Doc += " A workspace's own file " + y.what + "."
		}
	}
	return keys
})

func placeKeys() []Key {
	return []Key{
		{Name: "workspace", Doc: "Folder of the user's own notes, or a bucket (s3://bucket/folder), when neither a flag nor MEMOIR_WORKSPACE names one; when not set, ~/.memoir/workspace. The nearest folder upwards with .memoir.toml or MEMORY.md, or .memoir at the root of a repository, is a project's (memoir where).", yours: never,
			at: func(s *Settings) any { return &s.Workspace }},
		{Name: "scope", Default: ScopeAll, OneOf: []string{ScopeAll, ScopeUser, ScopeProject}, Doc: "Which memories are meant where there are two: the user's, that of the project one stands in, or both as one. With --workspace, or MEMOIR_WORKSPACE and no --scope or MEMOIR_SCOPE, exactly that folder is meant.", yours: never,
			at: func(s *Settings) any { return &s.Scope }},
		{Name: "stateDir", Doc: "Folder of state: what `memoir undo` and `memoir setup --undo` go back to, tokens, what was forgotten. The folder `cache` in it has the indexes, and may be deleted at any moment: they are built again. A relative path counts from the file that holds it. It is never a folder of the notes.", yours: never,
			at: func(s *Settings) any { return &s.StateDir }},
		{Name: "modelsDir", Doc: "Folder of installed models; when not set, the platform's data folder.", yours: never,
			at: func(s *Settings) any { return &s.ModelsDir }},
		{Name: "agent", Default: Yours, Doc: "Name of the index within the workspace; agents with different names share the notes, not the index.",
			at: func(s *Settings) any { return &s.Agent }, want: "letters, digits, - _ and . (64 at most)",
			ok: func(s *Settings) bool { return isName(s.Agent, 64) }},
		{Name: "include", Default: "", Doc: "Patterns as in .gitignore of the files that are notes; when empty, *.md and *.markdown. Beside *.md they may name source code (*.go, *.py), cut along its functions, *.log, cut along its entries, and *.txt.",
			at: func(s *Settings) any { return &s.Include }},
		{Name: "exclude", Default: "", Doc: "Patterns as in .gitignore of files and folders to leave out; later ones win, ! brings one back.",
			at: func(s *Settings) any { return &s.Exclude }},
		{Name: "maxFileBytes", Default: "4194304", Doc: "Files above this size are skipped and listed.", yours: notRaised,
			at: func(s *Settings) any { return &s.MaxFileBytes }, want: "1 or more",
			ok: func(s *Settings) bool { return s.MaxFileBytes >= 1 }},
		{Name: "chunking.preset", Default: "default", OneOf: []string{"default", "openclaw"}, Doc: fmt.Sprintf("Sizes of chunks: default is %d tokens with %d of overlap, openclaw is %d with %d.", defaultTokens, defaultOverlap, openclawTokens, openclawOverlap),
			at: func(s *Settings) any { return &s.Chunking.Preset }},
		{Name: "chunking.tokens", Doc: "Estimated tokens of one chunk; when not set, the preset's.",
			at: func(s *Settings) any { return &s.Chunking.Tokens }, want: "between 16 and 8192",
			ok: func(s *Settings) bool { return s.Chunking.Tokens >= 16 && s.Chunking.Tokens <= 8192 }},
		{Name: "chunking.overlap", Doc: "Estimated tokens that a chunk shares with the one before; when not set, the preset's, but at most a quarter of chunking.tokens. 0 is none.",
			at: func(s *Settings) any { return &s.Chunking.Overlap }, want: "0 or more and less than chunking.tokens",
			ok: func(s *Settings) bool { return s.Chunking.Overlap >= 0 && s.Chunking.Overlap < s.Chunking.Tokens }},
	}
}

// serveKeys say what memoir serve serves, and to whom.
func serveKeys() []Key {
	return []Key{
		{Name: "serve.join", Default: "true", Doc: "Lets memoir mcp ask a memoir serve of this user that has the same memory open, instead of opening it a second time. When that server ends, memoir mcp goes on alone.", yours: never,
			at: func(s *Settings) any { return &s.ServeJoin }},
		{Name: "serve.workspaces", Default: "", Doc: "Folders of notes that memoir serve opens when they are asked for, beside the one that is meant: absolute paths, each with a name before it if its own is not to be used, as work=/home/me/notes. They answer below /w/NAME/. With --workspace, exactly the folders of the command line are served.", yours: never,
			at: func(s *Settings) any { return &s.ServeWorkspaces }, want: "absolute paths, or NAME=PATH",
			ok: func(s *Settings) bool {
				return !slices.ContainsFunc(s.ServeWorkspaces, func(text string) bool {
					_, dir := NamedWorkspace(text)
					return !filepath.IsAbs(dir)
				})
			}},
		{Name: "serve.folder", Default: "", Doc: "Folder below which a new workspace gets its folder, which has its name: those that are made over HTTP (POST /v1/admin/workspaces) and by memoir admin create NAME. When not set, none is made over HTTP. It must be outside of the first workspace.", yours: never,
			at: func(s *Settings) any { return &s.ServeFolder }, want: "an absolute path",
			ok: func(s *Settings) bool { return s.ServeFolder == "" || filepath.IsAbs(s.ServeFolder) }},
		{Name: "serve.maxOpen", Default: "8", Doc: "How many of serve.workspaces are open at once. One that nobody asked for longest is closed for another; when all are in use, who asks for one more is told to try again. Each takes memory for as long as it is open.", yours: never,
			at: func(s *Settings) any { return &s.ServeMaxOpen }, want: "between 1 and 1000",
			ok: func(s *Settings) bool { return s.ServeMaxOpen >= 1 && s.ServeMaxOpen <= 1000 }},
	}
}

// NamedWorkspace splits NAME=DIR. Without a name it makes one from the folder's
// own name or, if the folder is hidden, from that of the folder above it.
func NamedWorkspace(text string) (name, dir string) {
	if name, dir, ok := strings.Cut(text, "="); ok && isName(name, 64) {
		return name, dir
	}
	name = filepath.Base(text)
	if strings.HasPrefix(name, ".") {
		name = filepath.Base(filepath.Dir(text))
	}
	return name, text
}

// shelfKeys are the notes that entries are written to.
func shelfKeys() []Key {
	defaults := layout.DefaultShelves()
	var keys []Key
	for _, x := range []struct {
		typ, what string
		at        func(*Settings) any
	}{
		{layout.Preference, "preferences", func(s *Settings) any { return &s.Shelves.Preference }},
		{layout.Instruction, "instructions", func(s *Settings) any { return &s.Shelves.Instruction }},
		{layout.Contact, "contacts", func(s *Settings) any { return &s.Shelves.Contact }},
		{layout.Project, "facts about projects", func(s *Settings) any { return &s.Shelves.Project }},
		{layout.Decision, "decisions", func(s *Settings) any { return &s.Shelves.Decision }},
		{layout.Learning, "learnings", func(s *Settings) any { return &s.Shelves.Learning }},
		{layout.Journal, "what happened on a day, which YYYY, MM and DD stand for", func(s *Settings) any { return &s.Shelves.Journal }},
	} {
		keys = append(keys, Key{
			Name: "files." + x.typ, Default: defaults[x.typ], Doc: "Note, below the workspace, of " + x.what + ".", at: x.at,
			want: "a path below the workspace that ends in .md, of no other type, that agents do not take for orders",
			ok:   func(s *Settings) bool { return s.Shelves.ByType().CheckType(x.typ) == nil },
		})
	}
	return keys
}

func providerKeys() []Key {
	return []Key{
		{Name: "provider", Default: "auto", OneOf: []string{"auto", "local", "openai", "gemini", "voyage", "mistral", "ollama", "llamacpp", "none"}, Doc: "Who computes vectors. auto takes the model that is set, else, when allowRemote is true, the first of openai, gemini, voyage and mistral whose key is set, else the model inside memoir. local needs no network, ollama and llamacpp are servers of your own, openai is OpenAI or any server with that interface, none searches by words only. A name is permission to send notes there.",
			at: func(s *Settings) any { return &s.Provider }},
		{Name: "model", Default: ModelInside, Doc: "Model of the local provider: inside is the one inside memoir, another name one that memoir model pull installed, anything with a slash or .memoir at its end the path of a model file.", yours: notPath,
			at: func(s *Settings) any { return &s.Model }, want: "inside, a name from memoir model list, or a path",
			ok: func(s *Settings) bool { return filepath.IsAbs(s.Model) || isName(s.Model, 100) }},
		{Name: "hub.baseURL", Default: "https://huggingface.co", Doc: "Where memoir model pull finds published models, up to the part before OWNER/NAME.", yours: never,
			at: func(s *Settings) any { return &s.Hub.BaseURL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return isWebAddress(s.Hub.BaseURL) }},
		{Name: "hub.token", Secret: true, Doc: "Token for models that are not open to everybody. Write \"${HF_TOKEN}\" to take it from that variable.", yours: never,
			at: func(s *Settings) any { return &s.Hub.Token }},
		{Name: "update.baseURL", Default: "https://github.com/memoir-ai/memoir/releases", Doc: "The page of releases that memoir update --check asks, up to the part before /latest. Nothing else asks it.", yours: never,
			at: func(s *Settings) any { return &s.Update.BaseURL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return isWebAddress(s.Update.BaseURL) }},
		{Name: "allowRemote", Default: "false", Doc: "Lets provider auto choose a provider on another machine whose key is set, and lets a workspace's own file name one. Notes leave this machine then.", yours: notTrue,
			at: func(s *Settings) any { return &s.AllowRemote }},
	}
}

// syncKeys say how the index follows the notes.
func syncKeys() []Key {
	return []Key{
		{Name: "embed.threads", Default: "0", Doc: "How many processors compute the vectors of notes with a model on this machine. 0 is all in memoir index, and in memoir mcp, which does it beside its work, a quarter of them, one at least.", yours: never,
			at: func(s *Settings) any { return &s.Embed.Threads }, want: "between 0 and 1024",
			ok: func(s *Settings) bool { return s.Embed.Threads >= 0 && s.Embed.Threads <= 1024 }},
		{Name: "embed.onBattery", Default: "false", Doc: "Lets memoir mcp and memoir serve compute the vectors of many notes with a model on this machine while it runs on its battery. Otherwise up to 16 texts are computed, which is what an edit takes, and more wait until the machine is plugged in, or for memoir index; words find all notes meanwhile. memoir status says so.", yours: never,
			at: func(s *Settings) any { return &s.Embed.OnBattery }},
		{Name: "sync.watch", Default: "true", Doc: "Lets memoir mcp be told by the system when notes change. Where the system cannot tell, it looks at them every sync.interval; memoir status says so.",
			at: func(s *Settings) any { return &s.Sync.Watch }},
		{Name: "sync.interval", Default: "1m", Doc: "How often memoir mcp looks at all notes by itself where the system does not tell it of changes; 0s never. While it finds nothing new it looks at very many notes less often, so that this takes a thousandth of a processor, but every 15 minutes at least. A search looks by itself, within query.syncBudget.",
			at: func(s *Settings) any { return &s.Sync.Interval }, want: "0s, or 1s or more",
			ok: func(s *Settings) bool { return s.Sync.Interval == 0 || s.Sync.Interval >= time.Second }},
		{Name: "log.level", Default: "warn", OneOf: LogLevels, Doc: "What memoir mcp and memoir serve log to standard error: error for what stopped a part of the work, warn for what is tried again, too, info for what they did to the index and for requests over HTTP, debug for every search and look at the notes, with times and counts. No level logs the text of notes and questions. With --verbose any command logs info, or debug where this says so.", yours: never,
			at: func(s *Settings) any { return &s.LogLevel }},
	}
}

// LogLevels are the values of the setting log.level, the quietest first.
var LogLevels = []string{"off", "error", "warn", "info", "debug"}

func queryKeys() []Key {
	unit := "between 0 and 1"
	return []Key{
		{Name: "query.mode", Default: "hybrid", OneOf: []string{"hybrid", "text", "vector"}, Doc: "What a search uses: words and vectors, words only, or vectors only.",
			at: func(s *Settings) any { return &s.Query.Mode }},
		{Name: "query.maxResults", Default: "6", Doc: "Of how many notes a search gives passages: the best ones, and no more than two for each note in all.",
			at: func(s *Settings) any { return &s.Query.MaxResults }, want: "between 1 and 1000",
			ok: func(s *Settings) bool { return s.Query.MaxResults >= 1 && s.Query.MaxResults <= 1000 }},
		{Name: "query.minScore", Default: "0", Doc: "Results with a lower score are left out.",
			at: func(s *Settings) any { return &s.Query.MinScore }, want: unit,
			ok: func(s *Settings) bool { return inUnit(s.Query.MinScore) }},
		{Name: "query.candidateMultiplier", Default: "4", Doc: "How many candidates words and vectors each give at first for one result asked for; 32 at least.",
			at: func(s *Settings) any { return &s.Query.CandidateMultiplier }, want: "between 1 and 100",
			ok: func(s *Settings) bool { return s.Query.CandidateMultiplier >= 1 && s.Query.CandidateMultiplier <= 100 }},
		{Name: "query.fusion", Default: "convex", OneOf: []string{"convex", "weighted-sum", "rrf"}, Doc: "How the scores of words and vectors become one: their weighted mean, OpenClaw's weighted sum, or reciprocal rank fusion.",
			at: func(s *Settings) any { return &s.Query.Fusion }},
		{Name: "query.textWeight", Default: "0.45", Doc: "Weight of words; both weights are scaled to the sum of 1.",
			at: func(s *Settings) any { return &s.Query.TextWeight }, want: unit,
			ok: func(s *Settings) bool { return inUnit(s.Query.TextWeight) }},
		{Name: "query.vectorWeight", Default: "0.55", Doc: "Weight of vectors.",
			at: func(s *Settings) any { return &s.Query.VectorWeight }, want: unit + ", and not 0 when query.textWeight is",
			ok: func(s *Settings) bool {
				return inUnit(s.Query.VectorWeight) && s.Query.TextWeight+s.Query.VectorWeight > 0
			}},
		{Name: "query.linkWeight", Default: "0.75", Doc: "How much of its score one of the first results gives to the notes that it links to, with convex fusion; 0 follows no links.",
			at: func(s *Settings) any { return &s.Query.LinkWeight }, want: unit,
			ok: func(s *Settings) bool { return inUnit(s.Query.LinkWeight) }},
		{Name: "query.syncBudget", Default: "500ms", Doc: "How long a search may wait for changed files to be indexed before it answers without them; 0s never waits and never indexes.",
			at: func(s *Settings) any { return &s.Query.SyncBudget }, want: "0s or more",
			ok: func(s *Settings) bool { return s.Query.SyncBudget >= 0 }},
		{Name: "query.embedTimeout", Default: "1s", Doc: "How long the vector of a query may take before words answer alone.",
			at: func(s *Settings) any { return &s.Query.EmbedTimeout }, want: "more than 0",
			ok: func(s *Settings) bool { return s.Query.EmbedTimeout > 0 }},
		{Name: "query.log", Default: "false", Doc: "Keeps the questions that were asked, with the paths that were found, in a file beside the index that only you can read (memoir config names the index). They are private, and stay on this machine; memoir eval --replay asks them again. Delete the file to forget them.", yours: notTrue,
			at: func(s *Settings) any { return &s.Query.Log }},
	}
}

func cacheKeys() []Key {
	return []Key{
		{Name: "cache.maxEntries", Default: "50000", Doc: "How many vectors an index keeps. Those of texts that are in no note any more go beyond that, the least recently used first; those in use always stay. 0 is no limit.",
			at: func(s *Settings) any { return &s.Cache.MaxEntries }, want: "0 or more",
			ok: func(s *Settings) bool { return s.Cache.MaxEntries >= 0 }},
		{Name: "cache.maxAge", Default: "2160h", Doc: "How long an index keeps the vector of a text that is in no note any more, to the day. 0s is no limit.",
			at: func(s *Settings) any { return &s.Cache.MaxAge }, want: "0s or more",
			ok: func(s *Settings) bool { return s.Cache.MaxAge >= 0 }},
	}
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }

func hookKeys() []Key {
	return []Key{
		{Name: "hook.searchTime", Default: "80ms", Doc: "How long memoir hook searches the notes for a prompt before the agent goes on without what they hold.", yours: never,
			at: func(s *Settings) any { return &s.Hook.SearchTime }, want: "more than 0, at most 1m",
			ok: func(s *Settings) bool { return s.Hook.SearchTime > 0 && s.Hook.SearchTime <= time.Minute }},
	}
}

func sessionKeys() []Key {
	return []Key{
		{Name: "sessions.enabled", Default: "false", Doc: "Indexes the transcripts of the agents in sessions.agents beside the notes: what you and they said, without what tools gave, and with secrets masked. The index of an agent (--agent) holds its own sessions alone.", yours: notTrue,
			at: func(s *Settings) any { return &s.Sessions.Enabled }},
		{Name: "sessions.agents", Default: "", Doc: "Agents whose transcripts may be read: " + strings.Join(sessionAgents, ", ") + ".", yours: never,
			at: func(s *Settings) any { return &s.Sessions.Agents }, want: "of " + strings.Join(sessionAgents, ", "),
			ok: func(s *Settings) bool {
				return !slices.ContainsFunc(s.Sessions.Agents, func(name string) bool { return !slices.Contains(sessionAgents, name) })
			}},
		{Name: "sessions.custom", Default: "", Doc: "Files that each tell how the transcripts of one more agent are read, which are records of JSON, a line each. They name the agent (name), its folder, the pattern of its files (files) and where role, text, time and session stand in a record. A relative path counts from the file that holds it.", yours: never,
			at: func(s *Settings) any { return &s.Sessions.Custom }},
		{Name: "sessions.archive", Default: "false", Doc: "Puts what you said in sessions that have ended into the log of its day, as far as it states something worth keeping, and the summaries of what was compacted, each with the line of the transcript that it comes from. A session has ended when it has not changed for an hour, or when its agent says so. Sessions that ended before the day on which it was switched on are left out.", yours: notTrue,
			at: func(s *Settings) any { return &s.Sessions.Archive }},
		{Name: "sessions.deltaBytes", Default: "100000", Doc: "By how many bytes a transcript has to grow before a search indexes it again. memoir index does so whatever it grew by, and so does the end of a session.", yours: never,
			at: func(s *Settings) any { return &s.Sessions.DeltaBytes }, want: "1 or more",
			ok: func(s *Settings) bool { return s.Sessions.DeltaBytes >= 1 }},
		{Name: "sessions.deltaMessages", Default: "50", Doc: "The same in messages: the first of the two that is reached counts.", yours: never,
			at: func(s *Settings) any { return &s.Sessions.DeltaMessages }, want: "1 or more",
			ok: func(s *Settings) bool { return s.Sessions.DeltaMessages >= 1 }},
	}
}

// sessionAgents are the agents whose transcripts are known.
var sessionAgents = []string{"claude-code", "codex", "cursor", "gemini", "openclaw", "opencode", "pi"}
