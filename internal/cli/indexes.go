package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) indexesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "indexes", Short: "List the indexes on this machine, or remove old ones",
		Long: "An index is made of notes and can be made again. Indexes lists all in the folder of\nindexes: whose notes, how large, when last written, and whether the notes are still\nthere.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return s.indexes(cmd.Context())
		},
	}
	cmd.AddCommand(s.pruneCommand())
	return cmd
}

func (s *session) indexes(ctx context.Context) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	all, err := app.Indexes(ctx, settings.StateDir)
	if err != nil {
		return err
	}
	entries := []wire.IndexEntry{}
	for _, i := range all {
		entries = append(entries, wire.IndexEntry(i))
	}
	if s.json {
		return writeJSON(s.out, entries)
	}
	if len(entries) == 0 {
		s.say(s.err, "there are no indexes\n")
	}
	return s.printIndexes(entries)
}

func (s *session) printIndexes(entries []wire.IndexEntry) error {
	st := s.style()
	var t table
	for _, e := range entries {
		t.row(named(cmp.Or(e.Workspace, e.Path)), st.text(e.Agent), s.language.Say(size(e.Bytes)), e.Written.Local().Format(time.DateOnly), s.language.Say(map[string]string{
			app.NotesThere: "notes are there", app.NotesGone: "notes are gone", app.NotesUnknown: "notes are not known"}[e.Notes]))
	}
	return t.write(s.out)
}

func (s *session) pruneCommand() *cobra.Command {
	var dryRun bool
	var days int
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove the indexes of notes that are gone",
		Long: "Prune removes the indexes whose folder of notes is gone and, with --unwritten, those\nthat nothing was written to for that many days. It removes only what can be made\nagain. The history of changes, which memoir undo reads, and the query log stay. A\n" +
			"disk that is not plugged in counts as gone: its notes are indexed again when it is\nback.",
		Example: "  memoir indexes prune --dry-run\n  memoir indexes prune --unwritten 90",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 {
				return usage("memoir indexes prune --unwritten 90", "--unwritten %d is less than 0 days", days)
			}
			return s.prune(cmd.Context(), dryRun, days)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed")
	cmd.Flags().IntVar(&days, "unwritten", 0, "also those that were not written to for so many days; 0 is none")
	return cmd
}

func (s *session) prune(ctx context.Context, dryRun bool, days int) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	all, err := app.Indexes(ctx, settings.StateDir)
	if err != nil {
		return err
	}
	answer := wire.PruneAnswer{DryRun: dryRun, Removed: []wire.IndexEntry{}, Kept: []wire.KeptIndex{}}
	for _, i := range all {
		old := days > 0 && time.Since(i.Written) > time.Duration(days)*24*time.Hour
		if i.Notes != app.NotesGone && !old {
			continue
		}
		if !dryRun {
			if err := i.Remove(); err != nil {
				answer.Kept = append(answer.Kept, wire.KeptIndex{Path: i.Path, Why: err.Error()})
				s.warn(fmt.Sprintf("%s stays: %v", i.Path, err), "")
				continue
			}
		}
		answer.Removed = append(answer.Removed, wire.IndexEntry(i))
		answer.Bytes += i.Bytes
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	if err := s.printIndexes(answer.Removed); err != nil {
		return err
	}
	format := "%s removed, %s\n"
	if dryRun {
		format = "%s would be removed, %s\n"
	}
	_, err = s.say(s.out, format, s.language.Say(english.Plural(len(answer.Removed), "index", "indexes")), s.language.Say(size(answer.Bytes)))
	return err
}
