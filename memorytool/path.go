package memorytool

import (
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/layout"
)

// root begins every path of a model.
const root = "/memories"

// locate returns a path of a model relative to the folder. It refuses a path that could
// lead elsewhere on some system. A path such as /memoriesa counts as a, as in the
// reference.
func locate(asked string) (string, error) {
	below, ok := strings.CutPrefix(asked, root)
	if !ok {
		return "", failf("Path must start with %s, got: %s", root, asked)
	}
	below = strings.TrimPrefix(below, "/")
	lower := strings.ToLower(below)
	if strings.ContainsAny(below, "\\\x00") || strings.Contains(lower, "%2e") || strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") || strings.Contains(lower, "%00") {
		return "", failf("Path %s would escape %s directory", asked, root)
	}
	if len(below) > maxPath {
		return "", failf("Path %.60s… is longer than %d bytes", asked, maxPath)
	}
	for segment := range strings.SplitSeq(below, "/") {
		switch {
		case segment == "..":
			return "", failf("Path %s would escape %s directory", asked, root)
		case segment != "" && segment != "." && !portable(segment):
			return "", failf("Path %s holds a name that not every system can have: %q", asked, segment)
		}
	}
	at := path.Clean(strings.TrimLeft(below, "/"))
	if !fs.ValidPath(at) {
		return "", failf("Path %s is not valid", asked)
	}
	return at, nil
}

// The longest path, and the longest name in a path, in bytes.
const (
	maxPath = 1000
	maxName = 255
)

// portable reports whether a file can have the name on every system.
func portable(name string) bool {
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsAny(name, `<>:"|?*`) || strings.ContainsFunc(name, unicode.IsControl) {
		return false
	}
	return layout.Reserved(name) == ""
}
