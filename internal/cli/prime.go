package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/prime"
)

func (s *session) primeCommand() *cobra.Command {
	var opts engine.PrimeOptions
	cmd := &cobra.Command{
		Use: "prime [flags]", Short: "Print what an agent is given at the start of a session",
		Long:    "Prime prints who the user is, standing instructions, preferences, what holds, recent\ndecisions, open points, and the logs of today and yesterday. It adds the entries whose\ntrigger phrases are in the message. All of it stays within a budget of tokens; what is\nmost useful for its length comes first. Entries from the web and from tools are quoted\nas data.",
		Example: "  memoir prime\n  memoir prime --message \"$MESSAGE\" --max-tokens 800",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if cmd.Flags().Changed("max-tokens") && opts.MaxTokens < 1 {
				return usage("memoir help prime", "--max-tokens %d is less than 1", opts.MaxTokens)
			}
			a, err := s.openWriting(cmd.Context(), app.NeedNotes)
			if err != nil {
				return err
			}
			defer closing(&err, a)
			p, err := a.Prime(cmd.Context(), opts)
			if err != nil {
				return err
			}
			if of := a.Project; of != nil && !of.Settings.Trusted() {
				s.warn(s.said("the notes in %s are left out, because they are not trusted on this machine", of.Settings.Place()), "memoir trust, when you know who writes them")
			}
			if s.json {
				return writeJSON(s.out, p)
			}
			if p.Text == "" && len(p.Left) > 0 {
				s.say(s.err, "nothing fits into %s; the shortest entry takes %s with what stands round it\n", count(opts.MaxTokens, "token"), count(p.Least, "token"))
				return nil
			}
			if p.Text == "" {
				s.say(s.err, "there is nothing to give yet\n")
				return nil
			}
			text := printableLines(p.Text)
			if st := s.style(); st.columns > 0 {
				err = st.markdown(s.out, "", text)
			} else {
				_, err = io.WriteString(s.out, text)
			}
			if len(p.Left) > 0 {
				s.say(s.err, "%s left out for the budget; --json names them\n", count(len(p.Left), "entry"))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Message, "message", "", "what the user said first")
	f.IntVar(&opts.MaxTokens, "max-tokens", prime.DefaultMaxTokens, "the most tokens of the text, estimated")
	f.BoolVar(&opts.Shared, "shared", false, "for groups: nothing of MEMORY.md and USER.md, nothing marked private")
	return cmd
}

func (s *session) flushCommand() *cobra.Command {
	var window, used int
	cmd := &cobra.Command{
		Use: "flush --window N --used N", Short: "Say whether a session has to keep what it holds before it is compacted",
		Long:    "Flush counts as OpenClaw does: a session is due when its window is used up but for a\nreserve and 4,000 tokens. Flush then prints what to ask the agent. Ask once before\neach compaction, and keep what the agent answers with memoir remember --key.",
		Example: "  memoir flush --window 200000 --used 180000 --json",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			given := cmd.Flags().Changed
			switch {
			case !given("window") && !given("used"):
				return usage("memoir help flush", "--window and --used are missing")
			case !given("window"):
				return usage("memoir help flush", "%s is missing", "--window")
			case !given("used"):
				return usage("memoir help flush", "%s is missing", "--used")
			}
			if window < 1 || used < 0 {
				return usage("memoir help flush", "--window must be 1 or more tokens and --used 0 or more, not %d and %d", window, used)
			}
			a, err := s.openWriting(cmd.Context(), app.NeedNotes)
			if err != nil {
				return err
			}
			defer closing(&err, a)
			due := a.Flush(window, used)
			if s.json {
				return writeJSON(s.out, due)
			}
			w := bufio.NewWriter(s.out)
			if due.Due {
				fmt.Fprintln(w, due.Prompt)
			} else {
				s.say(s.err, "not yet: it is due from %d tokens on\n", due.Threshold)
			}
			return w.Flush()
		},
	}
	f := cmd.Flags()
	f.IntVar(&window, "window", 0, "tokens that the model's window holds")
	f.IntVar(&used, "used", 0, "tokens that are used")
	return cmd
}
