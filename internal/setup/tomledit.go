package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tableMark stands above memoir's table. There is no mark below it, because
// programs that rewrite such a file put tables before the comments at its end.
const tableMark = "# Written by memoir setup, which takes it out again with --undo."

var tableName = []string{"mcp_servers", "memoir"}

// addTable adds memoir's table to the end of a file of TOML.
func addTable(data []byte, words []string) ([]byte, error) {
	var before map[string]any
	if err := toml.Unmarshal(data, &before); err != nil {
		return nil, tomlError(err)
	}
	if servers, ok := before[tableName[0]].(map[string]any); ok && servers[tableName[1]] != nil {
		return nil, fmt.Errorf("%w: it has a table [mcp_servers.memoir] of its own", errShape)
	}
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = quoteTOML(w)
	}
	nl := lineEnd(data)
	text := strings.Join([]string{tableMark, "[mcp_servers.memoir]", "command = " + args[0], "args = [" + strings.Join(args[1:], ", ") + "]", ""}, nl)
	gap := ""
	if len(data) > 0 {
		gap = nl
		if !bytes.HasSuffix(data, []byte("\n")) {
			gap += nl
		}
	}
	next := slices.Concat(data, []byte(gap+text))
	var after map[string]any
	if err := toml.Unmarshal(next, &after); err != nil {
		return nil, fmt.Errorf("%w: mcp_servers is written in a way that no table can be added to", errShape)
	}
	delete(after[tableName[0]].(map[string]any), tableName[1]) // it was parsed
	if servers, _ := after[tableName[0]].(map[string]any); len(servers) == 0 && before[tableName[0]] == nil {
		delete(after, tableName[0])
	}
	if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		return nil, fmt.Errorf("%w: a table cannot be added without changing others", errShape)
	}
	return next, nil
}

// removeTable removes memoir's table with its subtables, the comment above it
// and the blank line before.
func removeTable(data []byte) ([]byte, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, tomlError(err)
	}
	rows := slices.Collect(bytes.Lines(data))
	for i := len(rows) - 1; i >= 0; i-- {
		if string(bytes.TrimSpace(rows[i])) != tableMark {
			continue
		}
		end := tableEnd(data, i, len(rows))
		if i > 0 && len(bytes.TrimSpace(rows[i-1])) == 0 {
			i--
		}
		return slices.Concat(bytes.Join(rows[:i], nil), bytes.Join(rows[end:], nil)), nil
	}
	return data, nil
}

// tableEnd returns the line after memoir's tables. The comment of the first of
// them is on line mark. Lines count from 0.
func tableEnd(data []byte, mark, rows int) int {
	var p unstable.Parser
	p.Reset(data)
	end, inside := mark+1, false
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			var name []string
			at := -1
			for key := node.Key(); key.Next(); {
				if at < 0 {
					at = p.Shape(key.Node().Raw).Start.Line - 1
				}
				name = append(name, string(key.Node().Data))
			}
			inside = at > mark && len(name) >= 2 && slices.Equal(name[:2], tableName)
			if inside {
				end = at + 1
			}
		case unstable.KeyValue:
			if raw := node.Value().Raw; inside {
				last := raw.Offset + max(raw.Length, 1)
				end = max(end, 1+bytes.Count(data[:valueEnd(data, node, int(last))], []byte("\n")))
			}
		}
	}
	return min(end, rows)
}

// valueEnd returns the earliest position where a value can end: after the last
// of its parts.
func valueEnd(data []byte, node *unstable.Node, end int) int {
	deepest := end
	var walk func(n *unstable.Node)
	walk = func(n *unstable.Node) {
		deepest = max(deepest, int(n.Raw.Offset+n.Raw.Length))
		for it := n.Children(); it.Next(); {
			walk(it.Node())
		}
	}
	walk(node.Value())
	if node.Value().Kind == unstable.Array {
		if i := bytes.IndexByte(data[min(deepest, len(data)):], ']'); i >= 0 {
			deepest += i
		}
	}
	return min(deepest, len(data))
}

// quoteTOML writes a string. A path with backslashes is written in single
// quotes, in which nothing is escaped.
func quoteTOML(s string) string {
	if strings.ContainsRune(s, '\\') && !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' }) {
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}

// sameTOML reports whether two files have the same content.
func sameTOML(a, b []byte) bool {
	var x, y map[string]any
	return toml.Unmarshal(a, &x) == nil && toml.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func tomlError(err error) error {
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return fmt.Errorf("line %d, column %d: %w", row, column, err)
	}
	return err
}
