package cli

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
)

// linked returns the style of the output with links to the notes in the form that the
// setting terminal.links says, where it has colours and the terminal is not known to show
// them as text. file returns where a note's file is, or an error for what is none on this
// machine, which is no link then.
func (s *session) linked(file func(memoir.Scope, memoir.DocID) (string, error)) style {
	st := s.style()
	if st.reset == "" || s.links == config.LinksNone || !takesLinks(os.Getenv("TERM"), os.Getenv("VTE_VERSION")) {
		return st
	}
	host := ""
	if runtime.GOOS != "windows" { // where a host means a share of another machine
		host, _ = os.Hostname()
	}
	known := map[string]string{}
	st.address = func(scope memoir.Scope, doc memoir.DocID, line int) string {
		name := scope.Name(doc)
		path, ok := known[name]
		if !ok {
			path, _ = file(scope, doc) // "" is no link
			known[name] = path
		}
		if path == "" {
			return ""
		}
		return address(s.links, host, path, line)
	}
	return st
}

// takesLinks reports whether a terminal is not known to write links out, as the console of
// Linux, GNU screen and VTE before 0.50 do. TERM is screen in tmux, too.
func takesLinks(name, vte string) bool {
	version, err := strconv.Atoi(cmp.Or(vte, "5000"))
	return name != "linux" && !strings.HasPrefix(name, "screen") && err == nil && version >= 5000
}

// address returns the address of a line of a file in the form of the setting
// terminal.links. It has nothing but printable characters of ASCII
// (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
func address(form, host, path string, line int) string {
	if form == config.LinksFile {
		form = "file://{host}{path}"
	}
	path = filepath.ToSlash(path)
	if share, ok := strings.CutPrefix(path, "//"); ok && runtime.GOOS == "windows" {
		host, path, _ = strings.Cut(share, "/")
	}
	if !strings.HasPrefix(path, "/") { // a drive
		path = "/" + path
	}
	return strings.NewReplacer(
		"{host}", url.PathEscape(host), "{path}", (&url.URL{Path: path}).EscapedPath(), "{line}", strconv.Itoa(max(line, 1)),
	).Replace(form)
}

// The sequences of a link: its address stands between the first two.
const linkBegins, linkText, linkEnds = "\x1b]8;;", "\x1b\\", "\x1b]8;;\x1b\\"

// place writes where a passage of a note stands, from a line on, which leads there where
// there are links. shown may have escape sequences of a style.
func (s style) place(scope memoir.Scope, doc memoir.DocID, line int, shown string) string {
	if s.address != nil {
		if address := s.address(scope, doc, line); address != "" {
			return linkBegins + address + linkText + shown + linkEnds
		}
	}
	return shown
}

// entry writes where an entry stands, in an escape sequence.
func (s style) entry(sequence string, scope memoir.Scope, path string, from, to int) string {
	return s.place(scope, memoir.DocID(path), from, s.wrapped(sequence, placeText(scope, path, from, to)))
}
