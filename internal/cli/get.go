package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/citation"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) getCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get PATH[:FROM[-TO]]", Short: "Print a note, or some lines of it",
		Long:    "Get prints a note as it is now. Lines are counted from 1, and the last one is\nincluded. A citation as search prints it, PATH#L3-L9, works too, and .md may be left\nout. Where there are two memories, user:PATH is a note of the user's; PATH alone is the\nproject's, or else the user's. Characters that could steer a terminal are replaced; --json has them as they\nare. When there is no such note, memoir names the one that is spelled most like it.",
		Example: "  memoir get MEMORY.md\n  memoir get memory/2026-03-02.md:3-9\n  memoir get memory/2026-03-02.md#L3-L9",
		Args:    positional(1, 1, "the path of a note"),

		ValidArgsFunction: s.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.get(cmd.Context(), args[0])
		},
	}
}

func (s *session) get(ctx context.Context, arg string) (err error) {
	settings, err := s.memories()
	if err != nil {
		return err
	}
	a, err := s.openMemory(ctx, settings, app.Options{Need: app.NeedNotes})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	x, err := excerptOf(ctx, a, "get", arg)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, wire.NewExcerpt(x.Excerpt))
	}
	text := printableLines(x.Text)
	if st := s.style(); st.columns > 0 && isMarkdown(string(x.in.ID)) {
		return st.markdown(s.out, above(ctx, x), text)
	}
	if s.terminal(s.out) && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// above returns the lines of a note before those of an excerpt, as far as they can be read:
// they say whether it begins in a block of code.
func above(ctx context.Context, x excerpt) string {
	if x.StartLine <= 1 {
		return ""
	}
	before, err := x.in.App.Engine.Get(ctx, x.in.ID, 1, x.StartLine-1)
	if err != nil || before.Text == "" {
		return ""
	}
	return strings.TrimSuffix(before.Text, "\n") + "\n"
}

// An excerpt is some lines of a note, or all of them.
type excerpt struct {
	memoir.Excerpt
	in    app.Located // the document that it was read from
	cited bool        // lines were given
}

// excerptOf reads what arg names, for the command of that name.
func excerptOf(ctx context.Context, a *app.Memory, command, arg string) (excerpt, error) {
	path, from, to, err := placeOf(ctx, a, command, arg)
	if err != nil {
		return excerpt{}, err
	}
	x, in, err := readNamed(ctx, a, command, path, from, to)
	return excerpt{x, in, from > 0}, err
}

// readNamed reads what a person calls path: that note, or else the only one that has .md
// behind it. Of none the error names the nearest.
func readNamed(ctx context.Context, a *app.Memory, command, path string, from, to int) (memoir.Excerpt, app.Located, error) {
	x, in, err := read(ctx, a, command, path, from, to)
	if !errors.Is(err, memoir.ErrNotFound) {
		return x, in, err
	}
	if name := extended(ctx, a, path); name != "" {
		return read(ctx, a, command, name, from, to)
	}
	if near := a.Near(ctx, path); near != "" {
		err = memoir.WithHint(err, "memoir "+command+" "+shellQuoted(near)+", if you meant that; otherwise "+finding(path))
	}
	return x, in, err
}

// extended returns the name of the only note that is called path with .md behind it, "" for
// none or two.
func extended(ctx context.Context, a *app.Memory, path string) (name string) {
	all, err := a.Locate(path + ".md")
	if err != nil {
		return ""
	}
	for _, at := range all {
		if _, err := at.App.Engine.Get(ctx, at.ID, 0, 0); err != nil {
			continue
		}
		if name != "" {
			return ""
		}
		name = at.Scope.Name(at.ID)
	}
	return name
}

// placeOf splits what arg names into a path and lines, 0 and 0 for none. It
// first looks for a file with exactly that name, because a colon may be part of
// a name.
func placeOf(ctx context.Context, a *app.Memory, command, arg string) (path string, from, to int, err error) {
	path, from, to, ok := citation.Parse(arg)
	if !ok {
		return arg, 0, 0, nil
	}
	if _, _, err := read(ctx, a, command, arg, 0, 0); err == nil || !errors.Is(err, memoir.ErrNotFound) && !errors.Is(err, memoir.ErrInvalid) {
		return arg, 0, 0, nil
	}
	if from == 0 || to == 0 {
		return "", 0, 0, usage("memoir "+command+" PATH:3-9", "%s: lines are counted from 1", strings.TrimLeft(arg[len(path):], "#:"))
	}
	return path, from, to, nil
}

// finding returns what finds a note whose path is not known.
func finding(path string) string {
	words := strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")))
	if query := strings.Join(words, " "); strings.ContainsFunc(query, unicode.IsLetter) {
		return "memoir search " + shellQuoted(query) + ", which prints the paths of what it finds"
	}
	return hintFind
}

// instead returns what to do about a file that is no note, "" where its error says that.
func instead(at app.Located, skip *memoir.SkipError) string {
	if info, err := os.Stat(filepath.Join(at.App.Settings.Workspace, filepath.FromSlash(string(at.ID)))); err == nil && info.IsDir() {
		return "memoir search --path " + shellQuoted(strings.TrimSuffix(at.Scope.Name(at.ID), "/")+"/") + " \"some words\", which searches the notes in that folder"
	}
	if skip.Reason == "not a note" {
		return "memoir config get include, which says what files are notes when it is set; else *.md is"
	}
	return ""
}

const hintFind = `memoir search "some words of the note", which prints its path`

func read(ctx context.Context, a *app.Memory, command, path string, from, to int) (memoir.Excerpt, app.Located, error) {
	all, err := a.Locate(path)
	if err != nil {
		return memoir.Excerpt{}, app.Located{}, memoir.WithHint(err, hintFind)
	}
	var x memoir.Excerpt
	var in app.Located
	var skip *memoir.SkipError
	for i, at := range all {
		found, failed := at.App.Engine.Get(ctx, at.ID, from, to)
		found.Scope = at.Scope
		switch {
		case errors.Is(failed, memoir.ErrNotFound):
			failed = memoir.WithHint(fmt.Errorf("there is no note %s in %s: %w", named(string(at.ID)), at.App.Settings.Place(), memoir.ErrNotFound), finding(path))
		case errors.As(failed, &skip):
			failed = memoir.WithHint(failed, cmp.Or(memoir.Hint(failed), instead(at, skip)))
		case errors.Is(failed, memoir.ErrInvalid):
			failed = memoir.WithHint(failed, "memoir "+command+" "+shellQuoted(at.Scope.Name(at.ID)))
		}
		if i == 0 || failed == nil {
			x, in, err = found, at, failed
		}
		if failed == nil || !errors.Is(failed, memoir.ErrNotFound) {
			return x, in, err
		}
	}
	return x, in, err
}
