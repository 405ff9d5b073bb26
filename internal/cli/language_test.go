package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/wording"
)

var chinese = wording.Of("zh_CN.UTF-8")

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// What help says of each command and flag is there in Chinese, and so is each thing that
// the command line prints, and each error that it makes.
func TestChineseIsWhole(t *testing.T) {
	visit(tree(), func(cmd *cobra.Command) {
		for _, text := range []string{cmd.Short, cmd.Long} {
			if text != "" && !hasHan(chinese.Format(text)) {
				t.Errorf("%s: %q has no Chinese in internal/wording/zh.txt", cmd.CommandPath(), text)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !hasHan(chinese.Say(f.Usage)) {
				t.Errorf("memoir %s --%s: %q has no Chinese in internal/wording/zh.txt", cmd.Name(), f.Name, f.Usage)
			}
		})
	})
	formats := chinese.Formats()
	for _, said := range saidByCLI(t) {
		if !slices.Contains(formats, said.text) {
			t.Errorf("%s: %q has no Chinese in internal/wording/zh.txt", said.file, said.text)
		}
	}
}

// notForPeople are files of the command line: what they say is read by agents, programs
// and the log.
var notForPeople = []string{"late.go", "servebridge.go", "hook.go", "hint.go", "signal.go", "picture.go"}

// said is a text of the source.
type said struct{ file, text string }

// saidByCLI returns what the command line says to people: the formats of say, of errors
// and of warnings.
func saidByCLI(t *testing.T) (all []said) {
	t.Helper()
	words := regexp.MustCompile(`[a-z]{2}.* .*[a-z]{2}`)
	for _, file := range sources(t, ".") {
		if slices.Contains(notForPeople, filepath.Base(file.name)) {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			at, ok := map[string]int{"say": 1, "said": 0, "warn": 0, "usage": 1, "conflict": 1, "Errorf": 0, "New": 0}[called(call)]
			if !ok || at >= len(call.Args) {
				return true
			}
			text, ok := literal(call.Args[at])
			if text = strings.TrimRight(text, "\n"); ok && words.MatchString(strings.ReplaceAll(text, "%w", "")) {
				all = append(all, said{file.name, text})
			}
			return true
		})
	}
	if len(all) < 100 {
		t.Fatalf("the command line says only %d things", len(all))
	}
	return all
}

// called returns the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// literal returns the text of a string that stands in the source, in one or several parts.
func literal(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, err := strconv.Unquote(x.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, ok := literal(x.X)
		right, too := literal(x.Y)
		return left + right, ok && too
	}
	return "", false
}

type source struct {
	name string
	ast  *ast.File
}

// sources returns what is compiled of the package in a folder.
func sources(t *testing.T, dir string) (files []source) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, source{name, file})
	}
	return files
}

// Nothing stands in the catalogue that nobody says any more.
func TestChineseIsSaid(t *testing.T) {
	// What cobra, pflag and the system say.
	const others = "\nUsage:\nExamples:\nAvailable Commands:\nAdditional Commands:\nFlags:\nGlobal Flags:\nAliases:\nhelp for \nversion for \n" +
		"unknown flag: \nunknown shorthand flag: \nflag needs an argument: \nbad flag syntax: \nmkdir \ndial tcp \n: connect: \nno such file or directory\nno space left on device\npermission denied\nread-only file system\n" +
		"is a directory\nnot a directory\nfile exists\ndirectory not empty\ninput/output error\ntoo many open files\n" +
		"connection refused\nconnection reset by peer\nno such host\nnetwork is unreachable\naddress already in use\nbroken pipe\n" +
		"disk quota exceeded\ni/o timeout\ncontext deadline exceeded\ncontext canceled\nfile name too long\noperation not permitted\n" +
		"too many levels of symbolic links\ndevice or resource busy\nfile does not exist\nfile already exists\nunexpected EOF\n" +
		"The system cannot find the file specified.\nThe system cannot find the path specified.\nAccess is denied.\n" +
		"There is not enough space on the disk.\nThe directory name is invalid.\nThe process cannot access the file because it is being used by another process.\n"
	var all strings.Builder
	all.WriteString(others)
	visit(tree(), func(cmd *cobra.Command) {
		all.WriteString(cmd.Short + "\n" + strings.TrimRight(cmd.Long, "\n") + "\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { all.WriteString(f.Usage + "\n") })
	})
	root := filepath.FromSlash(root)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bench" || d.Name() == "testdata" || d.Name() == "release" || strings.HasPrefix(d.Name(), ".") && path != root):
			return filepath.SkipDir
		case d.IsDir():
			for _, file := range sources(t, path) {
				ast.Inspect(file.ast, func(n ast.Node) bool {
					if x, ok := n.(ast.Expr); ok {
						if text, ok := literal(x); ok {
							all.WriteString(text + "\n")
							return false
						}
					}
					return true
				})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	source := all.String()
	// A sentence may be made of several literals, between which values stand.
	verb := regexp.MustCompile(`%[-+# 0-9.\[\]]*[a-z]`)
	for _, format := range chinese.Formats() {
		for _, part := range verb.Split(strings.ReplaceAll(format, "%%", "%\x00"), -1) {
			part = strings.ReplaceAll(part, "%\x00", "%%")
			if !strings.Contains(source, part) && !amounts(part, source) && !inTwo(part, source) {
				t.Errorf("internal/wording/zh.txt: %q of %q is said nowhere", part, format)
			}
		}
	}
}

// amounts reports whether a text is one of amounts, whose nouns stand alone in the source.
func amounts(text, source string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ':' }) {
		word = strings.TrimSpace(word)
		one := strings.TrimSuffix(word, "s")
		if rest, ok := strings.CutSuffix(word, "ies"); ok {
			one = rest + "y"
		}
		if word != "" && !strings.Contains(source, "\n"+one+"\n") {
			return false
		}
	}
	return true
}

// inTwo reports whether a text is a literal and the beginning or the end of another.
func inTwo(text, source string) bool {
	for i := range text {
		if i > 0 && strings.Contains(source, text[:i]+"\n") && strings.Contains(source, "\n"+text[i:]) {
			return true
		}
	}
	return false
}

// TestThousands: large counts are read in groups of three digits, in both languages.
func TestThousands(t *testing.T) {
	for tag, want := range map[string]string{"C": "15,160 passages", "zh_CN.UTF-8": "15,160 段"} {
		if got := cli.Said(tag, 15160, "passage"); got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}
