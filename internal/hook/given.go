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
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// How much is remembered of what sessions were given.
const (
	maxSessions = 64   // beyond that, the oldest are forgotten
	maxLines    = 4096 // for each session
	maxTimes    = 256  // for each session: times that it was given something
)

// given is what a session was given. It keeps digests of the lines, because
// what the notes forget must be kept nowhere else. Nothing is known of a
// session without a name.
type given struct {
	path string
	kept
}

// kept is the file of a session.
type kept struct {
	Agent   string     `json:"agent"`
	Session string     `json:"session"` // as [Item] has it
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

// part is an entry that a session was given.
type part struct {
	prime.Part
	Line uint64 `json:"line"` // digest of the line
}

// newGiven returns the record of a session that was given nothing yet.
func newGiven(dir, agent, session string) *given {
	if session == "" {
		return &given{}
	}
	return &given{filepath.Join(dir, "sessions", agent+"-"+short(session)+".json"), kept{Agent: agent, Session: maskedID(session)}}
}

// openGiven reads what a session was given. A record that cannot be read counts
// as empty.
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

// short returns a name for a session that can be part of a file name.
func short(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:6])
}

func lineDigest(line string) uint64 {
	sum := sha256.Sum256([]byte(line))
	return binary.LittleEndian.Uint64(sum[:]) >> 11 // small enough for every reader of JSON to keep exactly
}

func (g *given) has(line string) bool { return slices.Contains(g.Lines, lineDigest(line)) }

func (g *given) hasAll(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !g.has(line) })
}

// add records what was given at an event.
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

// save writes the record, and removes the oldest records when there are too
// many.
func (g *given) save() error {
	if g.path == "" {
		return nil
	}
	data, err := json.Marshal(g.kept)
	if err != nil {
		return err
	}
	dir := filepath.Dir(g.path)
	if err := folder(dir); err != nil {
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

// prune removes the oldest records, and files that hooks did not finish
// writing.
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
	order.By(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files[:max(0, len(files)-maxSessions)] {
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return syserr.Reason(err)
		}
	}
	return nil
}
