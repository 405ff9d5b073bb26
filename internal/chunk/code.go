package chunk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCodeDepth is how deep nested blocks of a program are distinguished.
const maxCodeDepth = 8

// isCode reports whether a file with that extension is cut as a program: at the
// lines that are indented least.
func isCode(ending string) bool {
	switch ending {
	case ".go", ".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".vue", ".svelte", ".java", ".kt", ".kts", ".scala", ".groovy",
		".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".cs", ".fs", ".m", ".mm", ".swift", ".rs", ".zig", ".d", ".dart", ".php", ".rb",
		".pl", ".pm", ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".clj", ".el", ".nim", ".sh", ".bash", ".zsh", ".fish",
		".ps1", ".sql", ".proto", ".graphql", ".tf", ".hcl", ".nix", ".cmake", ".gradle", ".css", ".scss", ".less",
		".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".html", ".htm":
		return true
	}
	return false
}

// unit is a piece of a program.
type unit struct {
	block
	names    []string // what it declares: type and method, or a name alone
	function bool     // it is a function, or inside one
}

// blocksOf returns the units without their names.
func blocksOf(units []unit) []block {
	blocks := make([]block, len(units))
	for i, u := range units {
		blocks[i] = u.block
	}
	return blocks
}

// program packs a source file. Each named function, method or type is a piece
// with that name as its heading, or several pieces when it is too long for one.
func (p *packer) program(name string) {
	var units []unit
	if path.Ext(name) == ".go" {
		units = p.goUnits()
	}
	if units == nil {
		units = p.units(0, len(p.text))
	}
	p.declarations(units, nil, 0)
	p.flush()
}

func (p *packer) declarations(units []unit, above []string, depth int) {
	for _, u := range units {
		here := p.within(above, u.names)
		if len(u.names) > 0 || !slices.Equal(here, p.path) {
			p.flush()
		}
		p.path = here
		if p.cost(u.start, u.end) > p.limit {
			if inside := p.inside(u); inside != nil && depth < maxCodeDepth {
				p.declarations(inside, here, depth+1)
				continue
			}
		}
		p.add(u.block, maxDepth)
	}
}

// within returns the path of a declaration inside another. It leaves out names
// that are too long.
func (p *packer) within(above, names []string) []string {
	path, size := slices.Clip(above), 0
	for _, name := range above {
		size += len(name)
	}
	for _, name := range names {
		if size += len(name); size > maxPath || len(name) > maxHeading {
			p.note("a name in the code is too long to be a heading")
			break
		}
		path = append(path, name)
	}
	return path
}

// goUnits returns the declarations of a Go file with their comments, or nil
// when the file cannot be parsed.
func (p *packer) goUnits() []unit {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", p.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	starts, names, functions := []int{0}, [][]string{nil}, []bool{false}
	for _, d := range file.Decls {
		pos, own := d.Pos(), goNames(d)
		switch d := d.(type) {
		case *ast.FuncDecl:
			pos = posOf(d.Doc, pos)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			pos = posOf(d.Doc, pos)
		}
		at := p.lines[p.line(fset.Position(pos).Offset)]
		if at <= starts[len(starts)-1] {
			continue // on the same line as the previous one
		}
		_, function := d.(*ast.FuncDecl)
		starts, names, functions = append(starts, at), append(names, own), append(functions, function)
	}
	units := make([]unit, len(starts))
	for i, b := range blocksAt(starts, len(p.text), code) {
		units[i] = unit{b, names[i], functions[i]}
	}
	return units
}

func posOf(doc *ast.CommentGroup, pos token.Pos) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return pos
}

// goNames returns the path of names of a declaration: type and method, or one name.
func goNames(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return []string{d.Name.Name}
		}
		t := d.Recv.List[0].Type
		for {
			switch x := t.(type) {
			case *ast.StarExpr:
				t = x.X
				continue
			case *ast.ParenExpr:
				t = x.X
				continue
			case *ast.IndexExpr:
				t = x.X
				continue
			case *ast.IndexListExpr:
				t = x.X
				continue
			case *ast.Ident:
				return []string{x.Name, d.Name.Name}
			}
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		if d.Tok == token.TYPE && len(d.Specs) == 1 {
			return []string{d.Specs[0].(*ast.TypeSpec).Name.Name}
		}
	}
	return nil
}

// inside returns the parts of a unit of code that is too long: those that are
// indented least below its first line. It returns nil when the parts are lines.
func (p *packer) inside(u unit) []unit {
	start := u.start
	for range maxCodeDepth {
		first := p.line(start)
		for p.isLead(first) && p.lineEnd(first) < u.end {
			first++
		}
		start = min(p.lineEnd(first), u.end)
		units := p.units(start, u.end)
		if len(units) == 0 {
			return nil
		}
		if len(units) == 1 {
			continue
		}
		units[0].start = u.start
		if u.function {
			for i := range units {
				units[i].names, units[i].function = nil, true
			}
		}
		return units
	}
	return nil
}

// members returns the parts of a block of code that is too long.
func (p *packer) members(b block) []block {
	if units := p.inside(unit{block: b}); units != nil {
		return blocksOf(units)
	}
	return nil
}

// functions returns the functions in a fenced block of code, or other parts
// that stand apart in it.
func (p *packer) functions(b block) []block {
	units := p.units(min(p.lineEnd(p.line(b.start)), b.end), b.end)
	if len(units) == 0 {
		return nil
	}
	units[0].start = b.start
	return blocksOf(units)
}

// units cuts code at lines that are indented least, if they follow a blank line
// or open a block. Comments and attributes directly above a line belong to it.
func (p *packer) units(start, end int) []unit {
	if start >= end {
		return nil
	}
	first := p.line(start)
	margin := p.margin(first, end)
	starts := []int{start}
	lead := -1     // line on which the comments directly above begin
	fresh := true  // only comments since the last start
	blank := false // the line before is blank
	for i := first; i < len(p.lines) && p.lines[i] < end; i++ {
		line := p.lineText(i)
		if line == "" {
			fresh = fresh && (blank || i == first)
			blank, lead = true, -1
			continue
		}
		outer := indentation(p.text[p.lines[i]:]) <= margin && !closes(line)
		isLead := p.isLead(i)
		if outer && isLead && lead < 0 {
			lead = i
		}
		at := i
		if lead >= 0 {
			at = lead
		}
		if outer && !fresh && (blank || opens(line) && !isLead) && p.lines[at] > start {
			starts = append(starts, p.lines[at])
			fresh = true
		}
		if !isLead {
			fresh, lead = false, -1
		}
		blank = false
	}
	units := make([]unit, len(starts))
	for i, b := range blocksAt(starts, end, code) {
		name, function := p.declared(b)
		if units[i] = (unit{block: b, function: function}); name != "" {
			units[i].names = []string{name}
		}
	}
	return units
}

// margin returns the smallest indentation of the lines from first up to the
// offset end. It ignores lines that only close a block.
func (p *packer) margin(first, end int) int {
	least := 1 << 20
	for i := first; i < len(p.lines) && p.lines[i] < end; i++ {
		if line := p.lineText(i); line != "" && !closes(line) {
			least = min(least, indentation(p.text[p.lines[i]:]))
		}
	}
	return least
}

// lineText returns a line without white space at its ends.
func (p *packer) lineText(i int) string {
	return strings.TrimSpace(p.text[p.lines[i]:p.lineEnd(i)])
}

// indentation returns how many columns of white space text begins with.
func indentation(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// isLead reports whether a line is a comment or an attribute of what follows.
func (p *packer) isLead(i int) bool {
	line := p.lineText(i)
	for _, mark := range []string{"//", "/*", "*", "#", "--", ";", "@", "%", "\"\"\""} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// closes reports whether a line only continues the previous block.
func closes(line string) bool {
	if strings.ContainsRune("})]{", rune(line[0])) || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return true
	}
	word, _ := identifier(line)
	switch word {
	case "end", "else", "elif", "elsif", "except", "catch", "finally", "rescue", "ensure", "fi", "done", "esac", "then", "do", "private", "public", "protected":
		rest := strings.TrimSpace(line[len(word):])
		return word != "private" && word != "public" && word != "protected" || rest == ":"
	}
	return false
}

// opens reports whether a line begins a block.
func opens(line string) bool {
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":") {
		return true
	}
	word, _ := keyword(line)
	return word != ""
}

// declared returns the name of the function or type that a unit declares, ""
// when it declares none, and whether it is a function.
func (p *packer) declared(u block) (name string, function bool) {
	i := p.line(u.start)
	for i < len(p.lines) && p.lines[i] < u.end && (p.lineText(i) == "" || p.isLead(i)) {
		i++
	}
	if i == len(p.lines) || p.lines[i] >= u.end {
		return "", false
	}
	line := p.lineText(i)
	switch word, rest := keyword(line); word {
	case "":
	case "func", "function", "fn", "def", "defp", "macro", "sub", "proc", "fun", "const", "let", "var":
		return nameIn(rest), true
	default:
		return nameIn(rest), false
	}
	// int main(void) {
	before, _, ok := strings.Cut(line, "(")
	if word, _ := identifier(line); !ok || !p.hasBlock(i, u.end) || strings.ContainsAny(before, "=.\"'") || isStatement(word) {
		return "", false
	}
	name = lastIdentifier(before)
	return name, name != ""
}

// maxHeadLines is how many lines the head of a function may have.
const maxHeadLines = 12

// hasBlock reports whether a block opens in line i or in one that goes on with it.
func (p *packer) hasBlock(i, end int) bool {
	for n := i; n < i+maxHeadLines && n < len(p.lines) && p.lines[n] < end; n++ {
		switch line := p.lineText(n); {
		case strings.HasSuffix(line, "{"), n > i && strings.HasPrefix(line, "{"):
			return true
		case line == "", strings.HasSuffix(line, ";"), strings.HasSuffix(line, "}"):
			return false
		}
	}
	return false
}

// isStatement reports whether a word begins a statement that has a block.
func isStatement(word string) bool {
	switch word {
	case "if", "for", "while", "switch", "catch", "return", "match", "when", "select", "foreach", "using", "with", "elseif", "else", "go", "defer",
		"do", "try", "await", "yield", "throw", "new", "case", "synchronized", "lock", "unless", "until", "loop", "guard":
		return true
	}
	return false
}

// keyword returns the word in a line that says that a function or type is
// declared, past words such as "public", and what follows it; "" when there is none.
func keyword(line string) (word, rest string) {
	value := strings.Contains(line, "=>") || strings.Contains(line, "function")
	for range 6 {
		word, size := identifier(line)
		if size == 0 {
			return "", ""
		}
		line = strings.TrimLeft(line[size:], " \t*")
		switch word {
		case "func", "function", "fn", "def", "defp", "class", "struct", "enum", "interface", "trait", "impl", "module", "namespace", "protocol",
			"extension", "record", "object", "macro", "sub", "proc", "message", "service", "type", "fun":
			return word, line
		case "const", "let", "var":
			if value {
				return word, line
			}
			return "", ""
		case "public", "private", "protected", "internal", "static", "final", "abstract", "async", "export", "default", "pub", "unsafe",
			"extern", "inline", "virtual", "override", "open", "sealed", "data", "partial", "local", "declare", "typedef", "crate":
			if inside, after, found := strings.Cut(line, ")"); found && strings.HasPrefix(inside, "(") {
				line = strings.TrimLeft(after, " \t") // pub(crate)
			}
		default:
			return "", ""
		}
	}
	return "", ""
}

// nameIn returns the first identifier, past type parameters and receivers.
func nameIn(s string) string {
	for _, pair := range []string{"()", "<>"} {
		if strings.HasPrefix(s, pair[:1]) {
			if _, after, ok := strings.Cut(s, pair[1:]); ok {
				s = strings.TrimLeft(after, " \t*&")
			}
		}
	}
	name, _ := identifier(s)
	return name
}

// identifier returns the identifier that s begins with and its length.
func identifier(s string) (string, int) {
	for i, r := range s {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsMark(r) && (i == 0 || !unicode.IsDigit(r)) {
			return s[:i], i
		}
	}
	return s, len(s)
}

func lastIdentifier(s string) string {
	s = strings.TrimRight(s, " \t")
	at := len(s)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if r != '_' && r != '$' && r != '~' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		at -= size
	}
	return s[at:]
}
