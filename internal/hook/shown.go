package hook

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Session is what one session of an agent was given.
type Session struct {
	Agent string // as in memoir hook AGENT
	ID    string // as [Item] has it
	Times []Time // the newest first
}

// A Time is one time that a session was given something.
type Time struct {
	At     time.Time
	Event  string // SessionStart or Prompt
	Tokens int    // of all that was given, estimated
	Parts  []Part // in the order of the text
}

// A Part is an entry that was given.
type Part struct {
	prime.Part
	// Text is the line as it was given. It is "" if the notes do not have the
	// line any more, because it is kept nowhere else.
	Text string
}

// Name returns the name of an entry's note: its path or, with two memories, the
// name that [memoir.Scope.Name] gives.
func Name(p *prime.Part) string { return memoir.Scope(p.Scope).Name(memoir.DocID(p.Path)) }

// Shown returns what sessions were given, the latest session first. read
// returns a note by its name; the texts of a note that cannot be read are
// unknown. dir is [Options.Dir]; if it does not exist there are no sessions.
func Shown(dir string, read func(path string) (string, error)) ([]Session, error) {
	if err := trusted(filepath.Join(dir, "sessions")); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(filepath.Join(dir, "sessions"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, syserr.Reason(err)
	}
	r := reader{read: read, notes: map[string]*note{}}
	var all []Session
	for _, f := range files {
		data, err := regular.ReadFile(filepath.Join(dir, "sessions", f.Name()))
		var was kept
		if err != nil || json.Unmarshal(data, &was) != nil || len(was.Times) == 0 {
			continue // it is being replaced, or is invalid
		}
		s := Session{Agent: was.Agent, ID: was.Session}
		for _, x := range slices.Backward(was.Times) {
			t := Time{At: x.At, Event: x.Event, Tokens: x.Tokens}
			for _, p := range x.Parts {
				t.Parts = append(t.Parts, Part{p.Part, r.line(&p)})
			}
			s.Times = append(s.Times, t)
		}
		all = append(all, s)
	}
	order.Stable(all, func(a, b Session) int { return b.Times[0].At.Compare(a.Times[0].At) })
	return all, nil
}

// reader finds lines that were given in the current notes.
type reader struct {
	read  func(string) (string, error)
	notes map[string]*note
}

type note struct {
	text  string
	lines map[uint64]string // by their digests
}

func (r *reader) line(p *part) string {
	called := Name(&p.Part)
	n := r.notes[called]
	if n == nil {
		n = &note{lines: map[uint64]string{}}
		if text, err := r.read(called); err == nil {
			n.text = text
			n.add(text)
		}
		r.notes[called] = n
	}
	if n.lines[p.Line] == "" { // it may have been part of an entry
		lines := strings.SplitAfter(n.text, "\n")
		if from, to := p.StartLine-1, min(p.EndLine, len(lines)); from >= 0 && from < to {
			n.add(strings.Join(lines[from:to], ""))
		}
	}
	return n.lines[p.Line]
}

// add records the lines of a text in the form in which agents are given them.
func (n *note) add(text string) {
	for _, e := range entry.Parse(text) {
		line := prime.Line(&e)
		n.lines[lineDigest(line)] = line
	}
}
