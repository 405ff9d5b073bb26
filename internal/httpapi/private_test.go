package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestPrivateMarks: what is marked private in a form that YAML and Markdown allow is not
// there for a token without the permission, in searches, lists and by its path.
func TestPrivateMarks(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
		}}
	})
	marked := []string{
		"---\n{private: true, title: Ann}\n---\nzebra\n", "---\nprivate:\n  true\n---\nzebra\n", "+++\n\"private\" = true\n+++\nzebra\n",
		"---\nprivate: true\ntitle: [Ann\n---\nzebra\n", "# Private\n\n| who | code |\n|---|---|\n| zebra | 4711 |\n", "# 🔒 **Private**:\n\n```\nzebra\n```\n",
		"| who | code |\n|---|---|\n| zebra | 4711 | <!-- private: true -->\n", "- zebra <!-- id: x\n private: true -->\n",
		"## Ｐｒｉｖａｔｅ\n\n- zebra\n", "<h2>&#80;rivate</h2>\n\nzebra\n",
	}
	for i, text := range append(marked, "- zebra in the open\n") {
		if err := os.WriteFile(filepath.Join(s.dir, "memory", fmt.Sprintf("zebra%d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(token, method, path, body string) reply {
		return s.ask(method, path, body, "Authorization", "Bearer "+token)
	}
	const search = `{"query":"zebra","mode":"text","limit":20}`
	for i := range marked {
		path := fmt.Sprintf("memory/zebra%d.md", i)
		if got := ask("secret", "POST", "/v1/search", search); !strings.Contains(got.body, path) {
			t.Errorf("the owner does not find %s: %s", path, got.body)
		}
		for _, got := range []reply{ask("reader", "POST", "/v1/search", search), ask("reader", "GET", "/v1/notes", "")} {
			if got.status != http.StatusOK || strings.Contains(got.body, path) || !strings.Contains(got.body, "zebra10.md") {
				t.Errorf("%q is shown to a reader: %d %s", marked[i], got.status, got.body)
			}
		}
		if got := ask("reader", "GET", "/v1/notes/"+path, ""); got.status != http.StatusNotFound {
			t.Errorf("%q is given to a reader: %d %s", marked[i], got.status, got.body)
		}
	}
}

// TestPrivateWordsScoreNothing: what a token without the permission is answered is the same
// whether or not something private holds the words of its question.
func TestPrivateWordsScoreNothing(t *testing.T) {
	answers := func(private string) (all []string, owner string) {
		s := start(t, func(o *httpapi.Options) {
			o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
				return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
			}}
		})
		for path, text := range map[string]string{
			"open.md": "- The boot disk runs debian bookworm.\n", "other.md": "- The order 93200 came on a friday with debian stickers.\n",
			"hidden.md": private,
		} {
			if err := os.WriteFile(filepath.Join(s.dir, "memory", path), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		took := regexp.MustCompile(`"[a-zA-Z]*(Ms|Seconds|took|revision)[a-zA-Z]*":\s*[0-9.]+`)
		for _, query := range []string{"debian 93200", "93200", "debian", "bookworm friday", "debian 77411", "who has debian stickers"} {
			for _, path := range []string{"/v1/search", "/v1/why"} {
				body := fmt.Sprintf(`{"query":%q,"mode":"text","explain":true}`, query)
				if path != "/v1/search" {
					body = fmt.Sprintf(`{"query":%q,"path":"memory/open.md"}`, query)
				}
				got := s.ask("POST", path, body, "Authorization", "Bearer reader")
				if got.status != http.StatusOK {
					t.Errorf("%s: %d %s", path, got.status, got.body)
				}
				all = append(all, fmt.Sprint(query, path, got.status, took.ReplaceAllString(got.body, "")))
			}
		}
		return all, s.ask("POST", "/v1/search", `{"query":"debian 93200","mode":"text"}`, "Authorization", "Bearer secret").body
	}
	want, with := answers("# Private\n\n- The safe opens with 93200 and debian, bookworm and friday.\n")
	for _, other := range []string{"# Private\n\n- The safe opens with 77411 and stickers.\n", "# Private\n\n" + strings.Repeat("- nothing of it, a long way of saying it\n\n", 90)} {
		got, without := answers(other)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a reader learns what is hidden (-with +without):\n%s", diff)
		}
		if with == without {
			t.Error("the owner is answered the same with and without the words")
		}
	}
}

// TestPrivateNames: no request of a token without the permission private reaches MEMORY.md,
// USER.md or their conflict copies, in upper or lower case. Notes of these names in folders are
// ordinary, and so are names in NFD.
func TestPrivateNames(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "writer", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("writer")
		}}
	})
	if err := os.Remove(filepath.Join(s.dir, "MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	hidden := []string{"memory.md", "User.md", "MEMORY (conflicted copy 2026-03-02).md", "USER.sync-conflict-20260302-101112-ABCDEF7.md"}
	shown := []string{"memory/User.md", "memory/MEMORY.md", "users.md", "memory/re\u0301sume\u0301.md"}
	for i, path := range append(hidden, shown...) {
		if err := os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(path)), fmt.Appendf(nil, "- zebra %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(token, method, path, body string) reply {
		return s.ask(method, path, body, "Authorization", "Bearer "+token, "If-Match", `"x"`)
	}
	roads := func(token string) (all []reply) {
		for _, mode := range []string{"text", "hybrid"} {
			all = append(all, ask(token, "POST", "/v1/search", `{"query":"zebra","limit":50,"mode":"`+mode+`"}`))
		}
		return append(all, ask(token, "GET", "/v1/notes", ""), ask(token, "POST", "/v1/why", `{"query":"zebra","path":"users.md"}`))
	}
	for _, path := range hidden {
		for i, got := range roads("secret")[:3] {
			if !strings.Contains(got.body, `"`+path+`"`) {
				t.Errorf("the owner is not shown %s by road %d: %s", path, i, got.body)
			}
		}
		for i, got := range roads("writer") {
			if got.status != http.StatusOK || strings.Contains(got.body, `"`+path) {
				t.Errorf("%s is shown by road %d: %d %s", path, i, got.status, got.body)
			}
		}
		name := url.PathEscape(path)
		for _, got := range []reply{
			ask("writer", "GET", "/v1/notes/"+name, ""), ask("writer", "GET", "/v1/pages/"+name, ""), ask("writer", "PUT", "/v1/notes/"+name, `{"text":"x"}`),
			ask("writer", "DELETE", "/v1/notes/"+name, ""), ask("writer", "POST", "/v1/why", `{"query":"zebra","path":"`+path+`"}`),
		} {
			if got.status != http.StatusNotFound || strings.Contains(got.body, "zebra") {
				t.Errorf("%s: %d %s", path, got.status, got.body)
			}
		}
	}
	for _, path := range shown {
		path = norm.NFC.String(path)
		for i, got := range roads("writer")[:3] {
			if !strings.Contains(got.body, `"`+path+`"`) {
				t.Errorf("%s is not shown by road %d: %s", path, i, got.body)
			}
		}
	}
}

// behind is a memory whose index does not say yet what is private.
type behind struct{ memory }

func (b behind) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	q.Hidden = nil
	return b.memory.Search(ctx, q)
}

// TestPrivateAheadOfTheIndex: a private note that the index does not mark yet is hidden, too.
func TestPrivateAheadOfTheIndex(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Memory = behind{o.Memory.(memory)}
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
		}}
	})
	for query, path := range map[string]string{"alarm code": "MEMORY.md", "spiders": "preferences.md"} {
		for token, want := range map[string]bool{"secret": true, "reader": false} {
			got := s.ask("POST", "/v1/search", `{"query":"`+query+`","mode":"text"}`, "Authorization", "Bearer "+token)
			if got.status != http.StatusOK || strings.Contains(got.body, path) != want {
				t.Errorf("%q by %s: %d %s", query, token, got.status, got.body)
			}
		}
	}
}

// TestNoPinByOthers: a token without the permission private writes nothing into MEMORY.md, and
// the refusal says what to do.
func TestNoPinByOthers(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "writer", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("writer")
		}}
	})
	before := s.read("MEMORY.md")
	for _, dry := range []string{`,"dryRun":true`, ""} {
		got := s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron","pin":true`+dry+`}`, "Authorization", "Bearer writer")
		var p httpapi.Problem
		got.into(t, &p)
		if got.status != http.StatusForbidden || !strings.Contains(p.Error.Action, "pin") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if after := s.read("MEMORY.md"); after != before {
		t.Errorf("MEMORY.md became %q", after)
	}
	if got := s.ask("POST", "/v1/remember", `{"text":"The staging server is called heron","pin":true}`, "Authorization", "Bearer secret"); got.status != 200 || !strings.Contains(s.read("MEMORY.md"), "heron") {
		t.Errorf("the owner: %d %s", got.status, got.body)
	}
}
