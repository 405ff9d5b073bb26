package cli_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Packages whose texts are all for people, and those of which what stands in some fields,
// or is handed to some functions, is shown to people. Errors are looked at elsewhere.
var (
	allShown  = []string{"internal/browse", "internal/doctor", "internal/transfer"}
	someShown = []string{
		"engine", "internal/app", "internal/chunk", "internal/indexing", "internal/joined", "internal/prime", "internal/remember", "internal/search",
		"internal/statedir", "internal/watch", "source/mdfile", "source/session", "store/sqlite",
	}
	shownFields = []string{"Reason", "Proposal", "Skip", "Action", "Text", "skip", "reason", "why", "Why", "action"}
	shownCalls  = map[string]int{"no": 0, "skip": 1, "warn": 1, "refused": 0, "finding": 1, "note": 0, "add": 3}
)

// What other packages say to people, and is no error, is there in Chinese.
func TestChineseOfWhatIsShown(t *testing.T) {
	formats := strings.Join(chinese.Formats(), "\n")
	say := func(file, text string) {
		for part := range strings.SplitSeq(text, "\n") {
			// What is joined to a value is a part of a format.
			words := strings.Trim(part, " ;,:()")
			if sentence.MatchString(words) && !others.MatchString(words) && !strings.Contains(formats, words) && !hasHan(chinese.Say(words)) {
				t.Errorf("%s: %q has no Chinese in internal/wording/zh.txt", file, part)
			}
		}
	}
	seen := 0
	for _, dir := range slices.Concat(allShown, someShown) {
		all := slices.Contains(allShown, dir)
		for _, file := range sources(t, root+"/"+dir) {
			shownBy(file.ast, all, func(text string) { seen++; say(file.name, text) })
		}
	}
	if seen < 200 {
		t.Errorf("only %d texts are looked at", seen)
	}
}

var (
	sentence = regexp.MustCompile(`[a-z]{2}.* .*[a-z]{2}`)
	// Commands, what is written into files, what help says of FROM, and names of keys.
	others = regexp.MustCompile(`^(memoir( [a-z-]+)+( --allow read,write)?|The canary .*|sqlite3 .*|engram export .*|Next steps|page up|page down|summaries of months|file was|files were)$` +
		`|OpenClaw, or its|folder \.openclaw_memory|^~/\.c|project of basic-memory|memories of mem0|^an export of|what engram export|^a folder of Markdown|what memoir export`)
)

// shownBy calls take with the texts of a file that people are shown.
func shownBy(file *ast.File, all bool, take func(text string)) {
	var errs []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && (called(call) == "Errorf" || called(call) == "New" || called(call) == "WithHint") {
			errs = append(errs, n)
		}
		return true
	})
	texts := func(x ast.Node) {
		ast.Inspect(x, func(n ast.Node) bool {
			if slices.Contains(errs, n) {
				return false
			}
			if x, ok := n.(ast.Expr); ok {
				if text, ok := literal(x); ok {
					take(text)
					return false
				}
			}
			return true
		})
	}
	if all {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
				texts(d)
			}
		}
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(shownFields, key.Name) {
				texts(n.Value)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if f, ok := to.(*ast.SelectorExpr); ok && slices.Contains(shownFields, f.Sel.Name) && i < len(n.Rhs) {
					texts(n.Rhs[i])
				}
				if f, ok := to.(*ast.Ident); ok && slices.Contains(shownFields, f.Name) && i < len(n.Rhs) {
					texts(n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			if at, ok := shownCalls[called(n)]; ok && at < len(n.Args) {
				texts(n.Args[at])
			}
		}
		return true
	})
}
