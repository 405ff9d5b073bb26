package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// looked is a server over notes, of whose tokens "all" may everything, and "read"
// what is not private.
type looked struct {
	*testing.T
	handler http.Handler
	engine  *engine.Engine
}

type withStatus struct{ *engine.Engine }

func (m withStatus) Status(ctx context.Context) (wire.Status, error) {
	st, err := m.Engine.Status(ctx)
	return wire.NewStatus(st), err
}

func newLooked(t *testing.T, notes map[string]string, agents httpapi.Agents) looked {
	t.Helper()
	dir := t.TempDir()
	for path, text := range notes {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Embedder: &embedtest.Embedder{}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	guard := httpapi.Guard{Find: tokens(map[string][]httpapi.Permission{"all": httpapi.Permissions(), "read": {httpapi.MayRead}})}
	return looked{t, httpapi.New(httpapi.Options{Memory: withStatus{e}, Guard: guard, Agents: agents}), e}
}

// ask returns the answer to a token, decoded into value when it is not nil.
func (l looked) ask(token, method, path string, value any) int {
	l.Helper()
	r := httptest.NewRequestWithContext(l.Context(), method, "http://localhost"+path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	if value != nil {
		if err := json.Unmarshal(w.Body.Bytes(), value); err != nil {
			l.Errorf("%s %s: %v in %s", method, path, err, w.Body)
		}
	}
	return w.Code
}

var lookNotes = map[string]string{
	"MEMORY.md":             "# Memory\n\n- The owner likes tea.\n",
	"memory/2026-03-02.md":  "---\ntags: [a]\n---\n# Day\n\nSee [Mia](people/mia.md), [[lamps]] and [gone](gone.md). <script>x</script>\n\n- Orders move. <!-- id: o1 | origin: agent -->\n",
	"memory/people/mia.md":  "# Mia\n\nLeads tests. Back to [the day](../2026-03-02.md).\n",
	"memory/lamps.md":       "# Lamps\n\nThey are bright.\n",
	"memory/preferences.md": "# Preferences\n\n- Likes tea. <!-- id: p1 | observed: 2026-03-02 | origin: user -->\n- Likes coffee. <!-- id: p2 | observed: 2026-02-01 | status: superseded | by: p1 | until: 2026-03-02 -->\n",
	"memory/secret.md":      "The mail password is hunter2-Fjord!88\n",
	"memory/private.md":     "# Private\n\n- [Mia](people/mia.md) is ill. <!-- private: true -->\n",
}

func TestPages(t *testing.T) {
	l := newLooked(t, lookNotes, nil)
	var got httpapi.NotePage
	if code := l.ask("all", "GET", "/v1/pages/memory/2026-03-02.md", &got); code != http.StatusOK {
		t.Fatal(code)
	}
	want := httpapi.NotePage{
		Path: "memory/2026-03-02.md", ETag: got.ETag, Title: "Day", Front: "---\ntags: [a]\n---\n", Passages: got.Passages,
		HTML:  "<h2 data-line=\"4\">Day</h2>\n<p data-line=\"6\">See <a href=\"#/notes/memory/people/mia.md\">Mia</a>, <a href=\"#/notes/memory/lamps.md\">lamps</a> and gone. <code class=\"raw\">&lt;script&gt;</code>x<code class=\"raw\">&lt;/script&gt;</code></p>\n<ul data-line=\"8\">\n<li data-line=\"8\">Orders move.</li>\n</ul>\n",
		Links: []string{"memory/lamps.md", "memory/people/mia.md"}, From: []string{"memory/people/mia.md"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(got.Passages) == 0 || got.Passages[0].StartLine < 1 || got.Passages[len(got.Passages)-1].EndLine != 8 {
		t.Errorf("passages %+v", got.Passages)
	}
	var mia httpapi.NotePage
	if code := l.ask("read", "GET", "/v1/pages/memory/people/mia.md", &mia); code != http.StatusOK || len(mia.From) != 0 || len(mia.Links) != 1 {
		t.Errorf("%d, %+v", code, mia)
	}
	for path, code := range map[string]int{"MEMORY.md": 404, "memory/private.md": 404, "gone.md": 404, "..%2f..%2fetc%2fpasswd": 400, "a%00.md": 400} {
		if got := l.ask("read", "GET", "/v1/pages/"+path, nil); got != code {
			t.Errorf("%s: %d, want %d", path, got, code)
		}
	}
}

// TestHiddenNamesakes: a link leads to the one note of a name that the caller may read, however
// many others bear the name.
func TestHiddenNamesakes(t *testing.T) {
	notes := map[string]string{"memory/links.md": "See [[plan]].\n", "memory/z/plan.md": "Open to all.\n"}
	for _, dir := range "abcd" {
		notes["memory/"+string(dir)+"/plan.md"] = "- Hers. <!-- private: true -->\n"
	}
	l := newLooked(t, notes, nil)
	for token, links := range map[string][]string{"all": {}, "read": {"memory/z/plan.md"}} {
		var page httpapi.NotePage
		if code := l.ask(token, "GET", "/v1/pages/memory/links.md", &page); code != http.StatusOK || !slices.Equal(page.Links, links) || strings.Contains(page.HTML, "href") != (len(links) > 0) {
			t.Errorf("%s: %d, %+v", token, code, page)
		}
	}
}

// TestByteOrderMark: the mark with which some editors begin a file is no text.
func TestByteOrderMark(t *testing.T) {
	l := newLooked(t, map[string]string{"bom.md": "\ufeff# Marked\n\nBy an editor of Windows.\n", "bomfront.md": "\ufeff---\ntags: [a]\n---\n# Marked\n"}, nil)
	for path, html := range map[string]string{"bom": "<h2 data-line=\"1\">Marked</h2>\n<p data-line=\"3\">By an editor of Windows.</p>\n", "bomfront": "<h2 data-line=\"4\">Marked</h2>\n"} {
		var marked httpapi.NotePage
		if code := l.ask("all", "GET", "/v1/pages/"+path+".md", &marked); code != http.StatusOK || marked.HTML != html || strings.Contains(marked.Front, "\ufeff") {
			t.Errorf("%s: %d, %q, %q", path, code, marked.Front, marked.HTML)
		}
	}
}

func TestDays(t *testing.T) {
	l := newLooked(t, lookNotes, nil)
	var got httpapi.Days
	if code := l.ask("all", "GET", "/v1/days?from=2026-02-01&to=2026-03-31", &got); code != http.StatusOK {
		t.Fatal(code)
	}
	var told []string
	for _, d := range got.Days {
		line := fmt.Sprintf("%s %v %d", d.Day, d.Logs, d.Left)
		for _, e := range d.Remembered {
			line += " +" + e.ID
		}
		for _, e := range d.Corrected {
			line += " -" + e.ID
		}
		told = append(told, line)
	}
	if diff := cmp.Diff([]string{"2026-02-01 [] 0 +p2", "2026-03-02 [memory/2026-03-02.md] 0 + +o1 +p1 -p2"}, told); diff != "" {
		t.Error(diff)
	}
	for _, query := range []string{"", "?from=2026-02-01", "?from=2026-02-30&to=2026-03-01", "?from=2026-03-02&to=2026-03-01", "?from=2026-01-01&to=2026-12-31", "?from=0001-01-01&to=9999-12-31"} {
		if code := l.ask("all", "GET", "/v1/days"+query, nil); code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, code)
		}
	}
}

func TestPicture(t *testing.T) {
	l := newLooked(t, lookNotes, nil)
	var got, again httpapi.Picture
	if code := l.ask("all", "GET", "/v1/picture", &got); code != http.StatusOK {
		t.Fatal(code)
	}
	if diff := cmp.Diff([]httpapi.PictureMonth{{Month: "2026-02", Types: map[string]int{"preference": 1}}, {Month: "2026-03", Types: map[string]int{"journal": 2, "preference": 1}}}, got.Months); diff != "" {
		t.Error(diff)
	}
	if len(got.Points) != len(lookNotes) || got.Sample < len(lookNotes) {
		t.Errorf("%d points of %d passages", len(got.Points), got.Sample)
	}
	for _, p := range got.Points {
		if math.IsNaN(p.X) || math.Abs(p.X) > 1 || math.Abs(p.Y) > 1 {
			t.Errorf("%+v", p)
		}
	}
	if l.ask("all", "GET", "/v1/picture", &again); !cmp.Equal(got, again) {
		t.Error("another picture of the same notes")
	}
	var none httpapi.Picture
	if code := newLooked(t, nil, nil).ask("all", "GET", "/v1/picture", &none); code != http.StatusOK || none.Points == nil || none.Months == nil {
		t.Errorf("%d, %+v", code, none)
	}
}

func TestSyncAndSecrets(t *testing.T) {
	l := newLooked(t, map[string]string{"a.md": "The mail password is hunter2-Fjord!88\n", "b.md": "a\x00b"}, nil)
	var index wire.Index
	if code := l.ask("all", "POST", "/v1/sync", &index); code != http.StatusOK || index.Documents != 1 || len(index.Skipped) != 1 || index.Skipped[0].Path != "b.md" {
		t.Errorf("%d, %+v", code, index)
	}
	var found wire.Findings
	if code := l.ask("all", "GET", "/v1/secrets", &found); code != http.StatusOK || len(found.Findings) != 1 || strings.Contains(found.Findings[0].Preview, "hunter2") {
		t.Errorf("%d, %+v", code, found)
	}
}

// told tells of one session.
type told struct{}

func (told) Given(context.Context) ([]httpapi.Given, error) {
	return []httpapi.Given{{Agent: "codex", Session: "s", Times: []httpapi.GivenTime{}}}, nil
}

func (told) Sessions(_ context.Context, limit int) ([]wire.Session, error) {
	if limit == 7 {
		return nil, fmt.Errorf("they are off: %w", memoir.ErrUnavailable)
	}
	return []wire.Session{{ID: "s", Turns: limit}}, nil
}

func (told) Session(_ context.Context, id string) (wire.Turns, error) {
	if id == "off" {
		return wire.Turns{}, memoir.WithHint(fmt.Errorf("they are off: %w", memoir.ErrUnavailable), "turn them on")
	}
	if id != "sessions/codex/a b.jsonl" {
		return wire.Turns{}, fmt.Errorf("%s: %w", id, memoir.ErrNotFound)
	}
	return wire.Turns{ID: "s", Turns: []wire.Turn{}}, nil
}

func TestAgents(t *testing.T) {
	l := newLooked(t, nil, told{})
	var given httpapi.GivenList
	if code := l.ask("all", "GET", "/v1/given", &given); code != http.StatusOK || len(given.Sessions) != 1 {
		t.Errorf("%d, %+v", code, given)
	}
	for query, want := range map[string]httpapi.SessionList{"": {Enabled: true, Sessions: []wire.Session{{ID: "s", Turns: 30}}}, "?limit=7": {Sessions: []wire.Session{}}} {
		var got httpapi.SessionList
		if l.ask("all", "GET", "/v1/sessions"+query, &got); !cmp.Equal(got, want) {
			t.Errorf("%q: %+v", query, got)
		}
	}
	if code := l.ask("all", "GET", "/v1/sessions?limit=0", nil); code != http.StatusBadRequest {
		t.Error(code)
	}
	var turns wire.Turns
	if code := l.ask("all", "GET", "/v1/sessions/sessions/codex/a%20b.jsonl", &turns); code != http.StatusOK || turns.ID != "s" {
		t.Errorf("%d, %+v", code, turns)
	}
	if code := l.ask("all", "GET", "/v1/sessions/x", nil); code != http.StatusNotFound {
		t.Error(code)
	}
	var off httpapi.Problem // to try again in a moment, as 503 has it, would not help
	if code := l.ask("all", "GET", "/v1/sessions/off", &off); code != http.StatusNotFound || off.Code != "not-found" || off.Error.Action != "turn them on" {
		t.Errorf("%d, %+v", code, off)
	}
	none := newLooked(t, nil, nil)
	if code := none.ask("all", "GET", "/v1/sessions/x", nil); code != http.StatusNotFound {
		t.Error(code)
	}
	if code := none.ask("all", "GET", "/v1/given", &given); code != http.StatusOK || len(given.Sessions) != 0 {
		t.Errorf("%d, %+v", code, given)
	}
}

// What shows private things needs a token that may see them.
func TestLooksArePrivate(t *testing.T) {
	l := newLooked(t, lookNotes, told{})
	for _, path := range []string{"GET /v1/days?from=2026-03-01&to=2026-03-02", "GET /v1/picture", "POST /v1/sync", "GET /v1/secrets", "GET /v1/given", "GET /v1/sessions", "GET /v1/sessions/s"} {
		method, path, _ := strings.Cut(path, " ")
		if code := l.ask("read", method, path, nil); code != http.StatusForbidden {
			t.Errorf("%s: %d", path, code)
		}
		if code := l.ask("wrong", method, path, nil); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, code)
		}
	}
}
