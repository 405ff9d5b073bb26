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

// jobFile remembers the jobs that are under way. A process that is killed
// finds them there.
type jobFile struct {
	mu   sync.Mutex // held from reading to writing
	path string
}

// jobState is the content of the file.
type jobState struct {
	Version     int        `json:"version"`
	PausedUntil time.Time  `json:"pausedUntil,omitzero"` // no new jobs before
	Failure     string     `json:"failure,omitempty"`    // of the job that was the reason
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

// pause begins no jobs for a while, because of a failure.
func (s *jobState) pause(failure string) {
	s.PausedUntil = time.Now().Add(jobPause).UTC().Truncate(time.Second)
	s.Failure = failure
}

// read returns what the file holds, nothing when it cannot be read.
func (f *jobFile) read() jobState {
	var state jobState
	data, err := regular.ReadFile(f.path)
	if err != nil || json.Unmarshal(data, &state) != nil || state.Version != jobVersion {
		return jobState{Version: jobVersion}
	}
	return state
}

// check reports what stands in the way of a file.
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
