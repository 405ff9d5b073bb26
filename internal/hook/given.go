package hook

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// How much is known of what sessions were given.
const (
	maxSessions = 64   // the oldest are forgotten
	maxLines    = 4096 // of one session
	maxTimes    = 256  // that one was given something
)

// given is what a session was given, as digests of its lines: what is forgotten in the
// notes is kept nowhere else. Of a session without a name nothing is known.
type given struct {
	path string
	kept
}

// kept is the file of a session.
type kept struct {
	Agent   string     `json:"agent"`
	Session string     `json:"session"` // as the agent calls it
	Lines   []uint64   `json:"lines"`   // the oldest first
	Times   []occasion `json:"times"`   // the same
}

// An occasion is one time that a session was given something.
type occasion struct {
	At     time.Time `json:"at"`
	Event  string    `json:"event"`
	Tokens int       `json:"tokens"`
	Parts  []part    `json:"parts"`
}

// part is an entry that was given.
type part struct {
	prime.Part
	Line uint64 `json:"line"` // digest of the line
}

// newGiven returns what a session starts with: nothing.
func newGiven(dir, agent, session string) *given {
	if session == "" {
		return &given{}
	}
	return &given{filepath.Join(dir, "sessions", agent+"-"+short(session)+".json"), kept{Agent: agent, Session: session}}
}

// openGiven reads what a session was given; what cannot be read is nothing.
func openGiven(dir, agent, session string) *given {
	g := newGiven(dir, agent, session)
	if g.path == "" {
		return g
	}
	if data, err := regular.ReadFile(g.path); err == nil {
		var was kept
		if json.Unmarshal(data, &was) == nil {
			g.Lines, g.Times = was.Lines, was.Times
		}
	}
	return g
}

// short is a name for a session that can be a file name.
func short(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:6])
}

func lineDigest(line string) uint64 {
	sum := sha256.Sum256([]byte(line))
	return binary.LittleEndian.Uint64(sum[:]) >> 11 // a whole number to every reader of JSON
}

func (g *given) has(line string) bool { return slices.Contains(g.Lines, lineDigest(line)) }

func (g *given) hasAll(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !g.has(line) })
}

// add notes what was given at an event.
func (g *given) add(p *engine.Primed, event string, at time.Time) {
	x := occasion{At: at.UTC(), Event: event, Tokens: p.Tokens, Parts: []part{}}
	for i, line := range p.Lines() {
		digest := lineDigest(line)
		g.Lines = append(g.Lines, digest)
		if i < len(p.Parts) {
			x.Parts = append(x.Parts, part{p.Parts[i], digest})
		}
	}
	g.Lines = g.Lines[max(0, len(g.Lines)-maxLines):]
	if len(x.Parts) > 0 {
		g.Times = append(g.Times, x)
		g.Times = g.Times[max(0, len(g.Times)-maxTimes):]
	}
}

// save writes what was given, and forgets the oldest of too many sessions.
func (g *given) save() error {
	if g.path == "" {
		return nil
	}
	data, err := json.Marshal(g.kept)
	if err != nil {
		return err
	}
	dir := filepath.Dir(g.path)
	if err := errors.Join(folder(filepath.Dir(dir)), folder(dir)); err != nil {
		return err
	}
	err = atomicfile.Write(g.path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("note what the session was given: %w", syserr.Reason(err))
	}
	return prune(dir)
}

// prune removes the oldest files of too many, and what hooks were writing that ended
// before it was whole.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		begun := strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), unfinished)
		if !begun && len(entries) <= maxSessions {
			continue
		}
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case !begun:
			files = append(files, info)
		case time.Since(info.ModTime()) >= left:
			_ = os.Remove(filepath.Join(dir, e.Name())) // it is in nobody's way
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files[:max(0, len(files)-maxSessions)] {
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return syserr.Reason(err)
		}
	}
	return nil
}
