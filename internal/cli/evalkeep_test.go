package cli_test

import (
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// smallSet makes a set of one document and one question.
func smallSet(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, line := range map[string]string{"corpus": `{"id":"1","text":"We use SQLite."}`, "queries": `{"id":"q","text":"SQLite","relevant":["1"]}`} {
		f, err := os.Create(filepath.Join(dir, name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		if _, err := z.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Two runs in one kept folder would write and remove each other's notes, and measure
// what is left of them.
func TestEvalKeepsOneRunAtATime(t *testing.T) {
	notes(t)
	set, keep := smallSet(t), t.TempDir()
	eval := func() (int, string) {
		code, out, errs := run(t.Context(), nil, testEmbedder, "eval", "--mode", "text", "--keep", keep, set)
		return code, out + errs
	}
	if code, out := eval(); code != 0 {
		t.Fatalf("first run: code %d, %q", code, out)
	}
	homes, err := filepath.Glob(filepath.Join(keep, "*"))
	if err != nil || len(homes) != 1 {
		t.Fatalf("kept folders: got %v, %v, want one", homes, err)
	}
	release, ok, err := app.HoldEval(homes[0])
	if err != nil || !ok {
		t.Fatalf("the first run still holds its folder: %v", err)
	}
	if code, out := eval(); code == 0 || !strings.Contains(out, "another memoir eval is at work") {
		t.Errorf("beside another run: got code %d, %q, want a refusal", code, out)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if code, out := eval(); code != 0 {
		t.Errorf("after the other run: code %d, %q", code, out)
	}
}

// An index in another store holds the same texts, whose vectors are known by then.
func TestEvalInAnotherStoreComputesNoVectorAgain(t *testing.T) {
	notes(t)
	seen := filepath.Join(t.TempDir(), "seen")
	t.Setenv("TEST_SEEN", seen)
	code, out, errs := run(t.Context(), nil, testEmbedder, "eval", "--mode", "hybrid", "--compare", "store=weaviate,weaviate.url="+weaviatetest.New(t).URL, smallSet(t))
	if code != 0 {
		t.Fatalf("code %d, %s%s", code, out, errs)
	}
	lines, err := os.ReadFile(seen)
	if n := strings.Count(string(lines), "\n"); err != nil || n != 1 {
		t.Errorf("computed %d vectors for one text in two stores, %v; want 1", n, err)
	}
}

// Settings to compare with that cannot be are refused before anything is done.
func TestEvalChecksSettingsFirst(t *testing.T) {
	notes(t)
	opened := func(ctx context.Context) (memoir.Embedder, error) {
		t.Error("the work has begun")
		return testEmbedder(ctx)
	}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"--compare", "query.fusion=bar"}, "must be one of"},
		{[]string{"--compare", "query.limit=many"}, "query.limit"},
		{[]string{"--mode", "bar"}, "bar"},
	} {
		code, _, errs := run(t.Context(), nil, opened, append([]string{"eval", smallSet(t)}, x.args...)...)
		if code != 2 || !strings.Contains(errs, x.want) {
			t.Errorf("%q: %d, %s", x.args, code, errs)
		}
	}
}
