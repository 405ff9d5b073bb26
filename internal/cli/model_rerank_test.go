package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/embed/embedtest"
)

// A cross-encoder is pulled, put to use and taken back by commands alone; the
// model that gives vectors stays.
func TestRerankModel(t *testing.T) {
	models(t)
	t.Setenv("MEMOIR_RERANK_TIMEOUT", patience)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), name), []byte("SQLite in "+name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(t.TempDir(), "重排")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range embedtest.PublishedCrossEncoder(4) {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out := good(t, "model", "pull", folder); !strings.Contains(out, "reranks, self-test passed") {
		t.Errorf("pull: got %q", out)
	}
	if out := good(t, "model", "use", "重排"); !strings.Contains(out, `rerank.model = "重排"`) {
		t.Errorf("use: got %q", out)
	}
	if out := good(t, "model", "list"); !strings.Contains(out, "* inside") || !strings.Contains(out, "* 重排") || !strings.Contains(out, "bge-reranker-base") {
		t.Errorf("list: got %q", out)
	}
	if out := good(t, "status"); !strings.Contains(out, "重排 (local), the first 25 results") {
		t.Errorf("status: got %q", out)
	}
	good(t, "index")
	var answer struct {
		Provider string
		Results  []struct {
			Explain struct{ Rerank struct{ Rank int } }
		}
		Degraded []any
	}
	if err := json.Unmarshal([]byte(good(t, "search", "--json", "--explain", "sqlite")), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Results) != 3 || len(answer.Degraded) != 0 || answer.Results[0].Explain.Rerank.Rank == 0 || answer.Provider != "local" {
		t.Errorf("got %+v", answer)
	}
	if out := good(t, "search", "--explain", "sqlite"); !strings.Contains(out, "before reranking, raw") {
		t.Errorf("explained: got %q", out)
	}
	t.Setenv("MEMOIR_RERANK_PROVIDER", "none")
	if out := good(t, "search", "--explain", "sqlite"); strings.Contains(out, "reranking") {
		t.Errorf("switched off: got %q", out)
	}
}
