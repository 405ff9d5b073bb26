package cli

import (
	"context"
	"fmt"
	"html"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
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
	settings, err := s.servedFirst()
	if err != nil {
		return err
	}
	// Over the socket of this user's server: whoever listens at its address may be another one.
	if link, err := bridge.Link(ctx, bridge.Socket(serveDir(settings), settings.Workspace)); err == nil {
		return s.show(ctx, settings, link, printOnly)
	}
	out := s.out
	s.out = s.err // only the link goes to standard output
	return s.serve(ctx, serveFlags{addr: addr}, func(here running, tickets *httpapi.Tickets) {
		s.out = out
		if err := s.show(ctx, settings, linkTo(here.URL, tickets), printOnly); err != nil {
			s.warn(err.Error(), "")
		}
	})
}

// servedFirst returns the settings of the memory that memoir serve, started in this folder,
// serves first. In an untrusted project that is the user's own memory.
func (s *session) servedFirst() (*config.Loaded, error) {
	memories, err := s.memories()
	if err != nil {
		return nil, err
	}
	return memories.Main(), nil
}

// linkTo returns a link that opens the page at an address, once.
func linkTo(address string, tickets *httpapi.Tickets) string {
	return address + "/?ticket=" + tickets.New()
}

// show prints a link and opens it.
func (s *session) show(ctx context.Context, settings *config.Loaded, link string, printOnly bool) error {
	var err error
	if s.json {
		err = writeJSON(s.out, uiAnswer{URL: link})
	} else {
		_, err = fmt.Fprintln(s.out, link)
	}
	if err != nil || printOnly || s.json {
		return err
	}
	if err := browser(ctx, openerOf(bridge.Socket(serveDir(settings), settings.Workspace)), link); err != nil {
		s.warn("the browser could not be opened: "+err.Error(), "open the link above")
	}
	return nil
}

// openerOf returns the file that opens the page of the server at a socket.
func openerOf(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".html" }

// browser opens a link in the browser. All users of a machine can read the command line of a
// program. So the browser gets a file that this user alone can read, and that leads to the link.
func browser(ctx context.Context, file, link string) error {
	at := html.EscapeString(link)
	page := `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=` + at + `">` +
		`<a href="` + at + `">memoir</a>` + "\n"
	if err := token.Secret(file, []byte(page)); err != nil {
		return err
	}
	name, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start()
}
