package archive_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/archive"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// read returns what reads what was said, the last of it first.
func read(said []archive.Said) func(context.Context) iter.Seq2[archive.Said, error] {
	return func(context.Context) iter.Seq2[archive.Said, error] {
		return func(yield func(archive.Said, error) bool) {
			for _, s := range slices.Backward(said) {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// A session is archived once it has ended, again when it went on, and each sentence
// under a key of its session and its words.
func TestRun(t *testing.T) {
	now := noon
	var kept []string
	var failure error
	a := &archive.Archive{File: filepath.Join(t.TempDir(), "archived.json"), Now: func() time.Time { return now },
		Keep: func(_ context.Context, sts []engine.Statement) ([]engine.Outcome, error) {
			if failure != nil {
				return nil, failure
			}
			st := sts[0]
			if st.Type != "journal" || !st.Aside || st.Origin != "import" || st.At.IsZero() {
				t.Errorf("got %+v", st)
			}
			kept = append(kept, st.At.Format("01-02")+" "+st.Text+" | "+st.Session+" | "+st.Key)
			return []engine.Outcome{{Outcome: engine.Added}}, nil
		}}
	said := []archive.Said{
		{Text: "We moved the ferry to noon. Ingrid knows!\n> quoted\n```\ncode.\n```\n潮水很高。明天再说", Line: 3, At: noon.Add(-30 * time.Hour)},
		{Text: "A  summary. Of two\nsentences.", Summary: true, Line: 7},
	}
	x := archive.Session{Doc: "sessions/codex/a.jsonl", Called: func(id string) bool { return id == "a" }, Name: "codex a", Read: read(said)}
	run := func(step string, changed time.Time, ended map[string]bool, want int) {
		t.Helper()
		kept, x.Changed = nil, changed
		n, err := a.Run(t.Context(), []archive.Session{x}, ended)
		if (err != nil) != (failure != nil) || n != want || len(kept) != want {
			t.Errorf("%s: %d added, %q, %v", step, n, kept, err)
		}
	}
	run("before the day on which it was switched on", noon.Add(-13*time.Hour), nil, 0)
	run("it goes on", noon.Add(-59*time.Minute), nil, 0)
	failure = errors.New("no room")
	run("it cannot be written", noon.Add(-59*time.Minute), map[string]bool{"a": true}, 0)
	failure = nil
	run("its agent says that it has ended", noon.Add(-59*time.Minute), map[string]bool{"a": true}, 5)
	want := []string{
		"03-01 We moved the ferry to noon. | sessions/codex/a.jsonl#L3 | archive codex a We moved the ferry to noon.",
		"03-01 Ingrid knows! | sessions/codex/a.jsonl#L3 | archive codex a Ingrid knows!",
		"03-01 潮水很高。 | sessions/codex/a.jsonl#L3 | archive codex a 潮水很高。",
		"03-01 明天再说 | sessions/codex/a.jsonl#L3 | archive codex a 明天再说",
		"03-02 A summary. Of two sentences. | sessions/codex/a.jsonl#L7 | archive codex a A summary. Of two sentences.",
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	now = now.Add(2 * time.Hour)
	run("it is archived", noon.Add(-59*time.Minute), nil, 0)
	run("it went on, and an hour has passed", noon.Add(time.Minute), nil, 5)
	if err := os.WriteFile(a.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	run("what is known of it is damaged", noon.Add(time.Minute), nil, 5)
	if err := os.WriteFile(a.File, []byte(`{"since":"2099-01-01T00:00:00Z","done":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run("it was switched on by a clock that was wrong", noon.Add(time.Minute), nil, 5)
	if n, err := a.Run(t.Context(), nil, nil); n != 0 || err != nil {
		t.Errorf("without sessions: %d, %v", n, err)
	}
}

// By a clock that was wrong a session may come from the future. It has ended all the same, and
// what was said in it was said by now.
func TestFuture(t *testing.T) {
	var kept []string
	a := &archive.Archive{File: filepath.Join(t.TempDir(), "archived.json"), Now: func() time.Time { return noon },
		Keep: func(_ context.Context, sts []engine.Statement) ([]engine.Outcome, error) {
			st := sts[0]
			kept = append(kept, st.At.Format("2006-01-02")+" "+st.Text)
			return []engine.Outcome{{Outcome: engine.Added}}, nil
		}}
	later := noon.AddDate(74, 0, 0)
	x := archive.Session{Doc: "sessions/codex/a.jsonl", Called: func(id string) bool { return id == "a" }, Name: "codex a", Changed: later, Read: read([]archive.Said{{Text: "one", At: later.Add(-time.Hour)}, {Text: "two"}, {Text: "three", At: noon.Add(-30 * time.Hour)}})}
	for range 2 {
		if _, err := a.Run(t.Context(), []archive.Session{x}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"2026-03-02 one", "2026-03-02 two", "2026-03-01 three"}, kept); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// Of a long session the last sentences are kept, in order, and no more of it is looked at.
func TestLastSentences(t *testing.T) {
	var kept []string
	a := &archive.Archive{File: filepath.Join(t.TempDir(), "archived.json"), Now: func() time.Time { return noon },
		Keep: func(_ context.Context, sts []engine.Statement) ([]engine.Outcome, error) {
			some := sts[:min(len(sts), 7)]
			for _, st := range some {
				kept = append(kept, st.Text)
			}
			return make([]engine.Outcome, len(some)), nil
		}}
	var said []archive.Said
	var want []string
	for i := range 101 {
		sentences := []string{fmt.Sprintf("One of %d.", i), fmt.Sprintf("Two of %d.", i), fmt.Sprintf("Three of %d.", i)}
		said, want = append(said, archive.Said{Text: strings.Join(sentences, " "), Line: i + 1}), append(want, sentences...)
	}
	looked := 0
	x := archive.Session{Doc: "sessions/codex/a.jsonl", Called: func(id string) bool { return id == "a" }, Name: "codex a", Changed: noon, Read: func(ctx context.Context) iter.Seq2[archive.Said, error] {
		return func(yield func(archive.Said, error) bool) {
			read(said)(ctx)(func(s archive.Said, err error) bool { looked++; return yield(s, err) })
		}
	}}
	if _, err := a.Run(t.Context(), []archive.Session{x}, map[string]bool{"a": true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[len(want)-200:], kept); diff != "" || looked != 67 {
		t.Errorf("%d turns were looked at; want -, got +:\n%s", looked, diff)
	}
}

// What stands in fences is nobody's sentence, and a line with code in it is no fence.
func TestSentencesBesideCode(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two.\n```go\nx := 1\n```\nThree.": {"One.", "Two.", "Three."},
		"```go test``` fails. Why?\nHelp.":      {"```go test``` fails.", "Why?", "Help."},
		"~~~\n```\nx\n~~~\nDone.":               {"Done."},
		"> quoted\nsaid":                        {"said"},
	} {
		if diff := cmp.Diff(want, archive.Sentences(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("One. Two?\n三。四！」five…")
	f.Add("```\nx\n> y. z")
	f.Add("cut in a character \xe6\xbd")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range archive.Sentences(text) {
			if s == "" || !utf8.ValidString(s) {
				t.Errorf("got %q", s)
			}
		}
	})
}
