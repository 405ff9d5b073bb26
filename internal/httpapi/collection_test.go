package httpapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// A document of a collection can be found and read by who may see what is private, and
// changed by nobody.
func TestCollections(t *testing.T) {
	dir, vault := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "MEMORY.md"): "- The pot is in the cellar.\n", filepath.Join(vault, "soup.md"): "The soup needs leeks.\n",
		filepath.Join(dir, "links.md"): "See [[soup]].\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := mdfile.OpenCollection("vault", vault, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{own, other}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	l := looked{t, httpapi.New(httpapi.Options{Memory: withStatus{e}, Guard: httpapi.Guard{Find: tokens(map[string][]httpapi.Permission{"all": httpapi.Permissions(), "read": {httpapi.MayRead}})}}), e}
	const path = "/v1/notes/collections/vault/soup.md"
	var note httpapi.Note
	if code := l.ask("all", "GET", path, &note); code != http.StatusOK || !strings.Contains(note.Text, "leeks") || note.ETag != "" {
		t.Errorf("got %d, %+v", code, note)
	}
	for token, asks := range map[string][][2]string{
		"read": {{"GET", path}, {"GET", path + "?from=1"}},
		"all":  {{"GET", "/v1/notes/collections/vault/none.md"}, {"GET", "/v1/notes/collections/vault/../soup.md"}, {"DELETE", path}},
	} {
		for _, ask := range asks {
			if code := l.ask(token, ask[0], ask[1], nil); code < 300 {
				t.Errorf("%s %s as %s: got %d", ask[0], ask[1], token, code)
			}
		}
	}
	var list httpapi.List
	if code := l.ask("all", "GET", "/v1/notes", &list); code != http.StatusOK || len(list.Notes) != 2 {
		t.Errorf("the notes: %d, %+v", code, list)
	}
	if code := l.ask("all", "GET", "/v1/notes?collections=true", &list); code != http.StatusOK || len(list.Notes) != 3 || !list.Notes[1].ReadOnly || list.Notes[0].ReadOnly {
		t.Errorf("with collections: %d, %+v", code, list)
	}
	if code := l.ask("read", "GET", "/v1/notes?collections=true", &list); code != http.StatusOK || strings.Contains(fmt.Sprint(list), "soup") {
		t.Errorf("a reader is shown %d, %+v", code, list)
	}
	var page httpapi.NotePage
	if code := l.ask("all", "GET", "/v1/pages/collections/vault/soup.md", &page); code != http.StatusOK || !strings.Contains(page.HTML, "leeks") || page.ETag != "" || len(page.Passages) == 0 {
		t.Errorf("the page: %d, %+v", code, page)
	}
	if code := l.ask("read", "GET", "/v1/pages/collections/vault/soup.md", nil); code < 300 {
		t.Errorf("a reader is shown the page: %d", code)
	}
	for token, links := range map[string]int{"all": 1, "read": 0} {
		var page httpapi.NotePage
		if code := l.ask(token, "GET", "/v1/pages/links.md", &page); code != http.StatusOK || len(page.Links) != links || strings.Contains(page.HTML, "vault") != (links > 0) {
			t.Errorf("links to a collection as %s: %d, %+v", token, code, page)
		}
	}
	if e.Owns("collections/vault/soup.md") || e.Owns("collections/vault/new.md") || !e.Owns("collections/other.md") {
		t.Error("a path of the collection can be written to")
	}
	if text, err := os.ReadFile(filepath.Join(vault, "soup.md")); err != nil || string(text) != "The soup needs leeks.\n" {
		t.Errorf("it holds %q, %v", text, err)
	}
}
