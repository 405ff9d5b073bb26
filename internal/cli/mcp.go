package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

func (s *session) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "Serve an agent over the Model Context Protocol on standard input and output",
		Long: "Mcp offers the tools memory_search and memory_get to the agent that started it,\nand ends when the agent closes the connection.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.mcp(cmd.Context())
		},
	}
}

func (s *session) mcp(ctx context.Context) (err error) {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	a, err := s.open(ctx, settings, app.Options{})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	in, ok := s.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.in)
	}
	return mcpserver.Run(ctx, a.Engine, mcpserver.Options{
		Version: version().Version, Input: in, Output: s.out, Logger: s.logger(), Complete: elsewhere(settings).complete,
		Defaults: memoir.Query{Limit: settings.Query.MaxResults, Mode: memoir.Mode(settings.Query.Mode), MinScore: settings.Query.MinScore},
	})
}
