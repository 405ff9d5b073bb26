package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/cells"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/wire"
)

// shownPaths names notes for people: if there are many, only the first few.
func (s *session) shownPaths(paths []string) string {
	const most = 4
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return s.said("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}

// firstWords returns the beginning of an entry's text, which is enough to know it by.
func firstWords(text string) string {
	const most = 80 // columns
	text = unbroken(text)
	for _, to := range cells.Wrap(text, most) {
		if to < len(text) {
			return text[:to] + "…"
		}
		break
	}
	return text
}

// namesOf returns the names of a memory's notes, as answers show them.
func namesOf(scope string, paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = named(memoir.Scope(scope).Name(memoir.DocID(path)))
	}
	return names
}

func (s *session) historyCommand() *cobra.Command {
	var limit int
	var lost, restore bool
	cmd := &cobra.Command{
		Use: "history [flags] [ID...]", Short: "List what memoir changed in the notes",
		Long: "History lists the changes that memoir made, the newest first: when, by which command,\nin which notes, why, and how the entry begins. memoir undo ID takes one back.\n\n" +
			"With --lost it lists the entries that memoir wrote and that are in no note any more.\nAn editor may have saved an older state over them, or a person removed them. --restore\nputs them back: those with the given ids, or all. It also names files with what an\neditor saved at the moment when memoir was killed. --restore with such a file puts its\ntext in the place of the note.",
		Example: "  memoir history -n 5\n  memoir history --lost\n  memoir history --lost --restore",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case lost || restore:
				return s.lost(cmd.Context(), restore, args)
			case len(args) > 0:
				return usage("memoir help history", "ids are only for --lost --restore")
			}
			if limit < 1 {
				return usage("memoir help history", "-n %d is less than 1", limit)
			}
			return s.history(cmd.Context(), limit)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&limit, "limit", "n", 50, "how many changes are listed")
	f.BoolVar(&lost, "lost", false, "list the entries that are in no note any more")
	f.BoolVar(&restore, "restore", false, "with --lost: put them back")
	return cmd
}

// history lists the last changes, the newest first.
func (s *session) history(ctx context.Context, limit int) (err error) {
	a, err := s.openKept(ctx, app.Options{Need: app.NeedNotes})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	all, err := a.History()
	if err != nil {
		return err
	}
	changes := []wire.Change{}
	for _, c := range slices.Backward(all[max(0, len(all)-limit):]) {
		changes = append(changes, wire.NewChange(c))
	}
	if s.json {
		return writeJSON(s.out, changes)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	for _, c := range changes {
		head := st.wrapped(st.bold, c.ID) + "  " + c.Time.Local().Format(time.DateTime)
		why := s.language.Say(c.Why)
		if c.Text != "" {
			why = s.said("%s: %s", why, firstWords(c.Text))
		}
		if err := st.beside(w, head, c.Who+"  "+s.shownPaths(namesOf(c.Scope, c.Paths))+"  "+why, indent); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		s.say(s.err, "memoir has changed no note\n")
	}
	return w.Flush()
}

// lost lists the entries that are lost, or puts them back.
func (s *session) lost(ctx context.Context, restore bool, ids []string) (err error) {
	if !restore && len(ids) > 0 {
		return usage("memoir help history", "ids are only for --lost --restore")
	}
	a, err := s.openKept(ctx, app.Options{Need: app.NeedNotes})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	look, what := a.Lost, "lost"
	if restore {
		look, what = func(ctx context.Context) ([]engine.Lost, error) { return a.Restore(ctx, ids) }, "brought back"
	}
	entries, err := look(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, entries)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	for _, l := range entries {
		if l.Saved() {
			words := s.said("as an editor saved it: %s, %s", count(strings.Count(l.Text, "\n"), "line"), l.Time.Local().Format(time.DateTime))
			fmt.Fprintf(w, "%s  %s  %s  %s\n", s.language.Say(what), named(l.ID), named(l.Scope.Name(memoir.DocID(l.Path))), words)
			continue
		}
		head := fmt.Sprintf("%s  %s  %s", s.language.Say(what), st.wrapped(st.bold, l.ID), named(l.Scope.Name(memoir.DocID(l.Path))))
		if err := st.beside(w, head, l.Text, indent); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		s.say(s.err, "nothing is lost\n")
	}
	return w.Flush()
}

// elsewhereOf returns the user's own workspace when a scope means it and the current folder
// is not in it, so that nobody wonders which notes were changed; else "".
func elsewhereOf(a *app.Memory, scope string) string {
	of := a.Main()
	if scope == config.ScopeUser {
		of = a.User
	}
	if dir, err := os.Getwd(); err != nil || !of.Settings.UsersOwn() || config.Within(dir, of.Settings.Workspace) {
		return ""
	}
	return of.Settings.Place()
}

func (s *session) undoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "undo [ID]", Short: "Take a change of memoir's back",
		Long: "Undo takes back the last change that memoir made in the notes, or the one of an id\nthat memoir history prints, byte for byte. What others changed since stays; where\n" +
			"they changed the same lines nothing is done. An undo can be undone. What memoir forget\nremoved does not come back.\n\n" +
			"Where two memories are joined, the last change is that of the project's. To take one\nback in the user's, give its id or --scope user.",
		Args: positional(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			a, err := s.openKept(cmd.Context(), app.Options{Need: app.NeedNotes})
			if err != nil {
				return err
			}
			defer closing(&err, a)
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			change, err := a.Undo(cmd.Context(), id)
			if err != nil {
				return s.orElsewhere(cmd.Context(), a, id, err)
			}
			x := wire.NewChange(change)
			if s.json {
				return writeJSON(s.out, x)
			}
			return s.printUndone(a, x)
		},
	}
}

// printUndone says what was taken back, and of which memory where that is not plain.
func (s *session) printUndone(a *app.Memory, x wire.Change) error {
	paths := s.shownPaths(namesOf(x.Scope, x.Paths))
	said := s.said("took back %s in %s", x.Undoes, paths)
	if other := elsewhereOf(a, x.Scope); other != "" {
		said = s.said("took back %s in %s, of your own workspace %s", x.Undoes, paths, named(other))
	} else if a.Joined() && x.Scope == config.ScopeProject {
		said = s.said("took back %s in %s, of the project's workspace %s", x.Undoes, paths, named(a.Project.Settings.Place()))
	}
	if x.Text != "" {
		said = s.said("%s: %s", said, firstWords(x.Text))
	}
	return s.style().below(s.out, said, "")
}

// orElsewhere adds to the error of an undo without an id, which found nothing to take back,
// the workspace in which the last change was made.
func (s *session) orElsewhere(ctx context.Context, a *app.Memory, id string, err error) error {
	if id != "" || !errors.Is(err, notebook.ErrUnknown) {
		return err
	}
	place, lookErr := a.ChangedElsewhere(ctx)
	if lookErr != nil || place == "" {
		return err // which says enough
	}
	at := location{}.with("--workspace", place).with("--state-dir", s.stateDir)
	return memoir.WithHint(fmt.Errorf("%w; the last change is in %s", err, named(place)), at.complete("memoir undo"))
}
