package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

// Every setting is decided about: what a workspace's own file, which may come
// from anywhere, can set and what it cannot. Whoever adds a setting adds a row.
func TestWorkspaceFile(t *testing.T) {
	free := map[string]string{ // any value; the one that is tried
		"agent": `"a"`, "include": `["*.md"]`, "exclude": `["a/"]`, "chunking.preset": `"openclaw"`, "chunking.tokens": "100", "chunking.overlap": "10",
		"provider": `"none"`, "query.mode": `"text"`, "query.maxResults": "3", "query.minScore": "0.1", "query.candidateMultiplier": "5", "query.fusion": `"rrf"`,
		"query.textWeight": "0.5", "query.vectorWeight": "0.5", "query.linkWeight": "0", "query.syncBudget": `"1s"`, "query.embedTimeout": `"2s"`,
		"query.dateWeight": "0.5", "query.dateWindowDays": "9", "query.recencyWeight": "0", "query.assistantWeight": "0.5",
		"query.temporalDecay.enabled": "true", "query.temporalDecay.halfLifeDays": "9", "query.temporalDecay.sessionHalfLifeDays": "9", "query.temporalDecay.floor": "0.1",
		"query.salience": `"seed"`, "query.mmr.enabled": "true", "query.mmr.lambda": "0.5", "query.feedbackWeight": "0.1", "query.adaptiveThreshold": "0.1",
		"rerank.provider": `"local"`, "rerank.top": "9", "rerank.timeout": `"3s"`, "cache.maxEntries": "9", "cache.maxAge": `"9h"`, "ollama.keepAlive": `"1m"`,
		"sync.watch": "false", "sync.interval": `"9s"`,
	}
	for _, p := range []string{"openai", "gemini", "voyage", "mistral", "ollama", "llamacpp"} {
		free[p+".model"], free[p+".dimensions"], free[p+".timeout"] = `"m"`, "256", `"9s"`
		free[p+".queryPrefix"], free[p+".documentPrefix"] = `"q: "`, `"d: "`
	}
	for _, typ := range []string{"preference", "instruction", "contact", "project", "decision", "learning"} {
		free["files."+typ] = `"notes/` + typ + `.md"`
	}
	free["files.journal"] = `"log/YYYY-MM-DD.md"`
	type values struct{ taken, refused []string }
	limited := map[string]values{
		"workspace": {nil, []string{`"/"`, `"."`, `"s3://other"`}}, "stateDir": {nil, []string{`"../x"`, `"/tmp/x"`, `""`}}, "modelsDir": {nil, []string{`"."`}},
		"scope":        {nil, []string{`"user"`, `"all"`}},
		"maxFileBytes": {[]string{"1", "4194304"}, []string{"4194305", "9223372036854775807"}},
		"model":        {[]string{`"inside"`, `"bge"`, `""`}, []string{`"./a"`, `"a.memoir"`, `"../a"`, `"/dev/zero"`, `"~/a"`, `'C:\\a'`}},
		"rerank.model": {[]string{`"mini"`}, []string{`"/dev/zero"`, `"./a.memoir"`}},
		"hub.baseURL":  {nil, []string{`"https://hub.example"`, `"http://127.0.0.1:1"`}}, "hub.token": {nil, []string{`"t"`, `"${AWS_SECRET_ACCESS_KEY}"`}},
		"update.baseURL": {nil, []string{`"https://hub.example"`, `"http://127.0.0.1:1"`}},
		"store":          {nil, []string{`"weaviate"`, `"sqlite"`}}, "weaviate.url": {nil, []string{`"https://x.example"`}}, "weaviate.apiKey": {nil, []string{`"k"`, `"${HOME}"`}},
		"weaviate.namespace": {nil, []string{`"ours"`}}, "weaviate.replicas": {nil, []string{"3"}}, "weaviate.timeout": {nil, []string{`"1s"`}},
		"bucket.endpoint": {nil, []string{`"https://x.example"`}}, "bucket.region": {nil, []string{`"eu-west-1"`}}, "bucket.accessKey": {nil, []string{`"k"`, `"${HOME}"`}},
		"bucket.secretKey": {nil, []string{`"k"`, `"${HOME}"`}}, "bucket.sessionToken": {nil, []string{`"k"`, `"${HOME}"`}},
		"bucket.timeout": {nil, []string{`"1s"`}}, "bucket.fresh": {nil, []string{`"1s"`}},
		"embed.threads": {nil, []string{"0", "4"}}, "embed.onBattery": {nil, []string{"false", "true"}}, "log.level": {nil, []string{`"debug"`, `"off"`}},
		"allowRemote": {[]string{"false"}, []string{"true"}}, "query.log": {[]string{"false"}, []string{"true"}},
		"serve.workspaces": {nil, []string{`["/"]`, `["a=/tmp/x"]`, `[]`}},
		"serve.folder":     {nil, []string{`"/"`, `"/tmp/x"`, `""`}},
		"serve.maxOpen":    {nil, []string{"1", "9", "1000"}},
		"serve.join":       {nil, []string{"false", "true"}},
		"terminal.links":   {nil, []string{`"file"`, `"none"`, `"https://x.example/{path}"`}},
		"hook.searchTime":  {nil, []string{`"1s"`}},
		"sessions.enabled": {[]string{"false"}, []string{"true"}}, "sessions.agents": {nil, []string{`["codex"]`, `[]`}}, "sessions.custom": {nil, []string{`["x.toml"]`, `[]`}},
		"sessions.archive":  {[]string{"false"}, []string{"true"}},
		"collections":       {nil, []string{`[{name = "a", path = "/a"}]`, `[]`}},
		"summaries.baseURL": {nil, []string{`"https://x.example/v1"`, `"http://127.0.0.1:1"`}}, "summaries.model": {nil, []string{`"m"`}}, "summaries.apiKey": {nil, []string{`"k"`, `"${HOME}"`}},
		"summaries.dailyTokens": {nil, []string{"1", "900000000"}}, "summaries.timeout": {nil, []string{`"1s"`}},
		"sessions.deltaBytes": {nil, []string{"1"}}, "sessions.deltaMessages": {nil, []string{"1"}},
	}
	for _, p := range []string{"openai", "gemini", "voyage", "mistral", "ollama", "llamacpp", "rerank"} {
		limited[p+".baseURL"] = values{nil, []string{`"https://x.example/v1"`, `"http://127.0.0.1:1"`}}
		limited[p+".apiKey"] = values{nil, []string{`"sk"`, `"${HOME}"`}}
		limited[p+".batch"] = values{[]string{"false"}, []string{"true"}}
	}
	for _, k := range config.Keys() {
		v, ok := limited[k.Name]
		if value, any := free[k.Name]; any {
			v, ok = values{[]string{value}, nil}, true
		}
		if !ok {
			t.Errorf("%s: nobody has decided whether a workspace's own file can set it", k.Name)
		}
		for _, value := range v.taken {
			p := newPlace(t, "", k.Name+" = "+value)
			if _, err := config.Load(p.env(p.work), nil); err != nil {
				t.Errorf("%s = %s: got %v, want it taken", k.Name, value, err)
			}
		}
		for _, value := range v.refused {
			p := newPlace(t, "", "\n"+k.Name+" = "+value)
			_, err := config.Load(p.env(p.work), nil)
			var mistake *config.Error
			if !errors.As(err, &mistake) || mistake.Line != 2 || !strings.Contains(mistake.Message, k.Name+": a workspace's own file") || mistake.Hint == "" {
				t.Errorf("%s = %s: got %v, want it refused in line 2 with a hint", k.Name, value, err)
			}
			if p := newPlace(t, k.Name+" = "+value, ""); k.Name != "workspace" {
				if _, err := config.Load(p.env(p.work), nil); err != nil && strings.Contains(err.Error(), "workspace's own file") {
					t.Errorf("%s = %s in one's own file: got %v", k.Name, value, err)
				}
			}
		}
		if len(v.refused) > 0 != strings.Contains(k.Doc, "A workspace's own file can") {
			t.Errorf("%s: its documentation is %q", k.Name, k.Doc)
		}
	}
}

// What the user has raised a workspace may use, and no more.
func TestWorkspaceLowersFromTheUsers(t *testing.T) {
	p := newPlace(t, "maxFileBytes = 8388608", "maxFileBytes = 8388608")
	if got, err := config.Load(p.env(p.work), nil); err != nil || got.MaxFileBytes != 8388608 {
		t.Errorf("got %+v, %v", got, err)
	}
	p = newPlace(t, "maxFileBytes = 1000", "maxFileBytes = 1001")
	if _, err := config.Load(p.env(p.work), nil); err == nil || !strings.Contains(err.Error(), "can only lower it") {
		t.Errorf("got %v", err)
	}
}

// The folder of state lies outside of the notes, however it is spelled.
func TestStateDirInNotes(t *testing.T) {
	p := newPlace(t, "", "")
	if err := os.MkdirAll(filepath.Join(p.work, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := func(name, target string) string {
		path := filepath.Join(p.root, name)
		if err := os.Symlink(target, path); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
		return path
	}
	intoNotes, toNotes := link("into", filepath.Join(p.work, "deep")), link("to", p.work)
	outOfNotes := filepath.Join(p.work, "out")
	if err := os.Symlink(p.home, outOfNotes); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, workspace, state string
		refused                bool
	}{
		{"the notes themselves", p.work, p.work, true},
		{"in the notes", p.work, filepath.Join(p.work, "deep"), true},
		{"in the notes, not there yet", p.work, filepath.Join(p.work, ".a", "b", "c"), true},
		{"with dots", p.work, p.work + "/../" + filepath.Base(p.work) + "/x", true},
		{"through a link into the notes", p.work, filepath.Join(intoNotes, "x"), true},
		{"notes that are a link", toNotes, filepath.Join(p.work, "x"), true},
		{"both are links", toNotes, filepath.Join(intoNotes, "x"), true},
		{"notes that are not there yet", filepath.Join(p.root, "none"), filepath.Join(p.root, "none", "x"), true},
		{"a link that leads out of the notes", p.work, filepath.Join(outOfNotes, "x"), false},
		{"beside the notes", p.work, filepath.Join(p.root, "state"), false},
		{"a longer name", p.work, p.work + "-state", false},
		{"above the notes", p.work, p.root, false},
		{"nowhere near", p.work, filepath.Join(t.TempDir(), "a", "b"), false},
	}
	for _, tt := range tests {
		for _, how := range []string{"flag", "variable", "own file"} {
			flags := config.Flags{"workspace": tt.workspace}
			p.vars["MEMOIR_STATE_DIR"] = ""
			own := ""
			switch how {
			case "flag":
				flags["stateDir"] = tt.state
			case "variable":
				p.vars["MEMOIR_STATE_DIR"] = tt.state
			default:
				own = "stateDir = '" + tt.state + "'"
			}
			p.write(t, filepath.Join(p.home, ".config", "memoir", "config.toml"), own)
			_, err := config.Load(p.env(p.root), flags)
			var mistake *config.Error
			if refused := errors.As(err, &mistake) && strings.Contains(mistake.Message, "lies in the notes") && strings.Contains(mistake.Hint, "--state-dir"); refused != tt.refused || !tt.refused && err != nil {
				t.Errorf("%s, by %s: got %v, want it refused: %v", tt.name, how, err, tt.refused)
			}
		}
	}

	// A file system that takes other letters for the same makes it the same folder.
	upper := strings.Replace(p.work, "notes", "NOTES", 1)
	if _, err := os.Stat(upper); err == nil {
		if _, err := config.Load(p.env(p.root), config.Flags{"workspace": p.work, "stateDir": filepath.Join(upper, "x")}); err == nil {
			t.Error("in other letters it is taken")
		}
	}
}

// Notes may be a whole home folder, with the platform's folder of state in it.
func TestStateDirOfThePlatform(t *testing.T) {
	p := newPlace(t, "", "")
	got, err := config.Load(p.env(p.home), config.Flags{"workspace": p.home})
	if want := filepath.Join(p.home, ".local", "state", "memoir"); err != nil || got.StateDir != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
}

// The user's own file may be a link and stays one; a workspace's may not.
func TestLinkedFiles(t *testing.T) {
	p := newPlace(t, "", "")
	own, work := filepath.Join(p.home, ".config", "memoir", "config.toml"), filepath.Join(p.work, ".memoir.toml")
	target := filepath.Join(p.root, "dotfiles", "memoir.toml")
	p.write(t, target, "query.maxResults = 9\n")
	relink := func(path, target string) {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
	}
	relink(own, target)
	if got, err := config.Load(p.env(p.work), nil); err != nil || got.Query.MaxResults != 9 {
		t.Fatalf("got %v, %v; want what the link leads to", got, err)
	}
	if err := config.Set(own, config.LayerUser, map[string]string{"model": "m"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(target)
	if diff := cmp.Diff(string(text), "query.maxResults = 9\nmodel = \"m\"\n"); err != nil || diff != "" {
		t.Errorf("%v, got - want +:\n%s", err, diff)
	}
	if to, err := os.Readlink(own); err != nil || to != target {
		t.Errorf("the link leads to %q now, %v", to, err)
	}

	relink(own, filepath.Join(p.root, "nowhere"))
	if _, err := config.Load(p.env(p.work), nil); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("a link that leads nowhere: got %v", err)
	}
	if err := config.Set(own, config.LayerUser, map[string]string{"model": "m"}); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("setting through a link that leads nowhere: got %v", err)
	}
	relink(own, target)

	for _, to := range []string{target, filepath.Join(p.root, "nowhere"), p.root} {
		relink(work, to)
		_, loadErr := config.Load(p.env(filepath.Join(p.work)), nil)
		setErr := config.Set(work, config.LayerWorkspace, map[string]string{"model": "x"})
		for what, err := range map[string]error{"Load": loadErr, "Set": setErr} {
			var mistake *config.Error
			if !errors.As(err, &mistake) || !strings.Contains(mistake.Message, "a symbolic link") || mistake.Hint == "" {
				t.Errorf("a workspace's file that leads to %s, %s: got %v", to, what, err)
			}
		}
	}
	if again, err := os.ReadFile(target); err != nil || string(again) != string(text) {
		t.Errorf("got %q, %v; want it as it was", again, err)
	}
}

// A workspace's own file is not made to name a model by its path.
func TestSetForWorkspace(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".memoir.toml")
	for value, taken := range map[string]bool{"bge": true, "inside": true, "/a/m.memoir": false} {
		err := config.Set(path, config.LayerWorkspace, map[string]string{"model": value})
		var mistake *config.Error
		if taken && err != nil || !taken && (!errors.As(err, &mistake) || !strings.Contains(mistake.Hint, "memoir model pull \""+value)) {
			t.Errorf("%s: got %v, want it taken: %v", value, err, taken)
		}
	}
}

// Entries are written to notes of the workspace and to nothing else, whoever sets
// where.
func TestShelvesAreNotes(t *testing.T) {
	for name, refused := range map[string][]string{
		"files.decision": {"../x.md", "/tmp/x.md", "SOUL.md", "MEMORY.md", ".memoir.toml", ".git/x.md", "a/../../x.md", "x.txt", ""},
		"files.contact":  {"memory/decisions.md"},
		"files.journal":  {"../YYYY-MM-DD.md", "log.md", "memory/DD.md"},
	} {
		for _, value := range refused {
			p := newPlace(t, "", "")
			_, err := config.Load(p.env(p.work), config.Flags{name: value})
			var mistake *config.Error
			if value == "" {
				if err != nil {
					t.Errorf("%s is not set: %v", name, err)
				}
				continue
			}
			if !errors.As(err, &mistake) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s = %q: %v, want an error that names it", name, value, err)
			}
		}
	}
}
