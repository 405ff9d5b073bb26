// Package cli is the command line: a thin layer over package app, with one file
// for each command. The answer goes to standard output; progress, warnings and
// errors go to standard error. Every command has --json, with which a failure
// is an answer too: {"error":{"message","action"}}.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/wording"
)

// Options are what a run is connected to. The zero value is the process's own
// streams and the configured embedding provider.
type Options struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Embedder replaces the configured provider; nil means the configured one.
	Embedder func(context.Context) (memoir.Embedder, error)
	// IsTerminal reports whether a stream leads to a person's screen; nil asks
	// the operating system.
	IsTerminal func(stream any) bool
}

// Run runs one command and returns its exit code: 0 answered (also when
// nothing was found), 1 failed, 2 wrong usage, 130 interrupted, 143 terminated.
// An interrupt or a request to terminate cancels the command; a second one
// kills the process.
func Run(ctx context.Context, args []string, opts Options) int {
	syserr.Prepare()
	ctx, release := stoppable(ctx)
	defer release()
	s := newSession(opts)
	s.json, s.language = wantsJSON(args), personsLanguage()
	root := s.root()
	root.SetArgs(append([]string{}, args...))
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(err, memoir.ErrInvalid) && memoir.Hint(err) == "" && cmd != root {
		err = memoir.WithHint(err, "memoir help "+path(cmd))
	}
	code := s.finish(err)
	if by := signalCode(ctx); code != 0 && by != 0 {
		return by
	}
	return code
}

// Command returns the tree of commands, from which manual pages and completion
// are made. [Run] runs it.
func Command() *cobra.Command { return newSession(Options{}).root() }

// session is one run of the program.
type session struct {
	in       io.Reader
	out      io.Writer
	err      *lastLine
	embedder func(context.Context) (memoir.Embedder, error)
	terminal func(stream any) bool
	screen   io.Writer // where out leads in the end, when a pager shows it
	links    string    // the setting terminal.links; "" before settings are loaded

	workspace, stateDir, agent, scope string
	json, verbose, noPager            bool
	language                          wording.Language // of what people read
	log                               log
}

func newSession(opts Options) *session {
	s := &session{in: opts.Stdin, out: opts.Stdout, err: &lastLine{to: opts.Stderr}, embedder: opts.Embedder, terminal: opts.IsTerminal}
	if s.terminal == nil {
		s.terminal = isTerminal
	}
	if s.in == nil {
		s.in = os.Stdin
	}
	if s.out == nil {
		s.out = os.Stdout
	}
	if s.err.to == nil {
		s.err.to = os.Stderr
	}
	s.screen = s.out
	s.err.columns = func() int { columns, _ := s.size(); return columns }
	return s
}

const long = `memoir is long-term memory for AI agents that people can read.

Notes are Markdown files in a folder, the workspace: --workspace, else
MEMOIR_WORKSPACE, else that of the project (the nearest folder upwards with
.memoir.toml or MEMORY.md, or .memoir at the root of the repository) and the
user's own, ~/.memoir/workspace, as one; --scope chooses, memoir where tells.
The index beside them can be deleted at any moment and is built again.`

func (s *session) root() *cobra.Command {
	search := s.paged(s.searchCommand())
	root := &cobra.Command{
		Use: "memoir", Short: "Long-term memory for AI agents", Long: long, Version: build().Version,
		SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
		Example: "  memoir init\n  memoir search what did we decide about the database\n  memoir what did we decide about the database",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch flagged := passFlags(cmd, search); {
			case len(args) > 0:
				return s.unknownWords(cmd, search, args)
			case flagged:
				return search.RunE(search, args)
			}
			return cmd.Help()
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&s.workspace, "workspace", "", "folder of notes")
	f.StringVar(&s.stateDir, "state-dir", "", "folder of state")
	f.StringVar(&s.agent, "agent", "", "name of the index within the workspace")
	f.StringVar(&s.scope, "scope", "", "user, project or all: whose memory, where there are two")
	f.BoolVar(&s.json, "json", s.json, "answer in JSON")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "log what happens to standard error")
	root.AddCommand(s.initCommand(), s.indexCommand(), s.indexesCommand(), s.statusCommand(), s.whereCommand(), s.trustCommand(), s.doctorCommand(), s.rebuildCommand(), search, s.browseCommand(), s.whyCommand(), s.paged(s.getCommand()), s.openNoteCommand(), s.sessionsCommand(),
		s.rememberCommand(), s.paged(s.entriesCommand()), s.similarCommand(), s.forgetCommand(), s.paged(s.historyCommand()), s.undoCommand(), s.importCommand(), s.exportCommand(), s.primeCommand(), s.flushCommand(), s.tidyCommand(), s.scanCommand(), s.embedCommand(), s.evalCommand(), s.configCommand(), s.modelCommand(), s.mcpCommand(), s.serveCommand(), s.uiCommand(), s.tokenCommand(), s.adminCommand(), s.setupCommand(), s.hookCommand(), s.updateCommand(), s.versionCommand())
	takeFlags(root, search)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = helpTopic
		}
	}
	s.speak(root)
	return root
}

// settings loads the settings for the flags of the command line, for a command
// that works with one workspace. more holds values of the command's own.
func (s *session) settings(more config.Flags) (*config.Loaded, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	flags := s.flags()
	maps.Copy(flags, more)
	settings, err := config.Load(env, flags)
	if err == nil {
		s.take(settings)
	}
	return settings, err
}

// take takes over what settings say of logs and of the terminal.
func (s *session) take(settings *config.Loaded) {
	s.log.set(settings.LogLevel, s.verbose)
	s.links = settings.Terminal.Links
}

// memories loads the settings of all workspaces that the command line selects.
func (s *session) memories() (*config.Memories, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return s.loadMemories(env, s.flags())
}

func (s *session) loadMemories(env config.Environment, flags config.Flags) (*config.Memories, error) {
	m, err := config.LoadMemories(env, flags)
	if err == nil {
		s.take(m.First())
	}
	return m, err
}

// memoriesOf loads the settings of exactly one workspace.
func (s *session) memoriesOf(dir string) (*config.Memories, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	flags := s.flags()
	delete(flags, "scope")
	flags["workspace"] = dir
	return s.loadMemories(env, flags)
}

// flags returns the settings given on the command line.
func (s *session) flags() config.Flags {
	flags := config.Flags{}
	for name, value := range map[string]string{"workspace": s.workspace, "stateDir": s.stateDir, "agent": s.agent, "scope": s.scope} {
		if value != "" {
			flags[name] = value
		}
	}
	return flags
}

func environment() (config.Environment, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Environment{}, fmt.Errorf("find the current folder: %w", err)
	}
	return config.Environment{Lookup: os.LookupEnv, List: os.Environ, Dir: dir, OS: runtime.GOOS}, nil
}

// open makes the App of the settings.
func (s *session) open(ctx context.Context, settings *config.Loaded, opts app.Options) (*app.App, error) {
	opts.Embedder, opts.Logger, opts.Held = s.embedder, s.logger(), s.held
	return app.Open(ctx, settings, opts)
}

// held says which process the notes are waited for.
func (s *session) held(pid int) {
	if pid == 0 {
		s.warn("another process has the notes, and was perhaps stopped; waiting for it", "")
		return
	}
	s.warn(fmt.Sprintf("process %d has the notes, and was perhaps stopped; waiting for it", pid), fmt.Sprintf("kill -CONT %d lets a stopped one go on", pid))
}

// openMemory opens all workspaces that the command line selects.
func (s *session) openMemory(ctx context.Context, settings *config.Memories, opts app.Options) (*app.Memory, error) {
	opts.Embedder, opts.Logger, opts.Held = s.embedder, s.logger(), s.held
	return app.OpenMemory(ctx, settings, opts)
}

// closing adds the error of closing c to err, for use with defer.
func closing(err *error, c io.Closer) { *err = errors.Join(*err, c.Close()) }
