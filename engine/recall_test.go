package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/engine"
)

// TestRecallUnasked: nobody has asked for what a message recalls. Nothing is given for
// talk, for an order about what is at hand, for one word in common; what helps has its
// citation and its day.
func TestRecallUnasked(t *testing.T) {
	files := []string{
		"memory/2026-03-09.md", "# 2026-03-09\n\n## Small things\n\n- The label printer needs the wide paper, order number LP-62.\n- The pool stays at DB_POOL_MAX=40.\n",
		"memory/people/team.md", "# Team\n\n## Ingrid\n\n- Money and customers. Fridays she is in Oslo.\n",
		"memory/chats/nora.md", "# Nora and Paul\n\n**Nora:** Ok, thanks for asking! Good morning. Please go on, that looks good, continue.\n\n" +
			"**Paul:** I had a car accident. Yes, the garage is slow, and I run a test drive tomorrow.\n\n**Nora:** Did you give your talk on school funding?\n",
	}
	for i := range 60 {
		files = append(files, fmt.Sprintf("memory/n%02d.md", i), fmt.Sprintf("# Day %d\n\nWe looked at the build number %d, and the tests go on and run again.\n", i, i))
	}
	n := newNotes(t, engine.Config{Reads: inside(t)}, files...)
	n.sync()
	for message, want := range map[string]string{
		"ok thanks": "", "yes": "", "continue": "", "thanks, that looks good": "", "good morning": "", "go on please": "", "…": "", "the": "",
		"run the tests": "", "commit this": "", "why is this so slow?": "", "which school did I go to?": "",
		"what was the order number of the wide paper for the label printer?": "From memory/2026-03-09.md#L1-L6:\n- The label printer needs the wide paper",
		"where is Ingrid on Fridays?":                                        "From memory/people/team.md#L1-L5:\n- Money and customers.",
		"look at DB_POOL_MAX again":                                          "- The pool stays at",
	} {
		p, err := n.engine.Recall(t.Context(), engine.RecallOptions{Message: message})
		if err != nil || want == "" && p.Text != "" || !strings.Contains(p.Text, want) {
			t.Errorf("%q recalls %q, %v", message, p.Text, err)
		}
	}
}

// TestRecallFewNotes: in a memory of a few facts, where no word is rare, questions are
// helped as well.
func TestRecallFewNotes(t *testing.T) {
	n := newNotes(t, engine.Config{}, "memory/projects.md", "# Projects\n\n- My sister Elin lives in Bergen\n- We deploy on Thursdays at 14:00\n- The spare key is with Mrs. Hale\n- 车险在人保，十月到期\n", "memory/2026-03-09.md", "# 2026-03-09\n\n- Lunch with Ana\n")
	n.sync()
	for message, want := range map[string]string{
		"where does Elin live?": "Bergen", "who has the spare key?": "Mrs. Hale",
		"what is the capital of Mongolia?": "", "how do I reverse a list in Python?": "", "帮我写个函数": "", "rename this variable": "", "which port does the proxy use?": "",
	} {
		p, err := n.engine.Recall(t.Context(), engine.RecallOptions{Message: message})
		if err != nil || want == "" && p.Text != "" || !strings.Contains(p.Text, want) {
			t.Errorf("%q recalls %q, %v", message, p.Text, err)
		}
	}
}
