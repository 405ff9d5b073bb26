package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Outdated tells a process that lives on whether settings on which the contents of an
// index depend have changed since it read them. It is safe for concurrent use.
type Outdated struct {
	loaded *Loaded

	mu    sync.Mutex // guards the fields below
	seen  string     // the state of the files when they were read last; "": they are read again
	names []string   // what differed then
	there []bool     // which of the files there were
}

// Outdated watches the files of these settings.
func (l *Loaded) Outdated() *Outdated {
	o := &Outdated{loaded: l}
	if l.loader != nil {
		_, o.there, _ = l.look()
	}
	return o
}

// Names returns the settings that have changed, in the order of [Keys], or nil. It looks at
// the files, and reads them only when that look differs from the last one. Settings that
// cannot be read count as those that were read last, for no process can work with them. So
// do those of a file that has vanished just now.
func (o *Outdated) Names() []string {
	if o.loaded.loader == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now, there, sure := o.loaded.look()
	if now == o.seen || o.away(there) {
		return o.names
	}
	o.seen = ""
	newer, err := o.loaded.again()
	if err != nil {
		return o.names // what is amiss may be mended elsewhere than in these files
	}
	o.there = there
	if o.names = o.loaded.differs(newer); sure {
		o.seen = now
	}
	return o.names
}

// away reports whether a file that was there has vanished just now: an editor may move it
// away before it writes the new one.
func (o *Outdated) away(there []bool) bool {
	for i, path := range o.loaded.files() {
		if !o.there[i] || there[i] {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err == nil && time.Since(info.ModTime()).Abs() < doubtful {
			return true
		}
	}
	return false
}

// doubtful is how old a file must be that two looks at it can tell a change.
const doubtful = 2 * time.Second

// files returns the paths of the files in which settings can stand.
func (l *Loaded) files() []string {
	return append([]string{l.loader.env.UserFile(), filepath.Join(l.Workspace, WorkspaceFile)}, l.Sessions.Custom...)
}

// look returns the state of the files, as far as a look tells, and which of them there are. It
// is not sure of what was written just now.
func (l *Loaded) look() (state string, there []bool, sure bool) {
	sure = true
	var b strings.Builder
	for _, path := range l.files() {
		info, err := os.Stat(path)
		if there = append(there, err == nil); err != nil {
			b.WriteString("none\n")
			continue
		}
		fmt.Fprintln(&b, info.Size(), info.ModTime().UnixNano())
		sure = sure && time.Since(info.ModTime()).Abs() >= doubtful
	}
	return b.String(), there, sure
}

// again reads the settings anew, as these were read.
func (l *Loaded) again() (*Loaded, error) {
	return newLoader(l.loader.env, l.loader.flags).load(&l.loader.at)
}

// differs returns the names of the settings on which the contents of an index depend, and
// which have another value in newer. Those of a provider count as long as it is the same.
func (l *Loaded) differs(newer *Loaded) (names []string) {
	before, after := l.shape(), newer.shape()
	for _, k := range Keys() {
		was, counts := before[k.Name]
		is, still := after[k.Name]
		if counts && still && was != is {
			names = append(names, k.Name)
		}
	}
	return names
}
