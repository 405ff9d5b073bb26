package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// A Problem is something that went wrong in a hook. It holds nothing that the
// user or an agent said, but may name files and folders, with secrets masked.
type Problem struct {
	At        time.Time `json:"at"`
	Agent     string    `json:"agent"`
	Event     string    `json:"event"`
	Workspace string    `json:"workspace,omitempty"` // empty when it was not known
	Message   string    `json:"message"`
	Action    string    `json:"action,omitempty"` // the next command or step
}

// How much a log of problems holds.
const (
	maxLog     = 64 << 10
	maxProblem = 1000 // bytes of a message
)

// LogFile returns the log of problems of a folder of state.
func LogFile(state string) string { return filepath.Join(state, "hooks.log") }

// Log adds a problem to the log of a state folder. When the log grows large,
// its older half is dropped.
func Log(state string, p Problem, message, action string) error {
	p.Message, p.Action, p.Workspace = masked(message), masked(action), masked(p.Workspace)
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := LogFile(state)
	if err := statedir.Make(path); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLog {
		if err := halve(path); err != nil {
			return err
		}
	}
	f, err := regular.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// masked returns a text as the log may hold it, without secrets and cut to length. It masks
// first, because half a secret would not be recognised.
func masked(text string) string {
	text, _ = secret.Mask(text)
	if len(text) <= maxProblem {
		return text
	}
	return strings.ToValidUTF8(text[:maxProblem], "") + "…"
}

// A ProblemLog is the path of the log of problems in a folder of state ([LogFile]).
type ProblemLog string

// Texts calls do with each text in the log, and puts the result in its place. It removes a
// problem whose message becomes empty, and returns how many problems it changed or removed. A
// missing log is no error. After an error the log is as it was.
func (l ProblemLog) Texts(do func(file, text string) (string, error)) (changed int, err error) {
	data, err := regular.ReadFile(string(l))
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the log of hooks: %w", err)
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		var p Problem
		if json.Unmarshal(line, &p) != nil {
			p = Problem{Message: string(line)}
		}
		was := p
		for _, text := range []*string{&p.Message, &p.Action, &p.Workspace} {
			if *text, err = do(string(l), *text); err != nil {
				return 0, err
			}
		}
		if p != was {
			changed++
			if line, err = json.Marshal(p); err != nil {
				return 0, err
			}
			line = append(line, '\n')
		}
		if p.Message != "" {
			kept = append(kept, line...)
		}
	}
	if changed == 0 {
		return 0, nil
	}
	return changed, atomicfile.Write(string(l), 0o600, func(w io.Writer) error {
		_, err := w.Write(kept)
		return err
	})
}

func halve(path string) error {
	data, err := regular.ReadFile(path)
	if err != nil {
		return err
	}
	half := data[len(data)/2:]
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(half[bytes.IndexByte(half, '\n')+1:])
		return err
	})
}

// Problems returns the problems in the log of a state folder, the oldest first.
// It ignores invalid lines. Without a log there are none.
func Problems(state string) ([]Problem, error) {
	data, err := regular.ReadFile(LogFile(state))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of hooks: %w", err)
	}
	var all []Problem
	for line := range bytes.Lines(data) {
		var p Problem
		if json.Unmarshal(line, &p) == nil && p.Message != "" {
			all = append(all, p)
		}
	}
	return all, nil
}
