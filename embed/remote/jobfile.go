package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// jobFile remembers the jobs under way in a file, so that they survive the
// process.
type jobFile struct {
	mu   sync.Mutex // held from reading to writing
	path string
}

// jobState is the content of the file.
type jobState struct {
	Version     int        `json:"version"`
	PausedUntil time.Time  `json:"pausedUntil,omitzero"` // no new job is submitted before that
	Failure     string     `json:"failure,omitempty"`    // failure of the job that caused the pause
	Jobs        []batchJob `json:"jobs"`
}

// batchJob is a job that is under way. It holds hashes, not texts.
type batchJob struct {
	ID        string        `json:"id"`
	Space     string        `json:"space"`
	Submitted time.Time     `json:"submitted"`
	Texts     []memoir.Hash `json:"texts"`
}

const jobVersion = 1

// pause stops submitting jobs for a while, because of a failure.
func (s *jobState) pause(failure string) {
	s.PausedUntil = time.Now().Add(jobPause).UTC().Truncate(time.Second)
	s.Failure = failure
}

// read returns the content of the file, or an empty state when it cannot be
// read.
func (f *jobFile) read() jobState {
	var state jobState
	data, err := regular.ReadFile(f.path)
	if err != nil || json.Unmarshal(data, &state) != nil || state.Version != jobVersion {
		return jobState{Version: jobVersion}
	}
	return state
}

// check returns an error if something other than a file is at the path.
func (f *jobFile) check() error {
	if err := regular.Check(f.path); err != nil {
		return memoir.WithHint(fmt.Errorf("remember the batch jobs: %w", err), "move "+f.path+" away, then memoir index")
	}
	return nil
}

func (f *jobFile) write(state jobState) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("remember the batch jobs: %w", err)
	}
	err := atomicfile.Write(f.path, 0o600, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(state)
	})
	if err != nil {
		return fmt.Errorf("remember the batch jobs: %w", err)
	}
	return nil
}
