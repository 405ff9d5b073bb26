package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestForgetGoneLines: a line that is no entry, and that the history alone has, is forgotten by
// its words. Nothing brings it back, and the lines beside it can still be taken back.
func TestForgetGoneLines(t *testing.T) {
	for name, x := range map[string]struct{ before, after, question string }{
		"a row": {
			"# Bank\n\n| what | code |\n|---|---|\n| vault | walrus nine |\n| door | otter two |\n",
			"# Bank\n\n| what | code |\n|---|---|\n| door | otter two |\n", "walrus nine",
		},
		"a heading":    {"# Bank\n\n## The walrus is nine\n\n- Doors are otters.\n", "# Bank\n\n- Doors are otters.\n", "the walrus is nine"},
		"code":         {"# Bank\n\n```\nexport WALRUS=nine\nexport DOOR=otter\n```\n", "# Bank\n\n```\nexport DOOR=otter\n```\n", "export walrus nine"},
		"front matter": {"---\nwalrus: nine\ndoor: otter\n---\n\n# Bank\n", "---\ndoor: otter\n---\n\n# Bank\n", "walrus nine"},
		"Chinese":      {"# 银行\n\n| 密码 | 红色walrus海象 |\n|---|---|\n| 门 | otter |\n", "# 银行\n\n| 门 | otter |\n|---|---|\n", "红色walrus海象"},
		"with CRLF":    {"# Bank\r\n\r\n## Walrus nine\r\n\r\n- otter\r\n", "# Bank\r\n\r\n- otter\r\n", "walrus nine"},
		"in an entry":  {"# Bank\n\n- The car\n  - its walrus is nine\n- otter\n", "# Bank\n\n- The car\n- otter\n- its walrus is nine\n", "its walrus is nine"},
		"a row, later an item": {
			"# Bank\n\n| a | b |\n|---|---|\n| The walrus | nine |\n| door | otter |\n",
			"# Bank\n\n- The walrus: nine\n- door: otter\n", "the walrus: nine",
		},
	} {
		b := newBench(t, nil, nil)
		put := func(text string) string {
			c, err := b.opts.Notebook.Do(t.Context(), "test", "put", func(d *notebook.Draft) error { return d.Write("memory/bank.md", text) })
			if err != nil {
				t.Fatal(err)
			}
			return c.ID
		}
		put(x.before)
		put(x.after)
		cleared := put("# Empty\n")
		if strings.Contains(x.after, "alrus") {
			put(x.after)
		}
		for _, dry := range []bool{true, false} {
			out, err := b.keeper.Forget(t.Context(), remember.Target{Query: x.question}, dry)
			if err != nil || len(out.Entries)+len(out.InHistory) == 0 {
				t.Fatalf("%s: got %+v, %v", name, out, err)
			}
			if got := b.holds("alrus") || b.holds("ALRUS"); got != dry {
				t.Errorf("%s: dry is %v, and it stands there: %v", name, dry, got)
			}
		}
		if strings.Contains(x.after, "alrus") {
			put("# Empty\n")
		}
		if _, err := b.keeper.Undo(t.Context(), cleared); err != nil && !strings.Contains(x.after, "alrus") {
			t.Errorf("%s: undo: %v", name, err)
		} else if now := b.notes()["memory/bank.md"]; err == nil && !strings.Contains(now, "otter") || strings.Contains(now, "alrus") {
			t.Errorf("%s: undo brings %q", name, now)
		}
	}
}

// TestForgetGoneStays: what a note still says in a line stays in the history, too.
func TestForgetGoneStays(t *testing.T) {
	b := newBench(t, nil, nil)
	const text = "# Bank\n\n| what | code |\n|---|---|\n| door | otter two |\n\n## Plans\n\n- Plans\n- The tern is blue.\n"
	c, err := b.opts.Notebook.Do(t.Context(), "test", "put", func(d *notebook.Draft) error { return d.Write("memory/bank.md", text) })
	if err != nil {
		t.Fatal(err)
	}
	if out, err := b.keeper.Forget(t.Context(), remember.Target{Query: "otter two"}, false); len(out.InHistory) != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
	if _, err := b.keeper.Forget(t.Context(), remember.Target{Ref: "memory/bank.md#L9"}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.keeper.Undo(t.Context(), c.ID); err != nil {
		t.Error(err)
	}
	if now := b.notes()["memory/bank.md"]; now != "" {
		t.Errorf("left is %q", now)
	}
}
