package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/internal/wire"
)

const examplesIntro = `The examples are what the commands print over a few notes. A stand-in computes their vectors (provider test, model hashing). Of a longer list the first three entries are
shown, numbers have three decimals at most, and what differs from one run to the next (times, versions, folders) is replaced.
`

// exampleNotes are written into the workspace of the examples.
var exampleNotes = map[string]string{
	"MEMORY.md":            "# Memory\n\n- Answers are short.\n- Production runs on PostgreSQL; DB_PASSWORD is in the vault.\n",
	"memory/2025-03-02.md": "# 2025-03-02\n\n## Travel\n\nThe company pays for a cab home after ten.\n\n## Storage\n\nWe chose SQLite, because it needs no server.\n",
	"日记/三月.md":             "今天的潮水很高。\n",
	"router.md":            "# Router\n\nThe password is Herring!Fjord8, and it stands in the cellar.\n",
}

// exampleSessions lets the transcript of the examples be read.
var exampleSessions = map[string]string{"MEMOIR_SESSIONS_ENABLED": "true", "MEMOIR_SESSIONS_AGENTS": "claude-code"}

// exampleTranscript is what Claude Code keeps of a session.
const exampleTranscript = `{"type":"user","uuid":"1","sessionId":"8f3c2f4e","cwd":"/home/me/harbour","timestamp":"2025-03-02T09:00:00Z","message":{"content":"Who keeps the tide tables?"}}
{"type":"assistant","uuid":"2","parentUuid":"1","timestamp":"2025-03-02T09:00:05Z","message":{"content":[{"type":"text","text":"Ingrid does, since 2019."}]}}
`

// exampleOpenClaw are settings of OpenClaw.
const exampleOpenClaw = `{agents: {defaults: {memorySearch: {
  provider: "ollama", model: "nomic-embed-text", remote: {apiKey: "${OLLAMA_KEY}"},
  chunking: {tokens: 400, overlap: 80}, query: {maxResults: 8, minScore: 0.35},
}}}}
`

// exampleReleases names the stand-in of the page of releases.
var exampleReleases = map[string]string{"MEMOIR_UPDATE_BASE_URL": "http://releases"}

// exampleTold is a line for memoir remember --jsonl.
const exampleTold = `{"text":"The project Heron ships in May","type":"project","origin":"agent","importance":3,"at":"2025-03-02"}` + "\n"

// exampleMemories is an export of another memory.
const exampleMemories = `{"results":[{"id":"m-1","memory":"Mia prefers ferries to planes","categories":["user_preferences"],"created_at":"2025-03-02T12:00:00Z"},
 {"id":"m-2","memory":"Thanks, that is great!"},{"id":"m-3","memory":""}]}` + "\n"

// An example is a command that the reference shows with what it prints.
type example struct {
	line  string            // behind memoir; words without quotes; "" runs nothing
	of    string            // the form of its JSON, as [cli.Form] calls it; "" for text
	code  int               // the exit code
	in    string            // standard input
	write map[string]string // notes that are written before
	file  string            // a file that is shown in place of the output
	env   map[string]string // variables, for this command alone
}

func examples() []example {
	return []example{
		{line: "init notes"},
		{line: "init --json diary", of: "init"},
		{line: "index", write: exampleNotes},
		{line: "index --json", of: "index", write: map[string]string{"tea.md": "---\ntitle: A: B\n---\nTea is green.\n"}},
		{line: "indexes --json", of: "indexes"},
		{line: "indexes prune --dry-run --json", of: "indexes prune"},
		{line: "rebuild --text-only"},
		{line: "rebuild --json", of: "rebuild"},
		{line: "status"},
		{line: "status --json", of: "status"},
		{line: "where"},
		{line: "where --json", of: "where"},
		{line: "trust --json", of: "trust"},
		{line: "trust --list --json", of: "trust --list"},
		{line: "doctor"},
		{line: "doctor --json", of: "doctor"},
		{line: "search -n 2 who pays for the taxi"},
		{line: "search --json -n 1 who pays for the taxi", of: "search"},
		{line: "search --json --explain -n 1 DB_PASSWORD", of: "search --explain"},
		{line: "search --json --trace -n 1 --mode text taxi", of: "search --trace"},
		{line: "search --stdin -n 1 --mode text", of: "search --stdin", in: "潮水\n"},
		{of: cli.Asked, file: "../found.json"},
		{line: "why who pays for the taxi router.md"},
		{line: "why --json -n 1 who pays for the taxi router.md", of: "why"},
		{line: "get memory/2025-03-02.md:3-5"},
		{line: "get --json memory/2025-03-02.md:3-5", of: "get"},
		{line: "open --json memory/2025-03-02.md#L3", of: "open", env: map[string]string{"VISUAL": "", "EDITOR": "nano"}},
		{line: "sessions", env: exampleSessions},
		{line: "sessions --json", of: "sessions", env: exampleSessions},
		{line: "sessions show 8f3c", env: exampleSessions},
		{line: "sessions show --json 8f3c", of: "sessions show", env: exampleSessions},
		{line: "scan"},
		{line: "scan --json", of: "scan"},
		{line: "scan --stdin", of: "scan --stdin", in: "the password is Herring!Fjord8\n"},
		{line: "embed --stdin --json", of: "embed", in: "fish is best warm\n"},
		{line: "eval --json --queries ../questions.jsonl --compare query.mode=text", of: "eval"},
		{line: "eval --queries ../questions.jsonl --per-question ../each.jsonl", of: "eval --per-question FILE", file: "../each.jsonl"},
		{line: "eval --json --replay --compare query.mode=text", of: "eval --replay"},
		{of: cli.QueryLog, file: "../.local/state/memoir/notes-*/main.sqlite.queries.jsonl"},
		{line: "config --json", of: "config"},
		{line: "config --docs --json", of: "config --docs"},
		{line: "config get query.mode"},
		{line: "config get --json query.mode", of: "config get"},
		{line: "config set --json query.linkWeight 0.5", of: "config set"},
		{line: "config unset --json query.linkWeight", of: "config unset"},
		{line: "remember --type decision --at 2025-03-02 Backups run at night because nobody works then"},
		{line: "remember --json --type contact --at 2025-03-02 Mia keeps the receipts", of: "remember"},
		{line: "remember --json --at 2025-03-02 --replaces memory/contacts.md#L3 Jens keeps the receipts now", of: "remember"},
		{line: "remember --json Thanks, that is great!", of: "remember"},
		{of: cli.Told, file: "../told.jsonl"},
		{line: "remember --jsonl", of: "remember", in: exampleTold},
		{line: "entries"},
		{line: "entries --json --type contact", of: "entries"},
		{line: "similar Jens keeps the receipts"},
		{line: "similar --json Jens keeps the receipts", of: "similar"},
		{line: "history --json -n 1", of: "history"},
		{line: "undo --json", of: "undo"},
		{line: "tidy --kind duplicate", write: map[string]string{"memory/learnings.md": "# Learnings\n\n- Tar dries in a day\n- Oars are of ash\n- Tar dries in a day\n"}},
		{line: "tidy --json --kind duplicate", of: "tidy"},
		{line: "tidy --summaries", write: map[string]string{"memory/2024-11-05.md": "# 2024-11-05\n\n- The slip was tarred\n- Jens bought two oars of ash\n- The boat is out of the water until April\n"}},
		{line: "tidy --json --summaries", of: "tidy --summaries"},
		{line: "prime"},
		{line: "prime --json --max-tokens 90", of: "prime"},
		{line: "flush --window 200000 --used 180000"},
		{line: "flush --json --window 200000 --used 180000", of: "flush"},
		{line: "forget --dry-run memory/contacts.md#L3"},
		{line: "forget --json memory/contacts.md#L3", of: "forget"},
		{line: "history --json --lost", of: "history --lost", write: map[string]string{"memory/projects.md": "# Projects\n"}},
		{line: "token create --json --allow read,write laptop", of: "token create"},
		{line: "token list"},
		{line: "token list --json", of: "token list"},
		{line: "token revoke --json laptop", of: "token revoke"},
		{line: "admin create --json sales ../sales", of: "admin create"},
		{line: "admin quota --notes 5000 --requests 600 sales"},
		{line: "admin quota --json sales", of: "admin quota"},
		{line: "admin list --json", of: "admin list"},
		{line: "admin delete --json sales", of: "admin delete"},
		{line: "admin delete --yes sales"},
		{line: "setup --dry-run cursor"},
		{line: "setup cursor"},
		{line: "setup --json cursor", of: "setup"},
		{line: "setup --undo cursor"},
		{line: "setup --print zed"},
		{line: "setup --print vscode --json", of: "setup --print CLIENT"},
		{line: "hook claude-code session-start", in: `{"session_id":"8f3c","source":"startup"}` + "\n"},
		{line: "hook claude-code prompt", in: `{"session_id":"51aa","prompt":"why do backups run at night?"}` + "\n"},
		{line: "scan --json --fix --yes", of: "scan --fix"},
		{line: "import --dry-run mem0 ../memories.json"},
		{line: "import mem0 ../memories.json"},
		{line: "import --json mem0 ../memories.json", of: "import"},
		{line: "import --dry-run openclaw ../openclaw.json"},
		{line: "import --json --dry-run openclaw ../openclaw.json", of: "import openclaw openclaw.json"},
		{line: "export ../notes.tar.gz"},
		{line: "export --json --force ../notes.tar.gz", of: "export"},
		{line: "model pull --json ../tiny", of: "model pull"},
		{line: "model use tiny"},
		{line: "model use --json tiny", of: "model use"},
		{line: "model list --json", of: "model list"},
		{line: "model verify --json", of: "model verify"},
		{line: "model convert ../tiny ../other.memoir"},
		{line: "model convert --json --name tiny8 ../tiny ../tiny8.memoir", of: "model convert"},
		{line: "model remove --force tiny"},
		{line: "model pull ../other.memoir"},
		{line: "model remove --json other", of: "model remove"},
		{line: "update --check", env: exampleReleases},
		{line: "update --check --json", of: "update --check", env: exampleReleases},
		{line: "version"},
		{line: "version --json", of: "version"},
		{line: "get --json nowhere.md", of: cli.Failure, code: 1},
		{line: "search --json -n 0 tea", of: cli.Failure, code: 2},
		{line: "get nowhere.md", code: 1},
		{line: "serch tea", code: 2},
	}
}

// exampleFound is an answer of the tool memory_search.
func exampleFound(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(wire.NewFound(memoir.Results{
		Hits: []memoir.Hit{{
			Chunk: memoir.Chunk{
				ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "memory/2025-03-02.md"}, Date: "2025-03-02"},
				StartLine: 3, EndLine: 5, Title: "2025-03-02", Heading: []string{"Travel"},
			},
			Score: .61, Snippet: "## Travel\n\nThe company pays for a cab home after ten.", SnippetStart: 3, SnippetEnd: 5,
		}},
		Degraded: []memoir.Degradation{{Part: "vectors", Reason: "3 texts have no vector yet", Action: "memoir index"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// ran are the examples with what they printed.
type ran struct {
	examples []example
	texts    []string // of each
	home     string
	releases string // the stand-in of the page of releases
}

// runExamples runs all examples over one workspace.
func runExamples(t *testing.T) *ran {
	t.Helper()
	r := &ran{home: exampleHome(t), releases: releases(t, 302, "/tag/v0.2.0", new([]string))}
	t.Chdir(r.home)
	for _, x := range examples() {
		for name, text := range x.write {
			writeFile(t, filepath.Join(r.home, "notes", filepath.FromSlash(name)), text)
		}
		if x.write != nil {
			t.Chdir(filepath.Join(r.home, "notes"))
		}
		r.examples = append(r.examples, x)
		r.texts = append(r.texts, r.run(t, x))
	}
	return r
}

// exampleHome makes a home folder, in which everything is that memoir reads.
func exampleHome(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "MEMOIR_") {
			t.Setenv(name, "")
		}
	}
	for _, v := range config.Variables() {
		if strings.HasSuffix(v.Name, "_API_KEY") || strings.HasPrefix(v.Name, "XDG_") || slices.Contains([]string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"}, v.Name) {
			t.Setenv(v.Name, "")
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "AppData": filepath.Join(home, ".config"), "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"MEMOIR_STATE_DIR":           filepath.Join(home, ".local", "state", "memoir"),
		"MEMOIR_MODELS_DIR":          filepath.Join(home, ".local", "share", "memoir", "models"),
		"MEMOIR_QUERY_EMBED_TIMEOUT": patience, "MEMOIR_HOOK_SEARCH_TIME": patience, "MEMOIR_QUERY_SYNC_BUDGET": patience, "MEMOIR_QUERY_LOG": "true",
		// No server of this machine is found.
		"MEMOIR_OLLAMA_BASE_URL": "http://127.0.0.1:1", "MEMOIR_LLAMACPP_BASE_URL": "http://127.0.0.1:1/v1",
	} {
		t.Setenv(name, value)
	}
	installed(t, filepath.Join(home, "bin"))
	writeFile(t, filepath.Join(home, "questions.jsonl"), `{"query":"why SQLite","expect":["memory/2026-03-02.md#L9"],"id":"why"}`+"\n"+
		`{"query":"who pays for the taxi","expect":["memory/2026-03-02.md:5"],"kind":"meaning"}`+"\n")
	writeFile(t, filepath.Join(home, "told.jsonl"), exampleTold)
	writeFile(t, filepath.Join(home, ".claude", "projects", "-home-me-harbour", "8f3c2f4e.jsonl"), exampleTranscript)
	writeFile(t, filepath.Join(home, "memories.json"), exampleMemories)
	writeFile(t, filepath.Join(home, "openclaw.json"), exampleOpenClaw)
	writeFile(t, filepath.Join(home, "found.json"), exampleFound(t))
	for name, data := range embedtest.Published(1) {
		writeFile(t, filepath.Join(home, "tiny", filepath.FromSlash(name)), string(data))
	}
	return home
}

// installed makes the program that runs the one that a shell finds as memoir.
func installed(t *testing.T, dir string) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := "memoir"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if os.Symlink(own, filepath.Join(dir, name)) != nil {
		if err := os.Link(own, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run returns what an example prints, as the reference shows it.
func (r *ran) run(t *testing.T, x example) string {
	t.Helper()
	for name, value := range x.env {
		if _, ok := exampleReleases[name]; ok {
			value = r.releases
		}
		t.Setenv(name, value)
		defer t.Setenv(name, "")
	}
	var out, errs bytes.Buffer
	if x.line != "" {
		code := cli.Run(t.Context(), strings.Fields(x.line), cli.Options{Stdin: strings.NewReader(x.in), Stdout: &out, Stderr: &errs, Embedder: testEmbedder})
		if code != x.code {
			t.Errorf("memoir %s: got code %d, want %d\n%s%s", x.line, code, x.code, &out, &errs)
		}
	}
	text := out.String()
	if x.file != "" {
		found, err := filepath.Glob(x.file)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: found %q, %v", x.file, found, err)
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	if x.of == "" {
		return strings.TrimRight(r.maskText(slashed(text+errs.String())), "\n")
	}
	line, _, _ := strings.Cut(text, "\n")
	value, err := parseJSON(line)
	if err != nil {
		t.Errorf("memoir %s: %v in %s", x.line, err, text)
		return ""
	}
	for _, f := range cli.Forms() {
		if f.Where == x.of {
			fits(t, "memoir "+x.line, value, f.Type)
		}
	}
	return show(mask(shorten(value), masked(x.of), func(s string) string { return r.maskText(slashed(s)) }), "")
}

// slashed shows paths of Windows as those of other systems.
func slashed(text string) string {
	if runtime.GOOS == "windows" {
		return strings.ReplaceAll(text, `\`, "/")
	}
	return text
}

// masked are members that differ from one run or machine to the next.
func masked(form string) map[string]any {
	m := map[string]any{}
	for name, text := range map[string]string{
		"tookMs": `4`, "p50": `0.9`, "p95": `1.4`, "latencyMs": `0.9`, "indexSeconds": `0.02`, "plain": `0.999`, "startMs": `0.3`,
		"version": `"v0.1.0"`, "go": `"go1.26.0"`, "platform": `"linux/amd64"`, "kernels": `"avx2"`,
		"created": `"2026-03-02T18:30:00Z"`, "lastWrite": `"2026-03-02T18:30:00Z"`, "written": `"2026-03-02T18:30:00Z"`, "time": `"2026-03-02T18:30:00Z"`,
	} {
		m[name], _ = parseJSON(text)
	}
	if form == "status" || form == "indexes" {
		m["bytes"], _ = parseJSON(`122880`)
	}
	if form == "status" {
		m["watched"], m["unwatchedReason"] = true, ""
		m["at"], m["watch"], m["pid"] = "2026-03-02T18:30:00Z", object{{"fileSystem", "ext4"}, {"folders", json.Number("3")}, {"limit", json.Number("65536")}}, json.Number("4711")
	}
	switch form {
	case "token create", "admin create":
		m["token"] = "memoir_0123456789abcdefghijklmnopqrstuvwxyz"
	case "import":
		m["undo"] = "k3v7q2"
	case "flush":
		m["path"] = "memory/2026-03-02.md"
	case "setup":
		m["backup"] = "/home/me/.local/state/memoir/setup/cursor-mcp.json-0123456789ab.bak"
	case "scan --fix", "tidy":
		m["id"], m["change"] = "3f9a01bc", "p8d4w6k3v7q2"
	case "remember", "entries", "similar", "forget", "history", "undo":
		m["id"], m["undoes"], m["replaces"], m["supersededBy"] = "k3v7q2", "p8d4w6", "p8d4w6", "p8d4w6"
	}
	if strings.HasPrefix(form, "model ") {
		m["checksum"] = strings.Repeat("0123456789abcdef", 4)
	}
	return m
}

// changing is text that differs from one run or machine to the next, and what
// is shown for it.
var changing = []struct {
	found *regexp.Regexp
	shown string
}{
	{regexp.MustCompile(`notes-[0-9a-f]{12}`), "notes-0123456789ab"},
	{regexp.MustCompile(`(notes in|vector after|files in) [0-9.]+(ms|s|µs)`), "$1 4ms"},
	{regexp.MustCompile(`(, | of )[0-9.]+ (kB|MB)\n`), "${1}120.0 kB\n"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "2026-03-02 18:30:00"},
	{regexp.MustCompile(`memoir undo [0-9a-z]+ takes`), "memoir undo k3v7q2 takes"},
	{regexp.MustCompile(`\bid [0-9a-z]{8}([,:])`), "id k3v7q2$1"},
	{regexp.MustCompile(`(would be forgotten  \S+  )[0-9a-z]{8}  `), "${1}k3v7q2  "},
	{regexp.MustCompile(`<!-- id: [0-9a-f]{8} `), "<!-- id: 3f9a01bc "},
	{regexp.MustCompile(`(?m)^([!?]) [0-9a-f]{8} `), "$1 3f9a01bc "},
	{regexp.MustCompile(`It is \d{4}-\d\d-\d\d \d\d:\d\d \S+ now`), "It is 2026-03-02 18:30 UTC now"},
	{regexp.MustCompile(`(--key flush-|added to memory/)\d{4}-\d\d-\d\d`), "${1}2026-03-02"},
	{regexp.MustCompile(`cosine [01]\.\d+`), "cosine 0.9990"},
	{regexp.MustCompile(`this is \(devel\)`), "this is v0.1.0"},
	{regexp.MustCompile(`memoir \S+ ` + regexp.QuoteMeta(runtime.Version()) + ` \S+`), "memoir v0.1.0 go1.26.0 linux/amd64"},
	{regexp.MustCompile(`(?m)^(ok +watch +).*$`), "${1}3 folders are watched, on ext4, of 65536 that all programs of this user may watch"},
	{regexp.MustCompile(`(?m)^(changes +)looked for every .*$`), "${1}told by the system"},
	{regexp.MustCompile(`\b(kernels +)` + kernels() + `\b`), "${1}avx2"},
}

func kernels() string {
	k, err := vecmath.Best()
	if err != nil {
		return "avx2"
	}
	return k.String()
}

func (r *ran) maskText(text string) string {
	text = strings.ReplaceAll(text, filepath.ToSlash(r.home), "/home/me")
	text = strings.ReplaceAll(text, r.releases, "https://github.com/memoir-ai/memoir/releases")
	for _, c := range changing {
		text = c.found.ReplaceAllString(text, c.shown)
	}
	return text
}

// json writes the examples of a form.
func (r *ran) json(t *testing.T, b *strings.Builder, form string) {
	t.Helper()
	found := false
	for i, x := range r.examples {
		if x.of == form {
			found = true
			fmt.Fprintf(b, "\n%s```json\n%s\n```\n", x.shown("sh"), r.texts[i])
		}
	}
	if !found {
		t.Errorf("there is no example of the JSON of %s: add one to examples", form)
	}
}

// text writes the examples of a command for people.
func (r *ran) text(b *strings.Builder, belongs func(x example) bool) {
	for i, x := range r.examples {
		if x.of == "" && belongs(x) {
			fmt.Fprintf(b, "\n%s```\n%s\n```\n", x.shown("sh"), r.texts[i])
		}
	}
}

// shown is the command of an example, as a person types it, in a block of its own.
func (x example) shown(language string) string {
	line := "memoir " + x.line
	switch {
	case x.line == "":
		return ""
	case x.in != "":
		line = fmt.Sprintf("echo '%s' | %s", strings.TrimSuffix(x.in, "\n"), line)
	case x.file != "":
		line += " && head -1 " + x.file
	}
	return fmt.Sprintf("```%s\n%s\n```\n\n", language, line)
}
