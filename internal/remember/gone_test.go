package remember_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestForgetGone: what no note has any more is forgotten by its id and by its words, however
// it went out of the notes, and the changes beside it can still be taken back.
func TestForgetGone(t *testing.T) {
	const text = "Otto owes me\nforty crowns."
	ways := map[string]func(b *bench, told remember.Outcome){
		"taken back": func(b *bench, told remember.Outcome) {
			if _, err := b.keeper.Undo(b.t.Context(), told.Change); err != nil {
				b.t.Fatal(err)
			}
		},
		"its line was removed": func(b *bench, told remember.Outcome) {
			b.put(told.Path, "# Contacts\n\n- Anna is my sister.\n")
		},
		"its note was removed": func(b *bench, told remember.Outcome) {
			if err := os.Remove(filepath.Join(b.root, told.Path)); err != nil {
				b.t.Fatal(err)
			}
		},
		"its words were changed": func(b *bench, told remember.Outcome) {
			b.put(told.Path, "# Contacts\n\n- Otto is rich. <!-- id: "+told.ID+" -->\n")
		},
	}
	for way, remove := range ways {
		for name, target := range map[string]func(remember.Outcome) remember.Target{
			"id":        func(o remember.Outcome) remember.Target { return remember.Target{Ref: o.ID} },
			"ids":       func(o remember.Outcome) remember.Target { return remember.Target{Refs: []string{"nowhere1", o.ID}} },
			"session":   func(remember.Outcome) remember.Target { return remember.Target{Session: "s7"} },
			"words":     func(remember.Outcome) remember.Target { return remember.Target{Query: "otto owes me forty crowns"} },
			"all words": func(remember.Outcome) remember.Target { return remember.Target{Query: "crowns Otto"} },
		} {
			if way == "its words were changed" && (name == "id" || name == "ids") {
				continue // they mean the entry that stands there
			}
			b := newBench(t, nil, nil)
			b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
			told := b.tell(remember.Request{Text: text, Type: "contact", Session: "s7", Key: "k"}, remember.Added, "new")
			bob := b.tell(remember.Request{Text: "Bob is my brother.", Type: "learning"}, remember.Added, "new")
			remove(b, told)
			notes := b.notes()
			for _, dry := range []bool{true, false} {
				out, err := b.keeper.Forget(t.Context(), target(told), dry)
				if err != nil || len(out.Entries) != 0 || !slices.Equal(textsOf(out.InHistory), []string{text}) || out.InHistory[0].Path != told.Path || len(out.Written) != 0 {
					t.Fatalf("%s, by %s: got %+v, %v", way, name, out, err)
				}
				if b.holds("forty") != dry {
					t.Errorf("%s, by %s: dry is %v, and on disk it is %v", way, name, dry, !dry)
				}
			}
			b.check(notes)
			if _, err := b.keeper.Forget(t.Context(), remember.Target{Ref: told.ID}, false); way != "its words were changed" && !errors.Is(err, memoir.ErrNotFound) {
				t.Errorf("%s, by %s: forgotten again: %v", way, name, err)
			}
			b.tell(remember.Request{Text: text, Type: "contact", Origin: remember.Agent}, remember.Refused, "forgotten")
			if _, err := b.keeper.Undo(t.Context(), bob.Change); way != "its words were changed" && err != nil {
				t.Errorf("%s, by %s: what was done beside it cannot be taken back: %v", way, name, err)
			}
		}
	}
}

// TestForgetGoneAgain: what stands in its note again when its turn comes is taken out of it, too:
// somebody told it or took a change back while the forgetting waited to write.
func TestForgetGoneAgain(t *testing.T) {
	for name, target := range map[string]func(remember.Outcome) remember.Target{
		"id":    func(o remember.Outcome) remember.Target { return remember.Target{Ref: o.ID} },
		"words": func(remember.Outcome) remember.Target { return remember.Target{Query: "otto owes me forty crowns"} },
	} {
		b := newBench(t, nil, nil)
		b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
		told := b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact"}, remember.Added, "new")
		with, err := os.ReadFile(filepath.Join(b.root, told.Path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.keeper.Undo(t.Context(), told.Change); err != nil {
			t.Fatal(err)
		}
		type answer struct {
			out remember.Forgetting
			err error
		}
		done := make(chan answer, 1)
		_, err = b.opts.Notebook.Do(t.Context(), "test", "told again", func(d *notebook.Draft) error {
			go func() {
				out, err := b.keeper.Forget(t.Context(), target(told), false)
				done <- answer{out, err}
			}()
			for { // until all is read and it waits for the notes
				if _, err := os.Stat(filepath.Join(b.state, "uncleared")); err == nil || t.Context().Err() != nil {
					break
				}
				runtime.Gosched()
			}
			return d.Write(told.Path, string(with))
		})
		got := <-done
		if err != nil || got.err != nil || len(got.out.InHistory) != 0 || !slices.Equal(textsOf(got.out.Entries), []string{"Otto owes me forty crowns."}) || !slices.Equal(got.out.Written, []string{told.Path}) {
			t.Errorf("by %s: got %+v, %v, %v", name, got.out, got.err, err)
		}
		if strings.Contains(b.notes()[told.Path], "Otto") || b.holds("forty crowns") {
			t.Errorf("by %s: it is still there: %s", name, b.notes()[told.Path])
		}
		if !strings.Contains(b.notes()[told.Path], "Anna") {
			t.Errorf("by %s: the other entry is gone", name)
		}
	}
}

// TestForgetGoneBeside: a question means what has all of its words alone, and the exact
// words of what is gone mean nothing else.
func TestForgetGoneBeside(t *testing.T) {
	b := newBench(t, nil, withModel(t))
	gone := b.tell(remember.Request{Text: "My mother's phone number is 0117 555 0132.", Type: "contact"}, remember.Added, "new")
	if _, err := b.keeper.Undo(t.Context(), gone.Change); err != nil {
		t.Fatal(err)
	}
	b.tell(remember.Request{Text: "My mother's phone number is 0117 555 0133.", Type: "contact"}, remember.Added, "new")
	ask := func(question string) remember.Forgetting {
		t.Helper()
		out, err := b.keeper.Forget(t.Context(), remember.Target{Query: question}, true)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := ask("mother's phone number"); len(out.Entries) != 1 || len(out.InHistory) != 0 || len(out.Recorded) != 1 {
		t.Errorf("got %+v", out)
	}
	if out := ask("my mother's phone number is 0117 555 0132"); len(out.Entries) != 0 || len(out.Also)+len(out.Some) != 1 || len(out.InHistory) != 1 {
		t.Errorf("got %+v", out)
	}
	if out := ask("my mother's phone number is 0117 555 0133"); len(out.Entries) != 1 || len(out.InHistory) != 0 {
		t.Errorf("got %+v", out)
	}
	if out := ask("my brother's phone number"); len(out.InHistory) != 0 {
		t.Errorf("got %+v", out)
	}
	if out, err := b.keeper.Forget(t.Context(), remember.Target{Query: "mother's phone number", All: true}, false); err != nil || len(out.Entries) != 1 || b.holds("0117") {
		t.Errorf("got %+v, %v, and on disk it is %v", out, err, b.holds("0117"))
	}
	if strings.Contains(b.notes()["memory/contacts.md"], "mother") {
		t.Error("it stands in its note")
	}
}

// TestForgetGoneSession: what was told again in another session is no part of the first
// one, also where only the history has it.
func TestForgetGoneSession(t *testing.T) {
	b := newBench(t, nil, nil)
	told := b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact", Session: "s7"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact", Session: "s8"}, remember.Reinforced, "same")
	b.put(told.Path, "# Contacts\n")
	if out, err := b.keeper.Forget(t.Context(), remember.Target{Session: "s7"}, true); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("got %+v, %v", out, err)
	}
	if out, err := b.keeper.Forget(t.Context(), remember.Target{Ref: told.ID}, false); err != nil || len(out.InHistory) != 1 || b.holds("forty") {
		t.Errorf("got %+v, %v", out, err)
	}
}
