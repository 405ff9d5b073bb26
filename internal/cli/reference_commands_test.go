package cli_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memoir-ai/memoir/internal/cli"
)

// commandsPage writes the reference of the command line, and checks that each
// command has a form of JSON or is known to have none.
func commandsPage(t *testing.T, c *comments, examples *ran) string {
	t.Helper()
	root := cli.Commands()
	var b strings.Builder
	fmt.Fprintf(&b, "# Commands\n\n%s\n\nStandard output is the answer; progress, warnings and errors go to standard error.\n\n%s", prose(root.Long), examplesIntro)
	b.WriteString("\n## Exit codes\n\n| code | |\n|---|---|\n")
	codes := 0
	for _, x := range c.constants["cli"] {
		if strings.HasPrefix(x.name, "exit") {
			codes++
			fmt.Fprintf(&b, "| %s | %s |\n", x.value, cell(x.text))
		}
	}
	if codes < 4 {
		t.Errorf("found %d exit codes in package cli", codes)
	}
	failures := func(x example) bool { return x.code != 0 }
	examples.text(&b, failures)
	fmt.Fprintf(&b, "\nWith `--json` a failure is an answer too: [Failure](json.md#failure).\n\n## Flags of every command\n\n%s", flags(root.PersistentFlags()))
	for _, cmd := range root.Commands() {
		command(t, &b, cmd, examples)
	}
	return b.String()
}

// silent are commands that answer with nothing that could be JSON.
var silent = []string{"help", "hook", "mcp", "serve", "ui", "browse", "token", "admin", "completion", "completion bash", "completion fish", "completion powershell", "completion zsh", "model"}

// command writes the section of a command, and of those below it.
func command(t *testing.T, b *strings.Builder, cmd *cobra.Command, examples *ran) {
	t.Helper()
	path := strings.TrimPrefix(cmd.CommandPath(), "memoir ")
	fmt.Fprintf(b, "\n## memoir %s\n\n%s.\n\n```\n%s\n```\n", path, strings.TrimSuffix(cmd.Short, "."), cmd.UseLine())
	if cmd.Long != "" && !strings.HasPrefix(path, "completion") {
		fmt.Fprintf(b, "\n%s\n", prose(cmd.Long))
	}
	if own := cmd.NonInheritedFlags(); own.HasAvailableFlags() {
		fmt.Fprintf(b, "\n%s", flags(own))
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindented(cmd.Example))
	}
	examples.text(b, func(x example) bool { return x.code == 0 && commandOf(t, x.line) == path })
	var shapes []string
	for _, f := range cli.Forms() {
		if !f.IsCommand() || commandOf(t, f.Where) != path {
			continue
		}
		what := jsonType(f.Type, "json.md")
		if flag := strings.TrimSpace(strings.TrimPrefix(f.Where, path)); flag != "" {
			what = "`" + flag + "` " + what
		}
		shapes = append(shapes, what)
	}
	switch {
	case len(shapes) > 0:
		fmt.Fprintf(b, "\nIn JSON: %s.\n", strings.Join(shapes, ", "))
	case !slices.Contains(silent, path):
		t.Errorf("memoir %s has no form of JSON: add it to Forms in export_test.go, or to silent", path)
	}
	for _, below := range cmd.Commands() {
		command(t, b, below, examples)
	}
}

// commandOf returns the command of a line without its flags and arguments.
func commandOf(t *testing.T, line string) string {
	t.Helper()
	cmd, _, err := cli.Commands().Find(strings.Fields(line))
	if err != nil {
		t.Fatalf("memoir %s: %v", line, err)
	}
	return strings.TrimPrefix(cmd.CommandPath(), "memoir ")
}

// flags writes a table.
func flags(set *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("| flag | takes | default | |\n|---|---|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		takes, known := map[string]string{"int": "whole number", "float64": "number", "string": "text", "stringSlice": "text, several times", "stringArray": "text, several times", "bool": ""}[f.Value.Type()]
		if !known {
			takes = f.Value.Type()
		}
		unset := ""
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
			unset = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, takes, unset, cell(f.Usage))
	})
	return b.String()
}

// prose is a text of the help as Markdown.
func prose(text string) string { return strings.ReplaceAll(text, "<", "&lt;") }

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}
