package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// The bounds of a settings file in JSON: how many brackets it may have, and how deep they may
// stand in each other, for each of which its reader calls itself.
const (
	maxBrackets = 1 << 20
	maxNested   = 10_000
)

// errShape says that something unexpected stands where settings are to be
// added.
var errShape = errors.New("it does not hold what the agent expects there")

// parseJSON reads JSON with comments and trailing commas, whose root is an
// object. A byte order mark and white space alone count as an empty object.
func parseJSON(data []byte) (hujson.Value, error) {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxBrackets || nested(data) {
		return hujson.Value{}, errors.New("it is too large for settings")
	}
	root, err := hujson.Parse(data)
	if err != nil { // which also says so of a comment at the end without a line end
		if ended, again := hujson.Parse(append(bytes.Clone(data), '\n')); again == nil {
			root, err = ended, nil
		}
	}
	if err != nil {
		return root, jsonError(err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, fmt.Errorf("%w: the whole is no object", errShape)
	}
	return root, nil
}

// nested reports whether brackets stand too deep in each other, outside texts and comments.
func nested(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"', '\'': // JSON5 has both
			for i++; i < len(data) && data[i] != c; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			end := ""
			if rest := data[i:]; bytes.HasPrefix(rest, []byte("//")) {
				end = "\n"
			} else if bytes.HasPrefix(rest, []byte("/*")) {
				end = "*/"
			}
			if end != "" {
				_, after, _ := bytes.Cut(data[i+2:], []byte(end))
				i = len(data) - len(after) - 1
			}
		case '{', '[':
			if depth++; depth > maxNested {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// invalidCharacter is what the parser says of a character, which it quotes.
var invalidCharacter = lazyregexp.New(`^invalid character ('(?:.|\\.+?)'|\S+) `)

// jsonError says in memoir's words where a file is no JSON, and what stands there.
func jsonError(err error) error {
	var line, column int
	if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); n != 2 {
		return errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	what := cmp.Or(errors.Unwrap(err), err)
	if m := invalidCharacter().FindStringSubmatch(what.Error()); m != nil {
		what = fmt.Errorf("this is no place for %s", m[1])
	} else if literal, ok := strings.CutPrefix(what.Error(), "invalid literal: "); ok {
		what = fmt.Errorf("JSON has no value %s", literal)
	} else if errors.Is(what, io.ErrUnexpectedEOF) {
		what = errors.New("it ends in the middle")
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, what)
}

// member returns the index of the last member of an object with a name, or -1.
// Agents use the last one too.
func member(o *hujson.Object, name string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if lit, ok := o.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return i
		}
	}
	return -1
}

// lookup returns the value at a path of names, or nil.
func lookup(root *hujson.Value, path ...string) *hujson.Value {
	at := root
	for _, name := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := member(o, name)
		if i < 0 {
			return nil
		}
		at = &o.Members[i].Value
	}
	return at
}

// decode reads a value, comments left out.
func decode(v hujson.Value, into any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into)
}

// An insertion is a value to add: as the member at the end of a path or, with
// Element, as the last element of the array there. Missing objects and arrays
// are made.
type insertion struct {
	Path    []string
	Element bool
	Value   any
}

// insert adds a value. It leaves every other byte alone, except for the comma
// after the previous value.
func insert(data []byte, in insertion) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	at, depth := &root, 0
	for depth < len(in.Path) {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%w: %s is no object", errShape, strings.Join(in.Path[:depth], "."))
		}
		i := member(o, in.Path[depth])
		if i < 0 {
			break
		}
		at, depth = &o.Members[i].Value, depth+1
	}
	value := in.Value
	if in.Element {
		if depth == len(in.Path) {
			if _, ok := at.Value.(*hujson.Array); !ok {
				return nil, fmt.Errorf("%w: %s is no array", errShape, strings.Join(in.Path, "."))
			}
			return splice(data, at, "", value)
		}
		value = []any{value}
	} else if depth == len(in.Path) {
		return nil, fmt.Errorf("%w: %s is there already", errShape, strings.Join(in.Path, "."))
	}
	for i := len(in.Path) - 1; i > depth; i-- {
		value = map[string]any{in.Path[i]: value}
	}
	return splice(data, at, in.Path[depth], value)
}

// place is what an insertion needs to know of an object or array.
type place struct {
	first, last int  // where the first value or name begins and the last value ends; -1 if empty
	comma       bool // there is one after the last value
	behind      int  // where the comma is, or would be
}

func placeOf(v *hujson.Value) place {
	p := place{first: -1, last: -1}
	var last *hujson.Value
	switch x := v.Value.(type) {
	case *hujson.Object:
		if n := len(x.Members); n > 0 {
			p.first, last = x.Members[0].Name.StartOffset, &x.Members[n-1].Value
		}
	case *hujson.Array:
		if n := len(x.Elements); n > 0 {
			p.first, last = x.Elements[0].StartOffset, &x.Elements[n-1]
		}
	}
	if last != nil {
		p.last, p.comma = last.EndOffset, last.AfterExtra != nil
		p.behind = p.last + len(last.AfterExtra)
	}
	return p
}

// splice adds a value at the end of an object, under a name, or of an array.
func splice(data []byte, in *hujson.Value, name string, value any) ([]byte, error) {
	p, end := placeOf(in), in.EndOffset-1
	nl, outer := lineEnd(data), indentAt(data, in.StartOffset)
	inner, lined := outer+unit(data), true
	if p.first >= 0 {
		if before := data[in.StartOffset:p.first]; bytes.Contains(before, []byte("\n")) {
			inner = indentAt(data, p.first)
		} else {
			lined = bytes.Contains(data[p.last:end], []byte("//")) // which ends its line
		}
	} else if len(bytes.TrimSpace(data)) > 2 && !bytes.Contains(data, []byte("\n")) {
		lined = false // everything is on one line
	}
	text, err := written(name, value, lined, nl, inner, strings.TrimPrefix(inner, outer))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if p.first < 0 {
		b.Write(bytes.TrimRight(data[:end], " \t\r\n"))
	} else {
		b.Write(data[:p.last])
		if p.comma {
			b.Write(data[p.last:p.behind])
		}
		b.WriteByte(',')
		rest := p.behind
		if p.comma {
			rest++
		}
		b.Write(bytes.TrimRight(data[rest:end], " \t\r\n"))
	}
	switch {
	case lined:
		b.WriteString(nl + inner + text)
		if p.comma {
			b.WriteByte(',')
		}
		if tail := trailing(data[:end]); p.first >= 0 && bytes.Contains(tail, []byte("\n")) {
			b.Write(tail)
		} else {
			b.WriteString(nl + outer)
		}
	default:
		if p.first >= 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		b.Write(trailing(data[:end]))
	}
	b.Write(data[end:])
	return b.Bytes(), nil
}

// trailing returns the white space at the end of a text.
func trailing(text []byte) []byte { return text[len(bytes.TrimRight(text, " \t\r\n")):] }

// written writes a member or, with an empty name, an element.
func written(name string, value any, lined bool, nl, indent, step string) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if lined {
		enc.SetIndent(indent, step)
	}
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	text := strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", nl)
	if name == "" {
		return text, nil
	}
	key, err := json.Marshal(name)
	return string(key) + ": " + text, err
}

// placesIn returns what reports whether an object or array stood at a path of
// names in a file of JSON.
func placesIn(data []byte) func(path []string) bool {
	root, err := parseJSON(bytes.TrimPrefix(data, byteOrderMark))
	return func(path []string) bool {
		if len(data) == 0 || err != nil {
			return false
		}
		at := lookup(&root, path...)
		return at != nil && (at.Value.Kind() == '{' || at.Value.Kind() == '[')
	}
}

// remove removes the values at a path of names and indexes, and the objects and
// arrays that become empty, except the root and those of which stays says so.
// It is no error if they are missing.
func remove(data []byte, path []string, gone func(hujson.Value) bool, stays func([]string) bool) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	chain := []*hujson.Value{&root}
	for _, name := range path {
		next := lookup(chain[len(chain)-1], name)
		if next == nil {
			return data, nil
		}
		chain = append(chain, next)
	}
	last := len(chain) - 1
	if gone == nil {
		return cut(data, chain, path, last, stays), nil
	}
	a, ok := chain[last].Value.(*hujson.Array)
	if !ok {
		return data, nil
	}
	i := slices.IndexFunc(a.Elements, gone)
	switch {
	case i < 0:
		return data, nil
	case len(a.Elements) == 1 && !stays(path):
		return cut(data, chain, path, last, stays), nil
	}
	data = cutItem(data, chain[last], i, a.Elements[i].StartOffset)
	return remove(data, path, gone, stays)
}

// cut removes the member at the end of a path, and what becomes empty and does
// not stay.
func cut(data []byte, chain []*hujson.Value, path []string, last int, stays func([]string) bool) []byte {
	for ; last > 0; last-- {
		o := chain[last-1].Value.(*hujson.Object) // lookup went through it
		if len(o.Members) > 1 || last == 1 || bytes.Contains(o.AfterExtra, []byte("/")) || stays(path[:last-1]) {
			i := member(o, path[last-1])
			return cutItem(data, chain[last-1], i, o.Members[i].Name.StartOffset)
		}
	}
	return data
}

// cutItem removes a member or element that begins at start.
func cutItem(data []byte, in *hujson.Value, i, start int) []byte {
	var values []*hujson.Value
	switch x := in.Value.(type) {
	case *hujson.Object:
		for m := range x.Members {
			values = append(values, &x.Members[m].Value)
		}
	case *hujson.Array:
		for e := range x.Elements {
			values = append(values, &x.Elements[e])
		}
	}
	p, v := placeOf(in), values[i]
	from, to := start-len(trailing(data[:start])), v.EndOffset+len(v.AfterExtra)
	if i < len(values)-1 || p.comma {
		to++ // the comma
	}
	if len(values) == 1 {
		end := in.EndOffset - 1
		rest := bytes.TrimRight(data[to:end], " \t\r\n")
		if from == in.StartOffset+1 && len(rest) == 0 {
			return slices.Concat(data[:from], data[end:])
		}
		return slices.Concat(data[:from], rest, []byte(lineEnd(data)+indentAt(data, in.StartOffset)), data[end:]) // behind a comment
	}
	if i < len(values)-1 || p.comma {
		return slices.Concat(data[:from], data[to:])
	}
	before := values[i-1].EndOffset + len(values[i-1].AfterExtra) // its comma
	return slices.Concat(data[:before], data[before+1:from], data[to:])
}

// lineEnd returns the line end that a file uses.
func lineEnd(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentAt returns the white space at the beginning of a position's line.
func indentAt(data []byte, at int) string {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns the step of indentation: that of the first indented line.
func unit(data []byte) string {
	for line := range bytes.Lines(data) {
		if text := bytes.TrimLeft(line, " \t"); len(text) > 0 && len(text) < len(line) && text[0] == '"' {
			return string(line[:len(line)-len(text)])
		}
	}
	return "  "
}
