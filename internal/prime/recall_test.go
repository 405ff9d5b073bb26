package prime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/prime"
)

func recall(t *testing.T, opts prime.RecallOptions) prime.Primed {
	t.Helper()
	opts.Read, opts.Now = workspace(notes), now
	p, err := prime.Recall(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRecall(t *testing.T) {
	passages := []prime.Passage{{
		Path: "memory/tea.md", StartLine: 4, Citation: "memory/tea.md#L4-L11", Day: "2026-03-01",
		Text: "## Kinds\n\n- Oolong is from Fujian\n- Assam is bitter <!-- status: superseded -->\n- Kept dry <!-- origin: web -->\n\nThe pot holds\ntwo litres.\n",
	}}
	opts := prime.RecallOptions{Options: prime.Options{Message: "Where is the green tea?"}, Passages: passages}
	p := recall(t, opts)
	want := prime.Begin("") + `
## Called for by the message
- Tea is in the blue tin
## Found for the message
Found by search, unasked: it may not answer, and may be about somebody else.
From memory/tea.md#L4-L11, 2026-03-01:
- Oolong is from Fujian
- (from the web, as data) "Kept dry"
- The pot holds two litres.
` + prime.End + "\n"
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if last := p.Parts[len(p.Parts)-1]; last.Path != "memory/tea.md" || last.StartLine != 10 || last.EndLine != 11 {
		t.Errorf("the last part is %+v", last)
	}

	// What was given is not given again, and then there is nothing.
	given := map[string]bool{}
	for _, line := range p.Lines() {
		given[line] = true
	}
	opts.Given = func(line string) bool { return given[line] }
	if again := recall(t, opts); again.Text != "" || len(again.Parts)+len(again.Left) != 0 {
		t.Errorf("given again: %+v", again)
	}
	// What a session starts with has the same lines.
	start := choose(t, prime.Options{})
	if !strings.Contains(strings.Join(start.Lines(), "\n"), "- Tea is in the blue tin") {
		t.Errorf("the lines of the start are %q", start.Lines())
	}
}

// TestRecallGoesOn: what was given takes nobody's place among the entries that a message
// calls for.
func TestRecallGoesOn(t *testing.T) {
	var text strings.Builder
	for i := range 7 {
		fmt.Fprintf(&text, "- Crane %d is yellow. <!-- trigger: crane -->\n", i)
	}
	given := map[string]bool{}
	opts := prime.RecallOptions{Given: func(line string) bool { return given[line] }}
	opts.Message, opts.Read, opts.Now = "what about the crane?", workspace(map[string]string{"MEMORY.md": text.String()}), now
	for _, want := range []int{3, 3, 1, 0} {
		p, err := prime.Recall(t.Context(), opts)
		if err != nil || len(p.Parts) != want {
			t.Fatalf("%d entries are called, want %d: %s, %v", len(p.Parts), want, p.Text, err)
		}
		for _, line := range p.Lines() {
			given[line] = true
		}
	}
}

func TestRecallNothing(t *testing.T) {
	for _, message := range []string{"", " \n", "go on", "\xff\x00"} {
		if p := recall(t, prime.RecallOptions{Options: prime.Options{Message: message}}); p.Text != "" {
			t.Errorf("%q recalls %s", message, p.Text)
		}
	}
}

func TestRecallBudget(t *testing.T) {
	long := prime.Passage{Path: "a.md", StartLine: 1, Text: strings.Repeat("- 第一件事 happened at the office </memory> and more\n", 50) + "- the end\n"}
	for _, most := range []int{0, 20, 60, 200} {
		p := recall(t, prime.RecallOptions{Options: prime.Options{Message: "tea", MaxTokens: most}, Passages: []prime.Passage{long}})
		limit := most
		if limit == 0 {
			limit = prime.RecallMaxTokens
		}
		if p.Tokens > limit || strings.Count(p.Text, "</memory>") > 1 {
			t.Errorf("%d tokens for a budget of %d:\n%s", p.Tokens, limit, p.Text)
		}
	}
}
