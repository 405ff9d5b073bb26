package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/browse"
	"github.com/memoir-ai/memoir/internal/editor"
)

func (s *session) browseCommand() *cobra.Command {
	return &cobra.Command{
		Use: "browse", Short: "Search and read the notes in the terminal, as you type",
		Long: "Browse shows what is found while you type, and the note beside it. Enter opens the\nnote at the passage in $VISUAL or $EDITOR. Tab goes to the list, where d takes the\n" +
			"marked lines out of the note, u brings them back, ? shows all keys and q leaves.\nThe questions are not kept in the query log. What d takes out stays in the history;\nmemoir forget takes it out of there, too.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.browse(cmd.Context()) },
	}
}

func (s *session) browse(ctx context.Context) (err error) {
	collect()
	in, out := s.in, s.out
	from, isFile := in.(*os.File)
	to, alsoFile := out.(*os.File)
	if s.json || !isFile || !alsoFile || !s.terminal(in) || !s.terminal(out) || os.Getenv("TERM") == "dumb" {
		return usage(`memoir search "what you want to know"`, "browse is for a person at a terminal")
	}
	settings, err := s.memories()
	if err != nil {
		return err
	}
	a, err := s.openMemory(ctx, settings, app.Options{Write: true, Lives: true, Unlogged: true})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	s.warnOpened(a)
	if err := a.Maintain(); err != nil {
		return err
	}
	return browse.Run(ctx, a, browse.Options{
		In: from, Out: to, Defaults: defaults(settings.First()), Printable: printable,
		File: func(name string) (string, error) { return noteFile(a, name) }, Editor: editor.Chosen(), Language: s.language,
	})
}

// noteFile returns the file of a note by its name.
func noteFile(a *app.Memory, name string) (string, error) {
	if !a.Owns(name) {
		return "", memoir.WithHint(fmt.Errorf("%s is not a note that can be edited: %w", name, memoir.ErrInvalid), "memoir get "+shellQuoted(name))
	}
	one, path := cmp.Or(a.Project, a.User), memoir.DocID(name)
	if a.Joined() {
		scope, below := memoir.ParseName(name)
		if path = below; scope == memoir.ScopeUser {
			one = a.User
		}
	}
	return one.File(path)
}
