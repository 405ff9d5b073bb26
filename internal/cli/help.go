package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What cobra and pflag write round the texts of the commands.
const (
	helpFor    = "help for %s"
	versionFor = "version for %s"
	helpMore   = `Use "%s [command] --help" for more information about a command.`
	byDefault  = " (default %s)"
)

// speak has help and usage in the person's language. Only what is shown is put into it,
// when it is shown, so that no other command waits for that. Cobra's own functions write
// it: with a template, all exported methods would be linked, for a template can call any.
func (s *session) speak(root *cobra.Command) {
	if s.language.English() {
		return
	}
	help, usage := root.HelpFunc(), root.UsageFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		s.speakOf(cmd)
		help(cmd, args)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		s.speakOf(cmd)
		out := cmd.OutOrStderr()
		var text bytes.Buffer
		cmd.SetOut(&text)
		err := usage(cmd)
		cmd.SetOut(out)
		if err == nil {
			_, err = io.WriteString(out, s.framed(cmd, text.String()))
		}
		return err
	})
}

// speakOf puts the texts of a command, of its flags and of the commands below it into
// the person's language.
func (s *session) speakOf(cmd *cobra.Command) {
	cmd.Short, cmd.Long = s.language.Format(cmd.Short), s.language.Format(cmd.Long)
	for _, below := range cmd.Commands() {
		below.Short = s.language.Format(below.Short)
	}
	flag := func(f *pflag.Flag) {
		if f.Annotations[cobra.FlagSetByCobraAnnotation] == nil {
			f.Usage = s.language.Say(f.Usage)
			return
		}
		for _, format := range []string{helpFor, versionFor} {
			// The name of a command may be a word that is said otherwise.
			if name, ok := strings.CutPrefix(f.Usage, strings.TrimSuffix(format, "%s")); ok {
				f.Usage = fmt.Sprintf(s.language.Format(format), name)
			}
		}
	}
	cmd.LocalFlags().VisitAll(flag)
	cmd.InheritedFlags().VisitAll(flag)
}

// framed puts what stands round the texts of a command into the person's language: lines
// that are not indented, what usage has in brackets, and the defaults of flags.
func (s *session) framed(cmd *cobra.Command, usage string) string {
	before, after, _ := strings.Cut(byDefault, "%s")
	lines := strings.Split(usage, "\n")
	for i, line := range lines {
		if line == fmt.Sprintf(helpMore, cmd.CommandPath()) {
			lines[i] = fmt.Sprintf(s.language.Format(helpMore), cmd.CommandPath())
			continue
		}
		if strings.HasPrefix(line, "  "+cmd.CommandPath()+" ") { // how it is typed
			for _, part := range []string{"[flags]", "[command]"} {
				lines[i] = strings.Replace(lines[i], " "+part, " "+s.language.Format(part), 1)
			}
			continue
		}
		lines[i] = s.language.Format(line)
		value, ok := strings.CutSuffix(line, after)
		at := strings.LastIndex(value, before)
		if ok && at >= 0 && strings.HasPrefix(strings.TrimSpace(line), "-") {
			lines[i] = line[:at] + fmt.Sprintf(s.language.Format(byDefault), value[at+len(before):])
		}
	}
	return strings.Join(lines, "\n")
}
