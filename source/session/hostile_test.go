package session_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// said is a record of Claude Code.
func said(role, id, parent, text string) string {
	return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%q,"timestamp":"2026-03-02T09:00:00Z","message":{"role":%[1]q,"content":%[4]q}}`, role, id, parent, text)
}

func talk(t testing.TB, lines ...string) []session.Turn {
	t.Helper()
	return only(t, src(t, "claude-code", usual["claude-code"], strings.Join(lines, "\n"))).Turns
}

func words(turns []session.Turn) (all []string) {
	for _, t := range turns {
		all = append(all, fmt.Sprintf("%s %d %s", t.Role, t.Line, t.Text))
	}
	return all
}

func TestBrokenTranscripts(t *testing.T) {
	one, two := said("user", "1", "", "one"), said("assistant", "2", "1", "two 潮")
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"nothing", nil, nil},
		{"cut in the middle of a line", []string{one, two[:len(two)-20]}, []string{"user 1 one"}},
		{"cut in the middle of a character", []string{one, two[:strings.Index(two, "潮")+1]}, []string{"user 1 one"}},
		{"the last line without an end", []string{one, two}, []string{"user 1 one", "assistant 2 two 潮"}},
		{"CRLF, blank lines, no records", []string{one + "\r", "", "[]", "null", "7", `"x"`, "{}", "{", "\x00\xff", two + "\r"}, []string{"user 1 one", "assistant 10 two 潮"}},
		{"other types than expected", []string{`{"type":7}`, `{"type":"user","message":"x"}`, `{"type":"user","message":{"content":{"a":1}}}`, one}, []string{"user 4 one"}},
		{"a cycle", []string{said("user", "1", "3", "one"), said("assistant", "2", "1", "two"), said("user", "3", "2", "three")}, []string{"user 1 one", "assistant 2 two", "user 3 three"}},
		{"its own parent", []string{said("user", "1", "1", "one"), said("user", "2", "1", "two")}, []string{"user 1 one", "user 2 two"}},
		{"a parent that is not there", []string{said("user", "1", "x", "one"), said("user", "2", "1", "two")}, []string{"user 1 one", "user 2 two"}},
		{"no ids", []string{said("user", "", "", "one"), said("user", "", "", "two")}, []string{"user 1 one", "user 2 two"}},
		{"a branch left behind", []string{one, said("user", "b", "1", "dead"), said("user", "c", "1", "alive")}, []string{"user 1 one", "user 3 alive"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, words(talk(t, tt.lines...))); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// A shell of Windows may put a mark before a transcript that it copies, or write it in
// UTF-16. No line is lost by that, and none moves.
func TestMarkedTranscripts(t *testing.T) {
	text := said("user", "1", "", "one 潮🚢") + "\r\n" + said("assistant", "2", "1", "two") + "\r\n"
	wide := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	want := []string{"user 1 one 潮🚢", "assistant 2 two"}
	little := wide(binary.LittleEndian, text)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"UTF-8", "\ufeff" + text, want},
		{"UTF-16, little end first", little, want},
		{"UTF-16, big end first", wide(binary.BigEndian, text), want},
		{"UTF-16, cut in the middle of a character", little[:len(little)-9], want[:1]},
		{"only the mark", "\ufeff", nil},
		{"half of the mark", "\xef\xbb", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, words(talk(t, tt.text))); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
	whole := only(t, src(t, "gemini", "tmp/harbour/chats/session-s.json", wide(binary.LittleEndian, fixture(t, "gemini.json"))))
	if plain := only(t, src(t, "gemini", "tmp/harbour/chats/session-s.json", fixture(t, "gemini.json"))); len(plain.Turns) == 0 || !cmp.Equal(plain.Turns, whole.Turns) {
		t.Errorf("a session of one value:\n%s", cmp.Diff(plain.Turns, whole.Turns))
	}
}

// A chain of many records is walked in linear time.
func TestLongChain(t *testing.T) {
	const records = 50_000
	var b strings.Builder
	for i := range records {
		b.WriteString(said("user", fmt.Sprint(i+1), fmt.Sprint(i), "x") + "\n")
	}
	if got := len(talk(t, b.String())); got != records {
		t.Errorf("got %d turns, want %d", got, records)
	}
}

// A line of 200 MB, of which the file has no block, is left out and takes no memory.
func TestLineBeyondTheBound(t *testing.T) {
	const hole = 200 << 20
	name := usual["claude-code"]
	dir := write(t, map[string]string{name: said("user", "1", "", "one") + "\n"})
	path := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()+hole); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n" + said("user", "2", "1", "two") + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x := only(t, open(t, session.Options{Agent: "claude-code", Dir: dir}))
	runtime.ReadMemStats(&after)
	if diff := cmp.Diff([]string{"user 1 one", "user 3 two"}, words(x.Turns)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"a line of more than 16 MiB": 1}, x.Unknown); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 128<<20 {
		t.Errorf("%d MiB were allocated for it", took>>20)
	}
}

// What one side says at once is bounded.
func TestLongTurn(t *testing.T) {
	turns := talk(t, said("user", "1", "", strings.Repeat("潮水 ", 1<<20)))
	if len(turns) != 1 || len(turns[0].Text) > 300<<10 || !strings.HasSuffix(turns[0].Text, "…") {
		t.Errorf("got %d turns", len(turns))
	}
}

// A time after the file's own is not believed.
func TestTimes(t *testing.T) {
	text := strings.ReplaceAll(said("user", "1", "", "one"), "2026-03-02", "9999-01-01") + "\n" + strings.ReplaceAll(said("user", "2", "1", "two"), `"2026-03-02T09:00:00Z"`, `1e300`) + "\n" + said("user", "3", "2", "three")
	dir := write(t, map[string]string{usual["claude-code"]: text})
	at := day("2026-03-02T10:00:00Z")
	if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(usual["claude-code"])), at, at); err != nil {
		t.Fatal(err)
	}
	x := only(t, open(t, session.Options{Agent: "claude-code", Dir: dir}))
	var got []time.Time
	for _, turn := range x.Turns {
		got = append(got, turn.Time)
	}
	want := []time.Time{{}, {}, day("2026-03-02T09:00:00Z")}
	if diff := cmp.Diff(want, got); diff != "" || !x.Ended.Equal(want[2]) {
		t.Errorf("ended %v; want -, got +:\n%s", x.Ended, diff)
	}
}

func packed(t testing.TB, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchives(t *testing.T) {
	text := fixture(t, "openclaw.jsonl")
	const folder = "agents/main/sessions/"
	src := open(t, session.Options{Agent: "openclaw", MaxBytes: 1 << 20, Dir: write(t, map[string]string{
		folder + "a.jsonl": text,
		folder + "b.jsonl.reset.2026-03-02T09-00-00.000Z":     text,
		folder + "c.jsonl.deleted.2026-03-02T09-00-00.000Z":   text,
		folder + "d.jsonl.reset.2026-03-02T09-00-00.000Z.zst": packed(t, []byte(text)),
		folder + "e.jsonl.zst":                                packed(t, bytes.Repeat([]byte("{}\n"), 1<<20)), // a bomb
		folder + "f.jsonl.zst":                                "not packed",
		folder + "g.jsonl.zst":                                packed(t, []byte(text))[:200], // cut
		folder + "h.checkpoint.1.jsonl":                       text,
		folder + "sessions.json":                              "{}",
		folder + "i.jsonl.lock":                               "",
	})})
	got := map[string]string{}
	for _, id := range ids(t, src) {
		x, err := src.Session(t.Context(), memoir.DocID(id))
		got[strings.TrimPrefix(id, "sessions/openclaw/main/sessions/")] = fmt.Sprint(len(x.Turns))
		if skip := (*memoir.SkipError)(nil); errors.As(err, &skip) {
			got[strings.TrimPrefix(id, "sessions/openclaw/main/sessions/")], _, _ = strings.Cut(skip.Reason, ":")
		}
	}
	want := map[string]string{
		"a.jsonl": "5", "b.jsonl.reset.2026-03-02T09-00-00.000Z": "5", "c.jsonl.deleted.2026-03-02T09-00-00.000Z": "5",
		"d.jsonl.reset.2026-03-02T09-00-00.000Z.zst": "5", "e.jsonl.zst": "too large", "f.jsonl.zst": "cannot be read", "g.jsonl.zst": "cannot be read",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// What leads out of the folder, or is no file, is neither followed nor waited for.
func TestLinks(t *testing.T) {
	out := write(t, map[string]string{"secret.jsonl": said("user", "1", "", "secret"), "folder/s.jsonl": said("user", "1", "", "secret")})
	dir := write(t, map[string]string{"projects/p/a.jsonl": said("user", "1", "", "one"), "projects/p/agent-1.jsonl": "", "projects/p/a/subagents/agent-2.jsonl": "", "projects/p/memory/MEMORY.md": ""})
	err := errors.Join(os.Symlink(filepath.Join(out, "secret.jsonl"), filepath.Join(dir, "projects", "p", "b.jsonl")), os.Symlink(filepath.Join(out, "folder"), filepath.Join(dir, "projects", "q")))
	if err != nil && runtime.GOOS != "windows" { // which lets only some users make links
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	src := open(t, session.Options{Agent: "claude-code", Dir: dir})
	want := []string{"sessions/claude-code/p/a.jsonl", "sessions/claude-code/p/b.jsonl: symbolic link; links are not followed"}
	if diff := cmp.Diff(want, ids(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for _, id := range []memoir.DocID{"sessions/claude-code/p/b.jsonl", "sessions/claude-code/q/s.jsonl"} {
		if x, err := src.Session(t.Context(), id); err == nil || len(x.Turns) > 0 {
			t.Errorf("%s: got %q", id, words(x.Turns))
		}
	}
	for _, id := range []memoir.DocID{"sessions/claude-code/../p/a.jsonl", "sessions/claude-code/p/../p/a.jsonl", "sessions/codex/p/a.jsonl", "p/a.jsonl", "sessions/claude-code/p/./a.jsonl", "sessions/claude-code//p/a.jsonl", "sessions/claude-code/p/agent-1.jsonl"} {
		if src.Owns(id) {
			t.Errorf("%s is taken for a transcript", id)
		}
	}
}

// A folder of many sessions is listed in order, each once, and only the newest are read
// to be counted. MEMOIR_TEST_LONG makes it 50,000.
func TestManySessions(t *testing.T) {
	files, many := map[string]string{}, 2000
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		many = 50_000
	}
	for i := range many {
		files[fmt.Sprintf("projects/p%02d/%05d.jsonl", i%20, i)] = said("user", "1", "", "x")
	}
	src := open(t, session.Options{Agent: "claude-code", Dir: write(t, files)})
	all := ids(t, src)
	if len(all) != len(files) {
		t.Errorf("got %d transcripts, want %d", len(all), len(files))
	}
	for i := 1; i < len(all); i++ {
		if all[i] <= all[i-1] {
			t.Fatalf("%s stands behind %s", all[i], all[i-1])
		}
	}
	if report, n, _, err := src.Examine(t.Context(), 20); err != nil || n != many || report.Sessions != 20 {
		t.Errorf("got %+v, %d, %v", report, n, err)
	}
}

func TestPlaces(t *testing.T) {
	if got := ids(t, open(t, session.Options{Agent: "codex", Dir: filepath.Join(t.TempDir(), "nowhere")})); len(got) > 0 {
		t.Errorf("an agent that is not here has %q", got)
	}
	if _, err := session.Open(session.Options{Agent: "nobody"}); !errors.Is(err, memoir.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	for _, tt := range []struct {
		opts  session.Options
		files []string
		want  []string
	}{
		{session.Options{Agent: "codex"}, []string{"sessions/2026/03/02/rollout-a.jsonl", "archived_sessions/rollout-b.jsonl", "sessions/2026/03/02/x.jsonl", "history.jsonl"},
			[]string{"sessions/codex/2026/03/02/rollout-a.jsonl", "sessions/codex/archived_sessions/rollout-b.jsonl"}},
		{session.Options{Agent: "gemini"}, []string{"tmp/p/chats/session-a.json", "tmp/p/chats/session-a.jsonl", "tmp/p/chats/session-b.json", "tmp/p/logs.json", "tmp/p/chats/sub/x.jsonl"},
			[]string{"sessions/gemini/p/chats/session-a.jsonl", "sessions/gemini/p/chats/session-b.json"}},
		{session.Options{Agent: "pi"}, []string{"sessions/--p--/2026_s.jsonl", "sessions/s.jsonl", "sessions/--p--/sub/s.jsonl", "auth.json", "settings.json"},
			[]string{"sessions/pi/--p--/2026_s.jsonl"}},
		{session.Options{Agent: "cursor"}, []string{"projects/p/agent-transcripts/a/a.jsonl", "projects/p/agent-transcripts/a/subagents/b.jsonl", "projects/p/agent-transcripts/a/b.jsonl", "projects/p/agent-transcripts/c.jsonl", "projects/p/agent-transcripts/d.txt", "projects/p/terminals/1.jsonl", "chats/x/y/store.db"},
			[]string{"sessions/cursor/p/agent-transcripts/a/a.jsonl", "sessions/cursor/p/agent-transcripts/c.jsonl"}},
		{session.Options{Agent: "openclaw", Part: "work"}, []string{"agents/main/sessions/a.jsonl", "agents/work/sessions/b.jsonl"},
			[]string{"sessions/openclaw/work/sessions/b.jsonl"}},
	} {
		files := map[string]string{}
		for _, name := range tt.files {
			files[name] = "{}\n"
		}
		tt.opts.Dir = write(t, files)
		src := open(t, tt.opts)
		if diff := cmp.Diff(tt.want, ids(t, src)); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", tt.opts.Agent, diff)
		}
		for _, id := range tt.want {
			if _, err := src.Read(t.Context(), memoir.DocID(id)); err != nil || !src.Owns(memoir.DocID(id)) {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
}

// A transcript that grows is due when it has grown by enough bytes or messages.
func TestDue(t *testing.T) {
	line := said("user", "", "", "x") + "\n"
	size := int64(len(line))
	dir := write(t, map[string]string{usual["claude-code"]: strings.Repeat(line, 20)})
	src := open(t, session.Options{Agent: "claude-code", Dir: dir, DeltaBytes: 12 * size, DeltaMessages: 10})
	var found memoir.DocumentMeta
	for entry := range src.Scan(t.Context()) {
		found = entry.DocumentMeta
	}
	for _, tt := range []struct {
		name string
		size int64
		mod  time.Time
		want bool
	}{
		{"nothing", 20 * size, found.ModTime, false},
		{"nothing, and young", 20 * size, time.Time{}, false},
		{"other content of the same size", 20 * size, found.ModTime.Add(-time.Hour), true},
		{"a few messages", 11 * size, found.ModTime, false},
		{"many messages", 10 * size, found.ModTime, true},
		{"half a message is none", 10*size + 1, found.ModTime, false},
		{"many bytes", 8 * size, found.ModTime, true},
		{"shrunk", 21 * size, found.ModTime, true},
	} {
		known := found
		known.Size, known.ModTime = tt.size, tt.mod
		if got := src.Due(t.Context(), known, found); got != tt.want {
			t.Errorf("%s: got %t", tt.name, got)
		}
	}
}

// Nothing of what came out of memoir, is private or gives access is said.
func TestLeftOut(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"a <private>b</private> c", "a c"},
		{"a <PRIVATE>b <private>c</private> d</Private> e", "a e"},
		{"a <private>b, to the end", "a"},
		{`a <private reason="x">b</private>`, "a"},
		{"a <privateer>b", "a <privateer>b"},
		{"a <private/> b", "a b"},
		{"<memory from=\"memoir\" note=\"n\">\n- recalled\n</memory>\nwhat now?", "what now?"},
		{"<memory from=\"memoir\">recalled, and cut", ""},
		{"<memory>of a book</memory>", "<memory>of a book</memory>"},
		{"<hook_context>x</hook_context>\n\nhello", "hello"},
		{"a <system-reminder>x</system-reminder> b", "a b"},
		{"a <system-reminder> b", "a <system-reminder> b"},
		{"<command-name>/clear</command-name>", ""},
		{"<environment_context>x</environment_context>", ""},
		{"password: Herring!Fjord8", "password: [secret: password]"},
		{"İ <private>ß</private> 潮", "İ 潮"},
		{strings.Repeat("<private>", 50_000), ""},
		{strings.Repeat("<memory ", 50_000), strings.TrimSpace(strings.Repeat("<memory ", 256<<10/8)) + " …"},
	} {
		var got string
		for _, turn := range talk(t, said("user", "1", "", tt.said)) {
			got = turn.Text
		}
		if len(tt.said) > 1000 {
			got, tt.want = got[:min(len(got), 100)], tt.want[:min(len(tt.want), 100)]
		}
		if got != tt.want {
			t.Errorf("%.60q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

// A message may be cut into parts, and what is private may begin in one and end in another.
func TestPrivateAcrossParts(t *testing.T) {
	list := func(kind string, texts ...string) string {
		var parts []string
		for _, text := range texts {
			parts = append(parts, fmt.Sprintf(`{"type":%q,"text":%q}`, kind, text))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, tt := range []struct {
		parts []string
		want  string
	}{
		{[]string{"a <private>b", "c", "d</private> e"}, "a e"},
		{[]string{"a <PRIVATE>b <private>c", "d</private> e", "f</Private>", "g"}, "a\n\ng"},
		{[]string{"a <private>b", "c"}, "a"},
		{[]string{"a <private>b</private>", "c", "d"}, "a\n\nc\n\nd"},
		{[]string{"a </private>", "b"}, "a </private>\n\nb"},
		{[]string{"<system-reminder>say <private></system-reminder>", "b"}, "b"},
		{[]string{"# AGENTS.md\nsay <private>", "b"}, "b"},
	} {
		for agent, record := range map[string]string{
			"claude-code": `{"type":"user","uuid":"1","message":{"content":` + list("text", tt.parts...) + `}}`,
			"codex":       `{"type":"response_item","payload":{"type":"message","role":"user","content":` + list("input_text", tt.parts...) + `}}`,
			"gemini":      `{"id":"1","type":"user","content":` + list("text", tt.parts...) + `}`,
			"openclaw":    `{"type":"message","id":"1","message":{"role":"user","content":` + list("text", tt.parts...) + `}}`,
			"cursor":      `{"role":"user","message":{"content":` + list("text", tt.parts...) + `}}`,
		} {
			var got string
			for _, turn := range only(t, src(t, agent, usual[agent], record)).Turns {
				got = turn.Text
			}
			if got != tt.want {
				t.Errorf("%s, %q: got %q, want %q", agent, tt.parts, got, tt.want)
			}
		}
	}
}

// An id that nobody can type, and that a terminal might obey, is none: then the file's name
// counts.
func TestOddIDs(t *testing.T) {
	for id, want := range map[string]string{
		"../../etc/passwd": "../../etc/passwd", "潮": "潮", "w -- x | <y>": "w -- x | <y>",
		"": "s", "\x1b]0;x\a": "s", "a\nb": "s", "\u202eb": "s", strings.Repeat("x", 1<<20): "s",
	} {
		name, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := only(t, src(t, "openclaw", usual["openclaw"], `{"type":"session","id":`+string(name)+"}\n")).ID; got != want {
			t.Errorf("%.40q: got %.40q, want %q", id, got, want)
		}
	}
}

// What Cursor's user typed stands in tags, which anybody may type, too.
func TestTyped(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"plain", "plain"},
		{"<user_query>a</user_query>", "a"},
		{"x<user_query>a</user_query>y<user_query>b</user_query>z", "a\n\nb"},
		{"x<user_query>a, and cut", "a, and cut"},
		{"<user_query>a <user_query>b</user_query></user_query>", "a <user_query>b"},
		{"</user_query>a", "</user_query>a"},
		{"<user_query></user_query>", ""},
	} {
		record := fmt.Sprintf(`{"role":"user","message":{"content":[{"type":"text","text":%q}]}}`, tt.said)
		var got string
		for _, turn := range only(t, src(t, "cursor", usual["cursor"], record)).Turns {
			got = turn.Text
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

// A session of a sub-agent or a heartbeat has no turns.
func TestSubAgents(t *testing.T) {
	for agent, text := range map[string]string{
		"codex":    strings.Replace(fixture(t, "codex.jsonl"), `"source":"cli"`, `"source":{"subagent":{"thread_spawn":{}}}`, 1),
		"gemini":   strings.Replace(fixture(t, "gemini.jsonl"), `"kind":"main"`, `"kind":"subagent"`, 1),
		"openclaw": strings.Replace(fixture(t, "openclaw.jsonl"), `"version":4`, `"sessionKey":"agent:main:cron:1"`, 1),
	} {
		s := src(t, agent, usual[agent], text)
		x := only(t, s)
		if doc, err := s.Read(t.Context(), x.Doc); err != nil || len(x.Turns) > 0 || doc.Text != "" {
			t.Errorf("%s: got %v, %q", agent, err, doc.Text)
		}
	}
}
