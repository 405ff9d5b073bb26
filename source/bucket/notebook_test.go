package bucket_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/objects/s3test"
	"github.com/memoir-ai/memoir/source/bucket"
)

// notes returns the notebook of a machine.
func (m *machine) notes() *notebook.Notebook {
	m.t.Helper()
	n, err := notebook.Open(bucket.NotesDir(m.dir), filepath.Join(m.dir, "notebook"), notebook.Options{Remote: m.copy})
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

func add(ctx context.Context, n *notebook.Notebook, line string, files ...string) (notebook.Change, error) {
	return n.Do(ctx, "remember", "added a line", func(d *notebook.Draft) error {
		for _, file := range files {
			if err := d.Append(file, line+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// Machines that write to one note lose nothing and write nothing twice; all know the
// history, and each can take back what another one did.
func TestMachines(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/memory/log.md", "# Log\n")
	const machines, lines = 3, 8
	var writers sync.WaitGroup
	var all []*notebook.Notebook
	for range machines {
		all = append(all, newMachine(t, s).notes())
	}
	for i, n := range all {
		writers.Go(func() {
			for j := range lines {
				if _, err := add(t.Context(), n, fmt.Sprintf("- line %d of machine %d", j, i), "memory/log.md"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	text, _ := s.Text("team/memory/log.md")
	got := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	want := []string{"# Log"}
	for i := range machines {
		for j := range lines {
			want = append(want, fmt.Sprintf("- line %d of machine %d", j, i))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	for _, n := range all {
		changes, err := n.History()
		if err != nil || len(changes) != machines*lines {
			t.Errorf("the history has %d changes, %v", len(changes), err)
		}
	}
	mine, err := add(t.Context(), all[0], "- tea", "memory/log.md")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := all[1].Undo(t.Context(), ""); err != nil || c.Undoes != mine.ID {
		t.Errorf("took back %q, want %q: %v", c.Undoes, mine.ID, err)
	}
	if now, _ := s.Text("team/memory/log.md"); now != text {
		t.Errorf("the note is %q", now)
	}
	if _, err := all[2].Undo(t.Context(), mine.ID); !errors.Is(err, notebook.ErrUnknown) {
		t.Errorf("took back again: %v", err)
	}
}

// A change of two notes is whole or not there, although another machine is faster with
// the second.
func TestTwoNotes(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	s.Set("team/b.md", "b\n")
	first := true
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if first && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/b.md") {
			first = false
			s.Set("team/b.md", "theirs\n")
			if text, _ := s.Text("team/a.md"); text != "a\nx\n" {
				t.Errorf("before the second note the first is %q", text)
			}
		}
		return false
	}
	n := newMachine(t, s).notes()
	if _, err := add(t.Context(), n, "x", "a.md", "b.md"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.md": "a\nx\n", "b.md": "theirs\nx\n"} {
		if text, _ := s.Text("team/" + name); text != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
	changes, err := n.History()
	if err != nil || len(changes) != 1 {
		t.Errorf("the history has %+v, %v", changes, err)
	}
}

// What cannot be written is not in the history, and the note is as it was.
func TestNotWritten(t *testing.T) {
	for _, name := range []string{"a.md", "00000001.jsonl"} {
		s := s3test.New(t)
		s.Set("team/a.md", "a\n")
		n := newMachine(t, s).notes()
		var down atomic.Bool
		s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			bad := down.Load() && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/"+name)
			if bad {
				w.WriteHeader(http.StatusForbidden)
			}
			return bad
		}
		down.Store(true)
		if _, err := add(t.Context(), n, "x", "a.md"); err == nil {
			t.Errorf("%s: no error", name)
		}
		down.Store(false)
		if text, _ := s.Text("team/a.md"); text != "a\n" {
			t.Errorf("%s: the note is %q", name, text)
		}
		if changes, err := n.History(); err != nil || len(changes) > 0 {
			t.Errorf("%s: the history has %+v, %v", name, changes, err)
		}
		if _, err := add(t.Context(), n, "y", "a.md", "new/b.md"); err != nil {
			t.Error(err)
		}
		if text, _ := s.Text("team/new/b.md"); text != "y\n" {
			t.Errorf("%s: the new note is %q", name, text)
		}
	}
}

// An answer that is lost makes neither two lines nor two changes.
func TestLostAnswers(t *testing.T) {
	s := s3test.New(t)
	n := newMachine(t, s).notes()
	count := 0
	s.Lost = func(r *http.Request) bool { // of each object the first writing, after those that try the server
		count++
		return r.Method == http.MethodPut && count%2 == 0
	}
	for i := range 5 {
		if _, err := add(t.Context(), n, fmt.Sprintf("line %d", i), "a.md"); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := s.Text("team/a.md"); text != "line 0\nline 1\nline 2\nline 3\nline 4\n" {
		t.Errorf("the note is %q", text)
	}
	if changes, err := n.History(); err != nil || len(changes) != 5 {
		t.Errorf("the history has %d changes, %v", len(changes), err)
	}
}

// What one machine forgets is in no history any more, whoever wrote it.
func TestForget(t *testing.T) {
	s := s3test.New(t)
	one, other := newMachine(t, s).notes(), newMachine(t, s).notes()
	for _, line := range []string{"- the code is 4711", "- tea"} {
		if _, err := add(t.Context(), one, line, "a.md"); err != nil {
			t.Fatal(err)
		}
	}
	scrub := func(_, lines string) string { return strings.ReplaceAll(lines, "- the code is 4711\n", "") }
	_, err := other.Forget(t.Context(), "forget", "forgot", func(d *notebook.Draft) error {
		text, _, err := d.Read("a.md")
		if err != nil {
			return err
		}
		return d.Write("a.md", scrub("", text))
	}, scrub)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.Names() {
		if text, _ := s.Text(name); strings.Contains(text, "4711") {
			t.Errorf("%s has it: %q", name, text)
		}
	}
	if text, _ := s.Text("team/a.md"); text != "- tea\n" {
		t.Errorf("the note is %q", text)
	}
	if _, err := one.Undo(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if text, ok := s.Text("team/a.md"); ok && text != "" {
		t.Errorf("the note is %q", text)
	}
}

// The history is in pieces, and the oldest go.
func TestHistoryIsBounded(t *testing.T) {
	s := s3test.New(t)
	m := newMachine(t, s)
	n, err := notebook.Open(bucket.NotesDir(m.dir), filepath.Join(m.dir, "notebook"), notebook.Options{Remote: m.copy, HistoryBytes: 150 << 10})
	if err != nil {
		t.Fatal(err)
	}
	s.Set("team/a.md", "")
	for i := range 12 {
		text := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 20<<10))
		if _, err := n.Do(t.Context(), "edit", "why", func(d *notebook.Draft) error { return d.Write(fmt.Sprintf("b/%d.md", i), text) }); err != nil {
			t.Fatal(err)
		}
	}
	var pieces []string
	for _, name := range s.Names() {
		if strings.HasPrefix(name, "team/.memoir/history/") {
			pieces = append(pieces, name)
		}
	}
	if len(pieces) < 2 || len(pieces) > 4 || pieces[0] == "team/.memoir/history/00000001.jsonl" {
		t.Errorf("the pieces are %v", pieces)
	}
	changes, err := n.History()
	if err != nil || len(changes) < 4 || len(changes) == 12 {
		t.Errorf("%d changes are known, %v", len(changes), err)
	}
}

// What a change and a look cost in requests.
func TestRequests(t *testing.T) {
	s := s3test.New(t)
	for i := range 1500 {
		s.Set(fmt.Sprintf("team/n/%04d.md", i), "text\n")
	}
	m := newMachine(t, s)
	n := m.notes()
	before := map[string]int{}
	requests := func() string {
		var all []string
		for _, kind := range []string{"LIST", "GET", "PUT", "DELETE"} {
			all = append(all, fmt.Sprintf("%d %s", s.Count(kind)-before[kind], kind))
			before[kind] = s.Count(kind)
		}
		return strings.Join(all, ", ")
	}
	change := func(line string) {
		if _, err := add(t.Context(), n, line, "memory/log.md"); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		what, want string
		do         func()
	}{
		{"the first look", "2 LIST, 1500 GET, 0 PUT, 0 DELETE", func() { m.scan() }},
		{"a look", "2 LIST, 0 GET, 0 PUT, 0 DELETE", func() { m.scan() }},
		{"the first change, which tries the server", "2 LIST, 0 GET, 6 PUT, 2 DELETE", func() { change("- tea") }},
		{"a change", "2 LIST, 0 GET, 3 PUT, 0 DELETE", func() { change("- coffee") }},
		{"a look after another's change", "2 LIST, 1 GET, 0 PUT, 0 DELETE", func() { s.Set("team/n/0000.md", "other\n"); m.scan() }},
	} {
		step.do()
		if got := requests(); got != step.want {
			t.Errorf("%s: %s, want %s", step.what, got, step.want)
		}
	}
}
