package bucket_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/internal/objects/s3test"
	"github.com/memoir-ai/memoir/source/bucket"
	"github.com/memoir-ai/memoir/source/mdfile"
)

const maxBytes = 64 << 10

// machine is one that has a copy of the notes of a server.
type machine struct {
	t    *testing.T
	dir  string
	copy *bucket.Copy
	src  *bucket.Source
}

func newMachine(t *testing.T, s *s3test.Server) *machine { return at(t, s, t.TempDir(), 0) }

// at returns a machine whose copy is in a folder, and whose listings hold for a time.
func at(t *testing.T, s *s3test.Server, dir string, fresh time.Duration) *machine {
	t.Helper()
	return onClock(t, s, dir, fresh, nil)
}

func onClock(t *testing.T, s *s3test.Server, dir string, fresh time.Duration, now func() time.Time) *machine {
	t.Helper()
	b, err := objects.Open(objects.Options{URL: "s3://" + s3test.Bucket + "/team", Endpoint: s.URL, Key: s3test.Key, Secret: s3test.Secret, Timeout: 10 * time.Second, Wait: 1})
	if err != nil {
		t.Fatal(err)
	}
	copied, err := bucket.Open(bucket.Options{Bucket: b, Name: "s3://notes/team", Dir: dir, MaxBytes: maxBytes, Fresh: fresh, Now: now,
		Keeps: func(name string) bool { return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".gitignore") }})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := mdfile.Open(bucket.NotesDir(dir), mdfile.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t, dir, copied, copied.Notes(notes, 0)}
}

// scan returns what the notes are, with the reasons of those that are none.
func (m *machine) scan() []string {
	m.t.Helper()
	var all []string
	for e, err := range m.src.Scan(m.t.Context()) {
		if err != nil {
			m.t.Fatal(err)
		}
		line := string(e.ID)
		if e.Skip != "" {
			line += ": " + e.Skip
		}
		all = append(all, line)
	}
	return all
}

func (m *machine) read(id memoir.DocID) string {
	m.t.Helper()
	doc, err := m.src.Read(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	return doc.Text
}

func (m *machine) file(name string) string {
	return filepath.Join(bucket.NotesDir(m.dir), filepath.FromSlash(name))
}

// Only what has changed is fetched, also by the next process, and what goes there goes here.
func TestOnlyChanges(t *testing.T) {
	s := s3test.New(t)
	s.Page = 2
	for _, name := range []string{"MEMORY.md", "memory/2026-01-02.md", "日本/ノート.md", "a b+c.md"} {
		s.Set("team/"+name, "# "+name+"\n")
	}
	s.Set("other/x.md", "another's")
	s.Set("team/photo.jpg", "no note")
	m := newMachine(t, s)
	want := []string{"MEMORY.md", "a b+c.md", "memory/2026-01-02.md", "日本/ノート.md"}
	if diff := cmp.Diff(want, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	if text := m.read("日本/ノート.md"); text != "# 日本/ノート.md\n" {
		t.Errorf("read %q", text)
	}
	if n := s.Count("GET"); n != 4 {
		t.Errorf("fetched %d objects, want the 4 notes", n)
	}
	s.Set("team/MEMORY.md", "# MEMORY.nd\n") // as long as it was
	s.Remove("team/memory/2026-01-02.md")
	m = at(t, s, m.dir, 0)
	if diff := cmp.Diff([]string{"MEMORY.md", "a b+c.md", "日本/ノート.md"}, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	if text := m.read("MEMORY.md"); text != "# MEMORY.nd\n" {
		t.Errorf("read %q", text)
	}
	if n := s.Count("GET"); n != 5 {
		t.Errorf("fetched %d objects, want one more", n)
	}
	if _, err := os.Stat(m.file("memory")); err == nil {
		t.Error("an empty folder stays")
	}
	if _, err := os.Stat(string(bucket.AsideOf(m.dir))); err == nil {
		t.Error("something was put aside")
	}
}

// Names that lead elsewhere, or that no file can have, are told and make nothing.
func TestHostileNames(t *testing.T) {
	s := s3test.New(t)
	for _, name := range []string{"../up.md", "/root.md", "a//b.md", "a/../b.md", `a\b.md`, "c\x1b[2J.md", "d\n.md", "con.md", "dot./e.md", strings.Repeat("f", 300) + ".md", "large.md/x.md", "ok.md"} {
		s.Set("team/"+name, "text\n")
	}
	s.Set("team/big.md", strings.Repeat("x", maxBytes+1))
	s.Set("team/.hidden/x.md", "hidden\n")
	s.Set("team/.memoir/x.md", "hidden\n")
	s.Set("team/large.md", "a file where a folder is\n")
	s.Set("team/folder/", "")
	m := newMachine(t, s)
	var got []string
	for _, line := range m.scan() {
		if len(line) > 80 {
			line = line[:30] + "…" + line[len(line)-30:]
		}
		got = append(got, line)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"ok.md", "../up.md: its name is not", "a/../b.md: its name is not", `a\b.md: its name is not`, `"c\x1b[2J.md": its name is not`, "con.md: Windows keeps", "too large", "name is too long", "cannot be copied"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not told:\n%s", want, all)
		}
	}
	if strings.Contains(all, "hidden") || len(got) != 14 {
		t.Errorf("got %d:\n%s", len(got), all)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "up.md")); err == nil {
		t.Error("a file was made outside of the copy")
	}
	if data, err := os.ReadFile(m.file("ok.md")); err != nil || string(data) != "text\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// What a listing leaves out, and is there, stays.
func TestLateListing(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	s.Set("team/b.md", "b\n")
	m := newMachine(t, s)
	m.scan()
	s.Late = func(name string) bool { return name == "team/a.md" }
	if diff := cmp.Diff([]string{"a.md", "b.md"}, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	s.Remove("team/a.md")
	if diff := cmp.Diff([]string{"b.md"}, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
}

// A copy that somebody changed is what the bucket is again, and their words stay.
func TestStrangersInTheCopy(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	m := newMachine(t, s)
	m.scan()
	outside := filepath.Join(t.TempDir(), "secret.md")
	for file, text := range map[string]string{m.file("a.md"): "edited\n", m.file("new/b.md"): "made\n", outside: "secret\n"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := os.Symlink(outside, m.file("link.md")) == nil // not every system lets everybody
	if diff := cmp.Diff([]string{"a.md"}, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	if text := m.read("a.md"); text != "a\n" {
		t.Errorf("read %q", text)
	}
	aside, err := os.ReadDir(string(bucket.AsideOf(m.dir)))
	want := 2
	if linked {
		want = 3
	}
	if err != nil || len(aside) != want {
		t.Errorf("put aside %v, %v", aside, err)
	}
	if text, _ := s.Text("team/a.md"); text != "a\n" || len(s.Names()) != 1 {
		t.Errorf("the bucket has %q, %v", text, s.Names())
	}
	// All of it may go, and what is known of it may be anything.
	for _, spoil := range []func() error{
		func() error { return os.RemoveAll(bucket.NotesDir(m.dir)) },
		func() error { return os.RemoveAll(m.dir) },
		func() error { return os.WriteFile(filepath.Join(m.dir, "copy.json"), []byte(`{"bucket":"s3`), 0o600) },
		func() error {
			return os.WriteFile(filepath.Join(m.dir, "copy.json"), []byte(`{"bucket":"s3://notes/team","objects":{"../../x.md":{"etag":"1"}}}`), 0o600)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		m = at(t, s, m.dir, 0)
		if diff := cmp.Diff([]string{"a.md"}, m.scan()); diff != "" {
			t.Error("(-want +got)\n", diff)
		}
	}
}

// While the bucket cannot be asked nothing is removed, and notes are read as they were.
func TestUnreachable(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	s.Set("team/b.md", "b\n")
	var down atomic.Bool
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return down.Load()
	}
	down.Store(true)
	m := newMachine(t, s)
	if _, err := m.src.Read(t.Context(), "a.md"); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("read of what was never listed: %v", err)
	}
	down.Store(false)
	m.scan()
	down.Store(true)
	for e, err := range m.src.Scan(t.Context()) {
		if err == nil || !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "s3://notes/team") {
			t.Errorf("scan: %+v, %v", e, err)
		}
	}
	if text := m.read("a.md"); text != "a\n" {
		t.Errorf("read %q", text)
	}
}

// A fetch that breaks off says so, lists nothing, and goes on where it was.
func TestBrokenOff(t *testing.T) {
	s := s3test.New(t)
	for i := range 40 {
		s.Set(fmt.Sprintf("team/%02d.md", i), "text\n")
	}
	var broken atomic.Bool
	broken.Store(true)
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if broken.Load() && strings.HasSuffix(r.URL.Path, "/39.md") {
			w.Header().Set("Content-Length", "5")
			w.Header().Set("ETag", `"x"`)
			fmt.Fprint(w, "te")
			return true
		}
		return false
	}
	m := newMachine(t, s)
	for e, err := range m.src.Scan(t.Context()) {
		if err == nil {
			t.Errorf("listed %s of half a copy", e.ID)
		}
	}
	before := s.Count("GET")
	broken.Store(false)
	if notes := at(t, s, m.dir, 0).scan(); len(notes) != 40 {
		t.Errorf("got %d notes", len(notes))
	}
	if n := s.Count("GET") - before; n > 20 {
		t.Errorf("fetched %d of 40 objects again", n)
	}
}

// A listing holds for a moment, and what another machine wrote is there after it.
func TestFresh(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	m := at(t, s, t.TempDir(), time.Hour)
	m.scan()
	m.scan()
	at(t, s, m.dir, time.Hour).scan() // another process
	if n := s.Count("LIST"); n != 1 {
		t.Errorf("listed %d times", n)
	}
	s.Set("team/a.md", "b\n")
	if at(t, s, m.dir, 0).scan(); m.read("a.md") != "b\n" {
		t.Errorf("read %q", m.read("a.md"))
	}
}

// A server that overlooks conditions is read from and not written to.
func TestUnconditional(t *testing.T) {
	s := s3test.New(t)
	s.Unconditional = true
	s.Set("team/a.md", "a\n")
	m := newMachine(t, s)
	unlock, err := m.copy.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	was := "a\n"
	if ok, err := m.copy.Put(t.Context(), "a.md", &was, "b\n"); ok || !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
		t.Errorf("wrote: %v, %v", ok, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if text, _ := s.Text("team/a.md"); text != "a\n" {
		t.Errorf("the bucket has %q", text)
	}
	if diff := cmp.Diff([]string{"a.md"}, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
}

// Who waits for the copy ends with the caller's time.
func TestLocked(t *testing.T) {
	s := s3test.New(t)
	m := newMachine(t, s)
	unlock, err := m.copy.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := at(t, s, m.dir, 0).copy.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := errors.Join(unlock(), at(t, s, m.dir, 0).copy.Refresh(t.Context())); err != nil {
		t.Error(err)
	}
}

// A listing that takes longer than it holds is not asked for again by each note that is
// read after it, nor is a bucket that has just failed.
func TestSlowListing(t *testing.T) {
	s := s3test.New(t)
	var clock, took, failing atomic.Int64
	took.Store(int64(3 * time.Second))
	s.Set("team/a.md", "a\n")
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Has("list-type") {
			clock.Add(took.Load())
		}
		if failing.Load() > 0 {
			failing.Add(1)
			w.WriteHeader(http.StatusForbidden)
		}
		return failing.Load() > 0
	}
	start := time.Now()
	m := onClock(t, s, t.TempDir(), time.Second, func() time.Time { return start.Add(time.Duration(clock.Load())) })
	m.scan()
	for range 20 {
		m.read("a.md")
	}
	if n := s.Count("LIST"); n != 1 {
		t.Errorf("listed %d times", n)
	}
	clock.Add(int64(6 * time.Second))
	m.read("a.md")
	if n := s.Count("LIST"); n != 2 {
		t.Errorf("listed %d times after a pause", n)
	}
	clock.Add(int64(time.Minute))
	failing.Store(1)
	for range 20 {
		m.read("a.md")
	}
	if n := failing.Load() - 1; n != 1 {
		t.Errorf("asked %d times what had just failed", n)
	}
	failing.Store(0)
	if diff := cmp.Diff([]string{"a.md"}, m.scan()); diff != "" {
		t.Error("a look asks all the same (-want +got)\n", diff)
	}
}

// Where the file system takes two names for one, the first of them is the file.
func TestFoldedNames(t *testing.T) {
	s := s3test.New(t)
	for _, name := range []string{"Plan.md", "plan.md", "Team/a.md", "team/b.md", "caf\u00e9.md", "cafe\u0301.md"} {
		s.Set("team/"+name, name+"\n")
	}
	m := newMachine(t, s)
	m.copy.Fold()
	want := []string{"Plan.md", "Team/a.md", "caf\u00e9.md",
		"caf\u00e9.md: on this machine it is the same file as cafe\u0301.md", "plan.md: on this machine it is the same file as Plan.md", "team/b.md: on this machine it is the same file as Team"}
	if diff := cmp.Diff(want, m.scan()); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	n := s.Count("GET")
	m.scan()
	if s.Count("GET") != n {
		t.Errorf("%d objects were fetched again", s.Count("GET")-n)
	}
	unlock, err := m.copy.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PLAN.md", "TEAM/new.md"} {
		if ok, err := m.copy.Put(t.Context(), name, nil, "new\n"); ok || !errors.Is(err, memoir.ErrConflict) || memoir.Hint(err) == "" {
			t.Errorf("%s was written: %v", name, err)
		}
	}
	if ok, err := m.copy.Put(t.Context(), "Team/new.md", nil, "new\n"); !ok || err != nil {
		t.Errorf("a new note: %v, %v", ok, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// Machines take a note for the same one: what they know of it beside its text is of the
// object, and not of their copies.
func TestSameEverywhere(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/a.md", "a\n")
	one := newMachine(t, s)
	metas := func(m *machine) (all []memoir.DocumentMeta) {
		m.scan()
		for e, err := range m.src.Scan(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e.DocumentMeta)
			doc, err := m.src.Read(t.Context(), e.ID)
			doc.Hash = ""
			if err != nil || !cmp.Equal(doc.DocumentMeta, e.DocumentMeta) {
				t.Errorf("read %+v, %v; listed %+v", doc.DocumentMeta, err, e.DocumentMeta)
			}
		}
		return all
	}
	first := metas(one)
	if diff := cmp.Diff(first, metas(newMachine(t, s))); diff != "" {
		t.Error(diff)
	}
	unlock, err := one.copy.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	was := "a\n"
	if ok, err := one.copy.Put(t.Context(), "a.md", &was, "b\n"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	second := metas(one)
	if diff := cmp.Diff(second, metas(newMachine(t, s))); diff != "" {
		t.Error(diff)
	}
	if first[0].Stamp == second[0].Stamp {
		t.Error("a change of the same length has the stamp of before")
	}
}

// A look that finds nothing new writes little, however many notes there are, and what
// another process wrote meanwhile is known.
func TestQuietLooks(t *testing.T) {
	s := s3test.New(t)
	for i := range 300 {
		s.Set(fmt.Sprintf("team/%03d.md", i), "text\n")
	}
	m := newMachine(t, s)
	m.scan()
	record := filepath.Join(m.dir, "copy.json")
	before, err := os.Stat(record)
	if err != nil {
		t.Fatal(err)
	}
	gets := s.Count("GET")
	for range 3 {
		m.scan()
		at(t, s, m.dir, 0).scan()
	}
	after, err := os.Stat(record)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) || s.Count("GET") != gets {
		t.Errorf("the record was written anew, or objects fetched: %v", err)
	}
	if info, err := os.Stat(filepath.Join(m.dir, "look.json")); err != nil || info.Size() > 200 {
		t.Errorf("a look is %v, %v", info, err)
	}
	s.Set("team/new.md", "new\n")
	at(t, s, m.dir, time.Hour).scan() // a listing of theirs, which holds
	s.Remove("team/new.md")
	theirs := at(t, s, m.dir, time.Hour)
	if n := len(theirs.scan()); n != 300 && n != 301 {
		t.Errorf("%d notes", n)
	}
	if n := len(m.scan()); n != 300 {
		t.Errorf("%d notes after another process", n)
	}
}
