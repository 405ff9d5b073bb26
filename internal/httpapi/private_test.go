package httpapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
