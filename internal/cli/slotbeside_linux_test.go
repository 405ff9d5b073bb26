package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/notegen"
)

// TestSlotBeside runs OpenClaw twice over the same notes, with its own memory and with
// memoir in the slot, and asks them in turns. "answers" tells what each finds, "times"
// how long each takes, on the clock and of the processor, with the start of OpenClaw's
// command line, which is most of it. Its own memory searches by words alone: there is
// no provider without a network. Nothing is asserted of the times.
func TestSlotBeside(t *testing.T) {
	own, ours, facts := slotSides(t)
	t.Run("answers", func(t *testing.T) {
		for _, x := range slotQuestions(t, facts, own.workspace, ours.workspace) {
			t.Logf("| %s | %s | %s |", x.what, own.place(x), ours.place(x))
		}
	})
	t.Run("times", func(t *testing.T) {
		for _, c := range slotCalls(facts) {
			rows := map[string]*spent{own.name: {}, ours.name: {}}
			for i := range c.rounds {
				for _, s := range []*slotSide{own, ours} {
					if c.alone {
						s.stop()
					}
					rows[s.name].add(s, func() { c.do(s, i) })
				}
			}
			t.Logf("| %s | %s | %s |", c.what, rows[own.name], rows[ours.name])
		}
	})
}

// slotSide is an OpenClaw with one of the memories.
type slotSide struct {
	*agentMachine
	name, workspace string
	call            func(method, params string) string
	stop            func() // ends the gateway
}

func slotSides(t *testing.T) (own, ours *slotSide, facts []notegen.Fact) {
	dir, root, path := agentsFolder(t)
	a := realAgents[slices.IndexFunc(realAgents, func(a realAgent) bool { return a.name == "openclaw" })]
	a.files = map[string]string{".openclaw/openclaw.json": strings.Replace(openclawSettings, "{\n", "{\n  \"memory\": {\"search\": {\"provider\": \"none\"}},\n", 1)}
	program := filepath.Join(dir, a.program)
	if _, err := os.Stat(program); err != nil {
		t.Skip("it is not in the folder")
	}
	side := func(name string) *slotSide {
		s := &slotSide{agentMachine: newAgentMachine(t, a, program, root, path), name: name}
		s.workspace = filepath.Join(s.home, "openclaw")
		var err error
		if facts, err = notegen.Write(s.workspace, notegen.Options{Days: 7, BytesPerDay: 2000}); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(s.workspace, "MEMORY.md"), "- Router VLAN 30 is for the cameras.\n- Ann takes her tea without milk.\n- 备份密码写在蓝色笔记本里。\n")
		writeFile(t, filepath.Join(s.workspace, "projects/greenhouse.md"), "# Greenhouse\n\nThe thermostat of the greenhouse is a Tado.\n")
		if name == "memoir" {
			s.run("memoir", "index", "--workspace", s.workspace)
			s.agent("plugins", "install", "ROOT/plugins/openclaw-memoir", "--force", "--accept-capabilities")
			s.agent("config", "set", "plugins.entries.openclaw-memoir.config.dreaming.enabled", "false") // or the built-in memory answers
		}
		s.call, s.stop, _ = s.gateway()
		for range 3 { // so that its index is there
			s.search("tea")
		}
		return s
	}
	return side("OpenClaw's own"), side("memoir"), facts
}

// slotQuestion is a question, and the words that a right answer holds.
type slotQuestion struct {
	what, query, want string
	before            func() // what happens right before it is asked
}

func slotQuestions(t *testing.T, facts []notegen.Fact, workspaces ...string) []slotQuestion {
	all := []slotQuestion{
		{what: "in other words: which vlan do the cameras have", query: "which vlan do the cameras have", want: "VLAN 30"},
		{what: "by its meaning: what does she drink in the morning", query: "what does she drink in the morning", want: "without milk"},
		{what: "a word of two Chinese characters: 密码", query: "密码", want: "备份密码"},
		{what: "a Chinese question: 密码写在哪里", query: "密码写在哪里", want: "备份密码"},
		{what: "a note outside `memory/`", query: "greenhouse thermostat", want: "Tado"},
		{what: "nonsense: zzzqqq wibblefrotz", query: "zzzqqq wibblefrotz", want: "\x00"},
	}
	for _, f := range facts[:6] {
		all = append(all, slotQuestion{what: fmt.Sprintf("%s, as it stands there, day %s", f.Kind, strings.TrimPrefix(f.Path, "memory/")), query: f.Text, want: f.Text})
	}
	for _, f := range facts[6:9] {
		all = append(all, slotQuestion{what: fmt.Sprintf("%s, as a question", f.Kind), query: f.Question, want: f.Text})
	}
	written := slotQuestion{what: "a line that was written a moment ago", query: "who repairs the chimney", want: "Okafor"}
	written.before = func() {
		for _, w := range workspaces {
			writeFile(t, filepath.Join(w, "memory", time.Now().Format(time.DateOnly)+".md"), "- Okafor repairs the chimney.\n")
		}
	}
	again := slotQuestion{what: "the same, asked again", query: written.query, want: written.want}
	return append(all, written, again)
}

// place tells where among what is found a right answer stands.
func (s *slotSide) place(x slotQuestion) string {
	s.Helper()
	if x.before != nil {
		x.before()
	}
	found := s.search(x.query)
	for i, r := range found {
		if strings.Contains(r.Snippet, x.want) {
			return fmt.Sprintf("%d of %d", i+1, len(found))
		}
	}
	return fmt.Sprintf("– of %d", len(found))
}

// slotFound is a passage as OpenClaw's memory_search gives it.
type slotFound struct{ Path, Snippet string }

// search has the running gateway call the tool memory_search.
func (s *slotSide) search(query string) []slotFound {
	s.Helper()
	body, _ := json.Marshal(map[string]any{"tool": "memory_search", "args": map[string]string{"query": query}}) // strings always can be written
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.hostAddress+"/tools/invoke", bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer T")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	var answer struct {
		Ok     bool
		Result struct {
			Details struct {
				Provider string
				Results  []slotFound
			}
		}
	}
	if err = errors.Join(err, json.Unmarshal(out, &answer)); err != nil || !answer.Ok {
		s.Fatalf("%q: %.2000s, %v", query, out, err)
	}
	if by := answer.Result.Details.Provider; (by == "memoir") != (s.name == "memoir") {
		s.Fatalf("%s: %q is answered by %q", s.name, query, by)
	}
	return answer.Result.Details.Results
}

// slotCall is something that both are asked to do.
type slotCall struct {
	what   string
	rounds int
	alone  bool // OpenClaw holds no turn beside a gateway that runs
	do     func(s *slotSide, round int)
}

func slotCalls(facts []notegen.Fact) []slotCall {
	return []slotCall{
		{"`memory_search` in the running gateway", 21, false, func(s *slotSide, i int) { s.search(facts[i%len(facts)].Question) }},
		{"`plugins inspect --runtime`", 1, false, func(s *slotSide, _ int) {
			id := "memory-core"
			if s.name == "memoir" {
				id = "openclaw-memoir"
			}
			s.agent("plugins", "inspect", id, "--runtime", "--json")
		}},
		{"`gateway call memory.search`", 3, false, func(s *slotSide, i int) {
			q, _ := json.Marshal(map[string]string{"query": facts[i*len(facts)/3].Text}) // strings always can be written
			s.call("memory.search", string(q))
		}},
		{"`gateway call doctor.memory.status`", 3, false, func(s *slotSide, _ int) { s.call("doctor.memory.status", `{"probe":true}`) }},
		{"a turn that searches", 2, true, func(s *slotSide, i int) {
			s.model.call("memory_search", `{"query":"which vlan do the cameras have"}`)
			s.say(fmt.Sprint("search", i), "look")
			if !strings.Contains(s.model.reset(), "VLAN 30") {
				s.Errorf("%s: the turn did not find the line", s.name)
			}
		}},
		{"a session that is full, and its turn that flushes", 1, true, func(s *slotSide, i int) {
			file := "memory/" + time.Now().Format(time.DateOnly) + ".md"
			s.model.tokens = 92_000
			s.say(fmt.Sprint("full", i), "a long talk")
			s.model.call("write", fmt.Sprintf(`{"path":%q,"content":"- Alarm code %d of the shed.\\n"}`, file, i))
			s.model.when = "Pre-compaction memory flush"
			s.say(fmt.Sprint("full", i), "go on")
			s.model.tokens = 0
			s.model.reset()
			if got, _ := os.ReadFile(filepath.Join(s.workspace, file)); !bytes.Contains(got, fmt.Appendf(nil, "Alarm code %d", i)) {
				s.Errorf("%s: the flush wrote %q", s.name, got)
			}
		}},
	}
}

// spent is what calls took: of the clock, and of the processor by their own programs
// and by the gateway with what it started.
type spent struct{ wall, processor []time.Duration }

func (x *spent) add(s *slotSide, do func()) {
	before := s.spent + processorTime(s.host.Pid)
	began := time.Now()
	do()
	x.wall = append(x.wall, time.Since(began))
	x.processor = append(x.processor, s.spent+processorTime(s.host.Pid)-before)
}

func (x *spent) String() string {
	median := func(all []time.Duration) time.Duration {
		return slices.Sorted(slices.Values(all))[len(all)/2].Round(10 * time.Millisecond)
	}
	return fmt.Sprintf("%v, %v", median(x.wall), median(x.processor))
}

// processorTime returns what a process and those that it started have taken.
func processorTime(pid int) time.Duration {
	type process struct {
		parent int
		ticks  int64
	}
	all := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		data, err := os.ReadFile(f)
		i := bytes.LastIndexByte(data, ')')
		if err != nil || i < 0 {
			continue // it has just ended
		}
		fields := strings.Fields(string(data[i+1:]))
		p := process{}
		p.parent, _ = strconv.Atoi(fields[1])
		for _, x := range fields[11:15] { // its own time, and that of those that it waited for
			n, _ := strconv.ParseInt(x, 10, 64)
			p.ticks += n
		}
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		all[n] = p
	}
	var sum int64
	for n, p := range all {
		for at := n; at > 1; at = all[at].parent {
			if at == pid {
				sum += p.ticks
				break
			}
		}
	}
	return time.Duration(sum) * time.Second / 100 // a tick of Linux
}
