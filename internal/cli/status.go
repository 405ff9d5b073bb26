package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show what is indexed, with which model, and what is missing",
		Long: "Status shows the index as it is, and for each part that is missing the next\ncommand. It reads no note, computes nothing and writes nothing.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.status(cmd.Context()) },
	}
}

func (s *session) status(ctx context.Context) (err error) {
	settings, err := s.memories()
	if err != nil {
		return err
	}
	a, err := s.openMemory(ctx, settings, app.Options{Need: app.NeedStatus})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	answer, err := statusOf(ctx, a)
	if err != nil {
		return err
	}
	if s.json {
		s.location().completeAll(answer.Degraded)
		if answer.Project != nil {
			s.location().completeAll(answer.Project.Degraded)
		}
		return writeJSON(s.out, answer)
	}
	if err := s.printStatus(answer, a.First().Settings.Sync.Interval); err != nil || answer.Project == nil {
		return err
	}
	fmt.Fprintln(s.out)
	return s.printStatus(*answer.Project, a.Project.Settings.Sync.Interval)
}

// statusOf returns the state of what is open. Of two memories it is that of the
// user's, which contains the project's.
func statusOf(ctx context.Context, a *app.Memory) (wire.Status, error) {
	answer, err := statusOfOne(ctx, a.First())
	if err != nil || !a.Joined() {
		if a.ProjectErr != nil {
			answer.Degraded = append(answer.Degraded, wire.Degraded{Part: "project", Reason: "the project's memory is left out: " + a.ProjectErr.Error(), Action: cmp.Or(memoir.Hint(a.ProjectErr), "memoir where")})
		}
		return answer, err
	}
	project, err := statusOfOne(ctx, a.Project)
	if err != nil {
		return answer, err
	}
	answer.Project = &project
	for scope, st := range map[memoir.Scope]*wire.Status{memoir.ScopeUser: &answer, memoir.ScopeProject: &project} {
		st.Scope = string(scope)
		for i := range st.Degraded {
			st.Degraded[i].Action = engine.Command(scope, st.Degraded[i].Action)
		}
	}
	return answer, nil
}

// statusOfOne returns the state of one workspace.
func statusOfOne(ctx context.Context, a *app.App) (wire.Status, error) {
	state, err := a.Status(ctx)
	if err != nil {
		return wire.Status{}, err
	}
	settings := a.Settings
	answer := wire.NewStatus(state.Status)
	if answer.Provider != "" {
		answer.ProviderReason = config.Choose(settings).Reason
	}
	answer.Workspace, answer.Kept, answer.Index = settings.Place(), settings.KeptDir(), state.Index
	answer.Untrusted = !settings.Trusted()
	answer.Bytes, answer.Kernels = state.Bytes, state.Kernels
	answer.Filling, answer.Watched, answer.OnBattery = state.Filling, state.Unwatched == nil, state.OnBattery
	if !answer.Watched {
		answer.UnwatchedReason = state.Unwatched.Error()
	}
	about(&answer, state)
	answer.Collections = collectionsOf(a.Collections(), state.InCollections)
	if b := state.Bill; b != nil {
		s := settings.Summaries
		answer.Summaries = &wire.SummaryBill{Model: s.Model, Server: s.BaseURL, DailyTokens: s.DailyTokens, All: b.All}
		if b.Day == time.Now().UTC().Format(time.DateOnly) {
			answer.Summaries.Today, answer.Summaries.Calls = b.Tokens, b.Calls
		}
	}
	if r := settings.Rerank; r.Provider != "none" {
		answer.Rerank = &wire.Reranker{Provider: r.Provider, Model: r.Model, Top: r.Top}
	}
	return answer, nil
}

// about adds what the composition knows of watching, syncs and sessions.
func about(answer *wire.Status, state app.Status) {
	if w := (wire.Watch{FileSystem: state.FileSystem, Folders: state.Folders, Limit: state.FolderLimit}); w != (wire.Watch{}) {
		answer.Watch = &w
	}
	if n := state.LastSync; n != nil {
		answer.LastSync = &wire.LastSync{
			At: n.At.Format(time.RFC3339), TookMs: n.TookMs, Files: n.Files, Added: n.Added, Changed: n.Changed, Removed: n.Removed,
			Skipped: n.Skipped, PID: n.PID, Error: n.Error, Action: n.Action,
		}
	}
	if h := state.Holder; state.Filling && h.PID != 0 {
		answer.Lease = &wire.Lease{PID: h.PID, Host: h.Host, Since: h.Since.Format(time.RFC3339)}
	}
	for _, a := range state.Sessions {
		x := wire.AgentSessions{Agent: a.Agent, Folder: a.Folder, Sessions: a.Sessions}
		if !a.Last.IsZero() {
			x.Last = a.Last.UTC().Format(time.RFC3339)
		}
		answer.Sessions = append(answer.Sessions, x)
	}
}

// untrusted says what an untrusted project is used for.
const untrusted = "searched, but given to no agent unasked and not written to; try: memoir trust"

func (s *session) printStatus(x wire.Status, interval time.Duration) error {
	st := s.style()
	var t table
	row := func(name, value string) { t.row(s.language.Say(name), st.text(value)) }
	if x.Scope != "" {
		row("memory", s.language.Say("the "+x.Scope+"'s"))
	}
	row("workspace", x.Workspace)
	if x.Untrusted {
		row("trusted", s.said("no: %s", s.language.Say(untrusted)))
	}
	row("kept", x.Kept)
	row("index", x.Index)
	row("holds", s.said("%s, %s, an index of %s", count(x.Documents, "note"), count(x.Chunks, "passage"), s.language.Say(size(x.Bytes))))
	for _, c := range x.Collections {
		row("collection", s.collectionLine(c, s.said("%s", count(c.Documents, "note"))))
	}
	if len(x.Types) > 0 {
		row("types", s.typesLine(x.Types))
	}
	row("model", s.language.Say(modelName(x.Provider, x.Model)))
	if x.Provider != "" {
		row("chosen", s.language.Say("because "+x.ProviderReason))
		row("vectors", s.vectorsLine(x))
	}
	if a := x.Answering; a.Provider != "" && a != (wire.Model{Provider: x.Provider, Model: x.Model}) {
		row("answering", modelName(a.Provider, a.Model))
	}
	if r := x.Rerank; r != nil {
		row("reranks", s.said("%s, the first %d results", modelName(r.Provider, cmp.Or(r.Model, "its own model")), r.Top))
	}
	if b := x.Summaries; b != nil {
		row("summaries", s.said("%s, %d of %d tokens today, %d in all", modelName(cmp.Or(b.Server, "nobody is asked"), cmp.Or(b.Model, "its own model")), b.Today, b.DailyTokens, b.All))
	}
	row("kernels", x.Kernels)
	row("changes", s.language.Say(changesLine(x, interval)))
	if x.Lease != nil {
		row("computing", s.said("process %d on %s, since %s", x.Lease.PID, x.Lease.Host, localTime(x.Lease.Since)))
	}
	if x.LastSync != nil {
		row("last sync", s.syncLine(x.LastSync))
	}
	for _, a := range x.Sessions {
		row("sessions", s.sessionsLine(a))
	}
	for _, skipped := range x.Files.Skipped[:min(len(x.Files.Skipped), shownSkipped)] {
		row("skipped", s.said("%s: %s", named(skipped.Path), s.language.Say(skipped.Reason)))
	}
	if n := len(x.Files.Skipped) + x.Files.More - shownSkipped; n > 0 {
		row("skipped", s.said("%s; memoir index lists them", count(n, "more file")))
	}
	row("last write", cmp.Or(localTime(x.LastWrite), s.language.Say("never")))
	if err := t.write(s.out); err != nil {
		return err
	}
	for _, d := range x.Degraded {
		s.warn(d.Part+": "+d.Reason, d.Action)
	}
	return nil
}

// collectionsOf returns the JSON of collections, with their indexed documents.
func collectionsOf(all []app.Collection, indexed map[string]int) (out []wire.Collection) {
	for _, c := range all {
		x := wire.Collection{Name: c.Name, Path: c.Path, Context: c.Context, Documents: indexed[c.Name]}
		if err := c.Problem(); err != nil {
			x.Problem = err.Error()
		}
		out = append(out, x)
	}
	return out
}

// collectionLine describes a collection and its state.
func (s *session) collectionLine(c wire.Collection, more ...string) string {
	line := s.language.Join(append([]string{c.Name, c.Path}, more...))
	if c.Context != "" {
		line = s.said("%s: %s", line, c.Context)
	}
	if c.Problem != "" {
		line += s.said(" (%s)", s.language.Say(c.Problem))
	}
	return line
}

// shownSkipped is how many files that are left out a person is shown.
const shownSkipped = 3

// syncLine says what the last look at all notes did, and what it cost.
func (s *session) syncLine(x *wire.LastSync) string {
	line := s.said("%s: %s in %v, %d added, %d changed, %d removed", localTime(x.At), count(x.Files, "file"), time.Duration(x.TookMs)*time.Millisecond, x.Added, x.Changed, x.Removed)
	if x.Error != "" {
		line += s.said("; it failed: %s", s.language.Say(x.Error))
		if x.Action != "" {
			line += s.said("; try: %s", s.language.Say(x.Action))
		}
	}
	return line
}

// sessionsLine says how many sessions of an agent there are in the index.
func (s *session) sessionsLine(a wire.AgentSessions) string {
	line := s.said("%s, %d indexed", a.Agent, a.Sessions)
	if a.Last != "" {
		line += s.said(", the last of %s", localTime(a.Last))
	}
	return line + s.said(", from %s", a.Folder)
}

// changesLine says how a memoir that lives on learns of changed notes.
func changesLine(x wire.Status, interval time.Duration) string {
	switch {
	case x.Watched:
		return "told by the system"
	case interval == 0:
		return "looked for by searches alone: " + x.UnwatchedReason
	}
	return fmt.Sprintf("looked for every %v: %s", interval, x.UnwatchedReason)
}

// typesLine names the types, the most frequent first.
func (s *session) typesLine(types map[string]int) string {
	names := slices.SortedFunc(maps.Keys(types), func(a, b string) int {
		return cmp.Or(cmp.Compare(types[b], types[a]), cmp.Compare(a, b))
	})
	more := ""
	if n := len(names) - shownTypes; n > 0 {
		names, more = names[:shownTypes], s.said(", and %d more", n)
	}
	for i, name := range names {
		names[i] = humanize.Comma(int64(types[name])) + " " + s.typeName(name)
	}
	return s.said("%s (notes)", s.language.Join(names)+more)
}

// shownTypes is how many types are shown to a person.
const shownTypes = 12

func modelName(provider, model string) string {
	if provider == "" {
		return "none: words only"
	}
	return model + " (" + provider + ")"
}

func (s *session) vectorsLine(x wire.Status) string {
	line := s.said("%[1]s of %[2]s", humanize.Comma(int64(x.Vectors)), count(x.Vectors+x.PendingVectors+x.FailedVectors, "text"))
	if x.FailedVectors > 0 {
		line += s.said(", %d failed", x.FailedVectors)
	}
	if x.Filling {
		line += s.said(", the rest is being computed")
	}
	if x.OnBattery {
		line += s.said("; on battery more than a few wait until the machine is plugged in (embed.onBattery)")
	}
	return line
}

// localTime shows a time of the answer in the user's time zone.
func localTime(written string) string {
	t, err := time.Parse(time.RFC3339, written)
	if err != nil {
		return ""
	}
	return t.Local().Format(time.DateTime)
}

// size returns bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return count(int(bytes), "byte").String()
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f kB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
