package chunk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// frontMatter is the text between the marks at the very start of a note.
type frontMatter struct {
	meta Meta
	end  int // where the text begins; 0: there is no front matter
	cut  []string
}

// readFrontMatter reads the front matter of a note, and says why something that looks like
// front matter is none.
func readFrontMatter(text string) frontMatter {
	front := blocks.ReadFront(text)
	if front.Values == nil {
		f := frontMatter{}
		if front.Reason != "" {
			why, _ := shortLine(front.Reason, maxHeading)
			f.cut = []string{"the front matter " + why}
		}
		return f
	}
	f := frontMatter{end: front.Body}
	f.meta, f.cut = metaOf(front.Values)
	return f
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
