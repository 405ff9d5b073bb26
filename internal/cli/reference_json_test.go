package cli_test

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/cli"
)

var timeType = reflect.TypeFor[time.Time]()

const jsonIntro = `# JSON

Every command takes ` + "`--json`" + ` and then writes its answer as one line of JSON to standard output; a command that reads lines with ` + "`--stdin`" + ` writes a line for each,
which is a [Failure](#failure) for one that cannot be answered. MCP tools give the same shapes. Text is UTF-8; control characters, and those that change the direction of writing, are escaped.

What is here keeps its name and its meaning. More members may be added: pass over those that you do not know. A list is never null. A member with an entry under
*left out* is absent when its value would be that. Numbers of lines count from 1 and ranges of lines include the last; ranges of characters count Unicode code points from 0
and end before the last.

` + examplesIntro

// jsonPage writes the reference of all JSON, and checks that no struct of the
// packages behind it is left out.
func jsonPage(t *testing.T, c *comments, examples *ran) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(jsonIntro + "\n| of | shape |\n|---|---|\n")
	var order []reflect.Type
	for _, f := range cli.Forms() {
		fmt.Fprintf(&b, "| %s | %s |\n", formTitle(f), jsonType(f.Type, ""))
		order = appendParts(order, f.Type)
	}
	named := map[string]reflect.Type{}
	reached := map[string]bool{}
	for _, typ := range order {
		name := shapeName(typ)
		if other, ok := named[name]; ok {
			t.Errorf("%s and %s have the same name in the reference", typ, other)
		}
		named[name] = typ
		for _, of := range owners(typ) {
			reached[of.PkgPath()+"."+of.Name()] = true
		}
		shape(t, &b, c, typ, examples)
	}
	complete(t, c, reached)
	return b.String()
}

// unseen are structs with JSON tags that no command answers with.
var unseen = []string{module + "/internal/remember.answer", module + "/internal/remember.Lost", module + "/internal/setup.record", module + "/internal/cli.running", module + "/internal/cli.runningOther", module + "/internal/cli.uiAnswer", module + "/internal/setup.before",
	module + "/internal/remember.looks", module + "/internal/remember.look", module + "/internal/remember.verdict",
	module + "/internal/remember.summed", module + "/internal/remember.doneSection", module + "/internal/remember.sourceLine", module + "/internal/remember.summaryLine", module + "/internal/remember.quotedLine", module + "/internal/remember.summaryAnswer"}

// complete fails for structs with JSON tags beside those that are documented.
func complete(t *testing.T, c *comments, reached map[string]bool) {
	t.Helper()
	ours := func(name string) bool {
		return slices.ContainsFunc(cli.Forms(), func(f cli.Form) bool {
			pkg := elem(f.Type).PkgPath()
			return strings.HasPrefix(name, pkg+".") || strings.HasPrefix(name, pkg+":")
		})
	}
	for name := range c.json {
		if ours(name) && !reached[name] && !slices.Contains(unseen, name) {
			t.Errorf("%s has JSON tags and is not in the reference: add it to Forms in export_test.go, or to unseen", name)
		}
	}
	for _, at := range c.unnamed {
		if ours(at) {
			t.Errorf("a struct with JSON tags has no name, so that the reference cannot show it: %s", at)
		}
	}
}

// owners returns the structs that a JSON object is made of.
func owners(typ reflect.Type) []reflect.Type {
	out := []reflect.Type{typ}
	for _, f := range jsonFields(typ) {
		if !slices.Contains(out, f.owner) {
			out = append(out, f.owner)
		}
	}
	return out
}

// appendParts appends a struct and those inside of it, each once.
func appendParts(list []reflect.Type, typ reflect.Type) []reflect.Type {
	typ = elem(typ)
	if typ.Kind() != reflect.Struct || typ == timeType || slices.Contains(list, typ) {
		return list
	}
	list = append(list, typ)
	for _, f := range jsonFields(typ) {
		list = appendParts(list, f.Type)
	}
	return list
}

// elem is what a type is a list, an object or a pointer of, else itself.
func elem(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	return typ
}

// shapeName is the name of a struct in the reference: its own, behind that of its
// package where one before it has the same.
func shapeName(typ reflect.Type) string { return shapeNames()[typ] }

var shapeNames = sync.OnceValue(func() map[reflect.Type]string {
	var all []reflect.Type
	for _, f := range cli.Forms() {
		all = appendParts(all, f.Type)
	}
	names, taken := map[reflect.Type]string{}, map[string]bool{}
	for _, typ := range all {
		name := capital(typ.Name())
		if taken[name] {
			name = capital(path.Base(typ.PkgPath())) + name
		}
		names[typ], taken[name] = name, true
	}
	return names
})

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// formTitle says in a few words what has a form.
func formTitle(f cli.Form) string {
	if !f.IsCommand() {
		return f.Where
	}
	return "`memoir " + f.Where + "`"
}

// shape writes the section of one struct.
func shape(t *testing.T, b *strings.Builder, c *comments, typ reflect.Type, examples *ran) {
	t.Helper()
	fmt.Fprintf(b, "\n## %s\n\n%s\n", shapeName(typ), c.text(t, typ))
	for _, f := range cli.Forms() {
		if elem(f.Type) == typ {
			examples.json(t, b, f.Where)
		}
	}
	b.WriteString("\n| member | is | left out | |\n|---|---|---|---|\n")
	for _, f := range jsonFields(typ) {
		is, left := jsonType(f.Type, ""), ""
		switch {
		case f.omitted:
			left = emptyValue(f.Type)
		case f.Type.Kind() == reflect.Pointer:
			is += " or null"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.name, is, left, cell(c.field(t, f.owner, f.StructField)))
	}
}

// jsonType says what values of a type are, with links to the shapes on a page.
func jsonType(typ reflect.Type, page string) string {
	switch typ.Kind() {
	case reflect.Pointer:
		return jsonType(typ.Elem(), page)
	case reflect.Slice:
		return "list of " + jsonType(typ.Elem(), page)
	case reflect.Array:
		return fmt.Sprintf("%d of %s", typ.Len(), jsonType(typ.Elem(), page))
	case reflect.Map:
		return "object by name, of " + jsonType(typ.Elem(), page)
	case reflect.Struct:
		if typ == timeType {
			return "string, RFC 3339"
		}
		return fmt.Sprintf("[%s](%s#%s)", shapeName(typ), page, strings.ToLower(shapeName(typ)))
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	}
	return typ.Kind().String()
}

// emptyValue is the value of a member that is left out.
func emptyValue(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Bool:
		return "false"
	case reflect.Int, reflect.Int64, reflect.Float32, reflect.Float64:
		return "0"
	case reflect.Pointer:
		return "nothing"
	}
	return "empty"
}

// cell is a text as a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(text)
}
