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

func TestCollections(t *testing.T) {
	p := newPlace(t, "[[collections]]\nname = \"vault\"\npath = \"~/vault\"\ncontext = \"What I cook, 食谱\"\n\n[[collections]]\nname = \"inside\"\npath = '"+"../../../笔记 notes/docs'\n", "")
	got, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Collection{{Name: "vault", Path: filepath.Join(p.home, "vault"), Context: "What I cook, 食谱"}, {Name: "inside", Path: filepath.Join(p.work, "docs"), Inside: true}}
	if diff := cmp.Diff(want, got.Collections); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	p.vars["MEMOIR_COLLECTIONS"] = " a=~/x|the a , b=" + p.root + "/y,"
	if got, err = config.Load(p.env(p.work), nil); err != nil {
		t.Fatal(err)
	}
	want = []config.Collection{{Name: "a", Path: filepath.Join(p.home, "x"), Context: "the a"}, {Name: "b", Path: filepath.Join(p.root, "y")}}
	if diff := cmp.Diff(want, got.Collections); diff != "" {
		t.Errorf("by a variable: want -, got +:\n%s", diff)
	}
}

func TestCollectionMistakes(t *testing.T) {
	table := func(name, path, more string) string {
		return "[[collections]]\nname = '" + name + "'\npath = '" + path + "'\n" + more + "\n"
	}
	for what, text := range map[string]string{
		"no tables":            "collections = ['~/vault']",
		"one table":            "[collections]\nname = 'a'\npath = '~/a'",
		"no name":              "[[collections]]\npath = '~/a'",
		"no path":              "[[collections]]\nname = 'a'",
		"an unknown field":     table("a", "~/a", "include = '*'"),
		"a number":             table("a", "~/a", "context = 3"),
		"a name with a slash":  table("a/b", "~/a", ""),
		"a name that is up":    table("..", "~/a", ""),
		"an empty path":        table("a", "", ""),
		"two of a name":        table("Vault", "~/a", "") + table("vault", "~/b", ""),
		"two of a path":        table("a", "~/a", "") + table("b", "~/x/../a", ""),
		"a whole disk":         table("a", "/", ""),
		"two lines of context": table("a", "~/a", `context = "x\ny"`),
		"a long context":       table("a", "~/a", "context = '"+strings.Repeat("x", 201)+"'"),
		"very many":            strings.Repeat(table("a", "~/a", ""), 33),
	} {
		p := newPlace(t, text, "")
		_, err := config.Load(p.env(p.work), nil)
		var mistake *config.Error
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "collections") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// Collections are part of the user's memory, and of the project's where the user's is
// not another one beside it: whatever --scope says, so that no index loses them by it.
func TestCollectionsOfMemories(t *testing.T) {
	p := newPlace(t, "[[collections]]\nname = \"a\"\npath = \"~/a\"\n", "")
	user := filepath.Join(p.home, ".memoir", "workspace")
	count := func(scope string) [2]int {
		t.Helper()
		m, err := config.LoadMemories(p.env(p.work), config.Flags{"scope": scope})
		if err != nil {
			t.Fatal(err)
		}
		out := [2]int{-1, -1}
		for i, loaded := range []*config.Loaded{m.User, m.Project} {
			if loaded != nil {
				out[i] = len(loaded.Collections)
			}
		}
		one, err := config.Load(p.env(p.work), config.Flags{"scope": scope})
		if err != nil || len(one.Collections) != max(out[1], map[bool]int{true: out[0]}[m.Project == nil]) {
			t.Errorf("%s: Load gives %d, %v", scope, len(one.Collections), err)
		}
		return out
	}
	if got, want := count("all"), [2]int{-1, 1}; got != want {
		t.Errorf("the project alone: got %v, want %v", got, want)
	}
	if err := os.MkdirAll(user, 0o700); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string][2]int{"all": {1, 0}, "user": {1, -1}, "project": {-1, 0}} {
		if got := count(scope); got != want {
			t.Errorf("%s: got %v, want %v", scope, got, want)
		}
	}
}
