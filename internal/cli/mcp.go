package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

func (s *session) mcpCommand() *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use: "mcp [flags]", Short: "Serve an agent over the Model Context Protocol on standard input and output",
		Long: "Mcp offers the tools memory_search, memory_get, memory_remember, memory_forget\nand memory_prime to the agent that started it, and ends when the agent closes the connection.\n" +
			"Meanwhile it keeps the index complete by itself: it follows the notes as they\nchange and computes the missing vectors, a few at a time, beside its work. A\nworkspace that is not there is made.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.mcp(cmd.Context(), readOnly)
		},
	}
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "offer no tool that writes notes")
	return cmd
}

func (s *session) mcp(ctx context.Context, readOnly bool) (err error) {
	settings, err := s.memories()
	if err != nil {
		return err
	}
	a, err := s.openMemory(ctx, settings, app.Options{Write: !readOnly, Lives: true})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	s.warnOpened(a)
	if err := a.Maintain(); err != nil {
		return err
	}
	in, ok := s.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.in)
	}
	if !readOnly {
		defer s.draining(ctx, a)()
	}
	opts := s.mcpOptions(a, readOnly)
	opts.Input, opts.Output = in, s.out
	return mcpserver.Run(ctx, a, opts)
}

// mcpOptions says how the tools present what is open.
func (s *session) mcpOptions(a *app.Memory, readOnly bool) mcpserver.Options {
	opts := mcpserver.Options{Version: version().Version, Logger: s.logger(), Complete: completing(a), Defaults: defaults(a.First().Settings), Scopes: a.Joined()}
	if !readOnly {
		opts.Writer = a
	}
	for _, one := range a.Apps() {
		if one.Settings.Sessions.Enabled {
			opts.Hidden = app.Hidden
		}
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
