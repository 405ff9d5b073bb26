package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/editor"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) openNoteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "open PATH[#LINE]|ID", Short: "Open a note in your editor",
		Long: "Open starts the editor of VISUAL, or else of EDITOR, with the file of a note, at the\n" +
			"line that a citation names or where the entry of that id stands. It takes what memoir\n" +
			"get takes. Editors that it knows by name are told the line in their own way; others\n" +
			"get the file alone. No shell reads any of it. --json says what would be started, and\nstarts nothing.",
		Example: "  memoir open MEMORY.md\n  memoir open memory/2026-03-02.md#L3-L9",
		Args:    positional(1, 1, "the path of a note"),

		ValidArgsFunction: s.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.openNote(cmd.Context(), args[0])
		},
	}
}

func (s *session) openNote(ctx context.Context, arg string) error {
	answer, err := s.noteToOpen(ctx, arg)
	if err != nil {
		return err
	}
	if answer.Command, err = editor.Command(editor.Chosen(), answer.File, answer.Line); err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	// The interrupt is for the editor, which may hold unsaved text.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), answer.Command[0], answer.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err.to
	if err := cmd.Run(); err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			return fmt.Errorf("the editor %s ended with %s", answer.Command[0], ended)
		}
		return memoir.WithHint(fmt.Errorf("the editor could not be started for %s: %w", answer.File, err), "set VISUAL or EDITOR to a program that is there")
	}
	return nil
}

// noteToOpen finds what arg names, and closes the notes again, because a person
// may keep the editor open for long.
func (s *session) noteToOpen(ctx context.Context, arg string) (answer wire.OpenAnswer, err error) {
	settings, err := s.memories()
	if err != nil {
		return answer, err
	}
	a, err := s.openMemory(ctx, settings, app.Options{Need: app.NeedNotes})
	if err != nil {
		return answer, err
	}
	defer closing(&err, a)
	x, err := excerptOf(ctx, a, "open", arg)
	if errors.Is(err, memoir.ErrNotFound) && isID(arg) {
		place, failed := s.placeOfEntry(ctx, arg)
		if failed != nil {
			return answer, failed
		}
		if place != "" {
			x, err = excerptOf(ctx, a, "open", place)
		}
	}
	if err != nil {
		return answer, err
	}
	answer = wire.OpenAnswer{Scope: string(x.Scope), Path: string(x.ID)}
	if x.cited {
		answer.Line = x.StartLine
	}
	answer.File, err = x.in.App.File(x.in.ID)
	if errors.Is(err, memoir.ErrInvalid) || errors.Is(err, memoir.ErrNotFound) {
		err = memoir.WithHint(fmt.Errorf("%s is not a note of the workspace, and memoir only reads it: %w", x.ID, memoir.ErrInvalid), "memoir get "+shellQuoted(arg))
	}
	return answer, err
}

// isID reports whether a text may be the id of an entry, which memoir makes of
// small letters and digits.
func isID(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// placeOfEntry returns the citation of the entry with an id, or "" when there
// is none.
func (s *session) placeOfEntry(ctx context.Context, id string) (place string, err error) {
	a, err := s.openKept(ctx, app.Options{Need: app.NeedNotes})
	if err != nil {
		return "", err
	}
	defer closing(&err, a)
	entries, err := a.Entries(ctx, engine.EntryFilter{Status: "all"})
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.ID == id {
			return e.Scope.Name(memoir.DocID(e.Path)) + fmt.Sprintf("#L%d", e.StartLine), nil
		}
	}
	return "", nil
}
