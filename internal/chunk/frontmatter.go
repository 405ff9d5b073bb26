package chunk

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// maxNesting is how deep brackets in front matter may be nested. Deeper ones
// make it text.
const maxNesting = 64

// frontMatter is the text between the marks at the very start of a note.
type frontMatter struct {
	meta Meta
	end  int // where the text begins; 0: there is no front matter
	cut  []string
}

// aKey matches the first line of front matter, and rarely that of a text below
// a rule.
var aKey = lazyregexp.New(`^\s*(\[|["']?[\pL_][\pL\pN_.-]*["']?\s*(:(\s|$)|=))`)

// readFrontMatter parses YAML between lines of three dashes, or TOML between
// lines of three plus signs, as Hugo writes it. Anything but a mapping is no
// front matter.
func readFrontMatter(text string) frontMatter {
	begin, end, body := blocks.Front(text)
	switch {
	case begin == 0:
		return frontMatter{}
	case body == 0 && len(text)-begin > blocks.MaxFront:
		return notTaken(text[begin:], "the front matter is larger than 64 KiB and taken for text")
	case body == 0:
		return frontMatter{}
	}
	decode, name := decodeYAML, "YAML"
	if strings.Contains(text[:begin], "+") {
		decode, name = decodeTOML, "TOML"
	}
	raw, err := map[string]any(nil), errors.New("it is nested too deeply")
	if !tooDeep(text[begin:end]) {
		raw, err = decode("\n" + text[begin:end]) // lines are counted as in the file
	}
	if err != nil {
		reason, _ := shortLine(err.Error(), maxHeading)
		return notTaken(text[begin:], "the front matter is not valid "+name+" and taken for text: "+reason)
	}
	f := frontMatter{end: body}
	f.meta, f.cut = metaOf(raw)
	return f
}

// notTaken says why something that looks like front matter is not.
func notTaken(text, why string) frontMatter {
	if !aKey().MatchString(text[:min(len(text), maxHeading)]) {
		return frontMatter{}
	}
	return frontMatter{cut: []string{why}}
}

// tooDeep reports whether brackets are nested too deep to be parsed. Parsers
// recurse for each level.
func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxNesting {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// decodeYAML decodes a mapping; an empty text is an empty one.
func decodeYAML(text string) (map[string]any, error) {
	raw := map[string]any{}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if node.Kind == 0 {
		return raw, nil
	}
	switch err := node.Decode(&raw); {
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	case raw == nil:
		return nil, errors.New("it has no names with values")
	}
	return raw, nil
}

func decodeTOML(text string) (map[string]any, error) {
	raw := map[string]any{}
	err := toml.Unmarshal([]byte(text), &raw)
	if broken := (*toml.DecodeError)(nil); errors.As(err, &broken) {
		line, _ := broken.Position()
		return nil, fmt.Errorf("line %d: %s", line, strings.TrimPrefix(broken.Error(), "toml: "))
	}
	return raw, err
}

// metaOf picks the fields that memoir uses, within their bounds, and says what
// it leaves out. Case does not matter in names. If fields differ only in case,
// the first in byte order counts.
func metaOf(raw map[string]any) (m Meta, cut []string) {
	m.Raw = raw
	title := ""
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		value := raw[name]
		switch strings.ToLower(name) {
		case "title":
			title = first(title, scalar(value))
		case "date":
			m.Date = first(m.Date, scalar(value))
		case "type":
			m.Type = first(m.Type, scalar(value))
		case "tags", "tag":
			m.Tags = append(m.Tags, values(value, " ,")...)
		case "aliases", "alias":
			m.Aliases = append(m.Aliases, values(value, ",")...)
		}
	}
	for i, t := range m.Tags {
		m.Tags[i] = strings.TrimPrefix(t, "#")
	}
	var whole bool
	if m.Title, whole = shortLine(title, maxHeading); !whole {
		cut = append(cut, "the title is too long and cut")
	}
	if m.Tags, whole = bounded(m.Tags); !whole {
		cut = append(cut, "it has more or longer tags than count")
	}
	if m.Aliases, whole = bounded(m.Aliases); !whole {
		cut = append(cut, "it has more or longer aliases than count")
	}
	return m, cut
}

// bounded returns the first names that fit, without those that are too long,
// and reports whether these are all.
func bounded(names []string) (kept []string, whole bool) {
	size := 0
	for _, name := range names {
		if len(name) <= maxName && len(kept) < maxNames && size+len(name) <= maxNameBytes {
			kept = append(kept, name)
			size += len(name)
		}
	}
	return kept, len(kept) == len(names)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// scalar returns a value as one line of text, "" when it is a list or a mapping.
func scalar(value any) string {
	switch v := value.(type) {
	case nil, []any, map[string]any, map[any]any:
		return ""
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.RFC3339)
	default:
		return strings.Join(strings.Fields(fmt.Sprint(v)), " ")
	}
}

// values returns a list's values; a text is a list cut at the separators.
func values(value any, separators string) []string {
	var out []string
	list, ok := value.([]any)
	if !ok {
		for _, s := range strings.FieldsFunc(scalar(value), func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			list = append(list, s)
		}
	}
	for _, v := range list {
		if s := scalar(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}
