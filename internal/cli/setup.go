package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/setup"
)

// setupAnswer is the JSON of setup.
type setupAnswer struct {
	OK        bool         `json:"ok"`             // nothing failed; the exit code is 0
	Workspace string       `json:"workspace"`      // of this command, which agents get that have none yet
	Made      string       `json:"made,omitempty"` // the folder of notes that was made, or would be
	DryRun    bool         `json:"dryRun"`         // nothing was changed
	Agents    []setupAgent `json:"agents"`         // in the order of memoir help setup
	Try       string       `json:"try,omitempty"`  // what to try now, for people

	here location // the flags by which other agents get the workspace of this command, too
}

// setupAgent is what became of one agent.
type setupAgent struct {
	Agent     string         `json:"agent"`               // as in memoir setup AGENT
	Workspace string         `json:"workspace,omitempty"` // that it uses now, or would; not with --undo
	Before    string         `json:"before,omitempty"`    // the workspace that it used, or what else its entry named memoir started or reached
	Kept      []keptServer   `json:"kept,omitempty"`      // servers that start memoir through another program, and stay
	Files     []setup.Change `json:"files"`               // in which it keeps its settings
	Error     string         `json:"error,omitempty"`     // why not all of them were changed
	Action    string         `json:"action,omitempty"`    // the next command or step
}

// keptServer is a server of an agent that starts memoir through another program.
type keptServer struct {
	Name string `json:"name"` // as the agent's settings call it
	By   string `json:"by"`   // the program that starts memoir, such as npx or docker
	File string `json:"file"` // the settings in which it stands
}

func (s *session) setupCommand() *cobra.Command {
	var undo, dryRun, replace bool
	var client string
	cmd := &cobra.Command{
		Use: "setup [flags] [AGENT...]", Short: "Connect the agents on this machine",
		Long: "Setup adds memoir to the settings of agents: its tools, and where the agent has\nhooks, what a session is given by itself. Without AGENT it is every agent that is\nfound by its folder or program, with --undo every one that was connected. They\nget the workspace that this command has; where that is the user's own, they find\nthat of their project beside it by themselves. An agent that has memoir already keeps its\nworkspace and its other flags, unless --workspace or --scope names others. One that\nstarts memoir by npx or in a container is left as it is; --replace puts this memoir in\nthe place of that.\n\n" +
			"The files are changed in place: comments, order and what else stands there stay,\nand a copy is kept. Run it again after memoir has moved. --undo gives the bytes back as\nthey were, or takes memoir's part out of a file that has changed since.\n\n" +
			"Agents: " + strings.Join(setup.Names(), ", ") + ".\nFor --print also: " + strings.Join(setup.Clients()[len(setup.Names()):], ", ") + ".",
		Example:   "  memoir setup --dry-run\n  memoir setup claude-code codex\n  memoir setup --undo codex\n  memoir setup --print zed",
		ValidArgs: setup.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("print") {
				if len(args) > 0 || undo || dryRun || replace {
					return usage("memoir setup --print "+client, "--print changes nothing, and takes no agents")
				}
				return s.printSetup(client)
			}
			if undo && replace {
				return usage("memoir help setup", "--undo gives back what --replace has replaced, so say one of them")
			}
			return s.setup(cmd.Context(), args, setup.Options{DryRun: dryRun, Replace: replace}, undo)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&undo, "undo", false, "give the settings of agents back as they were")
	f.BoolVar(&dryRun, "dry-run", false, "show what would change, and change nothing")
	f.BoolVar(&replace, "replace", false, "in the place of servers that start memoir by npx or in a container")
	f.StringVar(&client, "print", "", "print what belongs in the settings of a client, which you add yourself")
	return cmd
}

// setupDir is where the original bytes of agents' settings are kept.
func setupDir(state string) string { return filepath.Join(state, "setup") }

// place returns the machine as setup sees it.
func (s *session) place() (setup.Place, error) {
	env, err := environment()
	if err != nil {
		return setup.Place{}, err
	}
	if !filepath.IsAbs(env.Home()) {
		return setup.Place{}, memoir.WithHint(errors.New("there is no home folder in which agents have their settings"), "set HOME, on Windows USERPROFILE")
	}
	return setup.Place{Home: env.Home(), Lookup: os.LookupEnv, OS: env.OS}, nil
}

func (s *session) setup(ctx context.Context, names []string, opts setup.Options, undo bool) error {
	memories, err := s.connecting()
	if err != nil {
		return err
	}
	settings := memories.First()
	place, err := s.place()
	if err != nil {
		return err
	}
	if !opts.DryRun { // two at once would lose what the files were before
		release, err := app.LockSettings(ctx, settings.StateDir)
		if err != nil {
			return err
		}
		defer release()
	}
	chosen, err := chooseAgents(names, place, setupDir(settings.StateDir), undo)
	if err != nil {
		return err
	}
	answer := setupAnswer{OK: true, Workspace: settings.Place(), DryRun: opts.DryRun, Agents: []setupAgent{}}
	if answer.here = everywhere(memories); len(answer.here) == 0 {
		answer.here = location{"--scope", config.ScopeUser}
	}
	plans, err := s.planSetup(chosen, place, memories, opts.Replace)
	if undo {
		err = nil // it starts nothing
	} else if err == nil && slices.ContainsFunc(plans, func(p plan) bool { return p.workspace == settings.Place() }) {
		answer.Made, err = madeWorkspace(settings, opts.DryRun)
	}
	if err != nil {
		return err
	}
	opts.Place, opts.Dir, opts.Everywhere = place, setupDir(settings.StateDir), len(names) == 0
	opts.Run = func(ctx context.Context, words []string) error { return setup.Exec(ctx, words, hooksOff) }
	for i, a := range chosen {
		do, x := a.Connect, setupAgent{Agent: a.Name}
		if undo {
			do = a.Undo
		} else {
			opts.Command, x.Workspace, x.Before, x.Kept = plans[i].command, plans[i].workspace, plans[i].before, plans[i].kept
		}
		if len(x.Kept) > 0 && x.Workspace == "" { // it has memoir, and a second one would be beside it
			x.Files, x.Action = []setup.Change{}, s.location().complete("memoir setup --replace "+a.Name)
			answer.Agents = append(answer.Agents, x)
			continue
		}
		x.Files, err = do(ctx, opts)
		switch {
		case err != nil:
			x.Error, x.Action, answer.OK = err.Error(), memoir.Hint(err), false
		case !undo && !opts.DryRun:
			x.Action = a.Note
			answer.Try = fmt.Sprintf("start %s and say \"remember that I take my tea without milk\"; then ask in a new session how you take it", a.Title)
		}
		answer.Agents = append(answer.Agents, x)
	}
	return s.answerSetup(answer)
}

// connecting returns the memories that agents are connected with: the user's own instead
// of a project's alone, to which the user has not agreed.
func (s *session) connecting() (*config.Memories, error) {
	m, err := s.memories()
	if err != nil || m.User != nil || m.Project.Trusted() || s.scope == config.ScopeProject {
		return m, err
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	m.User, err = config.LoadOwn(env, s.flags())
	m.Project, m.Chosen = nil, []config.Place{m.Places.User}
	return m, err
}

// A plan says how an agent is to start memoir.
type plan struct {
	command   setup.Command
	workspace string // that it will use
	before    string // that it used, or what else its entry reached; "" where it had none
	kept      []keptServer
}

// planSetup returns how agents are to start memoir. Whoever is connected
// already keeps its workspace, unless this command names one. Whoever starts memoir through
// another program keeps that, and gets no workspace, unless that is to be replaced.
func (s *session) planSetup(agents []setup.Agent, place setup.Place, memories *config.Memories, replace bool) ([]plan, error) {
	command, err := startedAs(memories)
	if err != nil {
		return nil, err
	}
	over := location{}.with("--agent", s.agent)
	if s.stateDir != "" {
		over = over.with("--state-dir", memories.First().StateDir)
	}
	if s.workspace != "" || s.scope != "" {
		over = command.Location
	}
	var plans []plan
	for _, a := range agents {
		p := plan{command: command, workspace: memories.First().Place()}
		through := a.Through(place)
		entry, ok := a.Entry(place)
		if len(through) > 0 && replace && !entry.Ours() {
			entry, ok = through[0], true
		}
		if ok {
			p.command, p.before = command.Keeping(entry, over), s.reached(entry)
			if plain, ok := entry.Plain(); ok {
				entry, p.before = plain, s.reached(plain)
			}
			if entry.Ours() && s.workspace == "" && s.scope == "" {
				p.workspace = p.before
			}
		}
		for _, x := range through {
			if by, _, _ := x.Through(); !replace {
				p.kept = append(p.kept, keptServer{Name: x.Name, By: by, File: x.File})
			}
		}
		if len(p.kept) > 0 && !entry.Ours() {
			p.command, p.workspace, p.before = setup.Command{}, "", ""
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// reached returns the workspace of an entry, or else what it starts or reaches.
func (s *session) reached(entry setup.Start) string {
	switch {
	case !entry.Ours():
		return cmp.Or(entry.URL, strings.Join(entry.Words, " "))
	case entry.Flag("--workspace") != "":
		return entry.Flag("--workspace")
	}
	return usersOwn()
}

// usersOwn returns the workspace of the user for programs that have no flags
// and variables that name another one, or "" where the settings cannot be read.
func usersOwn() string {
	env, err := environment()
	if err != nil {
		return ""
	}
	return env.OwnPlace()
}

// chooseAgents returns the named agents, or else those found on this machine.
// To undo, it returns those that memoir is known to have connected, by its
// records or by their settings, because an entry may be somebody's own.
func chooseAgents(names []string, place setup.Place, dir string, undo bool) ([]setup.Agent, error) {
	var chosen []setup.Agent
	for _, name := range names {
		a, ok := setup.Find(name)
		if !ok {
			hint := "one of " + strings.Join(setup.Names(), ", ")
			if slices.Contains(setup.Clients(), name) {
				hint = "memoir setup --print " + name
			}
			return nil, usage(hint, "%q is no agent that memoir can set up", name)
		}
		chosen = append(chosen, a)
	}
	if len(names) > 0 {
		return chosen, nil
	}
	if undo {
		for _, c := range setup.Connections(place, dir) {
			chosen = append(chosen, c.Agent)
		}
		return chosen, nil
	}
	for _, a := range setup.Agents() {
		if a.On(place) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, memoir.WithHint(fmt.Errorf("no agent was found below %s or among the programs", place.Home), "memoir setup AGENT, or memoir setup --print other for another client")
	}
	return chosen, nil
}

// startedAs returns how agents should start memoir: by the name under which a
// shell finds it, which stays the same when a new version is installed.
func startedAs(memories *config.Memories) (setup.Command, error) {
	own, err := os.Executable()
	if err != nil {
		return setup.Command{}, fmt.Errorf("find the program that runs: %w", err)
	}
	program := own
	if found, err := exec.LookPath("memoir"); err == nil && sameFile(found, own) {
		if program, err = filepath.Abs(found); err != nil {
			return setup.Command{}, err
		}
	} else if strings.Contains(filepath.ToSlash(own), "/go-build") {
		return setup.Command{}, memoir.WithHint(fmt.Errorf("%s will be gone when this command ends, so agents could not start it", own), "go install ./cmd/memoir, and memoir setup")
	}
	return setup.Command{Program: program, Location: everywhere(memories)}, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// madeWorkspace makes the default folder of notes, and returns it if it was not
// there. With dryRun it makes nothing. It refuses another folder that does not
// exist.
func madeWorkspace(settings *config.Loaded, dryRun bool) (string, error) {
	if info, err := os.Stat(settings.Workspace); settings.Bucket.URL != "" || err == nil && info.IsDir() {
		return "", nil
	}
	if settings.IsSet("workspace") {
		return "", memoir.WithHint(fmt.Errorf("there is no workspace at %s: %w", settings.Workspace, memoir.ErrNotFound), "memoir init")
	}
	if dryRun {
		return settings.Workspace, nil
	}
	if err := app.MakeWorkspace(settings); err != nil {
		return "", err
	}
	return settings.Workspace, nil
}

func (s *session) answerSetup(x setupAnswer) error {
	if s.json {
		if err := writeJSON(s.out, x); err != nil {
			return err
		}
	} else {
		s.showSetup(x)
	}
	if !x.OK {
		return errAnswered
	}
	return nil
}

func (s *session) showSetup(x setupAnswer) {
	st := s.style()
	if len(x.Agents) == 0 {
		s.say(s.out, "no agent is connected\n")
	}
	switch {
	case x.Made != "" && x.DryRun:
		s.say(s.out, "would make the workspace %s\n", named(x.Made))
	case x.Made != "":
		s.say(s.out, "made the workspace %s\n", named(x.Made))
	}
	for _, a := range x.Agents {
		fmt.Fprintln(s.out, a.Agent)
		s.showWorkspace(a, x)
		for _, k := range a.Kept {
			s.say(s.out, "  kept       %s in %s starts memoir by %s\n", named(k.Name), named(k.File), k.By)
			s.say(s.out, "             for this memoir in its place: %s\n", s.location().complete("memoir setup --replace "+a.Agent))
		}
		for _, c := range a.Files {
			switch {
			case c.Diff != "":
				_, _ = io.WriteString(s.out, printableLines(c.Diff)) // written like every other line
				continue
			case c.Command != "" && x.DryRun:
				s.say(s.out, "  would run  %s\n", st.text(c.Command))
				continue
			}
			fmt.Fprintf(s.out, "  %s  %s\n", padded(s.language.Say(c.Change), 9), named(c.Path))
			if c.Backup != "" && c.Change != setup.Unchanged {
				s.say(s.out, "             as it was: %s\n", named(c.Backup))
			}
		}
		if a.Error != "" {
			s.warn(a.Agent+": "+a.Error, a.Action)
		} else if a.Action != "" && (len(a.Kept) == 0 || a.Workspace != "") {
			s.say(s.out, "  then: %s\n", s.language.Say(a.Action))
		}
	}
	if x.Try != "" {
		s.say(s.out, "try: %s\n", s.language.Say(x.Try))
	}
}

// showWorkspace says which workspace an agent uses, and whether that is
// another one than before.
func (s *session) showWorkspace(a setupAgent, x setupAnswer) {
	switch {
	case a.Workspace == "":
		return
	case a.Before == "":
		s.say(s.out, "  workspace  %s\n", named(a.Workspace))
		return
	case a.Before != a.Workspace:
		s.say(s.out, "  workspace  %s, until now %s\n", named(a.Workspace), named(a.Before))
		return
	}
	s.say(s.out, "  workspace  %s, as before\n", named(a.Workspace))
	if _, err := os.Stat(a.Workspace); filepath.IsAbs(a.Workspace) && errors.Is(err, fs.ErrNotExist) {
		s.say(s.out, "             it is not there; for another: memoir setup --workspace FOLDER %s\n", a.Agent)
	} else if a.Workspace != x.Workspace {
		s.say(s.out, "             for another: %s\n", x.here.complete("memoir setup "+a.Agent))
	}
}

// printAnswer is the JSON of setup --print.
type printAnswer = setup.Snippet

func (s *session) printSetup(client string) error {
	memories, err := s.connecting()
	if err != nil {
		return err
	}
	command, err := startedAs(memories)
	if err != nil {
		return err
	}
	snippet, ok := setup.Print(client, command)
	if !ok {
		return usage("one of "+strings.Join(setup.Clients(), ", "), "%q is no client that memoir knows", client)
	}
	if s.json {
		return writeJSON(s.out, snippet)
	}
	s.say(s.err, "%s:\n", s.language.Say("add this to "+snippet.File))
	_, err = io.WriteString(s.out, printableLines(snippet.Text))
	return err
}
