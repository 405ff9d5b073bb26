package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Collection is a folder of Markdown beside the workspace, which is searched with it
// and never written to.
type Collection struct {
	Name    string // in paths: collections/NAME/…
	Path    string // absolute, once loaded
	Context string // what the folder holds, in one line; may be ""
	// Inside says that the folder is the workspace or lies within it, and so is
	// searched already.
	Inside bool
}

// The bounds of collections.
const (
	maxCollections = 32
	maxContext     = 200 // characters
)

func collectionKeys() []Key {
	return []Key{
		{Name: "collections", Default: "", Doc: "Folders of Markdown that are searched with the user's own notes and never written to: another vault, the documents of a team, what an agent notes for itself. Each is a table [[collections]] with name, path and, for people and agents, context: a line that says what is in it. Their notes are cited as collections/NAME/PATH. A relative path counts from the file that holds it. In a variable each is name=path or name=path|context.", yours: never,
			at: func(s *Settings) any { return &s.Collections }},
	}
}

// collections checks the folders. If the project's memory is another one than
// the user's, they belong to the user's, and so does what the user said in
// sessions, because others can read a project's notes.
func (l *loader) collections(at *Place) error {
	all := l.out.Collections
	if at.Scope == ScopeProject && at.Beside {
		l.out.Collections, l.out.Sessions.Archive = nil, false
		return nil
	}
	origin := l.out.Origin("collections")
	wrong := func(format string, args ...any) error {
		return &Error{Message: fmt.Sprintf("%s: collections: ", origin) + fmt.Sprintf(format, args...), Hint: "memoir config --docs"}
	}
	if len(all) > maxCollections {
		return wrong("%d folders are named; there may be %d", len(all), maxCollections)
	}
	names, paths := map[string]bool{}, map[string]string{}
	for i := range all {
		c := &all[i]
		switch folded := strings.ToLower(c.Name); {
		case !isName(c.Name, 64):
			return wrong("%q is no name; expected are letters, digits, - _ and . (64 at most)", c.Name)
		case names[folded]:
			return wrong("two are called %s", c.Name)
		case filepath.Dir(c.Path) == c.Path:
			return wrong("the path of %s is a whole disk; name the folder that holds the notes", c.Name)
		case paths[c.Path] != "":
			return wrong("%s and %s are the same folder", paths[c.Path], c.Name)
		case utf8.RuneCountInString(c.Context) > maxContext || strings.ContainsFunc(c.Context, unicode.IsControl):
			return wrong("the context of %s is not one line of at most %d characters", c.Name, maxContext)
		default:
			names[folded], paths[c.Path] = true, c.Name
		}
		c.Inside = Within(c.Path, l.out.Workspace)
	}
	return nil
}

// assignCollections takes a value that TOML has decoded. It returns false if
// that is something else.
func assignCollections(f *[]Collection, list []any) bool {
	out := make([]Collection, 0, len(list))
	for _, v := range list {
		table, ok := v.(map[string]any)
		if !ok {
			return false
		}
		var c Collection
		for name, value := range table {
			text, ok := value.(string)
			switch {
			case !ok:
				return false
			case name == "name":
				c.Name = text
			case name == "path":
				c.Path = text
			case name == "context":
				c.Context = text
			default:
				return false
			}
		}
		if c.Name == "" || c.Path == "" {
			return false
		}
		out = append(out, c)
	}
	*f = out
	return true
}

// parseCollections reads collections from a variable. It returns false if one
// has no name or no path.
func parseCollections(text string) (out []Collection, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, rest, _ := strings.Cut(part, "=")
		path, context, _ := strings.Cut(rest, "|")
		c := Collection{Name: strings.TrimSpace(name), Path: strings.TrimSpace(path), Context: strings.TrimSpace(context)}
		if c.Name == "" || c.Path == "" {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

// formatCollections is the reverse of parseCollections.
func formatCollections(all []Collection) string {
	parts := make([]string, len(all))
	for i, c := range all {
		if parts[i] = c.Name + "=" + c.Path; c.Context != "" {
			parts[i] += "|" + c.Context
		}
	}
	return strings.Join(parts, ",")
}
