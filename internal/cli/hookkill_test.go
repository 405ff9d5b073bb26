package cli_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/hook"
)

// answers runs a hook as an agent does, and returns the context that the session gets.
func (d *desk) answers(agent, event, session, prompt, summary string) string {
	d.Helper()
	cmd := d.command([]string{"MEMOIR_HOOK_SEARCH_TIME=" + patience}, "hook", agent, event)
	in := hook.Input(agent, event, session, d.dir, prompt)
	if summary != "" {
		var x map[string]any
		if err := json.Unmarshal(in, &x); err != nil {
			d.Error(err)
		}
		x["compact_summary"] = summary
		in, _ = json.Marshal(x) // it was JSON before
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		d.Errorf("%s %s: %v, %s", agent, event, err, errs.String())
	}
	if agent == "claude-code" && event == hook.PreCompact {
		return out.String()
	}
	text, err := hook.Given(agent, event, out.Bytes())
	if err != nil {
		d.Errorf("%s %s: %v", agent, event, err)
	}
	return text
}

// TestKilledServer: a server that is killed in the midst of sessions, while its tools are
// called, stops no hook of any agent. What the hooks captured before, meanwhile and after
// is kept once.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- The tide tables are in the blue cabinet. <!-- trigger: tide tables -->\n"})
	s := d.serve()
	calling := make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		for i := 0; ; i++ {
			_, err := s.client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_remember", Arguments: map[string]any{"text": fmt.Sprintf("Pier %d is repaired in May", i)}})
			if i == 0 {
				close(calling)
			}
			if err != nil {
				return // it is dead
			}
		}
	})
	<-calling
	want := map[string]bool{}
	compacted := func(agent, when string) {
		summary := fmt.Sprintf("Session of %s, %s the server died.", agent, when)
		want[summary] = true
		d.answers(agent, hook.PostCompact, agent, "", summary)
		d.answers(agent, hook.PostCompact, agent, "", summary) // an agent may tell twice
	}
	for _, agent := range hook.Agents() {
		if text := d.answers(agent, hook.SessionStart, agent, "", ""); !strings.Contains(text, "blue cabinet") {
			t.Errorf("%s was given %q", agent, text)
		}
		compacted(agent, "before")
	}
	// Hooks of all agents at once, and the server dies among them.
	var hooks sync.WaitGroup
	for i, agent := range hook.Agents() {
		hooks.Go(func() {
			d.answers(agent, hook.Prompt, agent, "where are the piers repaired?", "")
			d.answers(agent, hook.PreCompact, agent, "", "")
			d.answers(agent, hook.Stop, agent, "", "")
		})
		if i == 1 {
			if err := s.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	hooks.Wait()
	calls.Wait()
	for _, agent := range hook.Agents() {
		text := d.answers(agent, hook.Prompt, agent+" 2", "the tide tables?", "")
		if hook.Takes(agent, hook.Prompt) && !strings.Contains(text, "blue cabinet") {
			t.Errorf("%s was given %q after the server died", agent, text)
		}
		compacted(agent, "after")
		d.answers(agent, hook.SessionEnd, agent, "", "")
	}
	for range 2 { // the second time nothing is left to be done
		if out, err := d.command(nil, "index").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	kept := d.text("notes")
	for summary := range want {
		if n := strings.Count(kept, summary); n != 1 {
			t.Errorf("%q is kept %d times", summary, n)
		}
	}
	left, err := filepath.Glob(filepath.Join(d.dir, "state", "*", "hooks", "queue", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the queue: %v, %v", left, err)
	}
}

// text returns all files below a folder, one after the other.
func (d *desk) text(below string) string {
	d.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Join(d.dir, below), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return b.String()
}

// TestLockedIndex: a hook answers beside a process that holds the index for writing and
// does nothing, and what it captures waits.
func TestLockedIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- The tide tables are in the blue cabinet. <!-- trigger: tide tables -->\n"})
	if out, err := d.command(nil, "index").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(d.dir, "state", "cache", "*", "main.sqlite"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	db, err := sql.Open("sqlite", found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	d.write("memory/2026-03-02.md", "The alarm code was changed.\n") // which would be indexed
	for _, agent := range hook.Agents() {
		text := d.answers(agent, hook.Prompt, agent, "the tide tables?", "")
		if hook.Takes(agent, hook.Prompt) && !strings.Contains(text, "blue cabinet") {
			t.Errorf("%s was given %q", agent, text)
		}
		d.answers(agent, hook.PostCompact, agent, "", "A summary of "+agent+".")
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if out, err := d.command(nil, "index").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept := d.text("notes")
	for _, agent := range hook.Agents() {
		if n := strings.Count(kept, "A summary of "+agent+"."); n != 1 {
			t.Errorf("the summary of %s is kept %d times", agent, n)
		}
	}
}
