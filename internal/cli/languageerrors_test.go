package cli_test

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/config"
)

// speaking are the packages whose errors and hints a person meets at the command line.
// What stands below them, such as the formats of model files, tokenizers, stores and
// buckets, says in English what is wrong, behind a beginning of these in Chinese.
var speaking = []string{
	".", "embed/llamacpp", "embed/local", "embed/remote", "engine",
	"internal/access", "internal/app", "internal/archive", "internal/bridge", "internal/browse", "internal/cli",
	"internal/config", "internal/editor", "internal/eval", "internal/hook", "internal/httpapi", "internal/hub", "internal/indexing",
	"internal/layout", "internal/lease", "internal/modeldir", "internal/models", "internal/notebook", "internal/prime",
	"internal/querylang", "internal/querylog", "internal/regular", "internal/remember", "internal/search",
	"internal/secret", "internal/setup", "internal/show", "internal/statedir", "internal/syserr", "internal/token",
	"internal/transfer", "internal/watch", "internal/wire",
	"source/bucket", "source/mdfile", "source/session",
}

// TestChineseErrors looks that each error and each hint of these packages has Chinese.
func TestChineseErrors(t *testing.T) {
	m := made{formats: map[string]string{}, words: commandWords()}
	for _, dir := range speaking {
		m.read(t, dir)
	}
	if len(m.formats) < 600 {
		t.Errorf("the packages make only %d errors and hints", len(m.formats))
	}
	known := map[string]bool{}
	for _, format := range chinese.Formats() {
		known[format] = true
	}
	for _, format := range slices.Sorted(maps.Keys(m.formats)) {
		if !known[format] {
			t.Errorf("%s: %q has no Chinese in internal/wording/zh.txt", m.formats[format], format)
		}
	}
}

// made are the errors and hints that packages make: formats, with the file of each.
type made struct {
	formats map[string]string
	words   map[string]bool // the names of commands
}

func (m made) read(t *testing.T, dir string) {
	t.Helper()
	for _, file := range sources(t, filepath.Join(root, filepath.FromSlash(dir))) {
		if dir == "internal/cli" && slices.Contains(notForPeople, filepath.Base(file.name)) {
			continue
		}
		need := func(x ast.Expr, hint bool) { m.need(x, file.name, hint) }
		named := func(name string, value ast.Expr) {
			switch {
			case isHint(name):
				need(value, true)
			case strings.EqualFold(name, "message") || name == "want": // of answers over HTTP, and of mistakes in settings
				need(value, false)
			}
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name := called(n); {
				case name == "Errorf" || name == "New" && packageOf(n) == "errors":
					need(n.Args[0], false)
				case slices.Contains([]string{"usage", "conflict", "invalid"}, name) && len(n.Args) > 1:
					need(n.Args[0], true)
					need(n.Args[1], false)
				case name == "WithHint" && len(n.Args) == 2:
					need(n.Args[1], true)
				case name == "positional":
					need(n.Args[2], false)
				case name == "unauthorized":
					need(n.Args[0], false)
				}
			case *ast.KeyValueExpr:
				if name, ok := n.Key.(*ast.Ident); ok {
					named(name.Name, n.Value)
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name := nameOf(left); len(n.Rhs) == len(n.Lhs) && n.Tok != token.ADD_ASSIGN {
						named(name, n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						named(name.Name, n.Values[i])
					}
				}
			case *ast.FuncDecl:
				if isHint(n.Name.Name) && n.Body != nil {
					ast.Inspect(n.Body, func(n ast.Node) bool {
						if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
							need(r.Results[0], true)
						}
						return true
					})
				}
			}
			return true
		})
	}
}

// packageOf returns the package, or the variable, whose function is called.
func packageOf(call *ast.CallExpr) string {
	if f, ok := call.Fun.(*ast.SelectorExpr); ok {
		return nameOf(f.X)
	}
	return ""
}

func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// isHint reports whether a name is that of a hint, or of what returns one.
func isHint(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "hint") || slices.Contains([]string{"action", "advice", "readableAgain", "LetWrite", "MakeRoom", "MoreFiles"}, name)
}

// need takes up what needs Chinese. A hint that is a command alone does not, and no format
// of so few letters that it could be found in any sentence.
func (m made) need(x ast.Expr, file string, hint bool) {
	if call, ok := x.(*ast.CallExpr); ok && called(call) == "Or" {
		for _, arg := range call.Args {
			m.need(arg, file, hint)
		}
		return
	}
	format := formatOf(x)
	own := verbs.ReplaceAllString(format, "")
	letters := 0
	for _, r := range own {
		if unicode.IsLower(r) {
			letters++
		}
	}
	if twoWords.MatchString(own) && letters > 5 && !(hint && m.isCommand(format)) {
		m.formats[format] = file
	}
}

var twoWords = regexp.MustCompile(`[a-z]{2}.* .*[a-z]{2}`)

var verbs = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]`)

// formatOf returns the format of a text, or of one that is put together, in which a %s
// stands for what is not written there; "" when nothing is.
func formatOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := literal(x)
		return text
	case *ast.BinaryExpr:
		left, right := formatOf(x.X), formatOf(x.Y)
		if left == "" && right == "" {
			return ""
		}
		return strings.ReplaceAll(cmp.Or(left, "%s")+cmp.Or(right, "%s"), "%s%s", "%s")
	case *ast.CallExpr:
		if name := called(x); (name == "Sprintf" || name == "Errorf") && len(x.Args) > 0 {
			return formatOf(x.Args[0])
		}
	}
	return ""
}

var inQuotes = regexp.MustCompile(`"[^"]*"|'[^']*'|<.*`)

// isCommand reports whether a hint is a command alone, which no language changes.
func (m made) isCommand(hint string) bool {
	first, rest, _ := strings.Cut(hint, " ")
	if first != "memoir" {
		return false
	}
	for word := range strings.FieldsSeq(inQuotes.ReplaceAllString(verbs.ReplaceAllString(rest, ""), "")) {
		argument := !strings.HasSuffix(word, ",") && !strings.HasSuffix(word, ";") && strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
		if !argument && !m.words[word] {
			return false
		}
	}
	return true
}

// commandWords returns the names of all commands, and of the model inside.
func commandWords() map[string]bool {
	words := map[string]bool{config.ModelInside: true}
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		words[c.Name()] = true
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(cli.Command())
	return words
}
