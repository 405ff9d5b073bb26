package cli

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/hub"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) pullCommand() *cobra.Command {
	var opts models.PullOptions
	cmd := &cobra.Command{
		Use: "pull NAME|OWNER/NAME[@REVISION]|ADDRESS|FOLDER|FILE", Short: "Install a model for the local provider",
		Long: "Pull installs a model of the catalogue (memoir model list) by its name, or any\nBERT encoder or cross-encoder of the Hugging Face hub by OWNER/NAME or the address\nof its page. It downloads the published files,\n" +
			"checks them, makes one model file of them, tests it and puts it into the folder\nof models. A stopped download goes on where it stopped. A folder as it was\npublished, or a model file, is installed without a network: ./FOLDER or\n" +
			"./NAME.memoir. memoir model use makes the model the one in use.",
		Example: "  memoir model pull all-MiniLM-L6-v2\n  memoir model pull intfloat/e5-small-v2\n  memoir model pull ~/Downloads/bge-small-en-v1.5",
		Args:    positional(1, 1, "the model"),

		ValidArgsFunction: completeCatalogue,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.pull(cmd.Context(), args[0], opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Name, "name", "", "the name to install it under (default its own); of a folder, the model that it holds")
	f.BoolVar(&opts.Keep, "keep", false, "leave the downloaded files")
	f.BoolVar(&opts.Force, "force", false, "install again what is installed")
	bitFlags(cmd, &opts.Convert)
	return cmd
}

func (s *session) pull(ctx context.Context, what string, opts models.PullOptions) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	report, done := s.downloads()
	opts.Progress = report
	opts.Step = func(what string) {
		done()
		if s.terminal(s.err.to) {
			fmt.Fprintf(s.err, "%s\n", unbroken(what))
		}
	}
	opts.Waiting = func() {
		s.warn("another memoir is pulling this model; waiting until it is done (Ctrl-C stops)", "")
	}
	pulled, err := models.Pull(ctx, settings, what, opts)
	done()
	if err != nil {
		return err
	}
	answer := wire.PullAnswer{ModelAnswer: s.newModelAnswer(pulled.Model), Already: pulled.Already, Files: pulled.Files}
	if !pulled.Already {
		answer.SelfTest = newSelfTestAnswer(pulled.Test)
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	st := s.style()
	if pulled.Already {
		s.say(s.out, "%s is installed already: %s\n", st.text(answer.Name), named(answer.Path))
	} else {
		fmt.Fprintf(s.out, "%s: %s, %s, %s\n", named(answer.Path), humanize.Bytes(uint64(answer.Bytes)), s.purpose(answer.Dimensions, answer.Reranks), s.language.Say(answer.SelfTest.String()))
	}
	if answer.Files != "" {
		s.say(s.out, "downloaded files: %s\n", named(answer.Files))
	}
	_, err = s.say(s.out, "%s makes it the one in use\n", st.text(s.location().complete("memoir model use "+shellQuoted(answer.Name))))
	return err
}

// downloads returns a reporter that draws a bar for each file, and a function
// that removes the last bar.
func (s *session) downloads() (hub.Progress, func()) {
	var file string
	var report memoir.Progress
	done := func() {}
	return func(f string, n, total int64) {
		if f != file {
			done()
			file = f
			report, done = s.progress(f, "bytes")
		}
		if report != nil {
			report(int(n), int(total))
		}
	}, func() { done() }
}
