package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A Changed is what [Change] and [Remove] have done.
type Changed struct {
	File string // the settings file
	Did  bool   // the file has changed
	// Settings are the settings now in effect for the memory that the file
	// belongs to.
	Settings *Loaded
}

// Value returns the value of an existing setting, with secrets masked.
func (l *Loaded) Value(name string) (Entry, error) {
	for _, e := range l.Entries() {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, unknown(name)
}

// Change sets a setting in the user's own file, or in that of the workspace
// that the flags name, as [Set] does. The text is written as in a variable:
// commas separate the entries of a list, and a path is relative to the current
// folder. Before the file is written, it is checked as if it were loaded.
// Mistakes are *[Error].
func Change(env Environment, flags Flags, layer Layer, name, text string) (Changed, error) {
	k, ok := key(name)
	if !ok {
		return Changed{}, unknown(name)
	}
	value, err := k.typed(env, text)
	if err != nil {
		return Changed{}, err
	}
	if list, ok := value.([]Collection); ok && len(list) == 0 {
		value = nil // which tables cannot say in another way
	}
	return change(env, flags, layer, name, value)
}

// Remove removes a setting and its line from such a file; comments above it
// stay. The setting need not be a known one.
func Remove(env Environment, flags Flags, layer Layer, name string) (Changed, error) {
	return change(env, flags, layer, name, nil)
}

func change(env Environment, flags Flags, layer Layer, name string, value any) (Changed, error) {
	path, err := settingsFile(env, flags, layer)
	if err != nil {
		return Changed{}, err
	}
	old, err := readFile(path, layer)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Changed{}, unreadable(path, layer, err)
	}
	if _, err := decode(path, old); err != nil {
		return Changed{}, err
	}
	if _, known := key(name); !known && !isSet(old, name) {
		return Changed{}, unknown(name)
	}
	data, err := edited(path, old, map[string]any{name: value})
	if err != nil {
		return Changed{}, err
	}
	c := Changed{File: path, Did: !bytes.Equal(old, data)}
	if c.Settings, err = loadWith(env, flags, layer, path, data); err != nil || !c.Did {
		return c, err
	}
	return c, write(path, layer, data)
}

// settingsFile returns the path of the file of a layer.
func settingsFile(env Environment, flags Flags, layer Layer) (string, error) {
	if layer == LayerUser {
		if path := env.UserFile(); path != "" {
			return path, nil
		}
		return "", &Error{Message: "there is no home folder for your settings", Hint: "name a file with MEMOIR_CONFIG"}
	}
	l := newLoader(env, flags)
	if err := l.places(); err != nil {
		return "", err
	}
	dir := l.found.Chosen[len(l.found.Chosen)-1].Workspace
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &Error{Message: fmt.Sprintf("%s is no folder of notes", dir), Hint: "memoir init"}
	}
	return filepath.Join(dir, WorkspaceFile), nil
}

// loadWith reads every layer as if a file held other bytes, and returns the
// settings in effect for the memory that the file belongs to.
func loadWith(env Environment, flags Flags, layer Layer, path string, data []byte) (*Loaded, error) {
	env.instead = map[string][]byte{path: data}
	m, err := LoadMemories(env, flags)
	switch {
	case err != nil:
		return nil, err
	case layer == LayerUser:
		return m.First(), nil
	case m.ProjectErr != nil:
		return nil, m.ProjectErr
	}
	return cmp.Or(m.Project, m.User), nil
}

// key returns the Key of a setting.
func key(name string) (Key, bool) {
	all := allKeys()
	i := slices.IndexFunc(all, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return all[i], true
}

// unknown reports a setting that does not exist, for somebody who named it on
// the command line.
func unknown(name string) error {
	e := &Error{Message: fmt.Sprintf("there is no setting %q", name), Hint: "memoir config --docs"}
	var known, below []string
	for _, k := range Keys() {
		known = append(known, k.Name)
		if strings.HasPrefix(k.Name, name+".") {
			below = append(below, k.Name)
		}
	}
	if len(below) > 0 {
		e.Message = fmt.Sprintf("%s is several settings: %s", name, strings.Join(below, ", "))
	} else if near := nearest(name, known); near != "" {
		e.Message += fmt.Sprintf("; the nearest known one is %q", near)
	}
	return e
}

// typed converts the text of a value into what [Edited] takes.
func (k Key) typed(env Environment, text string) (any, error) {
	l := newLoader(env, nil)
	s := &l.out.Settings
	s.Chunking.Tokens = cmp.Or(s.Chunking.Tokens, 8192) // any overlap has to be less than that
	wrong := &Error{Message: fmt.Sprintf("%s is %s and must be %s", k.Name, k.shown(text), k.typedAs()), Hint: "memoir config --docs"}
	if !utf8.ValidString(text) || !assignText(k.at(s), text) || !k.valid(s) {
		return nil, wrong
	}
	l.resolve(k.Name, env.Dir)
	switch f := k.at(s).(type) {
	case *string:
		return *f, nil
	case *int:
		return int64(*f), nil
	case *int64:
		return *f, nil
	case *float64:
		if math.IsInf(*f, 0) || math.IsNaN(*f) {
			return nil, wrong
		}
		return *f, nil
	case *bool:
		return *f, nil
	case *[]string:
		return *f, nil
	case *[]Collection:
		return *f, nil
	}
	return strings.TrimSpace(text), nil // a duration, as it was written
}

// spot is a part of a file, from one byte up to another.
type spot struct{ from, to int }

// place is where a setting stands in a file.
type place struct {
	keys   []spot // key and value
	tables []spot // the first and last lines of tables of that name
}

// find finds where a setting stands.
func find(data []byte, name string) (found place) {
	path := strings.Split(name, ".")
	var p unstable.Parser
	p.Reset(data)
	var table []string
	own := false // in an array of tables of that name
	for p.NextExpression() {
		node := p.Expression()
		parts := keyParts(node.Key())
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			head := node.Key()
			head.Next()
			at := int(head.Node().Raw.Offset)
			table = parts
			if own = node.Kind == unstable.ArrayTable && slices.Equal(table, path); own {
				found.tables = append(found.tables, spot{at, at})
			}
		case unstable.KeyValue:
			end := int(node.Raw.Offset + node.Raw.Length)
			if own {
				found.tables[len(found.tables)-1].to = end
			}
			if slices.Equal(slices.Concat(table, parts), path) {
				start := node.Key()
				start.Next()
				found.keys = append(found.keys, spot{int(start.Node().Raw.Offset), end})
			}
		}
	}
	return found
}

// isSet reports whether a valid file has a setting.
func isSet(data []byte, name string) bool {
	_, data = cutMark(data)
	found := find(data, name)
	return len(found.keys)+len(found.tables) > 0
}

// without removes a setting with its lines. Tables that hold comments stay,
// because nothing else keeps the comments.
func without(data []byte, name string) []byte {
	found := find(data, name)
	var spots []spot
	for _, s := range found.keys {
		spots = append(spots, wholeLines(data, s))
	}
	for _, s := range found.tables {
		rows := wholeLines(data, s)
		if slices.ContainsFunc(slices.Collect(bytes.Lines(data[rows.from:rows.to])), isComment) {
			continue
		}
		if above := slices.Collect(bytes.Lines(data[:rows.from])); len(above) > 0 && len(bytes.TrimSpace(above[len(above)-1])) == 0 {
			rows.from -= len(above[len(above)-1]) // the blank line that separates it from what is above
		}
		spots = append(spots, rows)
	}
	for _, s := range slices.Backward(spots) {
		data = slices.Concat(data[:s.from], data[s.to:])
	}
	return data
}

func isComment(row []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(row, " \t"), []byte("#")) }

// wholeLines widens a spot to the lines that it is on.
func wholeLines(data []byte, s spot) spot {
	s.from = bytes.LastIndexByte(data[:s.from], '\n') + 1
	if end := bytes.IndexByte(data[s.to:], '\n'); end >= 0 {
		s.to += end + 1
	} else {
		s.to = len(data)
	}
	return s
}
