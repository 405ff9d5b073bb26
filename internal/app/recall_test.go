package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
)

// TestRecallByMeaning: a question in other words, or in another language, recalls what
// answers it once its vectors are there. Vectors of passages are left to others.
func TestRecallByMeaning(t *testing.T) {
	if testing.Short() || app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	settings := load(t, "")
	settings.Query.EmbedTimeout = time.Minute // the machine may be busy
	if err := os.CopyFS(filepath.Join(settings.Workspace, "memory"), os.DirFS("../../examples/notes/memory")); err != nil {
		t.Fatal(err)
	}
	recall := func(message, want string) {
		t.Helper()
		a, err := app.Open(t.Context(), settings, app.Options{Need: app.NeedRecall, Unlogged: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.Engine.Recall(t.Context(), engine.RecallOptions{Message: message})
		if err != nil || want == "" && p.Text != "" || !strings.Contains(p.Text, want) {
			t.Errorf("%q recalls %q, %v; want %q", message, p.Text, err, want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	recall("アルヴァの歯が抜けたのはいつ？", "") // no text has a vector yet

	a := open(t, settings, app.Options{Exclusive: true})
	if stats, err := a.Engine.Stats(t.Context()); err != nil || stats.Pending != stats.Texts {
		t.Errorf("a recall left %d of %d texts without a vector, %v", stats.Pending, stats.Texts, err)
	}
	if _, err := a.Engine.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"why did we leave MySQL?":                       "the reports lock whole tables",
		"谁去接上海来的客人？":                                    "Tomas 去机场接",
		"where can I sleep well in Malmö?":              "quiet rooms",
		"アルヴァの歯が抜けたのはいつ？":                               "first tooth",
		"ピーナッツのアレルギーがあるのは誰ですか？":                         "hives",
		"Wie bekomme ich das Geld für ein Taxi zurück?": "cab receipt",
		"what is the capital of Mongolia?":              "",
		"no, the other one":                             "",
	} {
		recall(message, want)
	}
}

// TestRecallStaysHere: a message that nobody has asked with is sent to no other machine,
// whatever searches are allowed to do.
func TestRecallStaysHere(t *testing.T) {
	settings := loadAs(t, "provider = \"openai\"", "", map[string]string{"OPENAI_API_KEY": "a"})
	a := open(t, settings, app.Options{Need: app.NeedRecall, Embedder: unwanted, Unlogged: true})
	p, err := a.Engine.Recall(t.Context(), engine.RecallOptions{Message: "why do we use SQLite?"})
	if err != nil {
		t.Error(err)
	}
	if a.Engine.Space() != (memoir.Space{}) {
		t.Errorf("recalled %q with vectors of %v", p.Text, a.Engine.Space())
	}

	// An index that another provider's vectors answer from is asked by words.
	theirs := loadAs(t, "allowRemote = true", "", nil)
	filled := open(t, theirs, app.Options{Exclusive: true, Embedder: func(context.Context) (memoir.Embedder, error) {
		return renamed{&embedtest.Embedder{}}, nil
	}})
	if _, err := filled.Engine.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := filled.Engine.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	base, requests := server(t)
	theirs.OpenAI.BaseURL, theirs.OpenAI.APIKey = base, "a"
	a = open(t, theirs, app.Options{Need: app.NeedRecall, Embedder: embedder, Unlogged: true})
	if _, err := a.Engine.Recall(t.Context(), engine.RecallOptions{Message: "why do we use SQLite?"}); err != nil || requests.Load() != 0 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}
