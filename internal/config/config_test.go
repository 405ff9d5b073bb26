package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

// place is a home folder and a workspace with settings files.
type place struct {
	root, home, work string
	vars             map[string]string
}

func newPlace(t *testing.T, user, workspace string) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{root: root, home: filepath.Join(root, "home"), work: filepath.Join(root, "笔记 notes"), vars: map[string]string{}}
	p.vars["HOME"], p.vars["USERPROFILE"] = p.home, p.home
	p.write(t, filepath.Join(p.home, ".config", "memoir", "config.toml"), user)
	p.write(t, filepath.Join(p.work, ".memoir.toml"), workspace)
	return p
}

func (p *place) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *place) env(dir string) config.Environment {
	return config.Environment{
		Lookup: func(name string) (string, bool) { v, ok := p.vars[name]; return v, ok },
		List: func() []string {
			var out []string
			for k, v := range p.vars {
				out = append(out, k+"="+v)
			}
			return out
		},
		Dir: dir, OS: "linux",
	}
}

func TestLayers(t *testing.T) {
	p := newPlace(t, "query.maxResults = 7\nquery.minScore = 0.1\nquery.mode = \"text\"\nagent = \"a\"\n",
		"agent = \"b\"\nexclude = [\"drafts/\", \"*.tmp.md\"]\n[query]\nminScore = 0.2\nmode = \"vector\"\nsyncBudget = \"2s\"\n")
	p.vars["MEMOIR_QUERY_MODE"] = "hybrid"
	p.vars["MEMOIR_INCLUDE"] = "*.txt, 日记/**"
	got, err := config.Load(p.env(p.work), config.Flags{"agent": "c"})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, Value string
		Layer       config.Layer
	}
	want := []row{
		{"agent", "c", config.LayerFlag},
		{"include", "*.txt,日记/**", config.LayerEnv},
		{"exclude", "drafts/,*.tmp.md", config.LayerWorkspace},
		{"chunking.tokens", "180", config.LayerDefault},
		{"query.mode", "hybrid", config.LayerEnv},
		{"query.maxResults", "7", config.LayerUser},
		{"query.minScore", "0.2", config.LayerWorkspace},
		{"query.syncBudget", "2s", config.LayerWorkspace},
	}
	var rows []row
	for _, e := range got.Entries() {
		for _, w := range want {
			if w.Name == e.Name {
				rows = append(rows, row{e.Name, e.Value, e.Origin.Layer})
			}
		}
	}
	if diff := cmp.Diff(rows, want); diff != "" {
		t.Errorf("entries, got - want +:\n%s", diff)
	}
	if got.Query.SyncBudget != 2*time.Second || got.Query.MinScore != .2 {
		t.Errorf("got %+v", got.Query)
	}
	if place := got.Origin("query.minScore").Place; !strings.HasSuffix(place, ".memoir.toml:4") {
		t.Errorf("minScore comes from %q, want line 4 of the workspace's file", place)
	}
}

func TestMistakes(t *testing.T) {
	tests := []struct {
		name, user, workspace, variable, value string
		want                                   []string
		line                                   int
	}{
		{name: "unknown key", workspace: "\n[query]\nminScor = 1\n", want: []string{"unknown setting;", `"query.minScore"`}, line: 3},
		{name: "snake case", user: "query.min_score = 1", want: []string{`"query.minScore"`}, line: 1},
		{name: "without its table", user: "candidateMultiplier = 3", want: []string{`"query.candidateMultiplier"`}, line: 1},
		{name: "in an inline table", user: "\nquery = { mode = \"text\", fuson = \"rrf\" }", want: []string{`"query.fusion"`}, line: 2},
		{name: "nothing near", user: "colour_of_the_sky = 1", want: []string{`unknown setting "colour_of_the_sky"`}, line: 1},
		{name: "unknown empty table", user: "[vectors]", want: []string{`unknown setting "vectors"`}, line: 1},
		{name: "table as value", user: "query = 3", want: []string{"query is a table"}, line: 1},
		{name: "array of tables", user: "[[query]]\nmode = \"text\"", want: []string{"query is a table"}, line: 1},
		{name: "text for a number", user: "# 备注\nquery.maxResults = \"six\"", want: []string{`"six"`, "a whole number"}, line: 2},
		{name: "fraction for a whole number", user: "chunking.tokens = 1.5", want: []string{"a whole number"}, line: 1},
		{name: "number too large", user: "query.maxResults = 99999999999", want: []string{"a whole number"}, line: 1},
		{name: "number for a duration", user: "query.syncBudget = 500", want: []string{`"500ms"`}, line: 1},
		{name: "list of numbers", user: "exclude = [1]", want: []string{"list of strings"}, line: 1},
		{name: "not TOML", user: "query.mode = \"text\"\nagent = ", want: []string{"not valid TOML"}, line: 2},
		{name: "not TOML behind a byte order mark", user: "\ufeffquery.mode = \"text\"\nagent = ", want: []string{"not valid TOML"}, line: 2},
		{name: "UTF-16", user: "\xff\xfea\x00", want: []string{"UTF-16 text; save it as UTF-8"}},
		{name: "twice", user: "agent = \"a\"\nagent = \"b\"", want: []string{"not valid TOML"}, line: 2},
		{name: "NUL", user: "agent = \"a\x00\"", want: []string{"not valid TOML"}, line: 1},
		{name: "out of range", user: "query.minScore = 2", want: []string{"config.toml:1", "between 0 and 1"}},
		{name: "not a number at all", user: "query.minScore = nan", want: []string{"between 0 and 1"}},
		{name: "not one of", variable: "MEMOIR_QUERY_FUSION", value: "magic", want: []string{"MEMOIR_QUERY_FUSION", "convex, weighted-sum, rrf"}},
		{name: "text for a number in a variable", variable: "MEMOIR_QUERY_MAX_RESULTS", value: "many", want: []string{"MEMOIR_QUERY_MAX_RESULTS", "a whole number"}},
		{name: "overlap above the size", user: "chunking.tokens = 20\nchunking.overlap = 20", want: []string{"less than chunking.tokens"}},
		{name: "agent as a path", variable: "MEMOIR_AGENT", value: "../x", want: []string{"letters, digits"}},
		{name: "notes sent away by a workspace", workspace: "[openai]\nbaseURL = \"https://example.com/v1\"", want: []string{"openai.baseURL", "cannot set it"}, line: 2},
		{name: "unknown reranker", user: "rerank.provider = \"acme\"", want: []string{"none, local, cohere, jina, voyage, tei, llamacpp"}},
		{name: "model of no name", variable: "MEMOIR_MODEL", value: "a b", want: []string{"memoir model list"}},
		{name: "text for a truth", user: "allowRemote = \"yes\"", want: []string{"true or false"}, line: 1},
		{name: "text for a truth in a variable", variable: "MEMOIR_ALLOW_REMOTE", value: "maybe", want: []string{"true or false"}},
		{name: "unknown provider", user: "provider = \"open ai\"", want: []string{"ollama, llamacpp, none"}},
		{name: "secret of the wrong type", user: "openai.apiKey = 12345", want: []string{"the value"}, line: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.user, tt.workspace)
			if tt.variable != "" {
				p.vars[tt.variable] = tt.value
			}
			_, err := config.Load(p.env(p.work), nil)
			var mistake *config.Error
			if !errors.As(err, &mistake) {
				t.Fatalf("got error %v, want a *config.Error", err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to hold %q", err, w)
				}
			}
			if strings.Contains(err.Error(), "12345") {
				t.Errorf("%q shows a secret", err)
			}
			if mistake.Line != tt.line {
				t.Errorf("got line %d, want %d", mistake.Line, tt.line)
			}
		})
	}
}

func TestSecretsAreHidden(t *testing.T) {
	tests := []struct{ name, written, variable, want, effective string }{
		{"literal", "sk-very-secret", "", "(hidden)", "sk-very-secret"},
		{"reference", "${MY_KEY}", "sk-very-secret", "${MY_KEY} (hidden)", "sk-very-secret"},
		{"reference to nothing", "${MY_KEY}", "", "${MY_KEY} (not set)", ""},
		{"none", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "openai.apiKey = \""+tt.written+"\"", "")
			p.vars["MY_KEY"] = tt.variable
			l, err := config.Load(p.env(p.work), nil)
			if err != nil {
				t.Fatal(err)
			}
			if l.OpenAI.APIKey != tt.effective {
				t.Errorf("got the key %q, want %q", l.OpenAI.APIKey, tt.effective)
			}
			for _, e := range l.Entries() {
				if e.Name == "openai.apiKey" && e.Value != tt.want {
					t.Errorf("shown as %q, want %q", e.Value, tt.want)
				}
			}
		})
	}
}

func TestWorkspace(t *testing.T) {
	p := newPlace(t, "", "")
	deep := filepath.Join(p.work, "memory", "项目")
	outside := filepath.Join(p.root, "outside")
	other := filepath.Join(p.root, "other")
	p.write(t, filepath.Join(deep, "x.md"), "")
	p.write(t, filepath.Join(outside, "x.txt"), "")
	p.write(t, filepath.Join(other, "MEMORY.md"), "")
	tests := []struct{ name, dir, flag, variable, user, want string }{
		{"flag", p.work, "../other", "/elsewhere", "", other},
		{"variable", p.work, "", other, "", other},
		{"marked folder", p.work, "", "", "workspace = \"/set\"", p.work},
		{"parent", deep, "", "", "", p.work},
		{"MEMORY.md", other, "", "", "", other},
		{"user file", outside, "", "", "workspace = \"~/mine\"", filepath.Join(p.home, "mine")},
		{"default", outside, "", "", "", filepath.Join(p.home, ".memoir", "workspace")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.write(t, filepath.Join(p.home, ".config", "memoir", "config.toml"), tt.user)
			p.vars["MEMOIR_WORKSPACE"] = tt.variable
			flags := config.Flags{}
			if tt.flag != "" {
				flags["workspace"] = tt.flag
			}
			l, err := config.Load(p.env(tt.dir), flags)
			if err != nil {
				t.Fatal(err)
			}
			if l.Workspace != tt.want {
				t.Errorf("got %s, want %s", l.Workspace, tt.want)
			}
		})
	}
}

func TestStateDirAndUserFile(t *testing.T) {
	home := filepath.FromSlash("/h")
	abs := func(s string) string { return filepath.FromSlash(s) }
	tests := []struct {
		name, os  string
		vars      map[string]string
		state     string
		user      string
		wantError bool
	}{
		{"unix", "linux", map[string]string{"HOME": home}, abs("/h/.local/state/memoir"), abs("/h/.config/memoir/config.toml"), false},
		{"xdg", "linux", map[string]string{"HOME": home, "XDG_STATE_HOME": abs("/s"), "XDG_CONFIG_HOME": abs("/c")}, abs("/s/memoir"), abs("/c/memoir/config.toml"), false},
		{"relative xdg is ignored", "linux", map[string]string{"HOME": home, "XDG_STATE_HOME": "s"}, abs("/h/.local/state/memoir"), abs("/h/.config/memoir/config.toml"), false},
		{"macOS", "darwin", map[string]string{"HOME": home}, abs("/h/Library/Application Support/memoir"), abs("/h/.config/memoir/config.toml"), false},
		{"Windows", "windows", map[string]string{"USERPROFILE": home, "LocalAppData": abs("/l"), "AppData": abs("/r")}, abs("/l/memoir"), abs("/r/memoir/config.toml"), false},
		{"variable", "linux", map[string]string{"HOME": home, "MEMOIR_STATE_DIR": "~/st"}, abs("/h/st"), abs("/h/.config/memoir/config.toml"), false},
		{"no home", "linux", nil, "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := config.Environment{Lookup: func(n string) (string, bool) { v, ok := tt.vars[n]; return v, ok }, Dir: t.TempDir(), OS: tt.os}
			if got := env.UserFile(); got != tt.user {
				t.Errorf("user file %q, want %q", got, tt.user)
			}
			l, err := config.Load(env, config.Flags{"workspace": t.TempDir()})
			if (err != nil) != tt.wantError {
				t.Fatal(err)
			}
			if err == nil && l.StateDir != tt.state {
				t.Errorf("state folder %q, want %q", l.StateDir, tt.state)
			}
		})
	}
}

func TestIndexPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "笔记 #1")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		link = dir // Windows makes no links without a privilege
	}
	direct := (&config.Settings{Workspace: dir, StateDir: "s", Agent: "main"}).IndexPath()
	linked := (&config.Settings{Workspace: link, StateDir: "s", Agent: "main"}).IndexPath()
	if direct != linked {
		t.Errorf("got %s and %s for one folder", direct, linked)
	}
	if link != dir { // a folder behind a link has the same index before it is made and after it is removed
		link = filepath.Join(link, "gone", "inner")
		direct := (&config.Settings{Workspace: filepath.Join(dir, "gone", "inner"), StateDir: "s", Agent: "main"}).IndexPath()
		linked := (&config.Settings{Workspace: link, StateDir: "s", Agent: "main"}).IndexPath()
		if direct != linked {
			t.Errorf("got %s and %s for one folder that is not there", direct, linked)
		}
	}
	if base := filepath.Base(filepath.Dir(direct)); !strings.HasPrefix(base, "笔记 #1-") || len(base) != len("笔记 #1-")+12 {
		t.Errorf("the folder is called %q", base)
	}
	other := (&config.Settings{Workspace: dir, StateDir: "s", Agent: "b"}).IndexPath()
	if filepath.Base(other) != "b.sqlite" || filepath.Dir(other) != filepath.Dir(direct) {
		t.Errorf("the other agent's index is %s", other)
	}
}

func TestPresets(t *testing.T) {
	tests := []struct {
		name, file string
		want       config.Chunking
	}{
		{"default", "", config.Chunking{Preset: "default", Tokens: 180, Overlap: 40}},
		{"openclaw", "chunking.preset = \"openclaw\"", config.Chunking{Preset: "openclaw", Tokens: 400, Overlap: 80}},
		{"size over preset", "chunking.preset = \"openclaw\"\nchunking.tokens = 200", config.Chunking{Preset: "openclaw", Tokens: 200, Overlap: 50}},
		{"no overlap", "chunking.overlap = 0", config.Chunking{Preset: "default", Tokens: 180}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.file, "")
			l, err := config.Load(p.env(p.work), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(l.Chunking, tt.want); diff != "" {
				t.Errorf("got - want +:\n%s", diff)
			}
		})
	}
}

func TestUnknownVariablesAreListed(t *testing.T) {
	p := newPlace(t, "", "")
	p.vars["MEMOIR_QUERY_MINSCORE"] = "1"
	p.vars["MEMOIR_TEST_MODELS"] = "x"
	l, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.UnknownEnv, []string{"MEMOIR_QUERY_MINSCORE"}); diff != "" {
		t.Errorf("got - want +:\n%s", diff)
	}
}

func TestEnvironmentNames(t *testing.T) {
	want := map[string]string{
		"stateDir": "MEMOIR_STATE_DIR", "query.minScore": "MEMOIR_QUERY_MIN_SCORE",
		"openai.baseURL": "MEMOIR_OPENAI_BASE_URL", "maxFileBytes": "MEMOIR_MAX_FILE_BYTES",
	}
	for _, k := range config.Keys() {
		if w := want[k.Name]; w != "" && k.Env() != w {
			t.Errorf("%s is %s, want %s", k.Name, k.Env(), w)
		}
	}
}

// The template of a workspace must mean nothing as it is, and the defaults
// when every comment sign before a setting is taken away.
func TestTemplate(t *testing.T) {
	p := newPlace(t, "", config.Template())
	asIs, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range asIs.Entries() {
		if e.Origin.Layer == config.LayerWorkspace {
			t.Errorf("%s is set by the untouched template", e.Name)
		}
	}
	var lines []string
	for line := range strings.Lines(config.Template()) {
		line = strings.TrimPrefix(line, "#")
		if !strings.HasPrefix(line, " ") && !strings.Contains(line, ".baseURL =") {
			lines = append(lines, line)
		}
	}
	p.write(t, filepath.Join(p.work, ".memoir.toml"), strings.Join(lines, ""))
	all, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := asIs.Settings
	want.Include, want.Exclude = []string{}, []string{}
	if diff := cmp.Diff(all.Settings, want); diff != "" {
		t.Errorf("the template's values are not the defaults, got - want +:\n%s", diff)
	}
}

func TestReferenceHoldsEverySetting(t *testing.T) {
	ref := config.Reference()
	for _, k := range config.Keys() {
		if !strings.Contains(ref, "## `"+k.Name+"`") || !strings.Contains(ref, k.Env()) || k.Doc == "" {
			t.Errorf("%s is not documented", k.Name)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"", config.Template(), "query = { mode = \"text\" }", "[a.b]\nc=1", "[[query]]", "\xff", "a.b.c.d = [[[{}]]]", "query.minScore = inf", "'' = 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := newPlace(t, "", text)
		_, err := config.Load(p.env(p.work), nil)
		var mistake *config.Error
		if err != nil && !errors.As(err, &mistake) {
			t.Errorf("got %T, want *config.Error: %v", err, err)
		}
	})
}
