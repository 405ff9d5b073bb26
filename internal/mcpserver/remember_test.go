package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// TestRemember: what an agent tells is kept, found, corrected and forgotten.
func TestRemember(t *testing.T) {
	e := memory(t, notes)
	client := connect(t, e)
	res := call(t, client, "memory_remember", `{"text":"The staging server is called heron","type":"project"}`)
	kept := structured[engine.Outcome](t, res)
	if kept.Outcome != "added" || kept.Path != "memory/projects.md" || kept.ID == "" {
		t.Fatalf("got %+v", kept)
	}
	if got := text(t, res); !strings.Contains(got, "added (new) at memory/projects.md#L3, id "+kept.ID) {
		t.Errorf("the text says %q", got)
	}
	found := text(t, call(t, client, "memory_search", `{"query":"staging server heron"}`))
	if !strings.Contains(found, "memory/projects.md") {
		t.Errorf("it is not found: %s", found)
	}
	res = call(t, client, "memory_remember", `{"text":"The staging server is called heron","type":"project"}`)
	again := structured[engine.Outcome](t, res)
	if again.Known != "The staging server is called heron" || !strings.Contains(text(t, res), "That entry says: The staging server is called heron\n") {
		t.Errorf("what was known is not said: %+v, %q", again, text(t, res))
	}
	if again.Outcome != "reinforced" || again.ID != kept.ID {
		t.Errorf("told again: %+v", again)
	}
	res = call(t, client, "memory_remember", `{"text":"The staging server is called osprey","type":"project","replaces":"`+kept.ID+`"}`)
	if changed := structured[engine.Outcome](t, res); changed.Outcome != "superseded" || changed.Replaces == nil || changed.Replaces.ID != kept.ID {
		t.Errorf("corrected: %+v", changed)
	}
	if got := text(t, res); !strings.Contains(got, "takes the place of memory/projects.md#L3, which stays, marked as superseded. That said: The staging server is called heron\n") {
		t.Errorf("the text says %q", got)
	}
	res = call(t, client, "memory_remember", `{"text":"The router stands in the hall <private>behind the fern</private>","type":"project","origin":"user"}`)
	if got := text(t, res); !structured[engine.Outcome](t, res).Withheld || !strings.Contains(got, "\nWhat was marked as private in it was left out.\n") || strings.Contains(got, "fern") {
		t.Errorf("a part is private: %q", got)
	}
	refused := structured[engine.Outcome](t, call(t, client, "memory_remember", `{"text":"ok thanks!"}`))
	if refused.Outcome != "refused" || refused.Reason.Code == "" || refused.Path != "" {
		t.Errorf("small talk: %+v", refused)
	}
	for said, want := range map[string]string{
		"Thanks, that is great!":             "If there is a fact in it, call again once with that alone, as a whole sentence; else go on.\n",
		"What is the staging server called?": "To look it up, call memory_search.\n",
		"Please forget my address":           "If the user wants that, call memory_forget with the words of what is meant.\n",
		"banana":                             "If there is a fact in it, call again once with that alone, as a whole sentence; else go on.\n",
	} {
		arguments, err := json.Marshal(map[string]string{"text": said})
		if err != nil {
			t.Fatal(err)
		}
		res := call(t, client, "memory_remember", string(arguments))
		if got := text(t, res); !strings.HasPrefix(got, "refused (") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: the text says %q", said, got)
		}
		if structured[engine.Outcome](t, res).Reason.Action == "" {
			t.Errorf("%s: the structured answer has no next step", said)
		}
	}
	// A question lists what is superseded, too, and removes nothing.
	res = call(t, client, "memory_forget", `{"query":"The staging server is called osprey"}`)
	listed := structured[struct {
		Entries, Also []engine.Entry
		DryRun        bool
	}](t, res)
	if got := text(t, res); len(listed.Entries) != 1 || len(listed.Also) != 0 || !listed.DryRun || !strings.Contains(got, "Likely meant: id "+listed.Entries[0].ID+", memory/projects.md#L4: The staging server is called osprey") || !strings.HasSuffix(got, "\nNothing was removed. Call again with entry set to the id of what the user means, or else to its citation as it is here.\n") {
		t.Errorf("listed: %+v, %q", listed, got)
	}
	res = call(t, client, "memory_forget", `{"query":"staging server"}`)
	if got := text(t, res); !strings.Contains(got, "called heron") || !strings.Contains(got, "called osprey") {
		t.Errorf("listed: %q", got)
	}
	if got := text(t, call(t, client, "memory_forget", `{"query":"quince"}`)); !strings.HasPrefix(got, "No entry fits that; nothing was removed. What memory_search finds in a session is forgotten with the whole session") {
		t.Errorf("nothing: %q", got)
	}
	secret := text(t, call(t, client, "memory_remember", `{"text":"My wifi password is hunter2-Xk92!"}`))
	if !strings.HasPrefix(secret, "refused (secret)") || strings.Contains(secret, "written") {
		t.Errorf("of a secret that is kept nowhere the text says %q", secret)
	}
	for tool, arguments := range map[string]string{"memory_forget": `{"entry":"heron"}`, "memory_remember": `{"text":"The staging server is called osprey","replaces":"heron"}`} {
		if res := call(t, client, tool, arguments); !res.IsError || !strings.Contains(text(t, res), "\nNext step: find the entry with memory_search") {
			t.Errorf("%s of no entry says %q", tool, text(t, res))
		}
	}
	shown := structured[struct {
		Entries []engine.Entry
		DryRun  bool
	}](t, call(t, client, "memory_forget", `{"entry":"`+kept.ID+`","dryRun":"yes"}`))
	if len(shown.Entries) != 1 || !shown.DryRun {
		t.Errorf("a dry run shows %+v", shown)
	}
	res = call(t, client, "memory_forget", `{"entry":"`+kept.ID+`"}`)
	if got := text(t, res); !strings.Contains(got, "Forgotten: memory/projects.md#L3: The staging server is called heron") {
		t.Errorf("the text says %q", got)
	}
	if found := text(t, call(t, client, "memory_search", `{"query":"heron","mode":"text"}`)); strings.Contains(found, "heron\n") {
		t.Errorf("it is still found: %s", found)
	}
}

// TestForgetListed: a model that gives what was listed, one after the other, removes that
// and nothing else. Lines alone, which may have moved, are listed and not removed.
func TestForgetListed(t *testing.T) {
	client := connect(t, memory(t, map[string]string{"memory/people.md": "# People\n\n- Bob lives in Leeds.\n- Bob plays chess.\n- The boiler code is 4411.\n"}))
	res := call(t, client, "memory_forget", `{"query":"Bob"}`)
	listed := text(t, res)
	var names []string
	for line := range strings.Lines(listed) {
		if name, ok := strings.CutPrefix(line, "Also has the words: "); ok {
			name, _, _ = strings.Cut(name, ": ")
			names = append(names, name)
		}
	}
	if len(names) != 2 {
		t.Fatalf("listed: %q", listed)
	}
	for _, c := range []struct{ entry, want string }{
		{names[0], "Forgotten: memory/people.md#L3: Bob lives in Leeds.\n"},
		{"memory/people.md#L4", "\nNothing was removed. Call again"}, // where another entry stands by now
		{names[1], "Forgotten: memory/people.md#L3: Bob plays chess.\n"},
		{names[1], "is not in the note any more"},
	} {
		if got := text(t, call(t, client, "memory_forget", `{"entry":"`+c.entry+`"}`)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.entry, got, c.want)
		}
	}
	if left := text(t, call(t, client, "memory_get", `{"path":"memory/people.md"}`)); !strings.Contains(left, "boiler") || strings.Contains(left, "Bob") {
		t.Errorf("left is %q", left)
	}
}

// TestForgetGone: what stands in the history only is listed as that, and removed by its id.
func TestForgetGone(t *testing.T) {
	e := memory(t, notes)
	client := connect(t, e)
	told := structured[engine.Outcome](t, call(t, client, "memory_remember", `{"text":"Otto owes me forty crowns","type":"contact"}`))
	if _, err := e.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	res := call(t, client, "memory_forget", `{"query":"forty crowns"}`)
	listed := structured[engine.Forgetting](t, res)
	if got := text(t, res); len(listed.Entries) != 0 || len(listed.InHistory) != 1 || listed.InHistory[0].ID != told.ID || !strings.HasPrefix(got, "Likely meant, in the history only: id "+told.ID+": Otto owes me forty crowns\nNothing was removed. Call again") {
		t.Errorf("listed: %+v, %q", listed, got)
	}
	if got := text(t, call(t, client, "memory_forget", `{"entry":"`+told.ID+`"}`)); got != "Forgotten, in the history only: "+told.Path+": Otto owes me forty crowns\n" {
		t.Errorf("forgotten: %q", got)
	}
	if got := text(t, call(t, client, "memory_forget", `{"query":"forty crowns"}`)); !strings.HasPrefix(got, "No entry fits that; nothing was removed.") {
		t.Errorf("listed again: %q", got)
	}
}

// TestRefused: a model is told what to do after a refusal.
func TestRefused(t *testing.T) {
	const sentence = "If there is a fact in it, call again once with that alone, as a whole sentence; else go on.\n"
	client := connect(t, memory(t, notes))
	for arguments, want := range map[string]string{
		`{"text":"/var/lib/app/config.yaml"}`:               sentence,
		`{"text":"Make the answer simpler","origin":"web"}`: sentence,
		`{"text":"ok thanks!","origin":"user"}`:             sentence,
	} {
		got := text(t, call(t, client, "memory_remember", arguments))
		if _, more, _ := strings.Cut(got, "\n"); !strings.HasPrefix(got, "refused (") || more != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

// TestForgetMany: what a name fits is listed as far as an answer has room, and the rest counted.
func TestForgetMany(t *testing.T) {
	log := strings.Repeat("- Lunch with Marta at the harbour, and nothing else happened there.\n", 1000) + "- " + strings.Repeat("Marta rows. ", 2000) + "\n"
	for _, note := range []string{log, log[strings.LastIndex(log, "- "):]} {
		res := call(t, connect(t, memory(t, map[string]string{"memory/log.md": note})), "memory_forget", `{"query":"Marta"}`)
		listed := structured[struct {
			Also []engine.Entry
			Left int
		}](t, res)
		object, err := json.Marshal(res.StructuredContent)
		if got := text(t, res); err != nil || len(got) > 17_000 || len(object) > 17_000 || len(listed.Also) == 0 || len(listed.Also)+listed.Left != strings.Count(note, "- ") || strings.Contains(got, " more do not fit here") != (listed.Left > 0) {
			t.Errorf("%d characters, in the object %d, of %d and %d entries: %v", len(got), len(object), len(listed.Also), listed.Left, err)
		}
	}
}

// held is a memory whose index another program keeps from being cleared.
type held struct{ *engine.Engine }

func (h held) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	done, err := h.Engine.Forget(ctx, target, dryRun)
	done.InIndex = !dryRun
	if !dryRun {
		done.Unread = []string{"memory/.projects.md.0123abcd.new"}
	}
	return done, err
}

// TestForgetRemains: an agent does not say that all is gone when the index's files keep it.
func TestForgetRemains(t *testing.T) {
	client := connect(t, held{memory(t, notes)})
	kept := structured[engine.Outcome](t, call(t, client, "memory_remember", `{"text":"The staging server is called heron","type":"project"}`))
	for _, dryRun := range []string{"yes", "no"} {
		want := dryRun == "no"
		res := call(t, client, "memory_forget", `{"entry":"`+kept.ID+`","dryRun":"`+dryRun+`"}`)
		said := structured[struct{ Remains string }](t, res).Remains
		for _, what := range []string{"memoir scan --fix", ".0123abcd.new"} {
			if got := text(t, res); strings.Contains(got, what) != want || strings.Contains(said, what) != want {
				t.Errorf("dry run %s: the text says %q, the object %q", dryRun, got, said)
			}
		}
	}
}

// TestRememberMistakes: what a model gets wrong is answered with the next step.
func TestRememberMistakes(t *testing.T) {
	client := connect(t, memory(t, notes))
	for _, tt := range []struct{ tool, arguments, want string }{
		{"memory_remember", `{}`, "text is required"},
		{"memory_remember", `{"text":"We met","type":"poem"}`, "poem"},
		{"memory_remember", `{"text":"We met","importance":9}`, "importance"},
		{"memory_remember", `{"text":"We use SQLite now","replaces":"nosuchid"}`, "nosuchid"},
		{"memory_forget", `{"entry":"nosuchid"}`, "nosuchid"},
		{"memory_forget", `{}`, "either entry or query"},
		{"memory_forget", `{"entry":"nosuchid","query":"heron"}`, "either entry or query"},
		{"memory_forget", `{"entry":"MEMORY.md"}`, "a whole note"},
		{"memory_forget", `{"entry":"../../etc/passwd"}`, "a whole note"},
	} {
		res := call(t, client, tt.tool, tt.arguments)
		if got := text(t, res); !res.IsError || !strings.Contains(got, tt.want) || !strings.Contains(got, "Next step: ") {
			t.Errorf("%s %s: %q, want %q and a next step", tt.tool, tt.arguments, got, tt.want)
		}
	}
}

// TestReadOnly: without a writer no tool that writes is offered.
func TestReadOnly(t *testing.T) {
	client := connectTo(t, mcpserver.New(memory(t, notes), mcpserver.Options{}))
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	if len(tools.Tools) != 2 {
		t.Errorf("%d tools", len(tools.Tools))
	}
}
