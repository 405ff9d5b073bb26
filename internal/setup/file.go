package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A file is a file in which an agent keeps its settings.
type file struct {
	path string
	// want returns the file with memoir's part in it. It returns the same bytes
	// if that is there already. data is nil if there is no file.
	want func(data []byte) ([]byte, error)
	// strip returns the file without memoir's part. If nothing is left and
	// memoir made the file, the file is removed. An entry named memoir that
	// starts something else is taken out only if it is known that memoir setup
	// changed the file. before are its bytes from before, nil if they are not
	// known: an object or array that was there then stays, even empty.
	strip func(data []byte, known bool, before []byte) ([]byte, error)
	// empty is the content of a file without settings.
	empty string
	// add and drop are the agent's own commands for the same changes, for a file
	// that cannot be changed in place; nil if there are none.
	add, drop []string
	// servers is the object or table of servers by their names, and without takes one of
	// them out; nil if the file has none.
	servers []string
	without func(data []byte, name string) ([]byte, error)
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// jsonFile is a JSON file, possibly with comments, to which values are added. A
// file without content starts as empty.
func jsonFile(agent, path, empty string, values ...insertion) file {
	strip := func(data []byte, known bool, before []byte) ([]byte, error) {
		return stripJSON(data, agent, values, known, before)
	}
	want := func(data []byte) ([]byte, error) {
		if len(bytes.TrimSpace(data)) == 0 {
			data = []byte(empty)
		}
		if there, err := holds(data, agent, values); err != nil || there {
			return data, err
		}
		data, err := strip(data, true, nil)
		for i := 0; i < len(values) && err == nil; i++ {
			data, err = insert(data, values[i])
		}
		return data, err
	}
	f := file{path: path, want: behindMark(want), strip: knownBehindMark(strip), empty: empty}
	for _, in := range values {
		if !in.Element {
			f.servers = in.Path[:len(in.Path)-1]
			f.without = withoutJSON(f.servers)
		}
	}
	return f
}

// behindMark applies a change to a file without its byte order mark, and keeps
// the mark.
func behindMark(change func([]byte) ([]byte, error)) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		rest, marked := bytes.CutPrefix(data, byteOrderMark)
		next, err := change(rest)
		if marked {
			next = append(bytes.Clone(byteOrderMark), next...)
		}
		return next, err
	}
}

// knownBehindMark is behindMark for a change that asks what is known.
func knownBehindMark(strip func([]byte, bool, []byte) ([]byte, error)) func([]byte, bool, []byte) ([]byte, error) {
	return func(data []byte, known bool, before []byte) ([]byte, error) {
		return behindMark(func(data []byte) ([]byte, error) { return strip(data, known, before) })(data)
	}
}

// ours reports whether an element of hooks is memoir's, of any version.
func ours(agent string) func(hujson.Value) bool {
	return func(v hujson.Value) bool {
		text := v.String()
		return strings.Contains(text, "memoir") && strings.Contains(text, " hook "+agent+" ")
	}
}

// holds reports whether all values are there as they should be, and no other
// hooks of memoir's.
func holds(data []byte, agent string, values []insertion) (bool, error) {
	root, err := parseJSON(data)
	if err != nil {
		return false, err
	}
	wanted := 0
	for _, in := range values {
		at := lookup(&root, in.Path...)
		if at == nil {
			return false, nil
		}
		candidates := []hujson.Value{*at}
		if in.Element {
			wanted++
			a, ok := at.Value.(*hujson.Array)
			if !ok {
				return false, nil
			}
			candidates = a.Elements
		}
		same := false
		for _, c := range candidates {
			same = same || equal(c, in.Value)
		}
		if !same {
			return false, nil
		}
	}
	found := 0
	for _, array := range hookArrays(&root) {
		for _, e := range array.Elements {
			if ours(agent)(e) {
				found++
			}
		}
	}
	return found == wanted, nil
}

// hookArrays returns the arrays of hooks by event name.
func hookArrays(root *hujson.Value) map[string]*hujson.Array {
	all := map[string]*hujson.Array{}
	events := lookup(root, "hooks")
	if events == nil {
		return all
	}
	if o, ok := events.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if a, ok := m.Value.Value.(*hujson.Array); ok {
				all[m.Name.Value.(hujson.Literal).String()] = a // names are strings
			}
		}
	}
	return all
}

// equal compares a value in a file with one to be written.
func equal(v hujson.Value, value any) bool {
	var got, want any
	if decode(v, &got) != nil {
		return false
	}
	text, err := written("", value, false, "", "", "")
	if err != nil {
		return false
	}
	w, err := hujson.Parse([]byte(text))
	return err == nil && decode(w, &want) == nil && reflect.DeepEqual(got, want)
}

func stripJSON(data []byte, agent string, values []insertion, known bool, before []byte) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return data, nil
	}
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	events, stays := hookArrays(&root), placesIn(before)
	for _, in := range values {
		if !in.Element && (known && !throughAt(&root, in.Path) || startsMemoirAt(&root, in.Path)) {
			if data, err = remove(data, in.Path, nil, stays); err != nil {
				return nil, err
			}
		}
	}
	for event := range events {
		path := []string{"hooks", event}
		if data, err = removeShared(data, path, ours(agent)); err != nil {
			return nil, err
		}
		if data, err = remove(data, path, ours(agent), stays); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// removeShared removes memoir's hooks from groups that have hooks of others,
// too. The group and those hooks stay.
func removeShared(data []byte, path []string, gone func(hujson.Value) bool) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	at := lookup(&root, path...)
	if at == nil {
		return data, nil
	}
	groups, _ := at.Value.(*hujson.Array)
	for i := 0; groups != nil && i < len(groups.Elements); i++ {
		within := lookup(&groups.Elements[i], "hooks")
		if within == nil {
			continue
		}
		hooks, ok := within.Value.(*hujson.Array)
		if !ok || !slices.ContainsFunc(hooks.Elements, func(v hujson.Value) bool { return !gone(v) }) {
			continue
		}
		if j := slices.IndexFunc(hooks.Elements, gone); j >= 0 {
			return removeShared(cutItem(data, within, j, hooks.Elements[j].StartOffset), path, gone)
		}
	}
	return data, nil
}

// throughAt reports whether the entry at a path starts memoir through another program, as
// memoir setup never writes it.
func throughAt(root *hujson.Value, path []string) bool {
	at := lookup(root, path...)
	var entry map[string]any
	if at == nil || decode(*at, &entry) != nil {
		return false
	}
	_, _, ok := startOf(entry).Through()
	return ok
}

// startsMemoirAt reports whether the entry at a path starts memoir's server.
func startsMemoirAt(root *hujson.Value, path []string) bool {
	at := lookup(root, path...)
	var entry map[string]any
	return at != nil && decode(*at, &entry) == nil && startsMemoir(entry)
}

// tomlFile is a TOML file to which memoir's table is added, with more members.
func tomlFile(path string, words []string, more map[string]any) file {
	want := func(data []byte) ([]byte, error) {
		without, err := removeTable(data, false)
		if err != nil {
			return nil, err
		}
		next, err := addTable(without, words, more)
		if err == nil && sameTOML(next, data) {
			return data, nil // the table may have been moved
		}
		return next, err
	}
	strip := func(data []byte, known bool, _ []byte) ([]byte, error) { return removeTable(data, known) }
	return file{path: path, want: behindMark(want), strip: knownBehindMark(strip), servers: tableName[:1], without: withoutTOML}
}

// ownMark begins a file that is entirely memoir's.
const ownMark = "// Written by memoir setup, which takes it out again with --undo."

// wholeFile is a file that is entirely memoir's.
func wholeFile(path, text string) file {
	foreign := func(data []byte) error {
		if len(data) > 0 && !bytes.HasPrefix(data, []byte(ownMark)) {
			return fmt.Errorf("%w: it is a file of your own", errShape)
		}
		return nil
	}
	return file{
		path: path,
		want: func(data []byte) ([]byte, error) { return []byte(text), foreign(data) },
		strip: func(data []byte, _ bool, _ []byte) ([]byte, error) {
			if foreign(data) != nil {
				return data, nil
			}
			return nil, nil
		},
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// state is a file as it was read.
type state struct {
	target string // path of the bytes: a link is followed, and stays a link
	there  bool
	data   []byte
	mode   fs.FileMode
}

// newMode are the permissions of a file that is made.
const newMode = 0o600

// maxFile is the size of the largest settings file that is read. Claude Code
// keeps its history in one.
const maxFile = 64 << 20

// read reads a settings file. It may be a link, as people have who keep such
// files in a repository.
func read(path string) (state, error) {
	s := state{target: path, mode: newMode}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if s.target, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
			return s, memoir.WithHint(errors.New("it is a symbolic link that leads nowhere"), "mend the link, or move it away")
		}
	}
	if err != nil {
		return s, syserr.Reason(err)
	}
	f, err := regular.Open(s.target)
	if err != nil {
		return s, syserr.Reason(err)
	}
	defer f.Close() // of a file that was only read
	if s.data, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
		return s, syserr.Reason(err)
	}
	if len(s.data) > maxFile {
		return s, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	if info, err = f.Stat(); err != nil {
		return s, syserr.Reason(err)
	}
	s.there, s.mode = true, info.Mode().Perm()
	return s, nil
}

// errMoved says that a file was changed between reading and writing.
var errMoved = errors.New("another program is changing it")

// room is the hint for a file that cannot be written.
const room = "make room and the folder writable, and run it again"

// locked refuses a file that its owner made read-only.
func (s *state) locked() error {
	if s.there && s.mode&0o200 == 0 {
		return memoir.WithHint(errors.New("it is read-only"), "make it writable, or change it where it is made")
	}
	return nil
}

// write replaces the bytes that were read with others; nil removes the file. A
// file that its owner made read-only stays as it is.
func (s *state) write(path string, data []byte) error {
	if err := s.locked(); err != nil {
		return err
	}
	now, err := read(path)
	if err != nil {
		return err
	}
	if now.target != s.target || now.there != s.there || !bytes.Equal(now.data, s.data) {
		return errMoved
	}
	if data == nil {
		return syserr.Reason(os.Remove(path))
	}
	if err := os.MkdirAll(filepath.Dir(s.target), 0o700); err != nil {
		return memoir.WithHint(fmt.Errorf("its folder cannot be made: %w", syserr.Reason(err)), room)
	}
	err = atomicfile.Write(s.target, s.mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return memoir.WithHint(fmt.Errorf("it cannot be written: %w", syserr.Reason(err)), room)
	}
	return nil
}
