package page_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/page"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", http.NoBody)
	r.URL.Path = path
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	page.Handler(page.Options{Version: `1"><script>`, ReadOnly: true}).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	var b strings.Builder
	if err := res.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), "\r\n\r\n")
	return text
}

// files are the parts of the page in the checkout.
func files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS("static"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, err := os.ReadFile("static/" + path)
			all[path] = string(data)
			return err
		}
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

func TestShell(t *testing.T) {
	res := get(t, "/")
	text := body(t, res)
	h := res.Header
	if res.StatusCode != http.StatusOK || h.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'self'") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d, %v", res.StatusCode, h)
	}
	if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "data:") || strings.Contains(csp, "*") {
		t.Errorf("the policy allows too much: %s", csp)
	}
	for _, bad := range []string{"<script>", "style=", "http:", "https:", " onclick", "javascript:"} {
		if strings.Contains(text, bad) {
			t.Errorf("the shell has %q", bad)
		}
	}
	if !strings.Contains(text, "data-read-only") || strings.Contains(text, `1"><script>`) {
		t.Error("the shell does not say what it is told, or says more")
	}
}

func TestLanguage(t *testing.T) {
	for accept, want := range map[string]string{"": "en", "zh-CN,zh;q=0.9,en;q=0.8": "zh", "zh": "zh", "de,en;q=0.5": "en", "fr, zh-Hant-TW;q=0.3": "zh", "en;q=0.2, zh": "zh", "zh;q=0.2, en;q=0.4": "en", "zhu": "en", ";;,,\x00": "en"} {
		if text := body(t, get(t, "/", "Accept-Language", accept)); !strings.Contains(text, `<html lang="`+want+`"`) {
			t.Errorf("Accept-Language %q does not give %s", accept, want)
		}
	}
}

func TestETag(t *testing.T) {
	for _, path := range []string{"/", "/assets/app.js", "/assets/style.css"} {
		res := get(t, path)
		tag := res.Header.Get("ETag")
		if tag == "" || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", path, res.Header)
		}
		for _, known := range []string{tag, "W/" + tag, `"x", ` + tag} {
			if again := get(t, path, "If-None-Match", known); again.StatusCode != http.StatusNotModified || body(t, again) != "" {
				t.Errorf("%s with If-None-Match %s: %d", path, known, again.StatusCode)
			}
		}
		if other := get(t, path, "If-None-Match", `"x"`); other.StatusCode != http.StatusOK {
			t.Errorf("%s of another tag: %d", path, other.StatusCode)
		}
	}
	if get(t, "/", "Accept-Language", "zh").Header.Get("ETag") == get(t, "/").Header.Get("ETag") {
		t.Error("two languages have one tag")
	}
}

// TestPaths: a path that does not exist is not served, and no folder is listed.
func TestPaths(t *testing.T) {
	for _, path := range []string{"/assets", "/assets/", "/static/app.js", "/shell.html", "/page.go", "/assets/../page.go", "/assets/..%2fpage.go", "/assets//app.js", "/assets/app.js/", "/assets/APP.JS", "/assets/app.js\x00", `/assets\app.js`, "/assets/.", "/favicon.ico", "//", "/index.html"} {
		if res := get(t, path); res.StatusCode != http.StatusNotFound || strings.Contains(body(t, res), "app.js") {
			t.Errorf("%q: %d", path, res.StatusCode)
		}
	}
	for name, text := range files(t) {
		if res := get(t, "/assets/"+name); res.StatusCode != http.StatusOK || body(t, res) != text || !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'self'") {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		w := httptest.NewRecorder()
		page.Handler(page.Options{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	w := httptest.NewRecorder()
	page.Handler(page.Options{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "HEAD", "/", http.NoBody))
	if w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d, %d bytes", w.Code, w.Body.Len())
	}
}

// most is how large the page may be, in bytes.
const most = 152_000

// TestFiles: the page is small, asks nobody else, and runs no text as code or markup.
func TestFiles(t *testing.T) {
	shell, err := os.ReadFile("shell.html")
	if err != nil {
		t.Fatal(err)
	}
	size := len(shell)
	for name, text := range files(t) {
		size += len(text)
		for _, bad := range []string{"innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write", "eval(", "new Function", "://", "@import", "url(", "sourceMappingURL", "setAttribute(\"style\"", "style:", "console."} {
			if bad == "://" && (name == "icon.svg" || name == "dom.js") || bad == "style:" && name == "style.css" {
				continue // names of XML namespaces and of properties
			}
			if strings.Contains(text, bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
	}
	t.Logf("%d bytes", size)
	if size > most {
		t.Errorf("the page has %d bytes, and may have %d", size, most)
	}
}

// TestSignals: whatever may be a part of a score has a word in the dictionaries.
func TestSignals(t *testing.T) {
	source, err := os.ReadFile("../../explain/explain.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\tSignal\w+ += "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(names) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range names {
		if !strings.Contains(files(t)["en.js"], `"part.`+name[1]+`":`) {
			t.Errorf("there is no word for %s", name[1])
		}
	}
}

// TestDictionaries: both dictionaries have the same words, and every word that the page
// asks for.
func TestDictionaries(t *testing.T) {
	all := files(t)
	entry := regexp.MustCompile(`(?m)^  "([^"]+)": "(.*)",$`)
	words := func(name string) map[string]string {
		m := map[string]string{}
		for _, e := range entry.FindAllStringSubmatch(all[name], -1) {
			if m[e[1]] != "" {
				t.Errorf("%s has %q twice", name, e[1])
			}
			m[e[1]] = e[2]
		}
		return m
	}
	en, zh := words("en.js"), words("zh.js")
	if len(en) < 200 {
		t.Fatalf("%d words", len(en))
	}
	holes := regexp.MustCompile(`\{\d\}`)
	for key, text := range en {
		if zh[key] == "" {
			t.Errorf("zh.js lacks %q", key)
		}
		for _, hole := range holes.FindAllString(zh[key], -1) {
			if !strings.Contains(text, hole) {
				t.Errorf("%q has %s in Chinese alone", key, hole)
			}
		}
	}
	for key := range zh {
		if en[key] == "" {
			t.Errorf("en.js lacks %q", key)
		}
	}
	shell, _ := os.ReadFile("shell.html")
	all["shell.html"] = string(shell)
	uses := regexp.MustCompile(`\bt\("([^"]+)"[,)]|data-(?:t|label)="([^"]+)"`)
	asked := map[string]bool{}
	for name, text := range all {
		for _, u := range uses.FindAllStringSubmatch(text, -1) {
			key := u[1] + u[2]
			asked[key] = true
			if en[key] == "" {
				t.Errorf("%s asks for %q, which no dictionary has", name, key)
			}
		}
	}
	var unasked []string
	for key := range en {
		if !asked[key] && !slices.ContainsFunc(slices.Collect(func(yield func(string) bool) {
			for name, text := range all {
				if name != "en.js" && name != "zh.js" && !yield(text) {
					return
				}
			}
		}), func(text string) bool {
			group, _, _ := strings.Cut(key, ".")
			return strings.Contains(text, `"`+key+`"`) || strings.Contains(text, `word("`+group+`"`) || strings.Contains(text, `"`+group+`." +`) || strings.Contains(text, `t("`+key[:strings.LastIndex(key, ".")+1]+`" +`)
		}) {
			unasked = append(unasked, key)
		}
	}
	if len(unasked) > 0 {
		t.Errorf("nobody asks for %q", unasked)
	}
}

// TestModulesInOneDirection: no module of the page imports itself by way of others.
func TestModulesInOneDirection(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("static", "*.js"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d modules: %v", len(files), err)
	}
	imported := regexp.MustCompile(`(?:from|import\() ?"\./([a-z0-9]+\.js)"`)
	imports := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
			imports[filepath.Base(file)] = append(imports[filepath.Base(file)], m[1])
		}
	}
	done := map[string]bool{}
	var walk func(module string, way []string)
	walk = func(module string, way []string) {
		if slices.Contains(way, module) {
			t.Errorf("%s imports itself: %s", module, strings.Join(append(way, module), " > "))
			return
		}
		if done[module] {
			return
		}
		for _, next := range imports[module] {
			walk(next, append(slices.Clone(way), module))
		}
		done[module] = true
	}
	walk("app.js", nil)
	if len(done) < 10 {
		t.Errorf("app.js leads to %d modules, which cannot be all", len(done))
	}
}
