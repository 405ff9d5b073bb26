package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memoir-ai/memoir/internal/wording"
)

// say writes what a person reads, in the person's language. Of the arguments amounts
// alone are said in it; what comes from notes and settings stays.
func (s *session) say(w io.Writer, format string, args ...any) (int, error) {
	if !s.language.English() {
		for i, arg := range args {
			if a, ok := arg.(amount); ok {
				args[i] = s.language.Say(a.String())
			}
		}
		format = s.language.Format(format)
	}
	return fmt.Fprintf(w, format, args...)
}

// said returns what say writes.
func (s *session) said(format string, args ...any) string {
	var out strings.Builder
	s.say(&out, format, args...)
	return out.String()
}

// An amount is a number of things, which reads as "1 note" or "2 notes".
type amount struct {
	n    int
	noun string
}

func count(n int, noun string) amount { return amount{n, noun} }

func (a amount) String() string { return strconv.Itoa(a.n) + " " + english.PluralWord(a.n, a.noun, "") }

// personsLanguage returns the language of the variables, or else of the system.
func personsLanguage() wording.Language {
	return wording.Of(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"), systemLanguage())
}

// speak has the help of all commands in the person's language.
func (s *session) speak(root *cobra.Command) {
	if s.language.English() {
		return
	}
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	s.speakOf(root)
	help, usage := root.HelpFunc(), root.UsageFunc()
	said := func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			if heading, ok := strings.CutSuffix(line, "\n"); ok && !strings.HasPrefix(line, " ") {
				lines[i] = s.language.Say(heading) + "\n"
			}
		}
		return strings.Join(lines, "")
	}
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := root.OutOrStdout()
		var text bytes.Buffer
		root.SetOut(&text)
		help(cmd, args)
		root.SetOut(out)
		io.WriteString(out, said(text.String()))
	})
	root.SetUsageFunc(usage)
}

func (s *session) speakOf(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.Short, cmd.Long = s.language.Say(cmd.Short), s.language.Format(cmd.Long)
	flag := func(f *pflag.Flag) { f.Usage = s.language.Say(f.Usage) }
	cmd.LocalNonPersistentFlags().VisitAll(flag)
	cmd.PersistentFlags().VisitAll(flag)
	for _, below := range cmd.Commands() {
		s.speakOf(below)
	}
}
