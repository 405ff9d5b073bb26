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

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// How much is known of what sessions were given.
const (
	maxSessions = 64   // the oldest are forgotten
	maxLines    = 4096 // of one session
)

// given is what a session was given, as digests of its lines. Of a session without a
// name nothing is known.
type given struct {
	path  string
	lines []uint64 // the oldest first
}

// newGiven returns what a session starts with: nothing.
func newGiven(dir, agent, session string) *given {
	if session == "" {
		return &given{}
	}
	return &given{path: filepath.Join(dir, "sessions", agent+"-"+short(session)+".json")}
}

// openGiven reads what a session was given; what cannot be read is nothing.
func openGiven(dir, agent, session string) *given {
	g := newGiven(dir, agent, session)
	if g.path == "" {
		return g
	}
	if data, err := regular.ReadFile(g.path); err == nil && json.Unmarshal(data, &g.lines) != nil {
		g.lines = nil
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

func (g *given) has(line string) bool { return slices.Contains(g.lines, lineDigest(line)) }

func (g *given) hasAll(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !g.has(line) })
}

func (g *given) add(lines []string) {
	for _, line := range lines {
		g.lines = append(g.lines, lineDigest(line))
	}
	g.lines = g.lines[max(0, len(g.lines)-maxLines):]
}

// save writes what was given, and forgets the oldest of too many sessions.
func (g *given) save() error {
	if g.path == "" {
		return nil
	}
	if g.lines == nil {
		g.lines = []uint64{}
	}
	data, err := json.Marshal(g.lines)
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

// prune removes the oldest files of too many.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxSessions {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
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
