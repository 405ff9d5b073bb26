package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// an older is what an earlier memoir left, and the memoir of now over it.
type older struct {
	t   *testing.T
	dir string
}

// openOlder unpacks what testdata/upgrade/make packed.
func openOlder(t *testing.T, archive string) *older {
	t.Helper()
	o := &older{t, t.TempDir()}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // of a file that was only read
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			writeFile(t, filepath.Join(o.dir, filepath.FromSlash(h.Name)), string(data))
		}
	}
	// The folder of an index is called after the path of the notes, which are elsewhere now.
	var answer struct{ Index string }
	o.decode(&answer, "config", "--json")
	now := filepath.Join(o.dir, "state", filepath.Base(filepath.Dir(answer.Index)))
	before, err := filepath.Glob(filepath.Join(o.dir, "state", "notes-*"))
	if err != nil || len(before) != 1 {
		t.Fatalf("the state has %v, error %v", before, err)
	}
	if err := os.Rename(before[0], now); err != nil {
		t.Fatal(err)
	}
	return o
}

// run runs memoir to its end and returns what it answered.
func (o *older) run(args ...string) []byte {
	o.t.Helper()
	cmd := exec.CommandContext(o.t.Context(), "memoir-real", append([]string{"--workspace", filepath.Join(o.dir, "notes")}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(o.dir, "home"), "USERPROFILE="+filepath.Join(o.dir, "home"), "MEMOIR_STATE_DIR="+filepath.Join(o.dir, "state"),
		"MEMOIR_CONFIG="+filepath.Join(o.dir, "home", ".config", "memoir", "config.toml"), "CLAUDE_CONFIG_DIR="+filepath.Join(o.dir, "claude"), "MEMOIR_QUERY_SYNC_BUDGET="+patience)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		o.t.Fatalf("memoir %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes()
}

func (o *older) decode(v any, args ...string) {
	o.t.Helper()
	if out := o.run(args...); json.Unmarshal(out, v) != nil {
		o.t.Fatalf("memoir %s answered %s", strings.Join(args, " "), out)
	}
}

// TestUpgrade: what earlier versions left is read or made again, and nothing is lost:
// notes, entries with their counts, the history and what it takes back, settings, the
// index, transcripts, questions, tokens.
func TestUpgrade(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "upgrade", "[0-9]*.tgz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("there is nothing of earlier versions: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tgz"), func(t *testing.T) {
			t.Parallel()
			testUpgrade(t, openOlder(t, archive))
		})
	}
}

// TestUpgradeSchema: an index of an earlier schema, as the program of its time made it, is
// made anew from the notes by the first search.
func TestUpgradeSchema(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "upgrade", "schema*.tgz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("there is nothing of earlier schemas: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tgz"), func(t *testing.T) {
			t.Parallel()
			o := openOlder(t, archive)
			for query, want := range map[string]string{"harbour office": "runs on SQLite", "锅炉": "米蕾拉在北厅修锅炉", "tide tables": "Ingrid keeps"} {
				if got := o.run("search", "--json", "--mode", "text", query); !bytes.Contains(got, []byte(want)) {
					t.Errorf("search %s: %q is not in %s", query, want, got)
				}
			}
			var indexed struct{ Documents, Added, Removed int }
			if o.decode(&indexed, "index", "--text-only", "--json"); indexed.Documents != 2 || indexed.Added != 0 || indexed.Removed != 0 {
				t.Errorf("after the searches the index has %+v", indexed)
			}
			aside := 0
			if strings.HasSuffix(archive, "schema01.tgz") {
				aside = 1 // its vectors would stand where memoir does not look for them now
			}
			if bad, _ := filepath.Glob(filepath.Join(o.dir, "state", "cache", "notes-*", "*.corrupt-*")); len(bad) != aside {
				t.Errorf("set aside: %v", bad)
			}
		})
	}
}

func testUpgrade(t *testing.T, o *older) {
	// The first thing is a search, as of an agent that was just upgraded.
	for query, want := range map[string]string{"harbour office": "runs on SQLite since 2026", "锅炉": "米蕾拉在北厅修锅炉", "tide tables": "Ingrid does"} {
		if got := o.run("search", "--json", query); !bytes.Contains(got, []byte(want)) {
			t.Errorf("search %s: %q is not in %s", query, want, got)
		}
	}
	if got := strings.TrimSpace(string(o.run("config", "get", "query.maxResults"))); got != "5" {
		t.Errorf("query.maxResults is %s", got)
	}
	entries := func() map[string]int {
		var list []struct {
			Text  string
			Count int
		}
		o.decode(&list, "entries", "--json")
		found := map[string]int{}
		for _, e := range list {
			found[e.Text] = e.Count
		}
		return found
	}
	want := map[string]int{"The harbour office runs on SQLite since 2026": 0, "Answers are short and in Swedish": 1, "米蕾拉在北厅修锅炉": 0, "The mill is painted green": 0}
	if diff := cmp.Diff(entries(), want); diff != "" {
		t.Errorf("entries, got - want +:\n%s", diff)
	}
	// A request that is repeated is known by its key.
	var told struct{ Outcome, Path string }
	o.decode(&told, "remember", "--json", "--type", "project", "--key", "db-1", "The harbour office runs on PostgreSQL since 2021")
	if diff := cmp.Diff(entries(), want); diff != "" || told.Path != "memory/projects.md" {
		t.Errorf("told again with its key: %+v, entries, got - want +:\n%s", told, diff)
	}
	var asked struct{ Questions, Damaged int }
	if o.decode(&asked, "eval", "--replay", "--json"); asked.Questions != 5 || asked.Damaged != 0 {
		t.Errorf("questions: %+v; want two of then and three of now", asked)
	}
	var sessions, changes, tokens []any
	o.decode(&sessions, "sessions", "--json")
	o.decode(&changes, "history", "--json")
	if len(sessions) != 1 || len(changes) != 8 {
		t.Errorf("%d sessions, %d changes; want 1 and 8", len(sessions), len(changes))
	}
	if _, err := os.Stat(filepath.Join(o.dir, "state", "serve")); err == nil {
		if o.decode(&tokens, "token", "list", "--json"); len(tokens) != 1 {
			t.Errorf("tokens: %v", tokens)
		}
	}
	// What it did can be taken back, one after the other.
	o.run("undo")
	o.run("undo")
	delete(want, "The mill is painted green")
	delete(want, "米蕾拉在北厅修锅炉")
	if diff := cmp.Diff(entries(), want); diff != "" {
		t.Errorf("after two undos, got - want +:\n%s", diff)
	}
	o.run("index")
	if bad, _ := filepath.Glob(filepath.Join(o.dir, "state", "cache", "notes-*", "*.corrupt-*")); len(bad) > 0 {
		t.Errorf("set aside: %v", bad)
	}
}
