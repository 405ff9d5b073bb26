package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/citation"
	"github.com/memoir-ai/memoir/internal/typo"
	"github.com/memoir-ai/memoir/internal/wire"
)

const getDescription = `Read lines of a note where memory_search shows too little.`

const (
	defaultLines = 120
	maxLines     = 10_000
	maxLine      = 1_000_000_000
	maxExcerpt   = 12_000 // characters
	maxNear      = 3      // paths that are named in place of one that is not there
)

func getTool(reader Reader, complete func(string) string) tool {
	input := objectSchema(
		textProperty("path", "path or citation"),
		numberProperty("from", "integer", 1, maxLine, "first line"),
		numberProperty("lines", "integer", 1, maxLines, fmt.Sprintf("else %d", defaultLines)),
	)
	return newTool("memory_get", getDescription, input, complete,
		func(ctx context.Context, args arguments) (wire.Excerpt, string, error) {
			x, err := read(ctx, reader, args)
			if errors.Is(err, memoir.ErrInvalid) && !filepath.IsLocal(args.text("path")) && memoir.Hint(err) == "" {
				err = memoir.WithHint(err, "find the path with memory_search")
			}
			if errors.Is(err, memoir.ErrNotFound) && memoir.Hint(err) == "" {
				if near := nearNotes(ctx, reader, args.text("path")); len(near) > 0 {
					err = memoir.WithHint(err, "read "+strings.Join(near, " or ")+", if you meant that; else find the path with memory_search")
				}
			}
			if skip := (*memoir.SkipError)(nil); errors.As(err, &skip) {
				err = memoir.WithHint(err, instead(ctx, reader, skip))
			}
			if err != nil {
				return wire.Excerpt{}, "", err
			}
			excerpt, whole := shorten(x)
			return excerpt, excerptText(excerpt, whole), nil
		})
}

// instead returns what a model can do about a path that cannot be read as a note.
func instead(ctx context.Context, reader Reader, skip *memoir.SkipError) string {
	if skip.Temporary {
		return "call the tool again in a moment"
	}
	below := strings.TrimSuffix(string(skip.ID), "/") + "/"
	for meta, err := range reader.Documents(ctx) {
		if err != nil {
			break
		}
		if _, path := memoir.ParseName(string(meta.ID)); strings.HasPrefix(string(path), below) {
			return "it is a folder; find a note in it with memory_search and path " + uncontrolled(wire.Cut(below, maxEcho))
		}
	}
	return "do without this file, or tell the user; find others with memory_search"
}

// read gets the lines that a call asks for. A path that is no document but
// reads like a citation is taken as one.
func read(ctx context.Context, reader Reader, args arguments) (memoir.Excerpt, error) {
	path := documentPath(args.text("path"))
	from, lines := max(args.whole("from"), 1), args.whole("lines")
	x, err := get(ctx, reader, path, from, lines)
	if !errors.Is(err, memoir.ErrNotFound) {
		return x, err
	}
	cited, first, last, ok := citation.Parse(path)
	if !ok || first == 0 || last < first {
		return x, err
	}
	if args["from"] == nil {
		from = first
		if lines == 0 {
			lines = min(last-first+1, maxLines)
		}
	}
	return get(ctx, reader, cited, from, lines)
}

// nearNotes returns the names of the documents that are spelled most like one that is not
// there. A name with a memory in it means only that memory.
func nearNotes(ctx context.Context, reader Reader, wanted string) []string {
	wanted = documentPath(wanted)
	if cited, _, _, ok := citation.Parse(wanted); ok {
		wanted = cited
	}
	scope, path := memoir.ParseName(wanted)
	near := typo.Near(string(path), maxNear, func(yield func(path, name string) bool) {
		for meta, err := range reader.Documents(ctx) {
			of, path := memoir.ParseName(string(meta.ID))
			if err != nil || (scope == "" || scope == of) && !yield(string(path), string(meta.ID)) {
				return
			}
		}
	})
	for i, name := range near {
		near[i] = uncontrolled(name)
	}
	return near
}

func get(ctx context.Context, reader Reader, path string, from, lines int) (memoir.Excerpt, error) {
	if lines == 0 {
		lines = defaultLines
	}
	return reader.Get(ctx, memoir.DocID(path), from, from+lines-1)
}

// shorten returns the excerpt cut to at most maxExcerpt characters, after a
// whole line. If the first line alone is longer, that is cut, and whole is
// false.
func shorten(x memoir.Excerpt) (excerpt wire.Excerpt, whole bool) {
	x.Text = cleaned(x.Text)
	excerpt, whole = wire.NewExcerpt(x), true
	end, characters, lines := 0, 0, 0
	for line := range strings.Lines(x.Text) {
		n := utf8.RuneCountInString(line)
		if characters+n > maxExcerpt {
			break
		}
		end, characters, lines = end+len(line), characters+n, lines+1
	}
	if end < len(x.Text) {
		if lines == 0 {
			end, lines, whole = prefix(x.Text, maxExcerpt), 1, false
		}
		excerpt.Text, excerpt.Lines = x.Text[:end], lines
	}
	excerpt.Truncated = !whole
	if last := excerpt.From + excerpt.Lines - 1; excerpt.Lines > 0 && last < excerpt.TotalLines {
		excerpt.Truncated, excerpt.NextFrom = true, last+1
	}
	return excerpt, whole
}

// prefix returns the length in bytes of the first n characters.
func prefix(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// excerptText writes an excerpt for a model: its place, the lines, and how to
// read on.
func excerptText(x wire.Excerpt, whole bool) string {
	path := uncontrolled(memoir.Scope(x.Scope).Name(memoir.DocID(x.Path)))
	if x.Lines == 0 {
		return path + " is empty.\n"
	}
	last := x.From + x.Lines - 1
	var b strings.Builder
	fmt.Fprintf(&b, "%s, lines %d to %d of %d:\n\n", path, x.From, last, x.TotalLines)
	indented(&b, x.Text)
	if !whole {
		fmt.Fprintf(&b, "\n[Line %d is longer than %d characters and was cut.]\n", x.From, maxExcerpt)
	}
	if x.Truncated {
		fmt.Fprintf(&b, "\n[%d more %s; continue with from=%d.]\n", x.TotalLines-last, english.PluralWord(x.TotalLines-last, "line", ""), x.NextFrom)
	}
	return b.String()
}
