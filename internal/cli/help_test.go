package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/cli"
)

// tree returns all commands that help can be asked for.
func tree() *cobra.Command {
	root := cli.Command()
	root.InitDefaultCompletionCmd()
	return root
}

// visit calls f for a command and all below it.
func visit(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, below := range cmd.Commands() {
		visit(below, f)
	}
}

// columns returns how wide a text is on a screen.
func columns(text string) (n int) {
	for _, r := range text {
		n++
		if unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60 {
			n++
		}
	}
	return n
}

// The help of every command is said in Chinese, with what cobra writes round its texts, in
// lines that fit a screen.
func TestChineseHelp(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	headings := []string{"用法：", "别名：", "例子：", "命令：", "选项：", "通用选项："}
	visit(tree(), func(cmd *cobra.Command) {
		args := strings.Fields(cmd.CommandPath())[1:]
		var out, again bytes.Buffer
		if code := cli.Run(t.Context(), append([]string{"help"}, args...), cli.Options{Stdout: &out, Stderr: &out}); code != 0 {
			t.Fatalf("memoir help %q exits with %d: %s", args, code, &out)
		}
		if cli.Run(t.Context(), append(args, "--help"), cli.Options{Stdout: &again, Stderr: &again}); again.String() != out.String() {
			t.Errorf("%s --help says other than memoir help: %s", cmd.CommandPath(), &again)
		}
		text, usage, found := strings.Cut(out.String(), "\n用法：\n")
		if !found {
			t.Fatalf("memoir help %q does not show the usage: %s", args, &out)
		}
		english := cmd.Long
		if english == "" {
			english = cmd.Short
		}
		if text != strings.TrimSpace(chinese.Format(english))+"\n" {
			t.Errorf("memoir help %q begins with %q", args, text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if hasHan(line) && columns(line) > 80 {
				t.Errorf("memoir help %q: %d columns: %s", args, columns(line), line)
			}
		}
		part := "用法："
		for line := range strings.SplitSeq(strings.TrimSpace(usage), "\n") {
			switch {
			case line == "":
			case slices.Contains(headings, line):
				part = line
			case part == "用法：" || part == "例子：":
			case !hasHan(line) || strings.Contains(line, "(default"):
				t.Errorf("memoir help %q: %q is not in Chinese", args, line)
			case strings.HasPrefix(strings.TrimSpace(line), "-h, ") && !strings.HasSuffix(line, " "+cmd.Name()+" 的说明"):
				t.Errorf("memoir help %q: %q does not have the name of the command", args, line)
			}
		}
	})
}
