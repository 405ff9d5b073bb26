package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// A Connection is what is known of a connected agent.
type Connection struct {
	Agent   Agent
	Program string // the program that it starts; "" when that is not known
	// Changed are the files in which memoir's part has been changed.
	Changed []string
	// Older are the files with hooks of an earlier memoir, whose failure can stop the agent.
	Older []string
}

// Connections returns the agents that memoir setup has connected, according to the records in
// dir and to their settings. Without a record, an agent counts whose settings hold what only
// memoir setup writes. Connections changes nothing.
func Connections(p Place, dir string) []Connection {
	var all []Connection
	for _, a := range Agents() {
		r := openRecord(dir, a.Name)
		starts, written := a.written(p)
		if len(r.Files) == 0 && !written {
			continue
		}
		c := Connection{Agent: a, Program: r.Program}
		for _, s := range starts.Servers {
			if c.Program == "" && filepath.IsAbs(s.Words[0]) {
				c.Program = s.Words[0]
			}
		}
		for _, h := range starts.Hooks {
			if h.Line != "" && !strings.HasSuffix(h.Line, ending) && !slices.Contains(c.Older, h.File) {
				c.Older = append(c.Older, h.File)
			}
		}
		for _, f := range a.files(p, Command{Program: r.Program}) {
			if r.Files[f.path] != nil && !f.holdsPart() {
				c.Changed = append(c.Changed, f.path)
			}
		}
		all = append(all, c)
	}
	return all
}

// holdsPart reports whether memoir's part is in a file that memoir setup has changed.
func (f file) holdsPart() bool {
	now, err := read(f.path)
	if err != nil || f.add != nil {
		return err == nil
	}
	without, err := f.strip(now.data, true, nil)
	return err == nil && !bytes.Equal(without, now.data)
}

// written returns the servers and hooks of memoir in the files that memoir setup changes, and
// whether setup wrote one of them: a hook, or a server by an absolute path. A person who makes
// an entry by hand writes the bare name. A file that cannot be parsed counts if it names memoir.
func (a Agent) written(p Place) (starts Wiring, ok bool) {
	wires := a.wired(p)
	for _, f := range a.files(p, Command{}) {
		at := slices.IndexFunc(wires, func(w wire) bool { return w.path == f.path })
		now, err := read(f.path)
		if at < 0 || err != nil || !now.there {
			continue
		}
		var here Wiring
		if err := wires[at].read(now.data, a.Name, &here); err != nil {
			root, err := rootOf(now.data, f.path)
			if err != nil {
				ok = ok || bytes.Contains(now.data, []byte("memoir"))
				continue
			}
			wires[at].readRoot(root, a.Name, &here)
		}
		here.Servers = slices.DeleteFunc(here.Servers, func(s Start) bool { return !s.Ours() })
		starts.Servers, starts.Hooks = append(starts.Servers, here.Servers...), append(starts.Hooks, here.Hooks...)
		byPath := slices.ContainsFunc(here.Servers, func(s Start) bool { return filepath.IsAbs(s.Words[0]) })
		if without, err := f.strip(now.data, false, nil); err != nil || !bytes.Equal(without, now.data) {
			ok = ok || byPath || len(here.Hooks) > 0
		}
	}
	return starts, ok
}
