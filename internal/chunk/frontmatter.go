package chunk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxFrontMatter is the size in bytes above which a block that looks like front
// matter is taken for text.
const maxFrontMatter = 64 << 10

// frontMatter parses the YAML between lines of three dashes at the very start
// of text. It returns the offset of what follows, 0 when there is none or when
// it is not a YAML mapping.
func frontMatter(text string) (Meta, int) {
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	first, at := nextLine(text, start)
	if first != "---" {
		return Meta{}, 0
	}
	begin := at
	for at < len(text) && at-begin <= maxFrontMatter {
		end := at
		var line string
		line, at = nextLine(text, at)
		if line == "---" || line == "..." {
			raw, ok := decode(text[begin:end])
			if !ok {
				return Meta{}, 0
			}
			return metaOf(raw), at
		}
	}
	return Meta{}, 0
}

// nextLine returns the line at offset i without trailing white space, and the
// offset of the next one.
func nextLine(text string, i int) (line string, next int) {
	next = len(text)
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		next = i + n + 1
	}
	return strings.TrimRight(text[i:next], " \t\r\n"), next
}

// decode decodes a YAML mapping; an empty text is an empty one.
func decode(text string) (raw map[string]any, ok bool) {
	raw = map[string]any{}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		return nil, false
	}
	if node.Kind == 0 {
		return raw, true
	}
	if err := node.Decode(&raw); err != nil || raw == nil {
		return nil, false
	}
	return raw, true
}

// metaOf picks the fields that have a meaning here. Names are compared without
// case; of fields that differ in case alone, the first in order of their bytes
// counts.
func metaOf(raw map[string]any) Meta {
	m := Meta{Raw: raw}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		value := raw[name]
		switch strings.ToLower(name) {
		case "title":
			m.Title = first(m.Title, scalar(value))
		case "date":
			m.Date = first(m.Date, scalar(value))
		case "type":
			m.Type = first(m.Type, scalar(value))
		case "tags", "tag":
			m.Tags = append(m.Tags, list(value, " ,")...)
		case "aliases", "alias":
			m.Aliases = append(m.Aliases, list(value, ",")...)
		}
	}
	for i, t := range m.Tags {
		m.Tags[i] = strings.TrimPrefix(t, "#")
	}
	return m
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

// list returns a list's values; a text is a list cut at the separators.
func list(value any, separators string) []string {
	var out []string
	values, ok := value.([]any)
	if !ok {
		for _, s := range strings.FieldsFunc(scalar(value), func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			values = append(values, s)
		}
	}
	for _, v := range values {
		if s := scalar(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}
