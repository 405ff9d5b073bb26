// Package page is what people see of memoir in a browser: a shell, with modules, a style
// sheet and dictionaries that are served as they are written. The page gets all its data
// from the API, and loads nothing from anywhere else.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/memoir-ai/memoir/internal/wording"
)

//go:embed shell.html static
var files embed.FS

// Options say what the page is told.
type Options struct {
	Version  string // of memoir
	ReadOnly bool   // the page offers no way to change notes
	// Spaces are the workspaces to choose from. With one or none there is no choice.
	Spaces []Space
}

// A Space is a workspace that is served.
type Space struct {
	Name string `json:"name"`
	Path string `json:"path"` // the path below which its page is; begins and ends with /
}

// policy lets the page load its own parts only, and never run text as code.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types memoir"

// asset is a file as it is served.
type asset struct {
	body        []byte
	etag        string
	contentType string
}

// types are the media types of the files. They do not depend on the settings of the
// machine.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8",
}

// Handler serves the shell at / and its parts below /assets/. Every other path is 404. It
// lists no folders.
func Handler(opts Options) http.Handler {
	assets := map[string]asset{}
	for _, name := range names() {
		body, err := files.ReadFile("static/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		assets["/assets/"+name] = newAsset(body, path.Ext(name))
	}
	shell, err := files.ReadFile("shell.html")
	if err != nil {
		panic(err) // it is embedded
	}
	shells := map[string]asset{}
	for _, lang := range languages {
		shells[lang] = newAsset([]byte(filled(string(shell), opts, lang)), ".html")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
			return
		}
		a, ok := assets[r.URL.Path]
		if r.URL.Path == "/" {
			w.Header().Set("Vary", "Accept-Language")
			a, ok = shells[language(r.Header.Values("Accept-Language"))], true
		}
		if !ok {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		a.serve(w, r)
	})
}

// filled returns the shell with the options in its attributes. A template library would
// do the same, but would make the program 2.5 MB larger: with one, the linker keeps every
// method that could be called by name.
func filled(shell string, opts Options, lang string) string {
	readOnly := ""
	if opts.ReadOnly {
		readOnly = " data-read-only"
	}
	spaces := ""
	if len(opts.Spaces) > 1 {
		data, err := json.Marshal(opts.Spaces)
		if err != nil {
			panic(err) // strings always encode
		}
		spaces = ` data-spaces="` + html.EscapeString(string(data)) + `"`
	}
	return strings.NewReplacer("{{spaces}}", spaces, "{{lang}}", html.EscapeString(lang), "{{version}}", html.EscapeString(opts.Version), "{{read-only}}", readOnly).Replace(shell)
}

// names are the names of the page's files.
func names() (names []string) {
	list, err := fs.ReadDir(files, "static")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

func newAsset(body []byte, ext string) asset {
	sum := sha256.Sum256(body)
	return asset{body, `"` + hex.EncodeToString(sum[:12]) + `"`, types[ext]}
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.etag)
	for one := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == a.etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", a.contentType)
	if r.Method == http.MethodGet {
		_, _ = w.Write(a.body) // an error means that the client has gone
	}
}

// languages are the languages of the page. The first one is for readers of none of them.
var languages = []string{"en", "zh"}

// language returns the language of the page that is asked for, as the API says sentences.
func language(accept []string) string {
	if wording.Accepted(strings.Join(accept, ", ")).English() {
		return languages[0]
	}
	return languages[1]
}
