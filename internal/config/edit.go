package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Set writes string settings to the settings file of a layer, in one step. It
// changes only their own lines. Order, comments and line ends of all other
// lines stay, and so does a byte order mark. If there is no file, Set makes it
// and its folder. The user's file may be a link, which stays a link. A file
// with a mistake is not changed: the mistake is an *[Error], and so is a value
// that is not UTF-8 or that a workspace's own file must not set.
func Set(path string, layer Layer, values map[string]string) error {
	old, err := readFile(path, layer)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unreadable(path, layer, err)
	}
	if _, err := parse(path, old); err != nil {
		return err
	}
	if err := settable(path, layer, values); err != nil {
		return err
	}
	texts := map[string]any{}
	for name, value := range values {
		texts[name] = value
	}
	data, err := edited(path, old, texts)
	if err != nil {
		return err
	}
	return write(path, layer, data)
}

// write replaces a settings file in one step.
func write(path string, layer Layer, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return &Error{File: path, Message: "the folder of the settings cannot be made: " + syserr.Reason(err).Error(), Err: err}
	}
	target := path
	if layer == LayerUser {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			target = real
		}
	}
	err := atomicfile.Write(target, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return &Error{File: path, Message: "the settings cannot be written: " + syserr.Reason(err).Error(), Err: err}
	}
	return nil
}

// Edited returns the text of the user's settings file with settings changed as
// [Set] does. Values have the types that TOML gives them: string, int64,
// float64, bool and lists of strings. A mistake in the file, before or after,
// is an *[Error].
func Edited(path string, old []byte, values map[string]any) ([]byte, error) {
	if _, err := parse(path, old); err != nil {
		return nil, err
	}
	data, err := edited(path, old, values)
	if err == nil {
		err = check(path, data)
	}
	return data, err
}

// edited changes the lines of settings in the text of a valid file.
func edited(path string, old []byte, values map[string]any) ([]byte, error) {
	mark, old := cutMark(old)
	data := old
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if !utf8.ValidString(fmt.Sprint(value)) { // such as TOML cannot hold
			return nil, &Error{File: path, Message: fmt.Sprintf("%s is not valid UTF-8", name)}
		}
		_, blocks := value.([]Collection)
		switch {
		case value == nil:
			data = without(data, name)
		case blocks && len(find(data, name).keys) == 0:
			data = append(without(data, name), tables(value.([]Collection), data)...)
		default:
			data = edit(data, name, literal(value))
		}
	}
	if !differOnlyIn(old, data, values) {
		return nil, &Error{File: path, Message: "the file is written in a way that cannot be changed safely",
			Hint: advice(values)}
	}
	return slices.Concat(mark, data), nil
}

// check checks whether the settings of a user's file are consistent.
func check(path string, data []byte) error {
	settings, err := parse(path, data)
	if err != nil {
		return err
	}
	l := newLoader(Environment{Lookup: func(string) (string, bool) { return "", false }}, nil)
	for _, a := range settings {
		if err := l.assign(path, LayerUser, a); err != nil {
			return err
		}
	}
	for _, step := range []func() error{l.rerank, l.model, l.preset, l.validate} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Expected says what a setting takes if a value, with the types of [Edited], is
// not that; "" if the value is right.
func Expected(setting string, value any) string {
	if list, ok := value.([]string); ok {
		all := make([]any, len(list))
		for i, x := range list {
			all[i] = x
		}
		value = all
	}
	for _, k := range Keys() {
		if k.Name != setting {
			continue
		}
		s := &newLoader(Environment{}, nil).out.Settings
		s.Chunking.Tokens = 8192 // any overlap has to be less than that
		if !assign(k.at(s), value) || !k.valid(s) {
			return k.expected()
		}
		return ""
	}
	return "nothing: there is no such setting"
}

// settable reports a value that the layer must not have.
func settable(path string, layer Layer, values map[string]string) error {
	if layer != LayerWorkspace {
		return nil
	}
	for _, k := range Keys() {
		value, ok := values[k.Name]
		if !ok || k.yours == nil || !k.yours.is(&Settings{}, value) {
			continue
		}
		hint := "set it in your own settings, or in " + k.Env()
		if k.yours == notPath {
			hint = fmt.Sprintf("memoir model pull %q, then memoir model use --workspace-settings NAME", value)
		}
		return k.refused(path, 0, hint)
	}
	return nil
}

// advice says how to change the settings of a file by hand. It does not repeat
// secrets.
func advice(values map[string]any) string {
	var write, remove []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch k, _ := key(name); {
		case values[name] == nil:
			remove = append(remove, name)
		case k.Secret:
			write = append(write, name)
		default:
			write = append(write, line(name, literal(values[name])))
		}
	}
	var out []string
	if len(write) > 0 {
		out = append(out, fmt.Sprintf("write %s into it", strings.Join(write, " and ")))
	}
	if len(remove) > 0 {
		out = append(out, fmt.Sprintf("take %s out of it", strings.Join(remove, " and ")))
	}
	return strings.Join(out, ", and ")
}

// line returns a setting with its value, which is given as written.
func line(name, value string) string { return name + " = " + value }

// literal writes a value as TOML does.
func literal(value any) string {
	switch x := value.(type) {
	case string:
		return quoted(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case []string:
		all := make([]string, len(x))
		for i, s := range x {
			all[i] = quoted(s)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case []Collection:
		all := make([]string, len(x))
		for i, c := range x {
			all[i] = "{" + strings.Join(fields(c), ", ") + "}"
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// fields are the lines of the table of a collection.
func fields(c Collection) []string {
	all := []string{line("name", quoted(c.Name)), line("path", quoted(c.Path))}
	if c.Context != "" {
		all = append(all, line("context", quoted(c.Context)))
	}
	return all
}

// tables returns collections as they stand at the end of a file.
func tables(all []Collection, file []byte) []byte {
	end := lineEnd(file)
	var b bytes.Buffer
	if len(file) > 0 && !bytes.HasSuffix(file, []byte("\n")) {
		b.WriteString(end)
	}
	for i, c := range all {
		if i > 0 || len(file) > 0 {
			b.WriteString(end)
		}
		b.WriteString("[[collections]]" + end + strings.Join(fields(c), end) + end)
	}
	return b.Bytes()
}

// quoted writes a string as TOML does. A path with backslashes is written in
// single quotes, in which nothing is escaped.
func quoted(value string) string {
	if strings.ContainsRune(value, '\\') && !strings.ContainsFunc(value, func(r rune) bool { return r == '\'' || r < ' ' }) {
		return "'" + value + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default: // TOML requires it for control characters; others are as hard to see
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// edit changes the value of a setting, given as written, or adds a line for it:
// to the setting's own table, else to the nearest table round it, else outside
// all tables.
func edit(data []byte, name, value string) []byte {
	path := strings.Split(name, ".")
	last := len(path) - 1
	var p unstable.Parser
	p.Reset(data)
	first, own := -1, -1 // the first table's line, and the line below the head of the nearest table round the setting
	depth := 0           // of that one
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			key := node.Key()
			key.Next()
			head := p.Shape(key.Node().Raw).Start.Line - 1
			if first < 0 {
				first = head
			}
			table = keyParts(node.Key())
			if n := len(table); n > depth && n <= last && slices.Equal(table, path[:n]) {
				own, depth = head+1, n
			}
		case unstable.KeyValue:
			if slices.Equal(slices.Concat(table, keyParts(node.Key())), path) {
				start, end := valueAt(data, node)
				return slices.Concat(data[:start], []byte(value), data[end:])
			}
		}
	}
	if own >= 0 {
		return insertAt(data, line(strings.Join(path[depth:], "."), value), own)
	}
	return insert(data, name, line(name, value), first)
}

// valueAt returns where the value of a key begins and ends. The parser tells
// that only for keys and for the whole file.
func valueAt(data []byte, node *unstable.Node) (start, end int) {
	for key := node.Key(); key.Next(); {
		raw := key.Node().Raw
		start = int(raw.Offset + raw.Length)
	}
	rest := bytes.TrimLeft(data[start:], " \t=")
	return len(data) - len(rest), int(node.Raw.Offset + node.Raw.Length)
}

// insert adds a line below the comment that explains the setting, else above
// the first table (a line number, -1 for none), else at the end.
func insert(data []byte, name, text string, table int) []byte {
	rows := slices.Collect(bytes.Lines(data))
	if table < 0 {
		table = len(rows)
	}
	commented := regexp.MustCompile(`^#\s*` + regexp.QuoteMeta(name) + `\s*=`)
	at := slices.IndexFunc(rows[:table], commented.Match) + 1
	if at == 0 {
		at = table
		if above := aboveComments(rows, table); table < len(rows) && above > 0 {
			at = above
		}
		if table < len(rows) {
			text += lineEnd(data)
		}
	}
	return insertAt(data, text, at)
}

// insertAt adds a line after at lines.
func insertAt(data []byte, text string, at int) []byte {
	end := lineEnd(data)
	rows := slices.Collect(bytes.Lines(data))
	if n := len(rows); n > 0 && !bytes.HasSuffix(rows[n-1], []byte("\n")) {
		rows[n-1] = slices.Concat(rows[n-1], []byte(end))
	}
	return bytes.Join(slices.Insert(rows, at, []byte(text+end)), nil)
}

func lineEnd(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// aboveComments returns the first of the comment lines directly above a line,
// which belong to it.
func aboveComments(rows [][]byte, at int) int {
	for at > 0 && bytes.HasPrefix(rows[at-1], []byte("#")) {
		at--
	}
	return at
}

// differOnlyIn reports whether two files have the same settings except for the
// given values, which the second file has.
func differOnlyIn(old, edited []byte, values map[string]any) bool {
	var before, after map[string]any
	if toml.Unmarshal(old, &before) != nil || toml.Unmarshal(edited, &after) != nil {
		return false
	}
	if before == nil {
		before = map[string]any{}
	}
	if after == nil {
		after = map[string]any{}
	}
	for name, value := range values {
		if value == nil {
			take(before, strings.Split(name, "."))
			continue
		}
		tree, path := before, strings.Split(name, ".")
		for _, part := range path[:len(path)-1] {
			below, ok := tree[part].(map[string]any)
			if !ok {
				below = map[string]any{}
				tree[part] = below
			}
			tree = below
		}
		var written map[string]any
		if toml.Unmarshal([]byte(line("x", literal(value))), &written) != nil {
			return false
		}
		tree[path[len(path)-1]] = written["x"]
	}
	prune(before)
	prune(after)
	return reflect.DeepEqual(before, after)
}

// take removes the value at a path from a tree.
func take(tree map[string]any, path []string) {
	last := len(path) - 1
	for _, part := range path[:last] {
		below, ok := tree[part].(map[string]any)
		if !ok {
			return
		}
		tree = below
	}
	delete(tree, path[last])
}

// prune removes empty tables.
func prune(tree map[string]any) {
	for name, value := range tree {
		below, ok := value.(map[string]any)
		if !ok {
			continue
		}
		if prune(below); len(below) == 0 {
			delete(tree, name)
		}
	}
}
