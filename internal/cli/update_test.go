package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/wire"
)

// releases is a page of releases as GitHub has it: /latest leads to where says.
func releases(t *testing.T, status int, to string, asked *[]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.String()+" "+r.UserAgent())
		if to != "" {
			w.Header().Set("Location", to)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The newest version is asked for once, where the settings say, and what is said
// of it is what the page says.
func TestUpdate(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		to     string
		latest string
		failed string
	}{
		"a release":              {status: 302, to: "/releases/tag/v3.4.5", latest: "v3.4.5"},
		"one on another machine": {status: 302, to: "https://elsewhere.example/memoir/releases/tag/v1.0.0-rc.1", latest: "v1.0.0-rc.1"},
		"none yet":               {status: 302, to: "/releases"},
		"no such page":           {status: 404},
		"a page of a proxy":      {status: 200, failed: "200 OK"},
		"an error":               {status: 503, failed: "503"},
		"no version":             {status: 302, to: "/releases/tag/nightly", failed: `"nightly"`},
		"a trap":                 {status: 302, to: "/releases/tag/v1.0.0%1b%5b31m", failed: "is no version"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			t.Setenv("MEMOIR_UPDATE_BASE_URL", releases(t, tt.status, tt.to, &asked)+"/releases/")
			var out, errs bytes.Buffer
			code := cli.Run(t.Context(), []string{"update", "--check", "--json"}, cli.Options{Stdout: &out, Stderr: &errs})
			if want := []string{"GET /releases/latest memoir"}; !slices.Equal(asked, want) {
				t.Errorf("the page was asked %q, want %q", asked, want)
			}
			if tt.failed != "" {
				if code != 1 || !strings.Contains(out.String(), strings.ReplaceAll(tt.failed, `"`, `\"`)) {
					t.Errorf("got code %d and %s, want 1 and %s", code, &out, tt.failed)
				}
				return
			}
			var got wire.UpdateAnswer
			if err := json.Unmarshal(out.Bytes(), &got); code != 0 || err != nil {
				t.Fatalf("code %d, %v: %s%s", code, err, &out, &errs)
			}
			// A test has no version, and every release is newer than that.
			if got.Latest != tt.latest || got.Newer != (tt.latest != "") || !strings.HasSuffix(got.Page, "/releases"+map[bool]string{true: "/tag/" + tt.latest}[tt.latest != ""]) {
				t.Errorf("got %+v, want %q", got, tt.latest)
			}
		})
	}
}

// The password of the address is sent, and never shown.
func TestUpdateWithPassword(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var asked []string
	for name, page := range map[string]string{
		"a release":       releases(t, 302, "/releases/tag/v3.4.5", &asked),
		"an error":        releases(t, 503, "", &asked),
		"nobody is there": gone.URL,
	} {
		t.Setenv("MEMOIR_UPDATE_BASE_URL", strings.Replace(page, "://", "://user:pa55@", 1)+"/releases")
		for _, args := range [][]string{{"update", "--check"}, {"update", "--check", "--json"}} {
			var out, errs bytes.Buffer
			cli.Run(t.Context(), args, cli.Options{Stdout: &out, Stderr: &errs})
			if said := out.String() + errs.String(); strings.Contains(said, "pa55") || !strings.Contains(said, page) {
				t.Errorf("%s, %s: got %s", name, args, said)
			}
		}
	}
}

// Without --check nobody is asked.
func TestUpdateWithoutCheck(t *testing.T) {
	var asked []string
	t.Setenv("MEMOIR_UPDATE_BASE_URL", releases(t, 302, "/releases/tag/v3.4.5", &asked))
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), []string{"update"}, cli.Options{Stdout: &out, Stderr: &errs}); code != 2 || len(asked) > 0 {
		t.Errorf("got code %d and %q, want 2 and no request\n%s", code, asked, &errs)
	}
}

func TestCompareVersions(t *testing.T) {
	// As https://semver.org has them, with what Go calls commits without a tag.
	order := []string{"", "v0.0.0-20261123152507-dc9202b00000", "v0.1.0", "v0.9.0", "v0.10.0", "v1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-alpha.beta", "v1.0.0-beta",
		"v1.0.0-beta.2", "v1.0.0-beta.11", "v1.0.0-rc.1", "v1.0.0", "v1.0.1-0.20261123152507-dc9202b00000", "v2.0.0"}
	for i, a := range order {
		for j, b := range order {
			got := cli.CompareVersions(a, b)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: got %d", a, b, got)
			}
		}
	}
	if got := cli.CompareVersions("v1.2.3+linux", "v1.2.3"); got != 0 {
		t.Errorf("what was built how is no other version: got %d", got)
	}
}

// TestUpdateUnreached: nobody reads what a network library says of an address where nothing
// answers.
func TestUpdateUnreached(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for language, want := range map[string]string{
		"C":           "memoir: ask which version is the newest: " + host + " cannot be reached: ",
		"zh_CN.UTF-8": "memoir: 查看最新版本：连不上 " + host + "：",
	} {
		t.Setenv("MEMOIR_UPDATE_BASE_URL", server.URL+"/releases/")
		t.Setenv("LC_ALL", language)
		var out, errs bytes.Buffer
		if code := cli.Run(t.Context(), []string{"update", "--check"}, cli.Options{Stdout: &out, Stderr: &errs}); code != 1 || !strings.HasPrefix(errs.String(), want) || strings.Contains(errs.String(), "dial") || !strings.Contains(errs.String(), "HTTPS_PROXY") {
			t.Errorf("%s: got code %d and %s, want %s", language, code, &errs, want)
		}
	}
}
