package httpapi_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// two are two memories with a status.
type two struct{ *engine.Joined }

func (two) Status(context.Context) (wire.Status, error) { return wire.Status{}, nil }

// Of two memories the private notes of both are kept from who may not see them, by
// whatever name, and the others are read and written under the names of answers.
func TestTwoMemories(t *testing.T) {
	open := func(files map[string]string) *engine.Engine {
		dir := t.TempDir()
		for name, text := range files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		source, err := mdfile.Open(dir, mdfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		if _, err := e.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return e
	}
	user := open(map[string]string{"MEMORY.md": "- the alarm code\n", "USER.md": "- Ann, alarm\n", "memory/a.md": "an alarm clock\n", "memory/p.md": "- alarm spiders <!-- private: true -->\n"})
	project := open(map[string]string{"MEMORY.md": "- the alarm of the project\n", "zebra.md": "a striped alarm\n"})
	j, err := engine.Join(user, project)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	s := start(t, func(o *httpapi.Options) {
		o.Memory = two{j}
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
		}}
	})
	reader, owner := []string{"Authorization", "Bearer reader"}, []string{"Authorization", "Bearer secret"}
	for _, name := range []string{"MEMORY.md", "user:MEMORY.md", "user:USER.md", "USER.md", "user:memory.md", "project:MEMORY.md", "user:memory/p.md", "memory/p.md", "user:user:USER.md"} {
		for _, lines := range []string{"", "?from=1", "?from=1&to=1"} {
			if got := s.ask("GET", "/v1/notes/"+url.PathEscape(name)+lines, "", reader...); got.status != http.StatusNotFound || strings.Contains(got.body, "alarm") {
				t.Errorf("%s%s: a reader is shown %d %s", name, lines, got.status, got.body)
			}
		}
	}
	got := s.ask("POST", "/v1/search", `{"query":"alarm","mode":"text"}`, reader...)
	if got.status != 200 || strings.Count(got.body, `"citation"`) != 2 || !strings.Contains(got.body, `"scope":"user","path":"memory/a.md"`) || !strings.Contains(got.body, `"scope":"project","path":"zebra.md"`) {
		t.Errorf("a search by a reader: %d %s", got.status, got.body)
	}
	var first, rest httpapi.List
	s.ask("GET", "/v1/notes?limit=2", "", owner...).into(t, &first)
	s.ask("GET", "/v1/notes?limit=9&after="+url.QueryEscape(first.Next), "", owner...).into(t, &rest)
	var names []string
	for _, n := range append(first.Notes, rest.Notes...) {
		names = append(names, n.Path)
		if got := s.ask("GET", "/v1/notes/"+url.PathEscape(n.Path), "", owner...); got.status != 200 {
			t.Errorf("%s is listed and not read: %d %s", n.Path, got.status, got.body)
		}
	}
	if got := strings.Join(names, " "); got != "MEMORY.md user:MEMORY.md user:USER.md user:memory/a.md user:memory/p.md zebra.md" {
		t.Errorf("listed: %s", got)
	}
	if got := s.ask("PUT", "/v1/notes/user:memory/new.md", `{"text":"new\n"}`, append(owner, "If-None-Match", "*")...); got.status != 200 && got.status != 201 {
		t.Errorf("saved: %d %s", got.status, got.body)
	}
	if text, err := user.Note("memory/new.md"); err != nil || text != "new\n" {
		t.Errorf("the user's note is %q, %v", text, err)
	}
}
