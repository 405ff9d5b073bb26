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

// TestNoOracle: a token without the permission private gets the same answer, to the letter,
// whether a private note exists or not.
func TestNoOracle(t *testing.T) {
	answers := func(there bool, path, text string) (all []string) {
		s := start(t, func(o *httpapi.Options) {
			o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
				return "writer", []httpapi.Permission{httpapi.MayRead, httpapi.MayWrite}, d == httpapi.DigestOf("writer")
			}}
		})
		for file, text := range map[string]string{"MEMORY.md": "", path: text, "memory/links.md": "# Links\n\n- [one](" + filepath.Base(path) + ") [[" + strings.TrimSuffix(filepath.Base(path), ".md") + "]] [two](../" + path + ")\n"} {
			if file = filepath.Join(s.dir, filepath.FromSlash(file)); text == "" || !there && strings.HasSuffix(file, path) {
				_ = os.Remove(file)
			} else if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.engine.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		same := regexp.MustCompile(`"(requestId|tookMs|revision|modified|id)":\s*("[^"]*"|[0-9.]+)`)
		note := "/v1/notes/" + path
		for _, c := range [][]string{
			{"GET", note, ""}, {"HEAD", note, ""}, {"GET", note + "?from=1&to=2", ""}, {"GET", note + "?from=0", ""}, {"GET", note, "", "If-None-Match", "*"}, {"GET", "/v1/pages/" + path, ""},
			{"DELETE", note, ""}, {"DELETE", note, "", "If-Match", "*"}, {"DELETE", note, "", "If-Match", `"x"`}, {"DELETE", note, "", "If-None-Match", "*"},
			{"PUT", note, `{"text":"x"}`}, {"PUT", note, `{"text":"x"}`, "If-Match", "*"}, {"PUT", note, `{"text":"x"}`, "If-Match", `"x"`}, {"PUT", note, `{"text":`, "If-Match", "*"},
			{"PUT", note, "{\"text\":\"\x00\xff\"}", "If-Match", "*"}, {"POST", note, "{}"}, {"PATCH", note, "{}"},
			{"GET", "/v1/pages/memory/links.md", ""}, {"GET", "/v1/notes?prefix=" + path, ""},
			{"POST", "/v1/why", `{"query":"links","path":"` + path + `"}`}, {"POST", "/v1/why", `{"query":"links","path":"` + path + `","line":3}`},
			{"POST", "/v1/search", `{"query":"zebra path:` + path + `"}`}, {"POST", "/v1/search", `{"query":"zebra","path":"` + path + `"}`}, {"POST", "/v1/search", `{"query":"` + path + `"}`},
			{"POST", "/v1/remember", `{"text":"The boat is blue","replaces":"` + path + `#L1"}`}, {"POST", "/v1/remember", `{"text":"The boat is blue","replaces":"` + path + `#L1~0d1f206b"}`},
			{"PUT", note, `{"text":"x"}`, "If-None-Match", "*"},
		} {
			got := s.ask(c[0], c[1], c[2], append([]string{"Authorization", "Bearer writer"}, c[3:]...)...)
			tag := got.header.Get("ETag")
			all = append(all, fmt.Sprint(c, got.status, tag, same.ReplaceAllString(got.body, "")))
		}
		if got := s.ask("GET", note, "", "Authorization", "Bearer secret"); there == (got.status == http.StatusNotFound) {
			t.Errorf("%s: the owner gets %d %s", path, got.status, got.body)
		}
		return all
	}
	for path, text := range map[string]string{
		"USER.md": "# User\n\n- zebra\n", "memory.md": "- zebra\n", "User.md": "- zebra\n", "memory/zebra.md": "# Private\n\n- zebra\n", "memory/broken.md": "---\nprivate: true\n---\n\xff zebra\n",
	} {
		if diff := cmp.Diff(answers(false, path, text), answers(true, path, text)); diff != "" {
			t.Errorf("%s (-not there +there):\n%s", path, diff)
		}
	}
}

// TestNoCounts: no figure that a token without the permission private gets depends on private
// notes; the owner gets them all.
func TestNoCounts(t *testing.T) {
	answers := func(hidden string) (theirs []string, mine string) {
		s := start(t, func(o *httpapi.Options) {
			o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
				return "reader", []httpapi.Permission{httpapi.MayRead}, d == httpapi.DigestOf("reader")
			}}
		})
		if hidden != "" {
			if err := os.WriteFile(filepath.Join(s.dir, "memory", "hidden.md"), []byte(hidden), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.engine.Sync(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"/v1/status", "/metrics"} {
			got := s.ask("GET", path, "", "Authorization", "Bearer reader")
			memoirs := regexp.MustCompile(`(?m)^(# |go_|memoir_http_).*\n`).ReplaceAllString(got.body, "")
			theirs = append(theirs, fmt.Sprint(got.status, memoirs))
			mine += s.ask("GET", path, "", "Authorization", "Bearer secret").body
		}
		return theirs, mine
	}
	with, mine := answers("# Private\n\n- zebra\n\n# Two\n\n- crane\n")
	without, _ := answers("")
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("a reader learns of a note (-without +with):\n%s", diff)
	}
	if !strings.HasPrefix(with[0], "200") || !strings.HasPrefix(with[1], "200") || !strings.Contains(mine, `"documents":5`) || !strings.Contains(mine, "memoir_documents 5\n") {
		t.Errorf("%q\nthe owner: %s", with, mine)
	}
}
