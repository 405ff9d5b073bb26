package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/wire"
)

const memoryTemplate = "# Memory\n"

func (s *session) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [DIR]", Short: "Make a folder of notes",
		Long: "Init makes what is missing of a workspace: MEMORY.md for what stays true, memory/\nfor day logs, and .memoir.toml for settings. It never changes a file that is\n" +
			"there. Without DIR it makes your own memory, ~/.memoir/workspace, which every agent and\nevery folder uses. For this folder it is memoir init . and for the repository that you\nare in, at its root, memoir init .memoir. A folder that init has made or completed is\ntrusted, as memoir trust says.",
		Args: positional(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				s.workspace = args[0]
				if s.scope == config.ScopeProject { // whose folder is named
					s.scope = ""
				}
				if args[0] == "" {
					return usage("memoir init .", "the name of the folder is empty")
				}
			}
			return s.initialize()
		},
	}
}

// initialize makes the workspace that the command line names, or else the user's own.
func (s *session) initialize() error {
	env, err := environment()
	if err != nil {
		return err
	}
	load := config.LoadOwn
	if s.scope == config.ScopeProject {
		load = config.Load
	}
	settings, err := load(env, s.flags())
	if err != nil {
		return err
	}
	s.take(settings)
	if settings.Bucket.URL != "" {
		return memoir.WithHint(fmt.Errorf("%s is a bucket, in which memoir init makes nothing: %w", settings.Bucket.URL, memoir.ErrInvalid), "memoir remember writes the first note")
	}
	dir := settings.Workspace
	answer := wire.InitAnswer{Workspace: dir, Created: []string{}, Kept: []string{}}
	if err := app.MakeWorkspace(settings); err != nil {
		return memoir.WithHint(err, "name a folder that can be made, or written to")
	}
	if err := s.makeMissing(dir, &answer); err != nil {
		return err
	}
	if !settings.UsersOwn() {
		if err := env.Trust(dir); err != nil {
			return err
		}
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	s.say(s.out, "workspace %s\n", named(dir))
	for _, name := range answer.Created {
		s.say(s.out, "  made  %s\n", name)
	}
	for _, name := range answer.Kept {
		s.say(s.out, "  kept  %s, which was there\n", name)
	}
	s.whereMeant(settings)
	return nil
}

// makeMissing makes what is missing of a workspace.
func (s *session) makeMissing(dir string, answer *wire.InitAnswer) error {
	makers := []struct {
		name string
		make func(path string) error
	}{
		{layout.Memory, func(path string) error { return createFile(path, memoryTemplate) }},
		{layout.Folder, func(path string) error { return os.Mkdir(path, regular.Within(dir, 0o777)) }},
		{config.WorkspaceFile, func(path string) error { return createFile(path, s.commented(config.Template())) }},
	}
	for _, m := range makers {
		err := m.make(filepath.Join(dir, m.name))
		switch {
		case err == nil:
			answer.Created = append(answer.Created, m.name)
		case errors.Is(err, fs.ErrExist):
			answer.Kept = append(answer.Kept, m.name)
		default:
			return fmt.Errorf("make %s: %w", filepath.Join(dir, m.name), syserr.Reason(err))
		}
	}
	return nil
}

// whereMeant says where the workspace is meant, and how this folder gets one of its own.
func (s *session) whereMeant(settings *config.Loaded) {
	dir := settings.Workspace
	if !settings.UsersOwn() {
		// A repository finds its own from anywhere within it.
		if here, err := os.Getwd(); err == nil && filepath.Base(dir) != ".memoir" && !config.Within(here, dir) && os.Getenv("MEMOIR_WORKSPACE") == "" {
			s.say(s.out, "it is meant in that folder and below it; elsewhere --workspace %s names it, or MEMOIR_WORKSPACE\n", shellQuoted(dir))
		}
		return
	}
	s.say(s.out, "it is your own: every agent uses it in every folder; a project's notes come beside it\n")
	if settings.NotesHere() {
		s.say(s.out, "  try: %s\n", s.location().complete(s.language.Say("memoir init . makes this folder, which has notes, a workspace of its own")))
	}
	if env, err := environment(); err == nil {
		if of, err := config.ProjectOf(env); err == nil && !of.Trusted && !config.Within(of.Workspace, dir) {
			s.say(s.out, "  try: %s, if the notes in %s are to be given to agents and written to\n", "memoir trust", named(of.Workspace))
		}
	}
}

// commented has the comments of a file of settings in the person's language.
func (s *session) commented(settings string) string {
	lines := strings.SplitAfter(settings, "\n")
	for i, line := range lines {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			lines[i] = "# " + s.language.Format(comment)
		}
	}
	return strings.Join(lines, "")
}

// createFile writes a new file; one that exists stays as it is and gives [fs.ErrExist].
func createFile(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, regular.Within(filepath.Dir(path), 0o666))
	if err != nil {
		return err
	}
	defer closing(&err, f)
	_, err = f.WriteString(text)
	return err
}
