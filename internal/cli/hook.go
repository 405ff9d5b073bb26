package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
)

// hooksOff is the variable for agents' programs that memoir itself starts.
const hooksOff = "MEMOIR_HOOKS=off"

// hookPatience bounds all of a hook, also what its own limit does not: settings are read and
// problems are noted on disks that may not respond. Agents wait ten seconds for the line, and
// Gemini CLI then for the end of all that it started.
var hookPatience = 8 * time.Second

// startHook runs the work of a hook. Tests replace it to wait for its end.
var startHook = func(work func()) { go work() }

func (s *session) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hook AGENT EVENT", Short: "Answer an agent at an event of its session",
		Long: "Hook is the command that memoir setup lets agents call. It reads what the agent sends\non standard input, and prints what the session is given. At its start that is what\nmemoir prime prints. At a prompt it is what the words call for and the session was not\ngiven yet. Before compaction it is what the summary should keep. A summary, and a\nsession that has changed, wait for the next memoir index or memoir mcp.\n\n" +
			"The exit code is always 0, so that no agent stops; memoir doctor tells what went\nwrong. No model is asked but one on this machine. With MEMOIR_HOOKS=off nothing\nhappens.\n\n" +
			"Agents: " + strings.Join(hook.Agents(), ", ") + ".\nEvents: " + strings.Join(hook.Events(), ", ") + ".",
		Example: "  memoir hook claude-code session-start < /dev/null\n  echo '{\"prompt\":\"how do we back up?\"}' | memoir hook codex prompt",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			done := make(chan struct{})
			startHook(func() {
				defer close(done)
				s.hook(cmd.Context(), args)
			})
			select {
			case <-done:
			case <-time.After(hookPatience): // what still hangs ends with the process
			}
			return nil
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		s.noteHook(nil, nil, err)
		return nil
	})
	return cmd
}

// hook answers, and records what went wrong.
func (s *session) hook(ctx context.Context, args []string) {
	if os.Getenv("MEMOIR_HOOKS") == "off" {
		return
	}
	var settings *config.Memories
	defer func() {
		if x := recover(); x != nil {
			s.noteHook(args, mainOf(settings), fmt.Errorf("memoir failed: %v", x))
		}
	}()
	if len(args) != 2 {
		s.noteHook(args, nil, usage("memoir help hook", "the hook takes an agent and an event, but was called with %d words", len(args)))
		return
	}
	if _, err := os.Getwd(); err != nil { // the agent's folder is gone, so there are no notes
		_ = os.Chdir(os.TempDir())
	}
	settings, err := s.memories()
	if err != nil {
		s.noteHook(args, nil, err)
		return
	}
	in := s.in
	if s.terminal(in) {
		in = nil // a person who tries the command sends no input
	}
	if err := hook.Answer(ctx, args[0], args[1], in, s.out, s.hookOptions(settings)); err != nil {
		s.noteHook(args, mainOf(settings), err)
	}
}

// mainOf returns the settings of the memory to which a hook's work belongs; nil
// for none.
func mainOf(settings *config.Memories) *config.Loaded {
	if settings == nil {
		return nil
	}
	return settings.Main()
}

func (s *session) hookOptions(settings *config.Memories) hook.Options {
	for _, one := range settings.All() {
		one.Rerank.Provider = "none" // which may be a model
		one.Query.SyncBudget = min(one.Query.SyncBudget, one.Hook.SearchTime/2)
		one.Query.EmbedTimeout = min(one.Query.EmbedTimeout, one.Hook.SearchTime/2)
	}
	return hook.Options{
		Dir: hook.Dir(settings.Main().KeptDir()), SearchTime: settings.First().Hook.SearchTime, Now: time.Now,
		Open: func(ctx context.Context, words bool) (hook.Memory, error) {
			need := app.NeedNotes
			if words {
				need = app.NeedRecall
			}
			return s.openMemory(ctx, settings, app.Options{Need: need, Write: true, Make: true, Unlogged: true})
		},
	}
}

// noteHook records what went wrong, for memoir doctor. If that cannot be
// recorded it is lost, because an agent would misunderstand anything that is
// printed.
func (s *session) noteHook(args []string, settings *config.Loaded, err error) {
	p := hook.Problem{At: time.Now()}
	if len(args) > 0 {
		p.Agent = args[0]
	}
	if len(args) > 1 {
		p.Event = args[1]
	}
	state := s.hookState()
	if settings != nil {
		p.Workspace, state = settings.Place(), settings.StateDir
	}
	if state == "" {
		return
	}
	f := s.failureOf(err)
	_ = hook.Log(state, p, f.Error.Message, f.Error.Action)
}

// hookState returns the folder in which hooks record problems when there are no
// settings; "" means nowhere.
func (s *session) hookState() string {
	if s.stateDir != "" {
		return s.stateDir
	}
	env, err := environment()
	if err != nil {
		return ""
	}
	return env.StateDir()
}

// archivePause is how often a process that lives on looks for sessions that have ended.
const archivePause = 10 * time.Minute

// draining does the work of hooks beside the command's own, and indexes what
// has changed. The function that it returns waits until no work is left, and
// stops the indexing, because a search indexes too. Sessions that end meanwhile
// are archived if the settings say so.
func (s *session) draining(ctx context.Context, a *app.Memory) (wait func()) {
	syncing, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pause := time.NewTicker(archivePause)
		defer pause.Stop()
		for {
			for _, one := range a.Apps() {
				waited, ended, err := app.Drain(ctx, one.Settings)
				if waited && err == nil && one.Leaves() == nil {
					_, err = one.Engine.Sync(syncing, nil)
				}
				if err == nil {
					_, err = one.Archive(syncing, ended)
				}
				if err != nil && syncing.Err() == nil {
					s.noteHook([]string{"mcp", "queue"}, one.Settings, err)
				}
			}
			if !slices.ContainsFunc(a.Apps(), (*app.App).Archives) {
				return
			}
			select {
			case <-pause.C:
			case <-syncing.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
