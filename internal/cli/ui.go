package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/token"
)

// uiAnswer is the JSON of ui.
type uiAnswer struct {
	URL string `json:"url"` // that opens the page, once, within two minutes
}

func (s *session) uiCommand() *cobra.Command {
	var printOnly bool
	var addr string
	cmd := &cobra.Command{
		Use: "ui [flags]", Short: "Open the page on which people see and correct what is remembered",
		Long: "Ui opens the page of the running server in the browser. If none runs, it starts one\nfor as long as the command runs. The link works once, within two minutes, and lets in\nthe browser that opens it.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.ui(cmd.Context(), addr, printOnly) },
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the link, and open nothing")
	cmd.Flags().StringVar(&addr, "addr", defaultAddr, "where to listen when no server runs")
	return cmd
}

func (s *session) ui(ctx context.Context, addr string, printOnly bool) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	if link, ok := s.linkOf(ctx, settings); ok {
		return s.show(ctx, link, printOnly)
	}
	out := s.out
	s.out = s.err // only the link goes to standard output
	return s.serve(ctx, serveFlags{addr: addr}, func(here running, tickets *httpapi.Tickets) {
		s.out = out
		if err := s.show(ctx, here.URL+"/?ticket="+tickets.New(), printOnly); err != nil {
			s.warn(err.Error(), "")
		}
	})
}

// linkOf returns a link to the page of the server that serves these notes. ok
// is false when no server does.
func (s *session) linkOf(ctx context.Context, settings *config.Loaded) (string, bool) {
	data, err := regular.ReadFile(filepath.Join(serveDir(settings), "server.json"))
	if err != nil {
		return "", false
	}
	var there running
	if err := json.Unmarshal(data, &there); err != nil || there.Workspace != settings.Workspace {
		return "", false
	}
	secret, err := token.Open(serveDir(settings)).Owner(ctx)
	if err != nil {
		return "", false
	}
	var link httpapi.TicketLink
	if err := there.ask(ctx, "POST", "/v1/tickets", secret, &link); err != nil {
		return "", false
	}
	return there.URL + link.Path, true
}

// show prints a link and opens it.
func (s *session) show(ctx context.Context, link string, printOnly bool) error {
	var err error
	if s.json {
		err = writeJSON(s.out, uiAnswer{URL: link})
	} else {
		_, err = fmt.Fprintln(s.out, link)
	}
	if err != nil || printOnly || s.json {
		return err
	}
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	if err := exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start(); err != nil {
		s.warn("the browser could not be opened", "open the link above")
	}
	return nil
}
