package session_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// usual is where a transcript of each format stands below the folder of its agent.
var usual = map[string]string{
	"claude-code": "projects/-home-user-harbour/s.jsonl",
	"codex":       "sessions/2026/03/02/rollout-s.jsonl",
	"gemini":      "tmp/harbour/chats/session-s.jsonl",
	"openclaw":    "agents/main/sessions/s.jsonl",
	"pi":          "sessions/--home-user-harbour--/2026-03-02_s.jsonl",
	"cursor":      "projects/home-user-harbour/agent-transcripts/s/s.jsonl",
}

// write writes files of an agent, and returns its folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, opts session.Options) *session.Source {
	t.Helper()
	opts.Location = time.UTC
	src, err := session.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// ids returns what a scan lists, skipped files with the reason.
func ids(t testing.TB, src *session.Source) (all []string) {
	t.Helper()
	for entry, err := range src.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		id := string(entry.ID)
		if entry.Skip != "" {
			id += ": " + entry.Skip
		}
		all = append(all, id)
	}
	return all
}

// only reads the only session of a source.
func only(t testing.TB, src *session.Source) session.Session {
	t.Helper()
	all := ids(t, src)
	if len(all) != 1 {
		t.Fatalf("got %q, want one transcript", all)
	}
	x, err := src.Session(t.Context(), memoir.DocID(all[0]))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func day(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// short is a turn without its time.
func short(role, text string, line int) session.Turn {
	return session.Turn{Role: role, Text: text, Line: line}
}

func TestFormats(t *testing.T) {
	const user, assistant, summary = session.User, session.Assistant, session.Summary
	for _, tt := range []struct {
		agent, file string
		want        session.Session
	}{
		{"claude-code", "claude-code.jsonl", session.Session{
			ID: "11111111-aaaa", Title: "Who keeps the tide tables? And since when?", Started: day("2026-03-02T09:00:01Z"), Ended: day("2026-03-03T10:00:00Z"),
			Turns: []session.Turn{
				short(user, "Who keeps the tide tables?\nAnd since when?", 3), short(assistant, "Let me look.", 5), short(assistant, "Ingrid does.\n\nSince 2019.", 8),
				short(summary, "Ingrid keeps the tide tables.", 17), short(user, "谢谢！ The password is [secret: password], and that is all.", 18),
			},
			Report: session.Report{Sessions: 1, Records: 19, Unknown: map[string]int{"type brand-new-record": 1}},
		}},
		{"codex", "codex.jsonl", session.Session{
			ID: "22222222-bbbb", Title: "Where is the quay plan?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:13Z"),
			Turns: []session.Turn{
				short(user, "Where is the quay plan?", 4), short(assistant, "In plan.dwg.", 9), short(summary, "The quay plan is in plan.dwg.", 15),
				short(user, "And the crane?", 16), short(assistant, "In crane.dwg.", 18),
			},
			Report: session.Report{Sessions: 1, Records: 21, Unknown: map[string]int{"type brand_new_record": 1}},
		}},
		{"gemini", "gemini.jsonl", session.Session{
			ID: "33333333-cccc", Title: "Who runs the ferry?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:08Z"),
			Turns: []session.Turn{
				short(user, "Who runs the ferry?", 3), short(assistant, "Let me see.", 5), short(assistant, "Olaf runs it.", 7), short(user, "Since when?", 13),
			},
			Report: session.Report{Sessions: 1, Records: 14, Unknown: map[string]int{"type ": 1}},
		}},
		{"gemini", "gemini.json", session.Session{
			ID: "44444444-dddd", Title: "Who runs the ferry?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:02Z"),
			Turns:  []session.Turn{short(user, "Who runs the ferry?", 6), short(assistant, "Olaf.", 12)},
			Report: session.Report{Sessions: 1, Records: 2},
		}},
		{"openclaw", "openclaw.jsonl", session.Session{
			ID: "55555555-eeee", Title: "We chose Postgres 17.", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:09Z"),
			Turns: []session.Turn{
				short(user, "We chose Postgres 17.", 3), short(assistant, "Noted.", 4), short(summary, "Postgres 17 was chosen.", 7), short(user, "And the port?", 10), short(assistant, "5432.", 11),
			},
			Report: session.Report{Sessions: 1, Records: 12, Unknown: map[string]int{"type brand_new": 1}, Versions: map[string]int{"4": 1}},
		}},
		{"pi", "pi.jsonl", session.Session{
			ID: "66666666-ffff", Title: "Which lamp is out?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:09Z"),
			Turns: []session.Turn{
				short(user, "Which lamp is out?", 4), short(assistant, "The green one.", 8), short(summary, "The green lamp is out.", 11), short(user, "谢谢！ Change it on Friday.", 14),
			},
			Report: session.Report{Sessions: 1, Records: 14, Unknown: map[string]int{"type brand_new": 1}, Versions: map[string]int{"3": 1}},
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			name := strings.TrimSuffix(usual[tt.agent], ".jsonl") + filepath.Ext(tt.file)
			got := only(t, open(t, session.Options{Agent: tt.agent, Dir: write(t, map[string]string{name: fixture(t, tt.file)})}))
			tt.want.Agent, tt.want.Doc, tt.want.Project = tt.agent, got.Doc, "/home/user/harbour"
			if tt.file == "gemini.json" {
				tt.want.Project = ""
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(session.Turn{}, "Time")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			for _, turn := range got.Turns {
				if turn.Time.IsZero() {
					t.Errorf("line %d has no time", turn.Line)
				}
			}
		})
	}
}

// Cursor writes no times: a session ended when its file was written.
func TestCursor(t *testing.T) {
	dir := write(t, map[string]string{usual["cursor"]: fixture(t, "cursor.jsonl")})
	at := day("2026-03-02T10:00:00Z")
	if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(usual["cursor"])), at, at); err != nil {
		t.Fatal(err)
	}
	want := session.Session{
		Doc: "sessions/cursor/home-user-harbour/agent-transcripts/s/s.jsonl", ID: "s", Agent: "cursor", Title: "Who has the key of the shed?", Ended: at,
		Turns: []session.Turn{
			short(session.User, "Who has the key of the shed?", 1), short(session.Assistant, "I look it up.", 2), short(session.Assistant, "Torvald has it.", 4), short(session.User, "谢谢！", 6),
		},
		Report: session.Report{Sessions: 1, Records: 7, Unknown: map[string]int{"type brand_new": 1}},
	}
	src := open(t, session.Options{Agent: "cursor", Dir: dir})
	if diff := cmp.Diff(want, only(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if doc, err := src.Read(t.Context(), want.Doc); err != nil || doc.Date != "2026-03-02" {
		t.Errorf("got %v, %q", err, doc.Date)
	}
}

// A line of the document is the line of the transcript.
func TestDocument(t *testing.T) {
	src := open(t, session.Options{Agent: "claude-code", Dir: write(t, map[string]string{usual["claude-code"]: fixture(t, "claude-code.jsonl")})})
	doc, err := src.Read(t.Context(), "sessions/claude-code/-home-user-harbour/s.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(doc.Text, "\n")
	got := map[int]string{}
	for i, line := range lines {
		if line != "" {
			got[i+1] = line
		}
	}
	want := map[int]string{
		3: "User: Who keeps the tide tables? And since when?", 5: "Assistant: Let me look.", 8: "Assistant: Ingrid does. Since 2019.",
		17: "Summary: Ingrid keeps the tide tables.", 18: "User: 谢谢！ The password is [secret: password], and that is all.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if doc.Kind != memoir.KindSession || doc.Date != "2026-03-03" || doc.Title == "" || doc.Hash == "" {
		t.Errorf("got %q, %q, %q, %q", doc.Kind, doc.Date, doc.Title, doc.Hash)
	}
	if _, err := src.Read(t.Context(), "sessions/claude-code/-home-user-harbour/other.jsonl"); err != memoir.ErrNotFound {
		t.Errorf("got %v, want it not found", err)
	}
}

// samples returns the folder of transcripts of real programs, which MEMOIR_TEST_TRANSCRIPTS
// names or which stands beside the repository.
func samples() string {
	if folder := os.Getenv("MEMOIR_TEST_TRANSCRIPTS"); folder != "" {
		return folder
	}
	return filepath.Join("..", "..", "..", "shared", "transcripts")
}

// The samples of real programs, where they are.
func TestSamples(t *testing.T) {
	folder := samples()
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the samples are not here")
	}
	const hello = "Hello from the mock model."
	for file, want := range map[string][]string{
		"own/claude-code/mock-cc-2.1.329-short.jsonl":                 {"user 5 What do we know about abc?", "assistant * " + hello},
		"own/claude-code/mock-cc-2.1.329-compaction.jsonl":            {"user 5 What do we know about abc?", "assistant 28 " + hello, "summary 39 *", "user 54 next question", "assistant 71 " + hello, "summary 84 *"},
		"own/codex/mock-codex-0.169.0-mcp.jsonl":                      {"user * What do we know about abc?", "assistant 17 " + hello},
		"own/codex/mock-codex-0.169.0-compaction.jsonl":               {"user 9 List the files and remember that we deploy on Fridays", "assistant 17 " + hello, "summary 28 *", "user 37 And what database did we pick?", "assistant 39 " + hello},
		"own/gemini-cli/mock-gemini-0.61.0.jsonl":                     {"user 3 What do we know about abc?", "assistant 10 " + hello},
		"own/openclaw/mock-openclaw-2026.9.6-events.jsonl":            {"user 5 What do we know about abc?", "assistant 6 " + hello},
		"own/openclaw/mock-openclaw-2026.9.6-compaction-events.jsonl": {"user 5 Turn 1: we decided to use Postgres 17", "assistant 6 " + hello, "summary 8 *", "user 9 Turn 2: we decided to use Postgres 17", "assistant 10 " + hello},
		"third-party/claude-code/ccl-todowrite_examples.jsonl":        {"user 1 Can you help me implement a new feature with proper task management?", "assistant 2 *", "assistant 5 *", "user 8 Can you add a task for security review as well?", "assistant 9 *"},
		"third-party/claude-code/ccl-representative_messages.jsonl":   {"user 1 *", "assistant 2 *", "user 3 *", "assistant 6 *", "user 7 Can you run that example to show the output?", "assistant 10 *", "user 11 *"},
		"third-party/claude-code/simonw-sample_session.jsonl":         {"user 2 Create a hello world function", "assistant 3 I'll create that function for you.", "user 7 Now add a goodbye function", "assistant 8 Done! The hello function is ready."},
		"third-party/codex/ccl-rollout-synthetic-tools.jsonl":         {"user 3 List the synthetic files.", "assistant 12 The synthetic files are alpha.txt and beta.txt."},
		"third-party/gemini-cli/agentsview-standard_session.json":     {"user 4 Fix the login bug", "assistant 10 Looking at the auth module...", "user 16 That looks right", "assistant 22 Applied the fix."},
		"third-party/gemini-cli/agentsview-tool_calls.json":           {"user 4 Read this file", "assistant 10 Let me read it."},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
			if err != nil {
				t.Skip(err)
			}
			agent := strings.TrimSuffix(strings.Split(file, "/")[1], "-cli")
			name := strings.TrimSuffix(usual[agent], ".jsonl") + filepath.Ext(file)
			x := only(t, open(t, session.Options{Agent: agent, Dir: write(t, map[string]string{name: string(data)})}))
			var got []string
			for i, turn := range x.Turns {
				words := []string{turn.Role, strconv.Itoa(turn.Line), turn.Text}
				if i < len(want) {
					for j, w := range strings.SplitN(want[i], " ", 3) {
						if w == "*" {
							words[j] = w
						}
					}
				}
				got = append(got, strings.Join(words, " "))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			text, err := src(t, agent, name, string(data)).Read(t.Context(), x.Doc)
			if err != nil || strings.Contains(text.Text, "MEMCTX") || strings.Contains(text.Text, "memory_search") {
				t.Errorf("got %v, %q", err, text.Text)
			}
		})
	}
}

func src(t testing.TB, agent, name, text string) *session.Source {
	return open(t, session.Options{Agent: agent, Dir: write(t, map[string]string{name: text})})
}
