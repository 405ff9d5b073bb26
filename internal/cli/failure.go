package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/sentinel"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/typo"
	"github.com/memoir-ai/memoir/internal/wire"
)

// usageError is a mistake in the command line: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// errAnswered ends a command whose answer was bad news and was already printed:
// exit code 1.
var errAnswered = errors.New("answered")

func usage(hint, format string, args ...any) error {
	return memoir.WithHint(&usageError{fmt.Errorf(format, args...)}, hint)
}

// conflict is a [memoir.ErrConflict] with words of its own, for what is taken, or in use, or in the way.
func conflict(hint, format string, args ...any) error {
	return memoir.WithHint(sentinel.As(fmt.Errorf(format, args...), memoir.ErrConflict), hint)
}

// finish reports an error and returns the exit code.
func (s *session) finish(err error) int {
	if err == nil {
		return exitAnswered
	}
	code := exitFailed
	if errors.Is(err, errAnswered) {
		return code
	}
	var wrong *usageError
	var setting *config.Error
	if errors.As(err, &wrong) || errors.Is(err, memoir.ErrInvalid) || errors.As(err, &setting) && setting.Flag != "" {
		code = exitUsage
	}
	if setting != nil { // the hint does not repeat the flag that is wrong
		switch setting.Flag {
		case "--scope":
			s.scope = ""
		case "--agent":
			s.agent = ""
		}
	}
	if s.json {
		if err := writeJSON(s.out, s.failureOf(err)); err == nil {
			return code
		}
	}
	failure := publicForm(err)
	s.warn(failure.Error.Message, failure.Error.Action)
	return code
}

// failureOf returns the public form of an error.
func (s *session) failureOf(err error) wire.Failure {
	failure := publicForm(err)
	failure.Error.Message = wire.WithoutKind(failure.Error.Message)
	failure.Error.Action = s.location().complete(failure.Error.Action)
	return failure
}

// publicForm returns it without the flags that lead to this workspace.
func publicForm(err error) wire.Failure {
	var setting *config.Error
	var told *engine.NotKeptError
	switch {
	case errors.Is(err, context.Canceled) && errors.As(err, &told):
		err = &engine.NotKeptError{Text: told.Text, Path: told.Path, Err: errors.New("interrupted")}
	case errors.Is(err, context.Canceled) && memoir.Hint(err) == "":
		err = errors.New("interrupted")
	case syserr.TooManyFiles(err):
		err = memoir.WithHint(err, syserr.MoreFiles)
	case errors.As(err, &setting) && setting.Hint != "":
		err = memoir.WithHint(err, setting.Hint)
	}
	return wire.NewFailure(err)
}

// warn writes a line about what failed, or a part that is missing in the answer, and the
// next step. The step gets its flags in the person's language: with them no format of the
// catalogue would fit it. The lines of a reason, of which errors that are joined have
// several, are parts of one: what a stranger called a file is no line of memoir's.
func (s *session) warn(reason, action string) {
	reason = strings.Join(strings.FieldsFunc(reason, endsLine), "; ")
	fmt.Fprintf(s.err, "memoir: %s\n", unbroken(s.withoutKind(reason)))
	if action != "" {
		s.say(s.err, "  try: %s\n", unbroken(s.location().complete(s.language.Say(action))))
	}
}

// kinds are the sentinels whose text a person need not read behind a sentence.
var kinds = []error{memoir.ErrNotFound, memoir.ErrInvalid, memoir.ErrUnavailable}

// withoutKind says a reason in the person's language, without the kind of error that it
// ends in when a whole sentence stands before that.
func (s *session) withoutKind(reason string) string {
	said := s.language.Say(reason)
	for _, kind := range kinds {
		before, ends := strings.CutSuffix(reason, ": "+kind.Error())
		if !ends || !isSentence(before[strings.LastIndex(before, ": ")+1:]) {
			continue
		}
		said = strings.TrimSuffix(said, ": "+kind.Error())
		return strings.TrimSuffix(said, "："+s.language.Say(kind.Error()))
	}
	return said
}

// isSentence reports whether a part of a message says something by itself, and does not
// only name what was done to what.
func isSentence(part string) bool {
	says := []string{"is", "are", "was", "were", "has", "have", "does", "no", "not", "cannot", "must", "may", "needs", "can", "say", "stands", "holds", "chooses"}
	words := strings.Fields(part)
	return len(words) > 2 && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(says, w) })
}

// writeJSON writes a value as one line that cannot steer a terminal. JSON
// itself escapes only the ASCII control characters.
func writeJSON(w io.Writer, value any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	escaped := line.Bytes()
	if body := line.Bytes()[:line.Len()-1]; bytes.ContainsFunc(body, steers) {
		escaped = escaped[:0:0]
		for len(body) > 0 {
			r, n := utf8.DecodeRune(body)
			if steers(r) {
				escaped = fmt.Appendf(escaped, "\\u%04x", r)
			} else {
				escaped = append(escaped, body[:n]...)
			}
			body = body[n:]
		}
		escaped = append(escaped, '\n')
	}
	_, err := w.Write(escaped)
	return err
}

// wantsJSON looks for --json before the flags are parsed, so that a mistake in
// them is answered in JSON too.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// flagError explains a flag that could not be parsed.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return usage("memoir help "+path(cmd), "%w", valueError(value))
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && cmd.Name() == "search" && querylang.IsFilter(unknown.GetSpecifiedName()) {
		return usage(fmt.Sprintf("memoir search \"%s:VALUE WORDS\"", unknown.GetSpecifiedName()), "%w", err)
	}
	if near := nearestFlag(cmd, unknown); near != "" {
		all := "memoir help " + path(cmd)
		if !cmd.HasParent() {
			all = "memoir --help"
		}
		return usage(cmd.CommandPath()+" --"+near+", if you meant that; otherwise "+all, "%w", err)
	}
	if slices.Contains([]string{"search", "remember", "similar", "embed", "why"}, cmd.Name()) {
		return usage(fmt.Sprintf("memoir %s -- WORDS, when the words start with a dash; memoir help %[1]s for the flags", cmd.Name()), "%w", err)
	}
	if !cmd.HasParent() {
		return usage("memoir --help", "%w", err)
	}
	return usage("memoir help "+path(cmd), "%w", err)
}

// nearestFlag returns the name of the flag that a person may have meant by one that a
// command does not have, or "" when none is similar.
func nearestFlag(cmd *cobra.Command, unknown *pflag.NotExistError) (near string) {
	if unknown == nil {
		return ""
	}
	typed := unknown.GetSpecifiedName()
	closest := 1 + min(2, utf8.RuneCountInString(typed)/2)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if apart := typo.Distance(typed, f.Name); apart < closest {
			near, closest = f.Name, apart
		}
	})
	return near
}

// valueError says what a flag's value should be, without the parser's words.
func valueError(e *pflag.InvalidValueError) error {
	flag, expected := e.GetFlag(), "another value"
	switch flag.Value.Type() {
	case "int":
		expected = "a whole number"
	case "float64":
		expected = "a number"
	case "bool":
		expected = "true or false"
	}
	if errors.Is(e, strconv.ErrRange) {
		expected += " that is not so large"
	}
	name := "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand + ", " + name
	}
	return fmt.Errorf("%s is %q and must be %s", name, e.GetValue(), expected)
}

// path returns the names of a command below memoir.
func path(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "memoir ") }

// unknownCommand names the nearest command, and where all of them are listed.
func unknownCommand(cmd *cobra.Command, name string) error {
	hint := strings.TrimSpace(cmd.CommandPath() + " --help")
	if near := nearest(cmd, name, false); near != "" {
		hint = cmd.CommandPath() + " " + near + ", if you meant that; otherwise " + hint + ", which lists the commands"
	}
	return usage(hint, "unknown command %q", name)
}

// unknownWords is for words that begin with no command. When they are several or not ASCII
// they are a question, which search answers: nobody calls a command so. A first word that is
// nearly a command, or an order by which other programs call one, is taken for a mistake in it, but for those of which questions are made:
// "what" is not far from "why". Any other first word may be a command of another version,
// which a script must not take for done: a search answers only a person at a terminal.
func (s *session) unknownWords(root, search *cobra.Command, words []string) error {
	first := words[0]
	if strings.TrimSpace(strings.Join(words, "")) == "" {
		return usage(`memoir search "what you want to know"; memoir --help lists the commands`, "the query is empty")
	}
	named := !strings.ContainsFunc(first, notName) && analyze.Says(first)
	switch {
	case len(words) == 1 && !strings.ContainsFunc(first, notName):
		hint := "memoir search " + shellQuoted(first) + ", or memoir --help, which lists the commands"
		if near := nearest(root, first, false); near != "" {
			hint = "memoir " + near + ", if you meant that; otherwise memoir search " + shellQuoted(first) + ", or memoir --help, which lists the commands"
		}
		return memoir.WithHint(unknownCommand(root, first), hint)
	case analyze.Says(first) && nearest(root, first, true) != "":
		meant, all := nearest(root, first, true), shellQuoted(strings.Join(words, " "))
		for _, word := range words[1:] {
			meant += " " + shellQuoted(word)
		}
		return memoir.WithHint(unknownCommand(root, first), "memoir "+meant+", if you meant that; otherwise memoir search "+all+", or memoir --help, which lists the commands")
	case named && !s.terminal(s.out):
		return memoir.WithHint(unknownCommand(root, first), "memoir search "+shellQuoted(strings.Join(words, " ")))
	}
	search.SetContext(root.Context())
	return search.RunE(search, words)
}

// takeFlags lets the root have the flags of search, for questions that do not name it. They
// are hidden in what the root says of itself.
func takeFlags(root, search *cobra.Command) {
	search.Flags().VisitAll(func(f *pflag.Flag) {
		also := *f
		also.Hidden = true
		root.Flags().AddFlag(&also)
	})
}

// passFlags tells search which of its flags the root was given, and reports whether there is
// one. They have the same values.
func passFlags(root, search *cobra.Command) (any bool) {
	root.Flags().Visit(func(f *pflag.Flag) {
		if of := search.Flags().Lookup(f.Name); of != nil {
			of.Changed, any = true, true
		}
	})
	return any
}

// notName reports whether no command and no id of an entry has a rune in its name.
func notName(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) }

// helpTopic refuses to explain a command that does not exist.
func helpTopic(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		return unknownCommand(cmd, rest[0])
	}
	return err
}

// positional limits the number of arguments; most < 0 is no limit.
func positional(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("memoir help "+path(cmd), "%s is missing", what)
		case most >= 0 && len(args) > most:
			return usage("memoir help "+path(cmd), "unexpected argument %q", args[most])
		}
		return nil
	}
}
