package remote_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/regular"
)

// jobs stands for a provider that has jobs.
type jobs struct {
	submitted [][]remote.Item
	outcome   map[string]remote.Outcome // by id; absent is still running
	err       error                     // of submitting
	deleted   []string
}

func (j *jobs) api() *remote.JobAPI {
	return &remote.JobAPI{
		MaxTexts: 300,
		Submit: func(_ context.Context, _ *remote.Client, items []remote.Item) (string, error) {
			if j.err != nil {
				return "", j.err
			}
			j.submitted = append(j.submitted, items)
			return fmt.Sprintf("job%d", len(j.submitted)), nil
		},
		Collect: func(_ context.Context, _ *remote.Client, id string, _ int) (remote.Outcome, error) {
			return j.outcome[id], nil
		},
		Delete: func(_ context.Context, _ *remote.Client, id string) error {
			j.deleted = append(j.deleted, id)
			return nil
		},
	}
}

const key = "sk-secret"

func batcher(t *testing.T, file string, api *remote.JobAPI, readOnly bool, model string) *remote.Batcher {
	t.Helper()
	e, err := remote.Open(t.Context(), remote.Config{
		Provider: "test", BaseURL: "https://server.example", Key: key, Model: model, Dimensions: 2, DocumentPrefix: "passage: ",
		Encode: func(memoir.Task, []string) any { return nil }, Decode: remote.DecodeData, Jobs: api,
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.WithJobs(file, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// texts returns n pending texts from a number on.
func texts(from, n int) []memoir.PendingText {
	var out []memoir.PendingText
	for i := range n {
		text := fmt.Sprintf("secret note %d", from+i)
		out = append(out, memoir.PendingText{Hash: memoir.HashText(text), Text: text})
	}
	return out
}

func submit(t *testing.T, b *remote.Batcher, pending []memoir.PendingText) int {
	t.Helper()
	underway, err := b.Submit(t.Context(), pending)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range pending {
		if underway[p.Hash] {
			n++
		}
	}
	return n
}

func collect(t *testing.T, b *remote.Batcher) map[memoir.Hash][]float32 {
	t.Helper()
	got := map[memoir.Hash][]float32{}
	if err := b.Collect(t.Context(), func(v map[memoir.Hash][]float32) error { maps.Copy(got, v); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestJobsOutliveTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "main.sqlite.jobs")
	j := &jobs{outcome: map[string]remote.Outcome{}}
	open := func() *remote.Batcher { return batcher(t, file, j.api(), false, "m") }
	if n := submit(t, open(), texts(0, 199)); n != 0 || len(j.submitted) != 0 {
		t.Errorf("few texts: %d under way in %d jobs, want none", n, len(j.submitted))
	}
	if n := submit(t, open(), texts(0, 500)); n != 500 || len(j.submitted) != 2 || j.submitted[0][0].Text != "passage: secret note 0" {
		t.Fatalf("%d under way in %d jobs, want 500 in 2", n, len(j.submitted))
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("the file holds a text or a key: %v", err)
	}
	// Another process does not send the same texts again, nor a few new ones.
	if n := submit(t, open(), texts(0, 550)); n != 500 || len(j.submitted) != 2 {
		t.Errorf("again: %d under way in %d jobs, want 500 in 2", n, len(j.submitted))
	}
	if got := collect(t, open()); len(got) != 0 {
		t.Errorf("got %d vectors of jobs that run", len(got))
	}
	// One job is done. In it one text failed, one has a bad vector, and one was
	// never asked for.
	vectors := map[string][]float32{"stranger": {1, 2}}
	for _, item := range j.submitted[0][2:] {
		vectors[item.ID] = []float32{3, 4}
	}
	vectors[j.submitted[0][0].ID] = []float32{1}
	j.outcome["job1"] = remote.Outcome{Done: true, Vectors: vectors}
	broken := errors.New("disk full")
	if err := open().Collect(t.Context(), func(map[memoir.Hash][]float32) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if got := collect(t, open()); len(got) != 298 || !slices.Equal(got[memoir.HashText("secret note 5")], []float32{3, 4}) {
		t.Errorf("got %d vectors, want 298", len(got))
	}
	if diff := cmp.Diff([]string{"job1"}, j.deleted); diff != "" {
		t.Errorf("deleted: want -, got +:\n%s", diff)
	}
	if n := submit(t, open(), texts(0, 500)); n != 500 || len(j.submitted) != 3 || len(j.submitted[2]) != 300 {
		t.Errorf("%d under way in %d jobs: the texts of a job that is over are free again", n, len(j.submitted))
	}
}

// A job that could not be remembered does not begin, because it would be paid
// for in vain with every run. A link is not followed.
func TestJobsBehindALink(t *testing.T) {
	dir := t.TempDir()
	file, outside := filepath.Join(dir, "main.sqlite.jobs"), filepath.Join(dir, "precious")
	if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, file); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	j := &jobs{outcome: map[string]remote.Outcome{}}
	b := batcher(t, file, j.api(), false, "m")
	if _, err := b.Submit(t.Context(), texts(0, 500)); !errors.Is(err, regular.ErrKind) || !strings.Contains(memoir.Hint(err), "move "+file+" away") {
		t.Errorf("got %v (%s)", err, memoir.Hint(err))
	}
	if got := collect(t, b); len(got) != 0 || len(j.submitted) != 0 {
		t.Errorf("%d vectors, %d jobs; want none", len(got), len(j.submitted))
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "precious" {
		t.Errorf("what the link leads to is %q now, %v", text, err)
	}
}

func TestReadOnlyLeavesJobsAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs")
	j := &jobs{outcome: map[string]remote.Outcome{"job1": {Done: true}}}
	submit(t, batcher(t, file, j.api(), false, "m"), texts(0, 250))
	reader := batcher(t, file, j.api(), true, "m")
	if n := submit(t, reader, texts(0, 900)); n != 250 || len(j.submitted) != 1 {
		t.Errorf("%d under way in %d jobs, want 250 in 1", n, len(j.submitted))
	}
	if got := collect(t, reader); len(got) != 0 || len(j.deleted) != 0 {
		t.Errorf("got %d vectors, deleted %q", len(got), j.deleted)
	}
}

// After a job that gave nothing, no other is submitted for a while.
func TestFailedJobs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs")
	j := &jobs{outcome: map[string]remote.Outcome{"job1": {Done: true, Failure: "the batch failed: no such model, " + key}}}
	b := batcher(t, file, j.api(), false, "m")
	submit(t, b, texts(0, 250))
	if got := collect(t, b); len(got) != 0 {
		t.Errorf("got %d vectors", len(got))
	}
	if n := submit(t, b, texts(0, 250)); n != 0 || len(j.submitted) != 1 {
		t.Errorf("%d under way in %d jobs, want the texts to be embedded at once", n, len(j.submitted))
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "no such model") || strings.Contains(string(data), key) {
		t.Errorf("got %s, %v", data, err)
	}
}

// A partial result of a job that expired is kept.
func TestExpiredJob(t *testing.T) {
	j := &jobs{outcome: map[string]remote.Outcome{}}
	b := batcher(t, filepath.Join(t.TempDir(), "jobs"), j.api(), false, "m")
	submit(t, b, texts(0, 250))
	j.outcome["job1"] = remote.Outcome{Done: true, Failure: "the batch expired", Vectors: map[string][]float32{j.submitted[0][7].ID: {1, 0}}}
	if got := collect(t, b); len(got) != 1 {
		t.Errorf("got %d vectors, want 1", len(got))
	}
	if n := submit(t, b, texts(0, 250)); n != 250 || len(j.submitted) != 2 {
		t.Errorf("%d under way in %d jobs, want 250 in 2", n, len(j.submitted))
	}
}

func TestJobsOfAnotherModelAndDamagedFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs")
	j := &jobs{outcome: map[string]remote.Outcome{}}
	submit(t, batcher(t, file, j.api(), false, "old"), texts(0, 250))
	b := batcher(t, file, j.api(), false, "new")
	if n := submit(t, b, texts(0, 250)); n != 250 || len(j.submitted) != 2 {
		t.Errorf("%d under way in %d jobs: a job of another model is none for this one", n, len(j.submitted))
	}
	for _, damaged := range []string{"", "{", `{"version":99,"jobs":[{"id":"x"}]}`} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := submit(t, b, texts(0, 10)); n != 0 {
			t.Errorf("%q: got %d under way", damaged, n)
		}
	}
}

// A provider that does not take jobs is asked for vectors at once, a server
// that is out of order is an error, and a job that is gone is forgotten.
func TestJobErrors(t *testing.T) {
	code := http.StatusNotFound
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	defer s.Close()
	open := func(file string) *remote.Batcher {
		e, err := remote.Open(t.Context(), remote.Config{
			Provider: "test", BaseURL: s.URL, Model: "m", Dimensions: 2,
			Jobs: remote.FileJobs{MaxTexts: 1000, Line: func(i remote.Item) any { return i }, Batch: func(string) any { return nil }}.API(),
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.WithJobs(file, false)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := open(filepath.Join(t.TempDir(), "jobs"))
	if n := submit(t, b, texts(0, 300)); n != 0 {
		t.Errorf("no jobs at all: %d under way", n)
	}
	code = http.StatusServiceUnavailable
	b = open(filepath.Join(t.TempDir(), "jobs"))
	if _, err := b.Submit(t.Context(), texts(0, 300)); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("out of order: got %v", err)
	}
	file := filepath.Join(t.TempDir(), "jobs")
	b = open(file)
	content := fmt.Sprintf(`{"version":1,"jobs":[{"id":"gone","space":%q,"texts":["a"]}]}`, b.Space().Key())
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Collect(t.Context(), nil); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("out of order: got %v", err)
	}
	code = http.StatusNotFound
	if got := collect(t, b); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "gone") {
		t.Errorf("got %s, %v", data, err)
	}
}
