package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/transfer"
)

func (s *session) importCommand() *cobra.Command {
	var opts transfer.Options
	var undo, reworded bool
	names, paths := transfer.Names()
	var kinds strings.Builder
	for i, name := range names {
		fmt.Fprintf(&kinds, "    %-20s %s\n", name, paths[i])
	}
	cmd := &cobra.Command{
		Use: "import [flags] FROM PATH", Short: "Bring in another memory, or an archive of notes",
		Long: "Import brings what another memory has into the workspace. Notes stay as they are, and\nno byte of a note that is there changes. Single facts are told as with memoir\nremember. What is there already is counted, so an import can be run again. What cannot\nbe brought is named with its reason, and the rest goes on. memoir undo takes all of an\nimport back.\n\n" +
			"For openclaw, PATH may also be its openclaw.json. Then what it says of its memory goes\ninto your own settings, in the place of what is there. --dry-run shows the lines, and\n--undo gives the file back. Keys are not copied. Settings that memoir has nothing like\nare named with the reason.\n\n" +
			"FROM is one of these, and PATH is\n\n" + strings.TrimRight(kinds.String(), "\n"),
		Example:   "  memoir import --dry-run openclaw ~/.openclaw/workspace\n  memoir import --dry-run openclaw ~/.openclaw/openclaw.json\n  memoir import mem0 memories.json\n  memoir import archive notes.tar.gz",
		Args:      positional(2, 2, "FROM or PATH"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return usage("memoir help import", "memoir cannot import from %q; it can from %s", args[0], strings.Join(names, ", "))
			}
			settings := isSettings(args[0], args[1])
			switch {
			case undo && !settings:
				return usage("memoir undo", "--undo is for settings of OpenClaw; notes are taken back by memoir undo")
			case settings && reworded:
				return usage("memoir help import", "--reworded is for facts, and %s holds settings", args[1])
			case settings && opts.Into != "":
				return usage("memoir help import", "--into is for notes, and %s holds settings", args[1])
			case settings:
				return s.importSettings(cmd.Context(), args[1], undo, opts.DryRun)
			}
			return s.importFrom(cmd.Context(), args[0], args[1], opts, reworded)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opts.DryRun, "dry-run", false, "say what would be done, and write nothing")
	f.BoolVar(&reworded, "reworded", false, "show the facts that are here already in other words, with both texts")
	f.BoolVar(&undo, "undo", false, "give your settings back as they were before those of openclaw.json came")
	f.StringVar(&opts.Into, "into", "", "folder below the workspace that notes go to; when not given, memory/imports, or the workspace for openclaw and archive")
	return cmd
}

func (s *session) importFrom(ctx context.Context, from, path string, opts transfer.Options, reworded bool) (err error) {
	a, err := s.openOneKept(ctx, app.Options{Need: app.NeedAll, Make: true})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	var clear func()
	opts.Workspace, opts.Now = a.Settings.Workspace, time.Now()
	opts.Progress, clear = s.progress(s.language.Say("telling"), s.language.Say("facts"))
	done, err := transfer.Import(ctx, a.Engine, from, path, opts)
	clear()
	if err != nil {
		if done.Undo != "" && memoir.Hint(err) == "" {
			err = memoir.WithHint(err, "run it again to go on from there, or take back what was done: memoir undo "+done.Undo)
		}
		return err
	}
	if s.json {
		return writeJSON(s.out, done)
	}
	if err := s.printImported(done, reworded); err != nil {
		return err
	}
	if len(done.Items) == 0 && done.Counts == (transfer.Counts{}) {
		names, paths := transfer.Names()
		s.warn(fmt.Sprintf("there is nothing to import in %s", named(path)), "name "+paths[slices.Index(names, from)])
	}
	return nil
}

// shownItems is how many items of an outcome are printed for people.
const shownItems = 20

func (s *session) printImported(done transfer.Imported, reworded bool) error {
	w := bufio.NewWriter(s.out)
	c := done.Counts
	what := "import"
	if done.DryRun {
		what = "dry run of import"
	}
	s.say(w, "%s: %s\n", s.language.Say(what)+" "+done.From, s.language.Say(importCounts(c)))
	s.printImportedItems(w, done.Items, reworded)
	if c.Reworded > 0 {
		format := "  %d are here already in other words"
		if c.Reworded == 1 {
			format = "  %d is here already in other words"
		}
		s.say(w, format, c.Reworded)
		if !reworded {
			s.say(w, "; --reworded shows both texts")
		}
		fmt.Fprintln(w)
	}
	if c.Masked > 0 {
		s.say(w, "  secrets were masked in %s\n", count(c.Masked, "text"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if c.Secrets > 0 {
		s.warnOfSecrets(done)
	}
	if done.Undo != "" {
		s.say(s.err, "%s takes it back\n", s.location().complete("memoir undo "+done.Undo))
	}
	return nil
}

// warnOfSecrets names the notes that hold a secret, as they are called in the source.
func (s *session) warnOfSecrets(done transfer.Imported) {
	var names []string
	for _, item := range done.Items {
		if item.Outcome == "secret" {
			names = append(names, named(item.Name))
		}
	}
	if len(names) > shownItems {
		names = append(names[:shownItems], "…")
	}
	action := ""
	if !done.DryRun {
		action = "memoir scan"
	}
	s.warn(fmt.Sprintf("%s with a secret in it: %s", count(done.Counts.Secrets, "note"), strings.Join(names, ", ")), action)
}

// importCounts says how many had each outcome.
func importCounts(c transfer.Counts) string {
	var counts []string
	for _, x := range []struct {
		n    int
		what string
	}{
		{c.Added, "added"}, {c.Grown, "grown"}, {c.Reinforced, "reinforced"}, {c.Superseded, "superseded"}, {c.There, "there already"},
		{c.Beside, "beside another note"}, {c.Conflicts, "in conflict"}, {c.Refused, "refused"}, {c.Skipped, "skipped"},
	} {
		if x.n > 0 || x.what == "added" {
			counts = append(counts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(counts, ", ")
}

// printImportedItems writes the first items of each outcome, a line for each.
func (s *session) printImportedItems(w io.Writer, all []transfer.Item, reworded bool) {
	st := s.style()
	printed := map[string]int{}
	var steps []string // after refusals, each once
	for _, item := range all {
		if item.Outcome == "secret" {
			continue // named in a warning
		}
		if item.Outcome == "reworded" {
			if reworded {
				fmt.Fprintf(w, "  %s  %s  %s\n", s.language.Say("reworded"), st.wrapped(st.bold, named(item.Name)), st.text(item.Text))
				fmt.Fprintf(w, "    %s  %s\n", named(item.Path), st.text(item.Known))
			}
			continue
		}
		if printed[item.Outcome]++; printed[item.Outcome] > shownItems {
			continue
		}
		name := named(item.Name)
		if item.Path != "" && item.Path != item.Name {
			name = s.said("%s at %s", name, named(item.Path))
		}
		fmt.Fprintf(w, "  %s  %s  %s\n", s.language.Say(item.Outcome), st.wrapped(st.bold, name), st.text(s.language.Say(item.Reason)))
		if item.Action != "" && !slices.Contains(steps, item.Action) {
			steps = append(steps, item.Action)
		}
	}
	for _, outcome := range []string{"beside", "conflict", "refused", "skipped"} {
		if more := printed[outcome] - shownItems; more > 0 {
			s.say(w, "  %s  %d more; --json lists all\n", s.language.Say(outcome), more)
		}
	}
	for _, step := range steps {
		s.say(w, "  try: %s\n", s.language.Say(step))
	}
}

func (s *session) exportCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "export [flags] FILE", Short: "Write all notes to one archive",
		Long:    "Export writes the notes of the workspace to one archive: a tar packed by gzip, which\nmemoir import archive FILE reads, and every other program for such files. It holds the\nnotes byte for byte, and no index, settings or history. The same notes give the same\narchive. Only its owner can read the file.",
		Example: "  memoir export notes.tar.gz\n  memoir --workspace elsewhere import archive notes.tar.gz",
		Args:    positional(1, 1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			a, err := s.open(cmd.Context(), settings, app.Options{Need: app.NeedNotes})
			if err != nil {
				return err
			}
			defer closing(&err, a)
			done, err := transfer.Export(cmd.Context(), settings.Workspace, a.Engine.Owns, args[0], force)
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, done)
			}
			for _, skipped := range done.Skipped {
				s.warn(fmt.Sprintf("not in it: %s: %s", named(skipped.Path), skipped.Reason), "")
			}
			_, err = s.say(s.out, "%s in %s\n", count(done.Notes, "note"), named(done.File))
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}
