package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/memoir-ai/memoir"

// source is a file that is built into a program on some platform, with some tags.
type source struct {
	pkg  string // its folder below the root of the module
	name string
	file *ast.File
	set  *token.FileSet // of its positions
}

// sources parses all such files. Reading the files instead of asking go list
// covers every platform and build tag at once.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var found []source
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, below := d.Name(), file != root
		if d.IsDir() {
			if below && (name[0] == '.' || name[0] == '_' || name == "testdata" || exists(filepath.Join(file, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found = append(found, source{pkg: path.Dir(rel), name: rel, file: parsed, set: set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 20 {
		t.Fatalf("found %d files of the module, which cannot be all", len(found))
	}
	return found
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// covers reports whether a name of the rules stands for the package.
func covers(name, pkg string) bool {
	return name == pkg || strings.HasSuffix(name, "/") && strings.HasPrefix(pkg, name)
}

func coveredBy(names []string, pkg string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return covers(name, pkg) })
}

// imports yields what a file imports and under which name.
func imports(t *testing.T, s source) func(yield func(path, name string) bool) {
	return func(yield func(path, name string) bool) {
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if !yield(imported, name) {
				return
			}
		}
	}
}

// inModule returns the folder of a package of this module.
func inModule(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// standIns stand for packages of the standard library, regexp and slices, and may be imported as those are.
var standIns = []string{"internal/lazyregexp", "internal/order"}

func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		rule := slices.IndexFunc(layers, func(l layer) bool { return covers(l.pkg, s.pkg) })
		if rule < 0 {
			t.Errorf("%s: no layer is written for package %s; say in rules_test.go what it may import", s.name, s.pkg)
			continue
		}
		for imported := range imports(t, s) {
			if pkg, ok := inModule(imported); ok && !coveredBy(layers[rule].imports, pkg) && !slices.Contains(standIns, pkg) {
				t.Errorf("%s: %s may not import %s: %s", s.name, s.pkg, pkg, layers[rule].reason)
			}
		}
	}
}

// TestRulesAreUsed: a rule for a package that is not there holds nothing, and
// would let in the first package of that name.
func TestRulesAreUsed(t *testing.T) {
	all := sources(t)
	used := func(name string) bool {
		return slices.ContainsFunc(all, func(s source) bool { return covers(name, s.pkg) })
	}
	for _, l := range layers {
		for _, name := range append([]string{l.pkg}, l.imports...) {
			if !used(name) {
				t.Errorf("the rule of %s names %s, and there is no such package", l.pkg, name)
			}
		}
	}
	for _, technology := range technologies {
		for _, name := range technology.users {
			if !used(name) {
				t.Errorf("the rule of %s names %s, and there is no such package", technology.path, name)
			}
		}
	}
}

// TestDrawing: docs/ARCHITECTURE.md draws floors, and every rule leads from one to a
// lower one. What the drawing does not name stands on the ground.
func TestDrawing(t *testing.T) {
	floors := drawing(t)
	ground := len(floors)
	// floor returns the number of the floor of a name, and the words that draw it.
	floor := func(name string) (int, string) {
		for i, names := range floors {
			for _, drawn := range names {
				if below, all := strings.CutSuffix(drawn, "*"); drawn == name || drawn+"/" == name || all && strings.HasPrefix(name, below) {
					return i, drawn
				}
			}
		}
		return ground, ""
	}
	named := map[string]bool{}
	for _, l := range layers {
		from, drawn := floor(l.pkg)
		named[drawn] = true
		for _, imported := range l.imports {
			to, as := floor(imported)
			if to < from || to == from && from != ground && as != drawn {
				t.Errorf("%s may import %s, which the drawing does not show below it", l.pkg, imported)
			}
		}
	}
	for _, names := range floors {
		for _, drawn := range names {
			if !named[drawn] {
				t.Errorf("the drawing names %s, and no rule does", drawn)
			}
		}
	}
}

// drawing returns the floors that docs/ARCHITECTURE.md draws, the highest first, with
// the names of folders as the rules have them; a star stands for everything below.
func drawing(t *testing.T) (floors [][]string) {
	t.Helper()
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n## Arrows\n")
	_, text, _ = strings.Cut(text, "\n```\n")
	text, _, ok := strings.Cut(text, "\n```\n")
	if !ok {
		t.Fatal("docs/ARCHITECTURE.md has no drawing under Arrows")
	}
	for line := range strings.Lines(text) {
		names := strings.Fields(line)
		for i, name := range names {
			switch folder := strings.TrimSuffix(name, "/*"); {
			case name == "memoir":
				names[i] = "."
			case !exists(filepath.Join(root, folder)):
				names[i] = "internal/" + name
			}
		}
		floors = append(floors, names)
	}
	return floors
}

func TestTechnologies(t *testing.T) {
	for _, s := range sources(t) {
		for imported := range imports(t, s) {
			for _, technology := range technologies {
				if covers(technology.path, imported) && !coveredBy(technology.users, s.pkg) {
					t.Errorf("%s: only %s may import %s: a technology stays behind one door", s.name, strings.Join(technology.users, ", "), imported)
				}
			}
			if s.pkg == "." && slices.Contains(barred, imported) {
				t.Errorf("%s: the root may not import %s: it reaches the world through a Store, an Embedder or a Source", s.name, imported)
			}
		}
	}
}

// TestNothingHidden: importing a package does nothing but define it.
func TestNothingHidden(t *testing.T) {
	for _, s := range sources(t) {
		for imported, name := range imports(t, s) {
			if name == "_" && !slices.Contains(blank[imported], s.pkg) {
				t.Errorf("%s: imports %s for its effect alone; parts are joined in internal/app, where they can be seen", s.name, imported)
			}
			if name == "." {
				t.Errorf("%s: imports %s without a name, so that a reader cannot tell where words come from", s.name, imported)
			}
		}
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: has an init function; do it where the caller asks for it", s.name)
			}
		}
	}
}

// TestEmbeddedFiles: one small package holds the model, so that every other
// binary, those of tests above all, stays small.
func TestEmbeddedFiles(t *testing.T) {
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, comment := range group.List {
				pattern, ok := strings.CutPrefix(comment.Text, "//go:embed ")
				allowed := strings.Fields(embedders[s.pkg])
				if ok && slices.ContainsFunc(strings.Fields(pattern), func(file string) bool { return !slices.Contains(allowed, file) }) {
					t.Errorf("%s: embeds %s; rules_test.go lists who may embed what", s.name, pattern)
				}
			}
		}
	}
}

// TestWeightsAreFarAway: only the room of the models takes the model's file in,
// so that a program that uses memoir as a library does not carry it unasked. The lab is no
// part of any program.
func TestWeightsAreFarAway(t *testing.T) {
	const weights, user = "embed/local/weights", "internal/models"
	for _, s := range sources(t) {
		for imported := range imports(t, s) {
			if pkg, _ := inModule(imported); pkg == weights && s.pkg != user && !strings.HasPrefix(s.pkg, "lab/") {
				t.Errorf("%s: imports %s, and with it 40 MB; only %s may", s.name, pkg, user)
			}
		}
	}
}

// functionLines is how many lines a function may have, from `func` to its last brace.
const functionLines = 60

// TestFunctionsFitOneScreen: a function that is longer has parts that deserve a name.
func TestFunctionsFitOneScreen(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			var name string
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.FuncLit:
				name = "a function without a name"
			default:
				return true
			}
			checked++
			from, to := s.set.Position(n.Pos()).Line, s.set.Position(n.End()).Line
			if lines := to - from + 1; lines > functionLines {
				t.Errorf("%s:%d: %s has %d lines, more than %d; give its parts names", s.name, from, name, lines, functionLines)
			}
			return true
		})
	}
	if checked < 3000 {
		t.Errorf("%d functions were found, which cannot be all", checked)
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		name, pkg string
		want      bool
	}{
		{".", ".", true},
		{".", "store", false},
		{"store/", "store/sqlite", true},
		{"store/", "store", false},
		{"store/", "storeroom/a", false},
		{"store/sqlite", "store/sqlite/x", false},
	}
	for _, test := range tests {
		if got := covers(test.name, test.pkg); got != test.want {
			t.Errorf("covers(%q, %q): got %v, want %v", test.name, test.pkg, got, test.want)
		}
	}
}

// TestStart holds that no regular expression is compiled at the start of a program, and
// that those which are compiled later are correct.
func TestStart(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if strings.HasPrefix(s.pkg, "bench/") { // programs for measuring
			continue
		}
		for _, d := range s.file.Decls {
			if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR {
				for _, call := range calls(vars, "regexp") {
					t.Errorf("%s: a variable of the package calls regexp.%s; use lazyregexp.New", s.name, call.name)
				}
			}
		}
		for _, call := range calls(s.file, "lazyregexp") {
			text, ok := call.argument.(*ast.BasicLit)
			if !ok {
				continue
			}
			checked++
			expr, err := strconv.Unquote(text.Value)
			if err == nil {
				_, err = regexp.Compile(expr)
			}
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d expressions were found, which cannot be all", checked)
	}
}

// call is a call of a function of another package.
type call struct {
	name     string
	argument ast.Expr
}

// calls returns the calls of functions of a package, but for those inside functions.
func calls(in ast.Node, pkg string) (found []call) {
	_, whole := in.(*ast.File)
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return whole
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 {
				if x, ok := f.X.(*ast.Ident); ok && x.Name == pkg {
					found = append(found, call{f.Sel.Name, n.Args[0]})
				}
			}
		}
		return true
	})
	return found
}
