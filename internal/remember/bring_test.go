package remember_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
)

func TestBring(t *testing.T) {
	const day, memory = "memory/2026-03-01.md", "MEMORY.md"
	tests := []struct {
		name         string
		there        map[string]string
		path, text   string
		outcome      string
		stands, want string // where, and what it says then; "" is as before
	}{
		{"new", nil, day, "a\r\nb", remember.NoteAdded, day, "a\r\nb"},
		{"empty", nil, day, "", remember.NoteAdded, day, ""},
		{"same bytes", map[string]string{day: "a\nb\n"}, day, "a\nb\n", remember.NoteThere, day, ""},
		{"there is more", map[string]string{day: "# D\n- a\n- b\n- c\n"}, day, "- a\n- b\n", remember.NoteThere, day, ""},
		{"part of a line only", map[string]string{day: "xab\n"}, day, "ab\n", remember.NoteBeside, "memory/2026-03-01-2.md", "ab\n"},
		{"grown", map[string]string{day: "- a\n"}, day, "- a\n- b\n", remember.NoteGrown, day, "- a\n- b\n"},
		{"a line grown", map[string]string{day: "- a"}, day, "- ab\n", remember.NoteBeside, "memory/2026-03-01-2.md", "- ab\n"},
		{"empty there", map[string]string{day: ""}, day, "- a\n", remember.NoteGrown, day, "- a\n"},
		{"a heading alone", map[string]string{memory: "# Memory\n"}, memory, "# 记忆\n\n- 甲\n", remember.NoteGrown, memory, "# Memory\n\n# 记忆\n\n- 甲\n"},
		{"a heading and front matter", map[string]string{memory: "# Memory\n"}, memory, "---\na: b\n---\n", remember.NoteBeside, "MEMORY-2.md", "---\na: b\n---\n"},
		{"another note", map[string]string{memory: "# Memory\n- mine\n"}, memory, "- theirs\n", remember.NoteBeside, "MEMORY-2.md", "- theirs\n"},
		{"beside already", map[string]string{memory: "- mine\n", "MEMORY-2.md": "- theirs\n"}, memory, "- theirs\n", remember.NoteThere, "MEMORY-2.md", ""},
		{"beside, and grown", map[string]string{memory: "- mine\n", "MEMORY-2.md": "- theirs\n"}, memory, "- theirs\n- more\n", remember.NoteGrown, "MEMORY-2.md", "- theirs\n- more\n"},
		{"both taken", map[string]string{memory: "- mine\n", "MEMORY-2.md": "- theirs\n"}, memory, "- others\n", remember.NoteConflict, memory, ""},
		{"the same letters", map[string]string{"cafe\u0301.md": "a\n"}, "caf\u00e9.md", "a\n", remember.NoteThere, "caf\u00e9.md", ""},
		{"hidden", nil, ".x/a.md", "a\n", remember.NoteRefused, ".x/a.md", ""},
		{"outside", nil, "../a.md", "a\n", remember.NoteRefused, "../a.md", ""},
		{"below a note", map[string]string{"a.md": "a\n"}, "a.md/b.md", "a\n", remember.NoteRefused, "a.md/b.md", ""},
		{"a backslash", nil, `a\b.md`, "a\n", remember.NoteRefused, `a\b.md`, ""},
		{"the agent's own", nil, "AGENTS.md", "a\n", remember.NoteRefused, "AGENTS.md", ""},
		{"the agent's own in small letters", nil, "agents.md", "a\n", remember.NoteRefused, "agents.md", ""},
	}
	for _, test := range tests {
		b := newBench(t, test.there, nil)
		want := b.notes()
		bundle := notebook.NewBundle("import", "")
		notes := []remember.Incoming{{Path: test.path, Text: test.text}}
		for _, dry := range []bool{true, false} {
			got, err := b.keeper.Bring(context.Background(), bundle, notes, dry)
			if err != nil || len(got) != 1 || got[0].Outcome != test.outcome || got[0].Path != test.stands {
				t.Fatalf("%s: got %+v, %v; want %s at %s", test.name, got, err, test.outcome, test.stands)
			}
			if dry {
				b.check(want)
			}
		}
		wrote := test.outcome == remember.NoteAdded || test.outcome == remember.NoteGrown || test.outcome == remember.NoteBeside
		if wrote {
			want[test.stands] = test.want
		}
		b.check(want)
		again, err := b.keeper.Bring(context.Background(), bundle, notes, false)
		if err != nil || wrote && again[0].Outcome != remember.NoteThere {
			t.Errorf("%s, again: got %+v, %v", test.name, again, err)
		}
		b.check(want)
		if !wrote {
			continue
		}
		if _, err := b.keeper.Undo(context.Background(), bundle.ID); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		before := map[string]string{}
		for name, text := range test.there {
			before[name] = text
		}
		if diff := cmp.Diff(before, b.notes()); diff != "" {
			t.Errorf("%s: after undo (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestBringForgotten: what was forgotten in a note that was brought does not come back
// when the note is brought again, alone or beside what it has got since.
func TestBringForgotten(t *testing.T) {
	const otto = "- Otto owes me forty crowns.\n"
	b := newBench(t, nil, nil)
	bring := func(text string) remember.Brought {
		t.Helper()
		got, err := b.keeper.Bring(t.Context(), notebook.NewBundle("import", ""), []remember.Incoming{{Path: "v/a.md", Text: text}, {Path: "v/b.md", Text: "# B\n\n" + otto}}, false)
		if err != nil {
			t.Fatal(err)
		}
		if got[1].Outcome == remember.NoteRefused && got[1].Forgotten != 1 {
			t.Errorf("a note of nothing else: got %+v", got[1])
		}
		return got[0]
	}
	before := "# A\n\n- The well is deep.\n" + otto
	bring(before)
	for _, ref := range []string{"v/a.md#L4", "v/b.md"} {
		if _, err := b.keeper.Forget(t.Context(), remember.Target{Ref: ref}, false); err != nil {
			t.Fatal(err)
		}
	}
	if got := bring(before); got.Outcome != remember.NoteThere || got.Forgotten != 1 {
		t.Errorf("brought again: got %+v", got)
	}
	if got := bring(before + "- The pump is new.\n"); got.Outcome != remember.NoteGrown || got.Forgotten != 1 {
		t.Errorf("brought again with more: got %+v", got)
	}
	b.check(map[string]string{"v/a.md": "# A\n\n- The well is deep.\n- The pump is new.\n"})
}

func TestBringTellsSecrets(t *testing.T) {
	b := newBench(t, nil, nil)
	got, err := b.keeper.Bring(context.Background(), notebook.NewBundle("import", ""), []remember.Incoming{
		{Path: "a.md", Text: "The password is Herring!Fjord8.\n"}, {Path: "b.md", Text: "Nothing.\n"},
	}, false)
	if err != nil || !got[0].Secret || got[1].Secret {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestRepeated: a request that is repeated says so.
func TestRepeated(t *testing.T) {
	b := newBench(t, nil, nil)
	req := remember.Request{Text: tea, Type: "preference", Key: "k", Bundle: notebook.NewBundle("import", "")}
	if b.tell(req, remember.Added, "new").Repeated || !b.tell(req, remember.Added, "new").Repeated {
		t.Error("the second is not told from the first")
	}
	req.DryRun = true
	if !b.tell(req, remember.Added, "new").Repeated {
		t.Error("a dry run does not tell it")
	}
	req.DryRun = false
	if _, err := b.keeper.Undo(context.Background(), req.Bundle.ID); err != nil {
		t.Fatal(err)
	}
	req.Bundle = notebook.NewBundle("import", "")
	if b.tell(req, remember.Added, "new").Repeated {
		t.Error("what was taken back is not brought again")
	}
}
