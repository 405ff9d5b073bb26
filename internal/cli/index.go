package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) indexCommand() *cobra.Command {
	var vectors vectorFlags
	cmd := &cobra.Command{
		Use: "index", Short: "Make the index agree with the notes and compute the missing vectors",
		Long: "Index makes the index agree with the notes, then computes the missing vectors.\n" +
			"Words can be searched as soon as a note is read. It can be stopped at any\nmoment; the next run goes on where this one stopped. A text that the provider\ncannot take is tried again by later runs, after pauses that grow.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.index(cmd.Context(), (*engine.Engine).Sync, vectors)
		},
	}
	vectors.add(cmd)
	cmd.Flags().BoolVar(&vectors.retryFailed, "retry-failed", false, "try the texts now that the provider could not take")
	return cmd
}

func (s *session) rebuildCommand() *cobra.Command {
	var vectors vectorFlags
	cmd := &cobra.Command{
		Use: "rebuild", Short: "Read every note again, as if there were no index",
		Long: "Rebuild reads and indexes every note again. The index answers meanwhile, and a\nrebuild that is ended leaves what was there. Vectors of texts that did not\nchange are kept.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.index(cmd.Context(), rebuild, vectors)
		},
	}
	vectors.add(cmd)
	return cmd
}

// rebuild reads every note again. Who stops it is told that a later one does not go on
// from there.
func rebuild(e *engine.Engine, ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error) {
	stats, err := e.Rebuild(ctx, progress)
	if errors.Is(err, context.Canceled) {
		err = memoir.WithHint(errors.New("stopped before every note was read again"), "memoir rebuild, which begins anew, or memoir index, which reads what has changed or is missing")
	}
	return stats, err
}

// vectorFlags say which vectors a run should compute.
type vectorFlags struct{ textOnly, retryFailed bool }

func (f *vectorFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.textOnly, "text-only", false, "leave the missing vectors for later")
}

// syncFunc is Sync or Rebuild of an engine.
type syncFunc func(*engine.Engine, context.Context, memoir.Progress) (memoir.SyncStats, error)

func (s *session) index(ctx context.Context, sync syncFunc, vectors vectorFlags) (err error) {
	start := time.Now()
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	_, ended, err := app.Drain(ctx, settings)
	if err != nil {
		s.warn(err.Error(), memoir.Hint(err))
	}
	a, err := s.open(ctx, settings, app.Options{Exclusive: true, Write: settings.Sessions.Enabled && settings.Sessions.Archive, Waiting: func() {
		s.warn("another memoir is indexing this workspace; waiting until it is done (Ctrl-C stops)", "")
	}})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	for _, c := range a.Collections() {
		if c.Inside {
			s.warn(fmt.Sprintf("the collection %s is left out: %s", c.Name, c.Problem()), app.InsideHint)
		}
	}
	if _, err := a.Archive(ctx, ended); err != nil {
		if ctx.Err() != nil {
			return resumable(err)
		}
		s.warn("not all sessions are archived: "+err.Error(), memoir.Hint(err))
	}
	report, done := s.progress(s.language.Say("reading notes"), s.language.Say("notes"))
	stats, err := sync(a.Engine, ctx, report)
	done()
	if err != nil {
		return resumable(err)
	}
	embedErr := s.embedPending(ctx, a, vectors)
	if embedErr != nil && (s.json || ctx.Err() != nil) {
		return resumable(embedErr)
	}
	counts, err := a.Engine.Stats(ctx)
	if err != nil {
		return err
	}
	answer := wire.NewIndex(settings.Place(), stats, time.Since(start))
	answer.Documents, answer.Chunks, answer.FailedVectors = counts.Documents, counts.Chunks, counts.Failed
	if a.Engine.Space() != (memoir.Space{}) { // else nobody will compute them
		answer.PendingVectors = counts.Pending
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	s.printIndex(answer)
	return embedErr
}

// embedPending computes the missing vectors. If memoir was built without a
// model, that is only a warning unless somebody has chosen a provider.
func (s *session) embedPending(ctx context.Context, a *app.App, flags vectorFlags) error {
	if flags.textOnly {
		return nil
	}
	if err := a.EmbedderErr(); err != nil {
		if a.Settings.IsSet("provider") || config.Choose(a.Settings).Provider != "local" {
			return err
		}
		s.warn("words only: "+err.Error(), memoir.Hint(err))
		return nil
	}
	report, done := s.progress(s.language.Say("computing vectors"), s.language.Say("texts"))
	defer done()
	embed := a.Engine.EmbedPending
	if flags.retryFailed {
		embed = a.Engine.RetryFailed
	}
	stats, err := embed(ctx, report)
	if stats.Underway > 0 {
		s.warn(fmt.Sprintf("%s are in a batch job of the provider; words find them meanwhile", count(stats.Underway, "text")), "memoir index, later: it takes the vectors that are done")
	}
	if err != nil && ctx.Err() == nil {
		// The words are indexed, and the vectors computed before the failure are
		// stored.
		return memoir.WithHint(fmt.Errorf("the words are indexed; computing vectors stopped: %w", err), cmp.Or(memoir.Hint(err), "memoir index"))
	}
	return err
}

// resumable adds to the error of an interrupted run that nothing is lost.
func resumable(err error) error {
	if errors.Is(err, context.Canceled) {
		return memoir.WithHint(errors.New("stopped; what is done is kept, and the next run goes on from there"), "memoir index")
	}
	return err
}

func (s *session) printIndex(x wire.Index) {
	st := s.style()
	s.say(s.out, "%s in %s: %d added, %d changed, %d removed; %s in the index (%s)\n",
		named(x.Workspace), (time.Duration(x.TookMs) * time.Millisecond).String(),
		x.Added, x.Changed, x.Removed, count(x.Documents, "note"), count(x.Chunks, "passage"))
	if x.Documents == 0 {
		s.warn("there are no notes in the workspace", "write one: MEMORY.md, or any *.md file there")
	}
	if x.PendingVectors > 0 {
		s.say(s.out, "%s without a vector; %s computes them\n", count(x.PendingVectors, "text"), st.text(s.location().complete("memoir index")))
	}
	if x.FailedVectors > 0 {
		s.say(s.out, "%s without a vector, which the provider could not give; %s tries again now\n", count(x.FailedVectors, "text"), st.text(s.location().complete("memoir index --retry-failed")))
	}
	if len(x.Skipped) > 0 {
		s.say(s.out, "%s skipped:\n", count(len(x.Skipped), "file"))
	}
	for _, f := range x.Skipped {
		s.say(s.out, "  %s: %s\n", named(f.Path), st.text(s.language.Say(f.Reason)))
	}
	if len(x.Warnings) > 0 {
		s.say(s.out, "indexed, but not all of it counts:\n")
	}
	for _, w := range x.Warnings {
		s.say(s.out, "  %s: %s\n", named(w.Path), st.text(s.language.Say(w.Reason)))
	}
}
