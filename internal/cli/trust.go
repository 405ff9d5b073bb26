package cli

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) trustCommand() *cobra.Command {
	var undo, list bool
	cmd := &cobra.Command{
		Use: "trust [DIR]", Short: "Agree that a project's notes are given to agents and written to",
		Long: "Trust records that you know who writes the notes of the project that you are in, or in\nwhich DIR lies. Until then they are searched when somebody asks, but no agent\nis given them unasked, and nothing is written there: what is told goes to your own\nmemory. memoir init agrees, too, for the folder that it makes.\n\n" +
			"A note may tell an agent what to do. Look first: memoir --workspace DIR prime prints what\nagents would be given at the start of a session.\n\nThe consent is kept among your settings on this machine, by the real path of the folder.\nNothing in the folder can give it.",
		Example: "  memoir trust\n  memoir trust --list\n  memoir trust --undo",
		Args:    positional(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if undo && list {
				return usage("memoir trust --list", "--undo and --list do not go together")
			}
			if list && len(args) > 0 {
				return usage("memoir trust --list", "--list takes no folder")
			}
			env, err := environment()
			if err != nil {
				return err
			}
			if list {
				return s.listTrusted(env)
			}
			dir, err := s.projectNotes(env, args, undo)
			if err != nil {
				return err
			}
			return s.trust(env, dir, !undo)
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "take the consent back")
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that you have agreed to")
	return cmd
}

// projectNotes returns the folder of notes that trust is about: that of the project in
// which a folder lies. A consent to take back may be for a folder that is gone.
func (s *session) projectNotes(env config.Environment, args []string, undo bool) (string, error) {
	if dir := cmp.Or(append(args, s.workspace)...); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
		if env.Dir = filepath.Clean(dir); undo && env.Trusts(env.Dir) {
			return env.Dir, nil
		}
	}
	place, err := config.ProjectOf(env)
	return place.Workspace, err
}

func (s *session) trust(env config.Environment, dir string, agree bool) (err error) {
	answer := wire.TrustAnswer{Workspace: dir, Trusted: agree}
	if agree {
		answer.Changed = !env.Trusts(dir)
		err = env.Trust(dir)
	} else {
		answer.Changed, err = env.Distrust(dir)
	}
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	switch {
	case agree:
		s.say(s.out, "trusted  %s\n  agents are given its notes there, and what is told about the project is written into them\n", named(dir))
		s.say(s.out, "  try: %s takes it back\n", "memoir trust --undo "+shellQuoted(dir))
	case answer.Changed:
		s.say(s.out, "no longer trusted  %s\n", named(dir))
	default:
		s.say(s.out, "%s was not trusted\n", named(dir))
	}
	return nil
}

func (s *session) listTrusted(env config.Environment) error {
	all, err := env.Trusted()
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, wire.TrustList{Trusted: append([]string{}, all...)})
	}
	for _, dir := range all {
		s.say(s.out, "%s\n", named(dir))
	}
	if len(all) == 0 {
		s.say(s.err, "no folder is trusted yet\n")
	}
	return nil
}
