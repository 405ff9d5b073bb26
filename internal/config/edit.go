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

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Set writes settings that are strings to the settings file of a layer, in one
// step: each changes its own line alone; order, comments and line ends of all
// others stay, and so does a byte order mark. A file that does not exist is made, with its folder. The user's
// file may be a link, which stays one. A file with a mistake in it is not
// touched: the mistake is an *[Error], as is a value that a workspace's own file
// cannot set.
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
	mark, old := cutMark(old)
	data := old
	for _, name := range slices.Sorted(maps.Keys(values)) {
		data = edit(data, name, values[name])
	}
	if !differOnlyIn(old, data, values) {
		return &Error{File: path, Message: "the file is written in a way that cannot be changed safely",
			Hint: fmt.Sprintf("write %s into it", lines(values))}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return &Error{File: path, Message: "the folder of the settings cannot be made: " + syserr.Reason(err).Error(), Err: err}
	}
	target := path
	if layer == LayerUser {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			target = real
		}
	}
	err = atomicfile.Write(target, 0o600, func(w io.Writer) error {
		_, err := w.Write(slices.Concat(mark, data))
		return err
	})
	if err != nil {
		return &Error{File: path, Message: "the settings cannot be written: " + syserr.Reason(err).Error(), Err: err}
	}
	return nil
}

// settable reports a value that the layer cannot have.
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

// lines are the settings as they would stand in a file.
func lines(values map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, line(name, values[name]))
	}
	return strings.Join(out, " and ")
}

func line(name, value string) string { return name + " = " + quoted(value) }

// quoted writes a string as TOML does: a path with backslashes is easier to
// read in single quotes, where nothing is escaped.
func quoted(value string) string {
	if strings.ContainsRune(value, '\\') && !strings.ContainsFunc(value, func(r rune) bool { return r == '\'' || r < ' ' }) {
		return "'" + value + "'"
	}
	return strconv.Quote(value)
}

// edit changes the value of a setting, or adds a line for it: to its table where
// there is one, else outside of all.
func edit(data []byte, name, value string) []byte {
	path := strings.Split(name, ".")
	last := len(path) - 1
	var p unstable.Parser
	p.Reset(data)
	first, own := -1, -1 // line of the first table, and the one below the head of the setting's own
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
			if table = keyParts(node.Key()); slices.Equal(table, path[:last]) {
				own = head + 1
			}
		case unstable.KeyValue:
			if slices.Equal(slices.Concat(table, keyParts(node.Key())), path) {
				raw := node.Value().Raw
				return slices.Concat(data[:raw.Offset], []byte(quoted(value)), data[raw.Offset+raw.Length:])
			}
		}
	}
	if own >= 0 {
		return insertAt(data, line(path[last], value), own)
	}
	return insert(data, name, line(name, value), first)
}

// insert adds a line: below the one that explains the setting as a comment,
// else above the first table (counted in lines, -1 is none), else at the end.
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

// insertAt adds a line behind so many others.
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

// aboveComments returns the first of the lines of comment that stand directly
// above a line: they belong to it.
func aboveComments(rows [][]byte, at int) int {
	for at > 0 && bytes.HasPrefix(rows[at-1], []byte("#")) {
		at--
	}
	return at
}

// differOnlyIn reports whether two files hold the same settings but for the
// given values, which the second has.
func differOnlyIn(old, edited []byte, values map[string]string) bool {
	var before, after map[string]any
	if toml.Unmarshal(old, &before) != nil || toml.Unmarshal(edited, &after) != nil {
		return false
	}
	if before == nil {
		before = map[string]any{}
	}
	for name, value := range values {
		tree, path := before, strings.Split(name, ".")
		for _, part := range path[:len(path)-1] {
			below, ok := tree[part].(map[string]any)
			if !ok {
				below = map[string]any{}
				tree[part] = below
			}
			tree = below
		}
		tree[path[len(path)-1]] = value
	}
	return reflect.DeepEqual(before, after)
}
