package httpapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
