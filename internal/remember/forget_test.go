package remember_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/remember"
)

// holds reports whether a file of the notes or of the state has some bytes.
func (b *bench) holds(text string) bool {
	b.t.Helper()
	found := false
	for _, dir := range []string{b.root, b.state} {
		err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			all, err := os.ReadFile(file)
			found = found || strings.Contains(string(all), text)
			return err
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
	return found
}

func (b *bench) forget(target remember.Target, want int) remember.Forgetting {
	b.t.Helper()
	dry, err := b.keeper.Forget(b.t.Context(), target, true)
	if err != nil || len(dry.Entries) != want || len(dry.Written) != 0 || !dry.DryRun {
		b.t.Errorf("forgetting %+v, dry: got %+v, %v", target, dry, err)
	}
	out, err := b.keeper.Forget(b.t.Context(), target, false)
	if err != nil || len(out.Entries) != want || len(out.Written) == 0 {
		b.t.Errorf("forgetting %+v: got %+v, %v", target, out, err)
	}
	return out
}

func TestForget(t *testing.T) {
	b := newBench(t, nil, nil)
	b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
	wrong := b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Type: "contact", Key: "k"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Bob is my brother.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Pin: true}, remember.Reinforced, "same")
	b.forget(remember.Target{Ref: wrong.ID}, 1)
	for _, word := range []string{"Otto", "forty"} {
		if b.holds(word) {
			t.Errorf("%q is still on disk", word)
		}
	}
	b.check(map[string]string{
		"MEMORY.md":          "# Memory\n\n",
		"memory/contacts.md": "# Contacts\n\n- Anna is my sister. <!-- id: X | observed: 2026-03-02 | origin: user -->\n- Bob is my brother. <!-- id: X | observed: 2026-03-02 | origin: user -->\n",
	})
	// Nobody but a person brings it back.
	for _, origin := range []string{remember.Agent, remember.Tool, remember.Web, remember.Import} {
		b.tell(remember.Request{Text: "otto owes me\nFORTY crowns", Origin: origin, Type: "contact"}, remember.Refused, "forgotten")
	}
	b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Type: "contact", Key: "k", Origin: remember.Agent}, remember.Refused, "forgotten") // the request of before
	if b.holds("Otto") {
		t.Error("a repeated request brought it back")
	}
	again := b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Type: "contact", Key: "k"}, remember.Added, "new")
	if repeated := b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Type: "contact", Key: "k"}, remember.Added, "new"); repeated.ID != again.ID || repeated.Change != "" {
		t.Errorf("got %+v, want the answer of before, %+v", repeated, again)
	}
	b.tell(remember.Request{Text: "Otto owes me nothing.", Type: "contact", Key: "k"}, remember.Refused, "duplicate-key")
	// What was done beside it can be taken back.
	for range 4 {
		if _, err := b.keeper.Undo(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	b.check(map[string]string{})
	if _, err := b.keeper.Undo(t.Context(), ""); !errors.Is(err, notebook.ErrUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestForgetTargets(t *testing.T) {
	b := newBench(t, map[string]string{"notes/trip.md": "# Trip\n\nWe go to Bled.\n\n- tent\n- stove\n", "memory/2026-02-01.md": "- met Jo <!-- id: j1 | session: s9 -->\n- met Al\n"}, nil)
	b.tell(remember.Request{Text: "The web says that Bled freezes over in January.", Type: "learning", Origin: "web"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Jo is allergic to nuts.", Type: "contact", Session: "s9"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Al is allergic to dust.", Type: "contact", Session: "s8"}, remember.Added, "new")
	for _, target := range []remember.Target{{}, {Ref: "x", Session: "s"}, {Session: "s", Origin: "web"}, {Ref: "AGENTS.md"}} {
		if _, err := b.keeper.Forget(t.Context(), target, false); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%+v: got %v", target, err)
		}
	}
	for _, target := range []remember.Target{{Ref: "nowhere1"}, {Ref: "notes/trip.md#L90"}, {Ref: "none.md"}, {Session: "s"}, {Origin: "tool"}} {
		if _, err := b.keeper.Forget(t.Context(), target, false); !errors.Is(err, memoir.ErrNotFound) {
			t.Errorf("%+v: got %v", target, err)
		}
	}
	if _, err := b.keeper.Forget(t.Context(), remember.Target{Ref: "notes/trip.md", All: true}, false); !errors.Is(err, memoir.ErrInvalid) {
		t.Errorf("all without a question: got %v", err)
	}
	b.forget(remember.Target{Session: "s9"}, 2)
	b.forget(remember.Target{Origin: "WEB"}, 1)
	b.forget(remember.Target{Ref: "notes/trip.md#L5-L6"}, 2)
	b.check(map[string]string{
		"memory/2026-02-01.md": "- met Al\n",
		"memory/contacts.md":   "# Contacts\n\n- Al is allergic to dust. <!-- id: X | observed: 2026-03-02 | origin: user | session: s8 -->\n",
		"memory/learnings.md":  "# Learnings\n\n",
		"notes/trip.md":        "# Trip\n\nWe go to Bled.\n\n",
	})
	if out := b.forget(remember.Target{Ref: "notes/trip.md"}, 1); len(out.Notes) != 1 {
		t.Errorf("got %+v", out)
	}
	for _, word := range []string{"Bled", "stove", "Jo ", "freezes"} {
		if b.holds(word) {
			t.Errorf("%q is still on disk", word)
		}
	}
}

// Of a chain of replacements any part can be forgotten: those that stay name each other,
// in the notes and in what can be taken back.
func TestForgetChain(t *testing.T) {
	texts := []string{"The office is in Gent.", "The office is in Brugge.", "The office is in Aalst.", "The office is in Leuven."}
	for _, forgotten := range [][]int{{1}, {1, 2}, {0}, {3}, {2, 3}} {
		b := newBench(t, nil, nil)
		outs := make([]remember.Outcome, len(texts))
		for i, text := range texts {
			if i == 0 {
				outs[i] = b.tell(remember.Request{Text: text, Type: "project"}, remember.Added, "new")
			} else {
				outs[i] = b.tell(remember.Request{Text: text, Replaces: outs[i-1].ID}, remember.Superseded, "changed")
			}
		}
		var target remember.Target
		for _, i := range forgotten {
			target.Refs = append(target.Refs, outs[i].ID)
		}
		b.forget(target, len(forgotten))
		all, err := b.keeper.Entries(t.Context(), remember.Filter{Status: remember.All})
		if err != nil || len(all) != len(texts)-len(forgotten) {
			t.Fatalf("%v: %+v, %v", forgotten, all, err)
		}
		for i, e := range all {
			before, after := "", ""
			if i > 0 {
				before = all[i-1].ID
			}
			if i < len(all)-1 {
				after = all[i+1].ID
			}
			if e.Replaces != before || e.By != after {
				t.Errorf("%v: %+v names %q and %q, want %q and %q", forgotten, e, e.Replaces, e.By, before, after)
			}
		}
		for _, i := range forgotten {
			if b.holds(outs[i].ID) {
				t.Errorf("%v: the id of %q is still somewhere", forgotten, texts[i])
			}
		}
	}
	b := newBench(t, nil, nil)
	first := b.tell(remember.Request{Text: texts[0], Type: "project"}, remember.Added, "new")
	second := b.tell(remember.Request{Text: texts[1], Replaces: first.ID}, remember.Superseded, "changed")
	third := b.tell(remember.Request{Text: texts[2], Replaces: second.ID}, remember.Superseded, "changed")
	b.forget(remember.Target{Ref: second.ID}, 1)
	if _, err := b.keeper.Undo(t.Context(), third.Change); err != nil {
		t.Errorf("what stands beside it cannot be taken back: %v", err)
	}
}

// An entry without an id, as a person writes it, goes as well when it names another that
// goes with it.
func TestForgetChainWithoutID(t *testing.T) {
	for _, bond := range []string{"replaces", "by"} {
		b := newBench(t, map[string]string{"memory/contacts.md": "# Contacts\n\n- Anna\n- Bob has a desk <!-- " + bond + ": bbbbbbbb -->\n- Bob has a room <!-- id: bbbbbbbb -->\n"}, nil)
		b.forget(remember.Target{Ref: "memory/contacts.md#L4-L5"}, 2)
		b.check(map[string]string{"memory/contacts.md": "# Contacts\n\n- Anna\n"})
	}
}

// Several lines of one note can be forgotten at once: none moves another.
func TestForgetLines(t *testing.T) {
	b := newBench(t, map[string]string{"memory/contacts.md": "# Contacts\n\n- Anna\n- Bob\n- Carl\n- Dora\n"}, nil)
	b.forget(remember.Target{Refs: []string{"memory/contacts.md#L3", "memory/contacts.md#L5", "nowhere1", "memory/contacts.md#L5"}}, 2)
	b.check(map[string]string{"memory/contacts.md": "# Contacts\n\n- Bob\n- Dora\n"})
	if _, err := b.keeper.Forget(t.Context(), remember.Target{Refs: []string{"nowhere1"}}, false); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// The vectors of what is forgotten go, too.
func TestForgetVectors(t *testing.T) {
	b := newBench(t, nil, withModel(t))
	out := b.tell(remember.Request{Text: "Anna is my sister and lives in Ghent.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "The boiler is serviced every May.", Type: "project"}, remember.Added, "new")
	size := func() int64 {
		files, err := filepath.Glob(filepath.Join(b.state, "*.vec"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got %v, %v", files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	b.forget(remember.Target{Ref: out.ID}, 1)
	if after := size(); before != 2*(16+4+384) || after != before/2 {
		t.Errorf("the vectors had %d bytes and have %d", before, after)
	}
}

// TestCompared: what the model says becomes of texts, and what nobody is sure of is
// named.
func TestCompared(t *testing.T) {
	b := newBench(t, map[string]string{"memory/contacts.md": "- The heating is serviced by Krol & Sons.\n- 办公室的网是电信的。\n", "memory/projects.md": "- The team meets on Mondays at nine.\n"}, withModel(t))
	if err := b.keeper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if known := b.tell(remember.Request{Text: "Krol & Sons service our heating."}, remember.Reinforced, "same"); known.Told == "" {
		t.Errorf("in other words: got %+v", known)
	}
	if again := b.tell(remember.Request{Text: "the heating is serviced by Krol & Sons"}, remember.Reinforced, "same"); again.Told != "" {
		t.Errorf("in the same words: got %+v", again)
	}
	changed := b.tell(remember.Request{Text: "The team no longer meets on Mondays, it's Thursdays at nine now.", Origin: "agent"}, remember.Superseded, "changed")
	if changed.Path != "memory/projects.md" || changed.StartLine != 2 || changed.Replaces == nil || changed.Replaces.StartLine != 1 {
		t.Errorf("got %+v", changed)
	}
	// The web supersedes nobody's word: the entry is named, for somebody to decide.
	out := b.tell(remember.Request{Text: "The team doesn't meet on Thursdays any more, it's Fridays at nine now.", Origin: "web", Type: "project"}, remember.Added, "new")
	if out.Replaces != nil || len(out.Similar) == 0 || len(out.Similar) > 3 || out.Similar[0].Odds == nil || out.Similar[0].ID != changed.ID {
		t.Errorf("got %+v", out)
	}
	found, err := b.keeper.Similar(t.Context(), "Who services our heating: Krol & Sons.", 0)
	if err != nil || len(found) == 0 || found[0].Path != "memory/contacts.md" {
		t.Errorf("similar: got %+v, %v", found, err)
	}
	if none, err := b.keeper.Similar(t.Context(), "Penguins cannot fly.", .5); err != nil || len(none) != 0 {
		t.Errorf("similar: got %+v, %v", none, err)
	}
}

// Without the model equal words count, and words in common name an entry.
func TestByWords(t *testing.T) {
	b := newBench(t, map[string]string{"memory/projects.md": "- The team meets on Mondays at nine.\n"}, func(o *remember.Options) {
		o.Space = memoir.Space{Provider: "x", Model: "another", Dimensions: 3}
	})
	b.tell(remember.Request{Text: "the team meets on mondays at nine"}, remember.Reinforced, "same")
	out := b.tell(remember.Request{Text: "The team meets on Thursdays at nine.", Type: "project"}, remember.Added, "new")
	if len(out.Similar) != 1 || out.Similar[0].Odds != nil || out.Similar[0].StartLine != 1 {
		t.Errorf("got %+v", out.Similar)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Pairs(context.Context, []string, string) ([]reader.Pair, error) { return nil, f.err }
func (f failing) Answers(context.Context, string, []string) ([]reader.Answer, error) {
	return nil, f.err
}
func (f failing) Texts(context.Context, []string) ([]reader.Text, error) { return nil, f.err }

// A model and a search that fail cost precision, and no words.
func TestPartsThatFail(t *testing.T) {
	failed := errors.New("no")
	b := newBench(t, map[string]string{"memory/projects.md": "- The team meets on Mondays at nine.\n"}, func(o *remember.Options) {
		withModel(t)(o)
		o.Embed = func(context.Context, []string) ([][]float32, error) { return nil, failed }
		o.Reader = failing{failed}
		o.Near = func(context.Context, string, []float32, int) ([]remember.Place, error) { return nil, failed }
	})
	b.tell(remember.Request{Text: "The team meets on Thursdays at nine.", Type: "project"}, remember.Added, "new")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.keeper.Remember(ctx, remember.Request{Text: "Anna is my sister and lives in Ghent.", Type: "contact"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestForgottenCutShort: what stands in the file of what was forgotten besides, or was
// cut off there, hides no mark that comes after it.
func TestForgottenCutShort(t *testing.T) {
	for name, before := range map[string]string{"half a mark": "0123456789abcdef", "a long line": strings.Repeat("no mark ", 20_000) + "\n", "lines of Windows": "0123456789abcdef0123456789abcdef\r\n"} {
		b := newBench(t, nil, nil)
		wrong := b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact"}, remember.Added, "new")
		if err := os.WriteFile(filepath.Join(b.state, "forgotten"), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		b.forget(remember.Target{Ref: wrong.ID}, 1)
		if out, err := b.keeper.Remember(t.Context(), remember.Request{Text: "Otto owes me forty crowns.", Origin: remember.Import, Type: "contact"}); err != nil || out.Outcome != remember.Refused {
			t.Errorf("after %s: got %+v, %v; want it refused", name, out, err)
		}
	}
}

// TestForgetTogether: of what several processes forget at once nothing comes back.
func TestForgetTogether(t *testing.T) {
	const keepers = 8
	b := newBench(t, nil, nil)
	text := func(i int) string {
		return fmt.Sprintf("Otto owes the harbour master %d0 crowns since the spring.", i+1)
	}
	var refs []string
	for i := range keepers {
		refs = append(refs, b.tell(remember.Request{Text: text(i), Type: "contact", Key: text(i)}, remember.Added, "new").ID)
	}
	var all sync.WaitGroup
	for i := range keepers {
		k, err := remember.Open(b.opts)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if out, err := k.Forget(t.Context(), remember.Target{Ref: refs[i]}, false); err != nil || len(out.Entries) != 1 {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
	all.Wait()
	for i := range keepers {
		if out, err := b.keeper.Remember(t.Context(), remember.Request{Text: text(i), Origin: remember.Import, Type: "contact"}); err != nil || out.Outcome != remember.Refused {
			t.Errorf("%q: got %+v, %v; want it refused", text(i), out, err)
		}
	}
}

// TestSaltLost: where nothing tells any more what was forgotten, that is said, and nobody
// but a person tells anything.
func TestSaltLost(t *testing.T) {
	for name, lose := range map[string]func(salt string) error{
		"cut short": func(salt string) error { return os.Truncate(salt, 7) },
		"emptied":   func(salt string) error { return os.Truncate(salt, 0) },
		"gone":      os.Remove,
		"another":   func(salt string) error { return os.WriteFile(salt, []byte(strings.Repeat("s", 32)), 0o600) },
		"a folder":  func(salt string) error { return errors.Join(os.Remove(salt), os.Mkdir(salt, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, nil)
			wrong := b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact"}, remember.Added, "new")
			other := b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
			b.forget(remember.Target{Ref: wrong.ID}, 1)
			if err := lose(filepath.Join(b.state, "salt")); err != nil {
				t.Fatal(err)
			}
			k, err := remember.Open(b.opts)
			if err != nil {
				t.Fatal(err)
			}
			out, err := k.Remember(t.Context(), remember.Request{Text: "Otto owes me forty crowns.", Origin: remember.Import, Type: "contact"})
			if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "forgotten away") {
				t.Errorf("an import: got %+v, %v, hint %q", out, err, memoir.Hint(err))
			}
			if out, err := k.Forget(t.Context(), remember.Target{Ref: other.ID}, false); err == nil || !strings.Contains(err.Error(), "salt") {
				t.Errorf("forgetting more: got %+v, %v", out, err)
			}
			if out, err := k.Remember(t.Context(), remember.Request{Text: "Bob is my brother.", Type: "contact"}); err != nil || out.Outcome != remember.Added {
				t.Errorf("a person: got %+v, %v", out, err)
			}
		})
	}
}

// TestForgetListed: the names of a list mean what was listed, whatever went before it, and
// nothing else.
func TestForgetListed(t *testing.T) {
	const note = "# People\n\n- Bob lives in Leeds.\n- Bob plays chess.\n- The boiler code is 4411.\n- Bob sails. <!-- id: aaaaaa -->\n"
	b := newBench(t, map[string]string{"people.md": note}, nil)
	listed, err := b.keeper.Forget(t.Context(), remember.Target{Query: "Bob"}, true)
	if err != nil || len(listed.Also) != 3 {
		t.Fatalf("got %+v, %v", listed, err)
	}
	// What stays is named where it stands now.
	done, err := b.keeper.Forget(t.Context(), remember.Target{Query: "Bob lives in Leeds"}, false)
	if err != nil || len(done.Entries) != 1 || len(done.Some) != 2 || done.Some[0].StartLine != 3 || done.Some[1].StartLine != 5 {
		t.Errorf("got %+v, %v", done, err)
	}
	for _, e := range listed.Also {
		_, err := b.keeper.Forget(t.Context(), remember.Target{Ref: e.Name()}, false)
		if gone := e.Text == "Bob lives in Leeds."; errors.Is(err, memoir.ErrNotFound) != gone || !gone && err != nil {
			t.Errorf("%s, which is %q: %v", e.Name(), e.Text, err)
		}
	}
	b.check(map[string]string{"people.md": "# People\n\n- The boiler code is 4411.\n"})
	// What corrects one is told by the same name.
	code, err := b.keeper.Forget(t.Context(), remember.Target{Ref: "people.md#L3"}, true)
	if err != nil || len(code.Entries) != 1 {
		t.Fatalf("got %+v, %v", code, err)
	}
	name := strings.Replace(code.Entries[0].Name(), "#L3", "#L9", 1)
	if out := b.tell(remember.Request{Text: "The boiler code is 4412.", Replaces: name}, remember.Superseded, "changed"); out.Known != "The boiler code is 4411." {
		t.Errorf("got %+v", out)
	}
	if _, err := b.keeper.Remember(t.Context(), remember.Request{Text: "The boiler code is 4413.", Replaces: "people.md#L3~00000000"}); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestForgetAnswered: what a request with a key was answered holds no word of what it
// replaced, and so keeps none of what is forgotten.
func TestForgetAnswered(t *testing.T) {
	b := newBench(t, map[string]string{"notes/trip.md": "- Otto owes me forty crowns.\n"}, nil)
	told := remember.Request{Text: "Otto owes me fifty crowns.", Type: "contact", Key: "k", Replaces: "notes/trip.md#L1"}
	out := b.tell(told, remember.Superseded, "changed")
	if out.Known != "Otto owes me forty crowns." {
		t.Errorf("got %+v", out)
	}
	b.forget(remember.Target{Ref: out.Replaces.Name()}, 1)
	if b.holds("forty") {
		t.Error("it is still on disk")
	}
	if again := b.tell(told, remember.Superseded, "changed"); again.Known != "" || again.ID != out.ID {
		t.Errorf("told again: got %+v", again)
	}
}

// TestForgetCopied: of two entries with one id, for a line was copied by hand and changed, the
// one that is meant goes and the other stays.
func TestForgetCopied(t *testing.T) {
	for _, meant := range []string{"Anna is my sister", "Otto owes me forty crowns"} {
		b := newBench(t, map[string]string{"memory/contacts.md": "# Contacts\n\n- Anna is my sister. <!-- id: abcdefgh -->\n- Otto owes me forty crowns. <!-- id: abcdefgh -->\n"}, nil)
		out, err := b.keeper.Forget(t.Context(), remember.Target{Query: meant}, false)
		if err != nil || len(out.Entries) != 1 || out.Entries[0].Text != meant+"." {
			t.Fatalf("got %+v, %v", out, err)
		}
		if note := b.notes()["memory/contacts.md"]; strings.Contains(note, meant) || strings.Count(note, "\n- ") != 1 {
			t.Errorf("of %q: the note is now\n%s", meant, note)
		}
	}
}
