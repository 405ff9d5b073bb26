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

// addTable adds memoir's table to the end of a file of TOML, with the command
// line of the server and what else belongs into the table.
func addTable(data []byte, words []string, more map[string]any) ([]byte, error) {
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
	beside, err := inlineTOML(more)
	if err != nil {
		return nil, err
	}
	text += strings.ReplaceAll(beside, "\n", nl)
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
	servers, ok := after[tableName[0]].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: mcp_servers is no table", errShape)
	}
	if delete(servers, tableName[1]); len(servers) == 0 && before[tableName[0]] == nil {
		delete(after, tableName[0])
	}
	if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		return nil, fmt.Errorf("%w: a table cannot be added without changing others", errShape)
	}
	return next, nil
}

// removeTable removes memoir's table with its subtables, the comment above it
// and the blank line before, wherever they stand. Without the comment the table
// is memoir's only if memoir setup is known to have changed the file, and the
// table starts memoir. All else in the file keeps its meaning, or it is an error.
func removeTable(data []byte, known bool) ([]byte, error) {
	return removeServer(data, tableName, func(entry map[string]any) bool { return known && startsMemoir(entry) })
}

// removeServer removes a table as removeTable does. Without the comment it does so if the
// table is to go.
func removeServer(data []byte, table []string, goes func(entry map[string]any) bool) ([]byte, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, tomlError(err)
	}
	rows := slices.Collect(bytes.Lines(data))
	var marks []int
	if slices.Equal(table, tableName) {
		marks = marksOf(rows, all)
	}
	servers, _ := all[table[0]].(map[string]any) // what is no table has none of memoir's
	entry, there := servers[table[1]].(map[string]any)
	if len(marks) == 0 && !goes(entry) {
		return data, nil
	}
	gone := make([]bool, len(rows))
	drop := func(from, to int, blank bool) {
		if blank && from > 0 && len(bytes.TrimSpace(rows[from-1])) == 0 {
			from--
		}
		for i := from; i < to; i++ {
			gone[i] = true
		}
	}
	for _, m := range marks {
		drop(m, m+1, true)
	}
	var before part
	for _, x := range partsOf(data, rows, table) {
		from := x.from
		at := slices.IndexFunc(marks, func(m int) bool { return m >= before.to && m < x.from })
		switch {
		case !x.ours:
		case before.ours:
			from = before.to
		case at >= 0:
			from = marks[at]
		}
		if x.ours {
			drop(from, x.to, x.header && !before.ours)
		}
		before = x
	}
	var next []byte
	for i, row := range rows {
		if !gone[i] {
			next = append(next, row...)
		}
	}
	if delete(servers, table[1]); len(servers) == 0 {
		delete(all, table[0])
	}
	if !means(next, all) {
		if there {
			return nil, fmt.Errorf("%w: mcp_servers.%s is written in a way that it cannot be taken out", errShape, table[1])
		}
		return data, nil
	}
	return next, nil
}

// means reports whether a file has a content, empty tables of servers aside.
func means(data []byte, content map[string]any) bool {
	var got map[string]any
	if toml.Unmarshal(data, &got) != nil {
		return false
	}
	if servers, ok := got[tableName[0]].(map[string]any); ok && len(servers) == 0 {
		delete(got, tableName[0])
	}
	return len(got)+len(content) == 0 || reflect.DeepEqual(got, content)
}

// marksOf returns the lines that are memoir's comment, from 0. A line of a text
// that only looks like it is none: without it the content would be another.
func marksOf(rows [][]byte, content map[string]any) []int {
	var marks []int
	for i, row := range rows {
		if string(bytes.TrimSpace(row)) != tableMark {
			continue
		}
		var without map[string]any
		if err := toml.Unmarshal(bytes.Join(slices.Delete(slices.Clone(rows), i, i+1), nil), &without); err != nil {
			continue
		}
		if len(without)+len(content) == 0 || reflect.DeepEqual(without, content) {
			marks = append(marks, i)
		}
	}
	return marks
}

// A part is a header or a key with its value, on lines that count from 0.
type part struct {
	from, to int // without comments and blank lines behind it
	header   bool
	ours     bool // of the table that is looked for
}

// partsOf returns the parts of a file in their order.
func partsOf(data []byte, rows [][]byte, ours []string) []part {
	var p unstable.Parser
	p.Reset(data)
	var parts []part
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		x := part{from: -1, header: node.Kind != unstable.KeyValue}
		var name []string
		for key := node.Key(); key.Next(); {
			if x.from < 0 {
				x.from = p.Shape(key.Node().Raw).Start.Line - 1
			}
			name = append(name, string(key.Node().Data))
		}
		if x.header {
			table = name
		} else {
			name = slices.Concat(table, name)
		}
		x.ours = len(name) >= 2 && slices.Equal(name[:2], ours)
		parts = append(parts, x)
	}
	for i := range parts {
		x := &parts[i]
		if x.to = len(rows); i+1 < len(parts) {
			x.to = parts[i+1].from
		}
		for x.to > x.from+1 {
			if row := bytes.TrimSpace(rows[x.to-1]); len(row) > 0 && row[0] != '#' {
				break
			}
			x.to--
		}
	}
	return parts
}

// inlineTOML writes members of a table, a line each.
func inlineTOML(members map[string]any) (string, error) {
	var b bytes.Buffer
	if len(members) == 0 {
		return "", nil
	}
	err := toml.NewEncoder(&b).SetTablesInline(true).Encode(members)
	return b.String(), err
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
		return fmt.Errorf("line %d, column %d: not valid TOML: %s", row, column, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return err
}
