package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// assignment is one line of a settings file.
type assignment struct {
	key   Key
	value any // as TOML decodes it
	line  int // 1-based
}

// decode reads a file as TOML.
func decode(file string, data []byte) (tree map[string]any, err error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{File: file, Message: "UTF-16 text; save it as UTF-8", Hint: "iconv -f UTF-16 -t UTF-8 does it, and so do editors"}
	}
	_, data = cutMark(data)
	if line := tooDeep(data); line > 0 {
		return nil, &Error{File: file, Line: line, Message: fmt.Sprintf("more than %d levels in one another", maxDepth), Hint: "mend the line; memoir config --docs shows how settings are written"}
	}
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, syntaxError(file, err)
	}
	return tree, nil
}

// parse reads a settings file. Every mistake in it is an *[Error].
func parse(file string, data []byte) ([]assignment, error) {
	tree, err := decode(file, data)
	if err != nil {
		return nil, err
	}
	_, data = cutMark(data)
	flat := map[string]any{}
	flatten(flat, "", tree)
	lines := keyLines(data)
	byName := map[string]Key{}
	for _, k := range Keys() {
		byName[k.Name] = k
	}
	var out []assignment
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		line := lines[name]
		key, ok := byName[name]
		if !ok {
			return nil, unknownKey(file, line, name)
		}
		// Every assignment is tried on a copy, so that the message can name its
		// line.
		if !assign(key.at(&Settings{}), flat[name]) {
			return nil, &Error{
				File: file, Line: line, Hint: "memoir config --docs",
				Message: fmt.Sprintf("%s is %s and must be %s", name, key.shown(flat[name]), key.expected()),
				plain:   fmt.Sprintf("%s must be %s", name, key.expected()),
			}
		}
		out = append(out, assignment{key, flat[name], line})
	}
	return out, nil
}

// maxDepth is how many tables and lists may stand in one another. Settings have three. What
// reads TOML takes memory for each level, and a file may be a stranger's.
const maxDepth = 32

// tooDeep returns the first line of a file with more than maxDepth levels, 0 for none. It
// looks at brackets and at the dots of keys, outside strings and comments.
func tooDeep(data []byte) (line int) {
	line = 1
	depth, dots := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '\n':
			line, dots = line+1, 0
		case '#':
			end := bytes.IndexByte(data[i:], '\n')
			if end < 0 {
				return 0
			}
			i += end - 1
		case '"', '\'':
			skipped := lengthOfString(data[i:])
			line += bytes.Count(data[i:i+skipped], []byte("\n"))
			i += skipped - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '=', ',':
			dots = 0
		case '.':
			dots++
		}
		if depth > maxDepth || dots > maxDepth {
			return line
		}
	}
	return 0
}

// lengthOfString returns how many bytes the string has that data begins with.
func lengthOfString(data []byte) int {
	mark := data[:1]
	if three := bytes.Repeat(mark, 3); bytes.HasPrefix(data, three) {
		mark = three
	}
	for i := len(mark); i < len(data); i++ {
		switch {
		case data[i] == '\\' && mark[0] == '"':
			i++
		case bytes.HasPrefix(data[i:], mark):
			return i + len(mark)
		case data[i] == '\n' && len(mark) == 1:
			return i // it is not valid, which the parser says
		}
	}
	return len(data)
}

// shownName is how many characters of an unknown name a message shows.
const shownName = 60

// cutMark splits a file into its byte order mark, which editors on Windows
// write but TOML does not know, and the rest.
func cutMark(data []byte) (mark, rest []byte) {
	const bom = "\ufeff"
	if bytes.HasPrefix(data, []byte(bom)) {
		return data[:len(bom)], data[len(bom):]
	}
	return nil, data
}

func syntaxError(file string, err error) error {
	e := &Error{
		File: file, Err: err, plain: "not valid TOML",
		Message: "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: "),
		Hint:    "mend the line; memoir config --docs shows how settings are written",
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		e.Line, _ = at.Position()
	}
	return e
}

// flatten turns tables into dotted names. A table without entries keeps its name.
func flatten(out map[string]any, prefix string, tree map[string]any) {
	for name, value := range tree {
		if prefix != "" {
			name = prefix + "." + name
		}
		sub, ok := value.(map[string]any)
		switch {
		case !ok:
			out[name] = value
		case len(sub) > 0:
			flatten(out, name, sub)
		case !isTable(name):
			out[name] = value
		}
	}
}

// isTable reports whether keys stand below the name.
func isTable(name string) bool {
	return slices.ContainsFunc(Keys(), func(k Key) bool { return strings.HasPrefix(k.Name, name+".") })
}

func unknownKey(file string, line int, name string) error {
	e := &Error{File: file, Line: line, plain: "unknown setting", Hint: "memoir config --docs"}
	if short := []rune(name); len(short) > shownName {
		e.Message = fmt.Sprintf("unknown setting %q", string(short[:shownName])+"…")
		return e
	}
	e.Message = fmt.Sprintf("unknown setting %q", name)
	if isTable(name) {
		e.plain = "" // the message quotes only a name of memoir's own
		e.Message = fmt.Sprintf("%s is a table; write [%s] on a line of its own and its settings below", name, name)
		return e
	}
	var known []string
	for _, k := range Keys() {
		known = append(known, k.Name)
	}
	if near := nearest(name, known); near != "" {
		near = fmt.Sprintf("; the nearest known one is %q", near)
		e.Message, e.plain = e.Message+near, e.plain+near
	}
	return e
}

// keyLines returns the line of every dotted name in a valid file.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyParts(node.Key())
			noteLine(lines, &p, table, node.Key())
		case unstable.KeyValue:
			noteValue(lines, &p, table, node)
		}
	}
	return lines
}

// noteValue records the line of a key, and of the keys in its inline table.
func noteValue(lines map[string]int, p *unstable.Parser, table []string, node *unstable.Node) {
	path := slices.Concat(table, keyParts(node.Key()))
	noteLine(lines, p, path, node.Key())
	if node.Value().Kind != unstable.InlineTable {
		return
	}
	for it := node.Value().Children(); it.Next(); {
		if it.Node().Kind == unstable.KeyValue {
			noteValue(lines, p, path, it.Node())
		}
	}
}

func noteLine(lines map[string]int, p *unstable.Parser, path []string, key unstable.Iterator) {
	if key.Next() {
		lines[strings.Join(path, ".")] = p.Shape(key.Node().Raw).Start.Line
	}
}

func keyParts(key unstable.Iterator) []string {
	var parts []string
	for key.Next() {
		parts = append(parts, string(key.Node().Data))
	}
	return parts
}
