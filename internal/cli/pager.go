package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/editor"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// paged makes the answer of a command one that goes through the person's pager, when it
// leads to a terminal and is longer than that.
func (s *session) paged(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&s.noPager, "no-pager", false, "write a long answer to the terminal as it is, without a pager")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pager := chosenPager()
		if s.json || s.noPager || pager == "" || cmd.Flags().Changed("stdin") || !s.terminal(s.out) {
			return run(cmd, args)
		}
		var held bytes.Buffer
		out, terminal := s.out, s.terminal
		s.out, s.terminal = &held, func(stream any) bool { return stream == any(&held) || terminal(stream) }
		err := run(cmd, args)
		s.out, s.terminal = out, terminal
		return errors.Join(err, s.showLong(cmd.Context(), pager, held.String()))
	}
	return cmd
}

// chosenPager returns the pager with its arguments that a person has chosen: that of
// MEMOIR_PAGER, else of PAGER, else less, if it is there and the terminal is one that it can
// steer. It is "" for none.
func chosenPager() string {
	pager, ok := os.LookupEnv("MEMOIR_PAGER")
	if !ok {
		pager, ok = os.LookupEnv("PAGER")
	}
	switch pager = strings.TrimSpace(pager); {
	case pager == "cat":
		return ""
	case ok:
		return pager
	}
	if _, err := exec.LookPath("less"); err != nil || os.Getenv("TERM") == "dumb" {
		return ""
	}
	return "less"
}

// showLong writes an answer to the terminal, through the pager if it is longer. A person may
// leave that before its end. It has no links: old versions of less write them out.
func (s *session) showLong(ctx context.Context, pager, text string) error {
	columns, rows := s.size()
	if rowsOf(text, columns) < rows { // the last row is the prompt's
		_, err := io.WriteString(s.out, text)
		return err
	}
	unread, err := s.page(ctx, pager, withoutLinks(text))
	if err != nil {
		s.warn(err.Error(), "set the variable MEMOIR_PAGER to a program that is there, or to nothing for none")
	}
	if unread {
		_, err = io.WriteString(s.out, text)
		return err
	}
	return nil
}

// page shows a text in a pager and waits for its end. It reports whether the pager has read
// nothing of that. An error says that it could not be started, or failed without reading.
func (s *session) page(ctx context.Context, pager, text string) (unread bool, _ error) {
	words, err := editor.Words(pager)
	if err != nil {
		return true, fmt.Errorf("the pager %s could not be started: %w", pager, err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return true, err
	}
	defer out.Close()
	// Interrupts are for the pager, the second one, too.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = out, s.out, s.err.to
	if _, set := os.LookupEnv("LESS"); !set {
		cmd.Env = append(os.Environ(), "LESS=FRX") // quit if it fits, with colours, and leave it on the screen
	}
	if err := cmd.Start(); err != nil {
		return true, errors.Join(fmt.Errorf("the pager %s could not be started: %w", pager, syserr.Reason(err)), in.Close())
	}
	go func() {
		_, _ = io.WriteString(in, text)
		in.Close()
	}()
	err = cmd.Wait()
	// What the pager has not read is left in the pipe.
	left, _ := io.Copy(io.Discard, out)
	if unread = left == int64(len(text)) && len(interrupts) == 0; !unread || err == nil {
		return unread, nil
	}
	return true, fmt.Errorf("the pager %s ended at once: %w", pager, err)
}

// withoutLinks returns a text of a command without its links.
func withoutLinks(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, linkBegins)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(after, linkText)
	}
}

// rowsOf returns how many rows of a screen a text of a command takes at most: a tab may be
// narrower than it is taken for.
func rowsOf(text string, columns int) (rows int) {
	for line := range strings.Lines(withoutLinks(text)) {
		width := 0
		for i, part := range strings.Split(strings.TrimRight(line, "\r\n"), "\x1b[") {
			if i > 0 {
				_, part, _ = strings.Cut(part, "m")
			}
			width += uniseg.StringWidth(strings.ReplaceAll(part, "\t", "        "))
		}
		rows += max(1, (width+columns-1)/columns)
	}
	return rows
}
