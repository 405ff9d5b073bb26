package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

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

// An amount is a number of things, which reads as "1 note" or "15,160 notes".
type amount struct {
	n    int
	noun string
}

func count(n int, noun string) amount { return amount{n, noun} }

func (a amount) String() string {
	return humanize.Comma(int64(a.n)) + " " + english.PluralWord(a.n, a.noun, "")
}

// personsLanguage returns the language of the variables, or else of the system.
func personsLanguage() wording.Language {
	return wording.Of(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"), systemLanguage())
}
