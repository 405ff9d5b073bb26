package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/mcpserver"
	"github.com/memoir-ai/memoir/memorytool"
)

// mcpFlags say what agents are offered.
type mcpFlags struct{ readOnly, memoryTool bool }

// check refuses flags that do not go together.
func (f mcpFlags) check(command string) error {
	if f.readOnly && f.memoryTool {
		return usage(command+" --memory-tool", "--memory-tool writes notes, which --read-only forbids")
	}
	return nil
}

const memoryToolUsage = "offer the tool memory, too: Anthropic's memory tool, over the folder " + memorytool.Dir + " of the notes"

func (s *session) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use: "mcp [flags]", Short: "Serve an agent over the Model Context Protocol on standard input and output",
		Long: "Mcp offers the agent that started it the tools memory_search, memory_get,\nmemory_remember, memory_forget and memory_prime, the notes as resources, and the\nprompts recall and remember. It ends when the agent closes the connection, and when\nthe process that started it is gone.\n\n" +
			"Meanwhile it keeps the index complete by itself: it follows the notes as they change\nand computes the missing vectors, a few at a time, beside its work. It makes a\nworkspace that is not there. Where that fails, each call tries again and answers with\nthe reason and the next step.\n\n" +
			"When a memoir serve of this user has the same memory open, mcp asks that server for as\nlong as it runs (setting serve.join).",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.mcp(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "offer no tool that writes notes")
	cmd.Flags().BoolVar(&f.memoryTool, "memory-tool", false, memoryToolUsage)
	return cmd
}

func (s *session) mcp(ctx context.Context, f mcpFlags) (err error) {
	collect()
	s.livesOn()
	if err := f.check("memoir mcp"); err != nil {
		return err
	}
	ctx, release := withParent(ctx)
	defer release()
	in, ok := s.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.in)
	}
	l := &late{session: s, ctx: ctx, readOnly: f.readOnly, changed: make(chan struct{}, 1)}
	defer closing(&err, l)
	opts := mcpserver.Options{Version: build().Version, Logger: s.logger(), Complete: l.complete, Hidden: l.hidden}
	if there, err := l.begin(); err == nil {
		opts = s.toolOptions(there)
	} else {
		s.warn(err.Error(), memoir.Hint(err))
	}
	if !f.readOnly {
		opts.Writer = l
	}
	if f.memoryTool {
		opts.Memory = l.memoryTool
	}
	opts.Input, opts.Output, opts.Changed = in, s.out, l.changed
	err = mcpserver.Run(ctx, l, opts)
	if context.Cause(ctx) == errOrphan {
		return nil // nobody is listening
	}
	return err
}

// memoryTool returns the function that answers calls of the tool memory and
// reports the changes that they make. Of two memories it works on the project's
// notes.
func memoryTool(a *app.Memory) httpapi.MemoryTool {
	one := a.Main()
	return func(ctx context.Context, input json.RawMessage, changed func(engine.Change)) (string, error) {
		text, err := memorytool.New(memorytool.Notes(telling{one.Engine, a.ScopeOf(one), changed}, one.Settings.Workspace)).Call(ctx, input)
		return text, withStep(err)
	}
}

// telling is an engine that reports each change that it makes.
type telling struct {
	*engine.Engine
	scope   memoir.Scope
	changed func(engine.Change)
}

// Edit implements [memorytool.Editor].
func (t telling) Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error) {
	change, err := t.Engine.Edit(ctx, who, why, plan)
	if err == nil {
		change.Scope = string(t.scope)
		t.changed(change)
	}
	return change, err
}

// withSessions returns the settings by which sessions are part of a memory, or
// nil when none are.
func withSessions(a *app.Memory) *config.Loaded { return shownOf(a).sessions() }

// shown is what to tell a client about a memory that is open, here or in a
// server.
type shown struct {
	user, project *config.Loaded // nil if not open
	collections   []string       // folders that are searched with the notes
}

// shownOf returns what to tell a client about a memory that is open here.
func shownOf(a *app.Memory) shown {
	var x shown
	if a.User != nil {
		x.user = a.User.Settings
	}
	if a.Project != nil {
		x.project = a.Project.Settings
	}
	for _, one := range a.Apps() {
		for _, c := range one.Collections() {
			if c.Inside {
				continue
			}
			told := strings.TrimSuffix(c.Notes.Prefix(), "/")
			if c.Context != "" {
				told += " (" + c.Context + ")"
			}
			x.collections = append(x.collections, told)
		}
	}
	return x
}

// joined reports whether two memories answer as one.
func (x shown) joined() bool { return x.user != nil && x.project != nil }

// sessions returns the settings by which sessions are part of the memory, or
// nil when none are.
func (x shown) sessions() *config.Loaded {
	for _, settings := range []*config.Loaded{x.user, x.project} {
		if settings != nil && settings.Sessions.Enabled {
			return settings
		}
	}
	return nil
}

// complete returns the function that completes hints for another shell.
func (x shown) complete() func(hint string) string {
	return completing(cmp.Or(x.project, x.user), x.user, x.joined())
}

// toolOptions says how the tools present a memory.
func (s *session) toolOptions(x shown) mcpserver.Options {
	opts := mcpserver.Options{
		Version: build().Version, Logger: s.logger(), Complete: x.complete(), Defaults: defaults(cmp.Or(x.user, x.project)),
		Scopes: x.joined(), Collections: x.collections,
	}
	if settings := x.sessions(); settings != nil {
		opts.Hidden = func(client string) []string { return app.Hidden(settings, client) }
	}
	return opts
}

// warnOpened warns of what is wrong with a memory that was opened.
func (s *session) warnOpened(a *app.Memory) {
	for _, one := range a.Apps() {
		if one.Made {
			s.warn("made the folder of notes "+one.Settings.Workspace+", which was not there", "")
		}
	}
	if err := a.ProjectErr; err != nil {
		s.warn("the project's memory is left out: "+err.Error(), cmp.Or(memoir.Hint(err), "memoir where"))
	}
}
