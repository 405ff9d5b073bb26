package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const module = "github.com/memoir-ai/memoir"

// comments is what the code of the program says of itself.
type comments struct {
	structs   map[string]structComment // by package path and name
	constants map[string][]constant    // by name of package and type, or of the package alone
	variables map[string]bool          // of the environment, that are read by name
	// unnamed are structs with JSON tags that have no name at the top of a
	// package, by position.
	unnamed []string
	json    map[string]bool // names of structs with JSON tags, as in structs
}

type structComment struct {
	text   string
	fields map[string]string
}

// constant is a constant with what its comment says.
type constant struct{ name, value, text string }

// readComments parses the packages that the command consists of.
func readComments(t *testing.T) *comments {
	t.Helper()
	c := &comments{map[string]structComment{}, map[string][]constant{}, map[string]bool{}, nil, map[string]bool{}}
	next, seen := []string{module + "/cmd/memoir"}, map[string]bool{}
	for len(next) > 0 {
		pkg := next[0]
		next = next[1:]
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		for _, imported := range c.readPackage(t, pkg) {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				next = append(next, imported)
			}
		}
	}
	return c
}

// readPackage reads the files of one package, for all systems, and returns what
// they import.
func (c *comments) readPackage(t *testing.T, pkg string) (imports []string) {
	t.Helper()
	dir := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(dir, entry.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imports = append(imports, imported)
		}
		named := map[*ast.StructType]bool{}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok {
				c.declaration(pkg, file.Name.Name, d, named)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				if hasJSON(n) && !named[n] {
					c.unnamed = append(c.unnamed, pkg+": "+files.Position(n.Pos()).String())
				}
			case *ast.CallExpr:
				c.call(file.Name.Name, n)
			}
			return true
		})
	}
	return imports
}

// declaration reads types and constants at the top of a file.
func (c *comments) declaration(pkg, name string, d *ast.GenDecl, named map[*ast.StructType]bool) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			body, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			named[body] = true
			x := structComment{text: joined(spec.Doc, spec.Comment), fields: map[string]string{}}
			if x.text == "" && len(d.Specs) == 1 {
				x.text = joined(d.Doc)
			}
			for _, f := range body.Fields.List {
				for _, ident := range f.Names {
					x.fields[ident.Name] = phrases(f.Doc, f.Comment)
				}
			}
			c.structs[pkg+"."+spec.Name.Name] = x
			if hasJSON(body) {
				c.json[pkg+"."+spec.Name.Name] = true
			}
		case *ast.ValueSpec:
			if d.Tok != token.CONST || len(spec.Values) != len(spec.Names) {
				continue
			}
			of := name
			if typ, ok := spec.Type.(*ast.Ident); ok {
				of += "." + typ.Name
			}
			for i, ident := range spec.Names {
				if value, ok := spec.Values[i].(*ast.BasicLit); ok {
					text := value.Value
					if unquoted, err := strconv.Unquote(text); err == nil {
						text = unquoted
					}
					c.constants[of] = append(c.constants[of], constant{ident.Name, text, joined(spec.Doc, spec.Comment)})
				}
			}
		}
	}
}

// call notes a variable of the environment that is read by its name, or by that
// of a constant.
func (c *comments) call(pkg string, n *ast.CallExpr) {
	f, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) != 1 {
		return
	}
	from, _ := f.X.(*ast.Ident)
	ofSystem := from != nil && from.Name == "os" && (f.Sel.Name == "Getenv" || f.Sel.Name == "LookupEnv")
	if !ofSystem && !((pkg == "config" || pkg == "setup") && (f.Sel.Name == "get" || f.Sel.Name == "Lookup")) {
		return
	}
	switch arg := n.Args[0].(type) {
	case *ast.BasicLit:
		if name, err := strconv.Unquote(arg.Value); err == nil {
			c.variables[name] = true
		}
	case *ast.Ident:
		c.variables[pkg+"."+arg.Name] = true
	}
}

func hasJSON(s *ast.StructType) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`)
	})
}

// joined returns comments as one line.
func joined(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			parts = append(parts, strings.TrimSuffix(text, "."))
		}
	}
	return strings.Join(parts, "; ")
}

// phrases is joined for what stands behind a name: no capital begins it, but of
// a name.
func phrases(groups ...*ast.CommentGroup) string {
	text := joined(groups...)
	if len(text) > 1 && (text[1] == ' ' || unicode.IsLower(rune(text[1]))) {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// link is a name in a comment that leads to a type with constants.
var link = regexp.MustCompile(`\[([a-z]+\.[A-Z]\w*)\]`)

// values puts the constants of a type where a comment names it.
func (c *comments) values(t *testing.T, text string) string {
	t.Helper()
	return link.ReplaceAllStringFunc(text, func(found string) string {
		name := link.FindStringSubmatch(found)[1]
		all := c.constants[name]
		if len(all) == 0 {
			t.Errorf("%q: there are no constants of the type %s", text, name)
		}
		var list []string
		for _, x := range all {
			if x.value == "" {
				continue // absent in JSON
			}
			item := "`" + x.value + "`"
			if x.text != "" {
				item += " (" + x.text + ")"
			}
			list = append(list, item)
		}
		return strings.Join(list, ", ")
	})
}

// field returns what a field means: what models are told of it, then what the
// comment adds.
func (c *comments) field(t *testing.T, of reflect.Type, f reflect.StructField) string {
	t.Helper()
	owner := c.structs[of.PkgPath()+"."+of.Name()]
	text := strings.Trim(f.Tag.Get("jsonschema")+"; "+owner.fields[f.Name], "; ")
	switch {
	case text == "":
		t.Errorf("the field %s of %s says nothing: write a comment for it, which the reference shows", f.Name, of)
	case regexp.MustCompile(`\bnil\b|""`).MatchString(text):
		t.Errorf("the comment of %s.%s speaks of Go, and the reference shows it to people who see JSON: %s", of, f.Name, text)
	}
	return c.values(t, text)
}

// text returns what a struct says of itself, under the name that it has in the
// reference.
func (c *comments) text(t *testing.T, of reflect.Type) string {
	t.Helper()
	text := c.structs[of.PkgPath()+"."+of.Name()].text
	if text == "" {
		t.Errorf("the type %s says nothing: write a comment for it, which the reference shows", of)
		return ""
	}
	return strings.Replace(text, of.Name(), shapeName(of), 1) + "."
}
