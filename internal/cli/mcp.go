package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

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
		Long: "Mcp offers the tools memory_search, memory_get, memory_remember, memory_forget\nand memory_prime to the agent that started it, the notes as resources, and the prompts\nrecall and remember. It ends when the agent closes the\nconnection, and when the process is gone that started it.\n" +
			"Meanwhile it keeps the index complete by itself: it follows the notes as they\nchange and computes the missing vectors, a few at a time, beside its work. A\nworkspace that is not there is made. Where that fails each call answers with the\nreason and the next step, and tries again.",
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
	opts := mcpserver.Options{Version: version().Version, Logger: s.logger(), Complete: l.complete, Hidden: l.hidden}
	if a, err := l.memory(); err == nil {
		opts = s.mcpOptions(a, f)
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
		return nil // there is nobody to be told
	}
	return err
}

// late is the memory of a server that lives on where it cannot be opened: an agent
// that loses its server says nothing to its user. Each call tries to open it until
// one can.
type late struct {
	*session
	ctx      context.Context // of the server
	readOnly bool
	changed  chan struct{} // holds a token when the index has changed

	mu     sync.Mutex  // guards what follows
	opened *app.Memory // nil: not yet
	wait   func()      // for what was begun beside it
}

// memory returns the memory, which it opens if need be.
func (l *late) memory() (*app.Memory, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened != nil {
		return l.opened, nil
	}
	settings, err := l.memories()
	if err != nil {
		return nil, err
	}
	a, err := l.openMemory(l.ctx, settings, app.Options{Write: !l.readOnly, Lives: true, Changed: func(_, _ []memoir.DocID) {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return nil, err
	}
	l.warnOpened(a)
	if err := a.Maintain(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	l.opened, l.wait = a, func() {}
	if !l.readOnly {
		l.wait = l.draining(l.ctx, a)
	}
	return a, nil
}

// asked returns the memory for a call. An error says to an agent what to do.
func (l *late) asked() (*app.Memory, error) {
	a, err := l.memory()
	if err != nil && memoir.Hint(err) == "" {
		err = memoir.WithHint(err, "tell the user to mend this, and call again; memoir doctor looks at every part")
	}
	return a, err
}

// Close closes the memory if it is open.
func (l *late) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	l.wait()
	return l.opened.Close()
}

// complete and hidden are those of mcpOptions, of a memory that may be open later.
func (l *late) complete(hint string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return hint
	}
	return completing(l.opened)(hint)
}

func (l *late) hidden(client string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	if settings := withSessions(l.opened); settings != nil {
		return app.Hidden(settings, client)
	}
	return nil
}

// Search implements [mcpserver.Backend].
func (l *late) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	a, err := l.asked()
	if err != nil {
		return memoir.Results{}, err
	}
	return a.Search(ctx, q)
}

// Get implements [mcpserver.Backend].
func (l *late) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	a, err := l.asked()
	if err != nil {
		return memoir.Excerpt{}, err
	}
	return a.Get(ctx, id, from, to)
}

// Documents implements [mcpserver.Backend].
func (l *late) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	a, err := l.asked()
	if err != nil {
		return func(yield func(memoir.DocumentMeta, error) bool) { yield(memoir.DocumentMeta{}, err) }
	}
	return a.Documents(ctx)
}

// Stats implements [mcpserver.Backend].
func (l *late) Stats(ctx context.Context) (memoir.StoreStats, error) {
	a, err := l.asked()
	if err != nil {
		return memoir.StoreStats{}, err
	}
	return a.Stats(ctx)
}

// Remember implements [mcpserver.Writer].
func (l *late) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	a, err := l.asked()
	if err != nil {
		return engine.Outcome{}, err
	}
	return a.Remember(ctx, st)
}

// Prime implements [mcpserver.Writer].
func (l *late) Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error) {
	a, err := l.asked()
	if err != nil {
		return engine.Primed{}, err
	}
	return a.Prime(ctx, opts)
}

// Forget implements [mcpserver.Writer].
func (l *late) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	a, err := l.asked()
	if err != nil {
		return engine.Forgetting{}, err
	}
	return a.Forget(ctx, target, dryRun)
}

// memoryTool answers calls of the tool memory.
func (l *late) memoryTool(ctx context.Context, input json.RawMessage) (string, error) {
	a, err := l.asked()
	if err != nil {
		return "", fmt.Errorf("memory failed: %w\nNext step: %s", err, memoir.Hint(err))
	}
	return memoryTool(a)(ctx, input, func(engine.Change) {})
}

// memoryTool returns what answers calls of the tool memory, and tells of the changes
// that they make: where two memories are meant, over the project's notes.
func memoryTool(a *app.Memory) httpapi.MemoryTool {
	one := a.Main()
	return func(ctx context.Context, input json.RawMessage, changed func(engine.Change)) (string, error) {
		return memorytool.New(memorytool.Notes(telling{one.Engine, a.ScopeOf(one), changed}, one.Settings.Workspace)).Call(ctx, input)
	}
}

// telling is an engine that tells of each change that it made.
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

// withSessions returns the settings by which sessions are part of a memory; nil when
// none are.
func withSessions(a *app.Memory) *config.Loaded {
	for _, one := range a.Apps() {
		if one.Settings.Sessions.Enabled {
			return one.Settings
		}
	}
	return nil
}

// mcpOptions says how the tools present what is open.
func (s *session) mcpOptions(a *app.Memory, f mcpFlags) mcpserver.Options {
	opts := mcpserver.Options{Version: version().Version, Logger: s.logger(), Complete: completing(a), Defaults: defaults(a.First().Settings), Scopes: a.Joined()}
	if !f.readOnly {
		opts.Writer = a
	}
	if f.memoryTool {
		opts.Memory = func(ctx context.Context, input json.RawMessage) (string, error) {
			return memoryTool(a)(ctx, input, func(engine.Change) {})
		}
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
			opts.Collections = append(opts.Collections, told)
		}
	}
	if settings := withSessions(a); settings != nil {
		opts.Hidden = func(client string) []string { return app.Hidden(settings, client) }
	}
	return opts
}

// warnOpened says what of a memory is not as it should be.
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
