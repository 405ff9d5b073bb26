package remember_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/remember"
)

func (b *bench) tidy(opts remember.TidyOptions) remember.Tidying {
	b.t.Helper()
	out, err := b.keeper.Tidy(b.t.Context(), opts)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// listed is a finding in short: kind, certain or not, and where its entries stand.
func listed(findings []remember.TidyFinding) []string {
	out := []string{}
	for _, f := range findings {
		mark := "?"
		if f.Certain {
			mark = "!"
		}
		line := f.Kind + mark
		for _, e := range f.Entries {
			line += fmt.Sprintf(" %s:%d", e.Path, e.StartLine)
		}
		out = append(out, line)
	}
	return out
}

func (b *bench) finds(want ...string) []remember.TidyFinding {
	b.t.Helper()
	out := b.tidy(remember.TidyOptions{})
	if diff := cmp.Diff(append([]string{}, want...), listed(out.Findings)); diff != "" {
		b.t.Errorf("findings (-want +got):\n%s", diff)
	}
	if len(out.Applied)+len(out.Skipped) > 0 || out.Change != "" {
		b.t.Errorf("something was done: %+v", out)
	}
	return out.Findings
}

// What is certain is done in one change, with counts kept and every other byte left
// alone, and one undo takes it back.
func TestTidyDuplicates(t *testing.T) {
	files := map[string]string{
		"memory/contacts.md":   "\ufeff# Contacts\r\n\r\n- Ann lives in Oslo <!-- id: aaaaaaaa | observed: 2026-01-05 | count: 1 | last: 2026-01-20 -->\r\n- Café 🐟\r\n* ann lives in Oslo. <!-- id: bbbbbbbb | observed: 2026-02-01 | importance: 6 -->\r\n",
		"memory/learnings.md":  "# 经验\n\n- 潮水每六小时一次\n\n## 港口\n\n- 九点开门\n\n## 码头\n\n- 九点开门\n",
		"memory/projects.md":   "- 潮水每六小时一次。 <!-- observed: 2026-02-02 | origin: user -->\n",
		"memory/2026-03-01.md": "# 2026-03-01\n\n- Rowed to Hven\n- Rowed to Hven\n",
		"memory/2026-03-02.md": "- Rowed to Hven\n",
		"other.md":             "- see below\n- see below\n",
		"AGENTS.md":            "- be kind\n- be kind\n",
	}
	b := newBench(t, files, nil)
	found := b.finds("duplicate? memory/2026-03-01.md:3 memory/2026-03-01.md:4", "duplicate! memory/contacts.md:3 memory/contacts.md:5",
		"duplicate! memory/learnings.md:3 memory/projects.md:1", "duplicate? memory/learnings.md:7 memory/learnings.md:11")
	if want := "--- memory/contacts.md\n+++ memory/contacts.md\n@@ -3,1 +3,1 @@\n" +
		"-- Ann lives in Oslo <!-- id: aaaaaaaa | observed: 2026-01-05 | count: 1 | last: 2026-01-20 -->\n" +
		"+- Ann lives in Oslo <!-- id: aaaaaaaa | observed: 2026-01-05 | count: 2 | last: 2026-02-01 | importance: 6 -->\n" +
		"@@ -5,1 +4,0 @@\n-* ann lives in Oslo. <!-- id: bbbbbbbb | observed: 2026-02-01 | importance: 6 -->\n"; found[1].Diff != want {
		t.Errorf("the diff is\n%swant\n%s", found[1].Diff, want)
	}
	done := b.tidy(remember.TidyOptions{Apply: true})
	if diff := cmp.Diff([]string{found[1].ID, found[2].ID}, done.Applied); diff != "" || len(done.Skipped) > 0 || len(done.Written) != 3 {
		t.Errorf("done %+v (-want +got):\n%s", done, diff)
	}
	want := map[string]string{}
	for name, text := range files {
		want[name] = ids.ReplaceAllString(text, "$1: X")
	}
	want["memory/contacts.md"] = "\ufeff# Contacts\r\n\r\n- Ann lives in Oslo <!-- id: X | observed: 2026-01-05 | count: 2 | last: 2026-02-01 | importance: 6 -->\r\n- Café 🐟\r\n"
	want["memory/learnings.md"] = "# 经验\n\n- 潮水每六小时一次 <!-- id: X | count: 1 | last: 2026-02-02 -->\n\n## 港口\n\n- 九点开门\n\n## 码头\n\n- 九点开门\n"
	want["memory/projects.md"] = ""
	b.check(want)
	b.finds("duplicate? memory/2026-03-01.md:3 memory/2026-03-01.md:4", "duplicate? memory/learnings.md:7 memory/learnings.md:11")
	if _, err := b.keeper.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		want[name] = ids.ReplaceAllString(text, "$1: X")
	}
	b.check(want)
	// A person may have what is not certain done by its id.
	if done := b.tidy(remember.TidyOptions{Apply: true, IDs: []string{found[0].ID}}); len(done.Applied) != 1 {
		t.Errorf("got %+v", done)
	}
	want["memory/2026-03-01.md"] = "# 2026-03-01\n\n- Rowed to Hven <!-- id: X | count: 1 | last: 2026-03-01 -->\n"
	b.check(want)
}

// Where something would be lost, a person has to look.
func TestTidyNothingIsLost(t *testing.T) {
	b := newBench(t, map[string]string{
		"MEMORY.md": "- Ann is a diver <!-- trigger: dive -->\n- Ann is a diver <!-- trigger: sea -->\n- Bo rows <!-- scope: private -->\n- Bo rows\n" +
			"- Cy skis <!-- id: cccccccc -->\n- Cy skis <!-- id: dddddddd -->\n- Cy snowboards <!-- replaces: dddddddd -->\n" +
			"- Di sings <!-- status: superseded -->\n- Di sings\nYes.\n\nYes.\n",
		"USER.md":               "- Eve likes tea\n",
		"memory/preferences.md": "- Eve likes tea\n",
	}, nil)
	for _, f := range b.tidy(remember.TidyOptions{Kinds: []string{remember.Duplicate}}).Findings {
		if f.Certain {
			t.Errorf("it is certain that %s", f.Diff)
		}
	}
	if done := b.tidy(remember.TidyOptions{Apply: true}); done.Change != "" {
		t.Errorf("done: %+v", done)
	}
}

// What nobody can be sure of is shown, with what it would be.
func TestTidyStale(t *testing.T) {
	b := newBench(t, map[string]string{
		"MEMORY.md": "- Bob lives in Oslo <!-- id: aaaaaaaa | status: superseded | by: bbbbbbbb | until: 2025-06-01 -->\n- Bob lives in Bergen <!-- id: bbbbbbbb -->\n" +
			"- Ann lives in Rome <!-- id: eeeeeeee | status: superseded | until: 2026-02-01 -->\n",
		"memory/projects.md": "- Heron ships by 2026-01-15 <!-- observed: 2025-11-02 -->\n- 川流一期截止2026年1月5日\n- Crane is due on 2026-12-01\n" +
			"- Swan began on 2025-01-01\n- Gull has its deadline on 2026-01-10 <!-- last: 2026-02-20 -->\n",
		"memory/2025-10-01.md": "- [ ] call the harbour\n- [x] paint the boat\n",
		"memory/2026-02-28.md": "- [ ] sand the deck\n",
	}, nil)
	found := b.finds("stale? MEMORY.md:1", "stale? memory/2025-10-01.md:1", "stale? memory/projects.md:1", "stale? memory/projects.md:2")
	for i, want := range []string{"-- Bob lives in Oslo", "+- [x] call the harbour", "| status: superseded | until: 2026-01-15 -->", "until: 2026-01-05"} {
		if !strings.Contains(found[i].Diff, want) {
			t.Errorf("%s: the diff lacks %q:\n%s", found[i].Proposal, want, found[i].Diff)
		}
	}
}

// A link is an orphan when no note and no file is there, and it leads to what bears the
// name now, if one does. Wiki links may be of notes to come.
func TestTidyOrphans(t *testing.T) {
	b := newBench(t, map[string]string{
		"MEMORY.md": "- See [the router](memory/router.md) and [the boat](boats/skiff%20one.md \"Skiff\") <!-- id: aaaaaaaa -->\n- [[Someone]] ![map](map.md) [site](https://example.org/a.md) `[x](y.md)`\n" +
			"- [Hven](trips/hven.md), [码头](笔记/码头.md)\n",
		"trips/hven.md":        "- [back](../MEMORY.md) [up](../../outside.md) [code](../main.go)\n",
		"archive/码头.md":        "潮水\n",
		"memory/2026-03-01.md": "- [gone](2026-02-30.md)\n",
	}, nil)
	found := b.finds("orphan? MEMORY.md:1", "orphan? MEMORY.md:1", "orphan? MEMORY.md:3", "orphan? memory/2026-03-01.md:1")
	var diffs string
	for _, f := range found {
		diffs += f.Diff
	}
	for _, want := range []string{"+- See the router and [the boat]", "[the router](memory/router.md) and the boat <!--", "[码头](archive/码头.md)\n", "+- gone\n"} {
		if !strings.Contains(diffs, want) {
			t.Errorf("the diffs lack %q:\n%s", want, diffs)
		}
	}
}

// What is found of a line for another reason tells no secret of it either.
func TestTidyConceals(t *testing.T) {
	b := newBench(t, map[string]string{"MEMORY.md": "- The Wi-Fi password is Herring!Fjord8, see [the router](memory/router.md)\n"}, nil)
	for _, f := range b.finds("secret! MEMORY.md:1", "orphan? MEMORY.md:1") {
		if text := fmt.Sprintf("%+v", f); strings.Contains(text, "Fjord") || !strings.Contains(text, "the router") {
			t.Errorf("%s tells a secret, or too little: %s", f.Kind, text)
		}
	}
}

// Secrets are masked when a person has agreed, in the same change, and no output holds
// them.
func TestTidySecrets(t *testing.T) {
	b := newBench(t, map[string]string{
		"MEMORY.md": "- The Wi-Fi password is Herring!Fjord8\n- Tea\n- Ann lives in Oslo\n- Ann lives in Oslo\n",
		"日记.md":     "门禁密码改成了 4471# ，记一下\n",
	}, nil)
	found := b.finds("secret! MEMORY.md:1", "secret! 日记.md:1", "duplicate! MEMORY.md:3 MEMORY.md:4")
	for _, f := range found {
		if text := fmt.Sprintf("%+v", f); strings.Contains(text, "Fjord") || strings.Contains(text, "4471") {
			t.Errorf("a secret is told: %s", text)
		}
	}
	if want := "--- MEMORY.md\n+++ MEMORY.md\n@@ -1,1 +1,1 @@\n-- The Wi-Fi password is ••••\n+- The Wi-Fi password is [secret: password]\n"; found[0].Diff != want {
		t.Errorf("the diff is\n%s", found[0].Diff)
	}
	done := b.tidy(remember.TidyOptions{Apply: true})
	if len(done.Applied) != 1 || len(done.Skipped) != 2 || !strings.Contains(done.Skipped[0].Reason, "agree") || done.Masked {
		t.Errorf("without a word: %+v", done)
	}
	if _, err := b.keeper.Undo(t.Context(), done.Change); err != nil {
		t.Fatal(err)
	}
	done = b.tidy(remember.TidyOptions{Apply: true, Mask: true})
	if len(done.Applied) != 3 || !done.Masked {
		t.Errorf("got %+v", done)
	}
	b.check(map[string]string{"MEMORY.md": "- The Wi-Fi password is [secret: password]\n- Tea\n- Ann lives in Oslo <!-- id: X | count: 1 -->\n", "日记.md": "门禁密码改成了 [secret: password] ，记一下\n"})
	if _, err := b.keeper.Undo(t.Context(), done.Change); err != nil {
		t.Fatal(err)
	}
	b.check(map[string]string{"MEMORY.md": "- The Wi-Fi password is [secret: password]\n- Tea\n- Ann lives in Oslo\n- Ann lives in Oslo\n", "日记.md": "门禁密码改成了 [secret: password] ，记一下\n"})
	history, err := os.ReadFile(filepath.Join(b.state, "history.jsonl"))
	if err != nil || strings.Contains(string(history), "Fjord") || strings.Contains(string(history), "4471") {
		t.Errorf("the history: %v, %s", err, history)
	}
}

// asks counts answers that give out an entry.
func (b *bench) asks(text string, score float64, day string, questions ...string) {
	b.t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		b.t.Fatal(err)
	}
	l := access.Open(b.state, func() time.Time { return at }, nil)
	for _, q := range questions {
		l.Add(memoir.Query{}, memoir.Results{Query: q, Hits: []memoir.Hit{{Chunk: memoir.Chunk{StartLine: 1, Text: "- " + text}, Score: score, Snippet: "- " + text, SnippetStart: 1, SnippetEnd: 1}}})
	}
	l.Close()
}

// What of the latest logs is asked for often, in different words, goes to MEMORY.md, as
// it is there by then.
func TestTidyPromotes(t *testing.T) {
	const ferry, web, event = "I prefer the nine o'clock ferry to Hven over the bus", "The harbour office answers mails within two days", "Ann was ill"
	b := newBench(t, map[string]string{
		"memory/2026-02-20.md": "# 2026-02-20\n\n- " + ferry + "\n- " + web + " <!-- origin: web -->\n- Rarely asked for\n- [ ] " + event + "\n",
		"memory/2026-01-10.md": "- " + event + " in winter\n",
	}, withModel(t))
	for i, day := range []string{"2026-02-21", "2026-02-24", "2026-02-27", "2026-03-01"} {
		for _, text := range []string{ferry, web, event, "[ ] " + event, event + " in winter"} {
			b.asks(text, .9, day, fmt.Sprint("first ", i), fmt.Sprint("second ", i), "always the same")
		}
		b.asks("Rarely asked for", .9, day, "always the same")
	}
	found := b.finds("promote! memory/2026-02-20.md:3")
	if f := found[0]; f.Score < .75 || f.Score > 1 || !strings.Contains(f.Diff, "+++ MEMORY.md") {
		t.Errorf("got %+v", f)
	}
	if done := b.tidy(remember.TidyOptions{Apply: true}); len(done.Applied) != 1 {
		t.Errorf("got %+v", done)
	}
	if got, want := b.notes()["MEMORY.md"], "# Memory\n\n- "+ferry+" <!-- id: X | observed: 2026-02-20 | type: journal -->\n"; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
	b.finds()
}

// An event is never certain: it is for a person, who may name it.
func TestTidyPromotesNoEvent(t *testing.T) {
	events := []string{"跑步五公里，配速六分十秒", "给妈妈打了电话", "买到二手电吉他，邻居估计要投诉。", "二期上线，一次过。", "Lab tour for the new master's students, mostly about where the coffee is."}
	b := newBench(t, map[string]string{"memory/2026-02-20.md": "# 2026-02-20\n\n- " + strings.Join(events, "\n- ") + "\n"}, nil)
	for i, day := range []string{"2026-02-21", "2026-02-24", "2026-02-27", "2026-03-01"} {
		for _, text := range events {
			b.asks(text, .9, day, fmt.Sprint("first ", i), fmt.Sprint("second ", i), "always the same")
		}
	}
	found := b.tidy(remember.TidyOptions{Kinds: []string{remember.Promote}}).Findings
	if len(found) == 0 {
		t.Error("nothing is proposed")
	}
	for _, f := range found {
		if f.Certain {
			t.Errorf("certain: %s", f.Entries[0].Text)
		}
	}
}

// What was never found and never told again is said to be of little value once searches
// have been counted for long enough.
func TestTidyLowValue(t *testing.T) {
	const old = " <!-- observed: 2025-03-02 -->\n"
	b := newBench(t, map[string]string{
		"memory/learnings.md": "- The API limits calls" + old + "- The gate sticks" + old + "- Tar dries slowly <!-- observed: 2025-03-02 | count: 2 -->\n" +
			"- Rope rots <!-- observed: 2025-03-02 | importance: 8 -->\n- New rope is stiff <!-- observed: 2026-02-02 -->\n- Of no day\n",
		"memory/instructions.md": "- Answer in English" + old,
		"MEMORY.md":              "- Bob lives in Oslo" + old,
	}, nil)
	b.finds()
	b.asks("The gate sticks", .5, "2026-02-20", "gate")
	b.finds() // searches were not counted for long
	b.asks("nothing", .5, "2025-11-20", "gate")
	b.finds("low-value? memory/learnings.md:1")
}

// MEMORY.md costs tokens in every session: what is asked for least moves to its shelf.
func TestTidyOversized(t *testing.T) {
	long := strings.Repeat("the ferry and the tide ", 20)
	var text strings.Builder
	for i := range 18 {
		fmt.Fprintf(&text, "- %d %s <!-- id: aaaaaa%02d | type: learning | importance: %d -->\n", i, long, i, i%9+1)
	}
	text.WriteString("- " + long + "has no type\n")
	b := newBench(t, map[string]string{"MEMORY.md": text.String()}, nil)
	found := b.tidy(remember.TidyOptions{Kinds: []string{remember.Oversized}}).Findings
	if len(found) != 1 || found[0].Certain || found[0].Tokens < 2000 || !strings.Contains(found[0].Diff, "+++ memory/learnings.md") {
		t.Fatalf("got %+v", found)
	}
	done := b.tidy(remember.TidyOptions{Apply: true, IDs: []string{found[0].ID}})
	if len(done.Applied) != 1 || len(b.tidy(remember.TidyOptions{Kinds: []string{remember.Oversized}}).Findings) != 0 {
		t.Errorf("got %+v", done)
	}
	if got := b.notes()["memory/learnings.md"]; !strings.HasPrefix(got, "# Learnings\n\n- 0 the ferry") || strings.Contains(got, "type: learning") {
		t.Errorf("the shelf is %.200q", got)
	}
}

// What is surely about the same matter is found, too, where the model cannot tell whether it
// says the same or changes it. Nothing is removed then: the older one is marked. Of one day
// and two notes nobody knows which was told first, so both ways are looked at.
func TestTidyUnsure(t *testing.T) {
	b := newBench(t, map[string]string{
		"memory/instructions.md": "# Instructions\n\n- 变量命名用驼峰,别用下划线\n- 现在变量命名统一用下划线\n- 会議は午前中がいい\n- 会議は午後にしてください\n- 发周报的时候抄送方总\n- 周报不用抄送方总了\n" +
			"- 奶奶住在养老院。\n- 奶奶人在养老院里。\n- Variables are named in snake_case from now on <!-- id: aaaaaaaa | observed: 2026-02-02 -->\n",
		"memory/preferences.md": "- Use camelCase for variables <!-- id: bbbbbbbb | observed: 2026-02-02 -->\n",
	}, withModel(t))
	found := b.tidy(remember.TidyOptions{Kinds: []string{remember.NearDuplicate, remember.Contradiction}}).Findings
	want := "contradiction? memory/instructions.md:7 memory/instructions.md:8"
	at := slices.Index(listed(found), want)
	if at < 0 || !strings.Contains(found[at].Diff, "| status: superseded |") {
		t.Fatalf("%s is not among %q", want, listed(found))
	}
	if done := b.tidy(remember.TidyOptions{Apply: true, IDs: []string{found[at].ID}}); len(done.Applied) != 1 {
		t.Fatalf("got %+v", done)
	}
	text := b.notes()["memory/instructions.md"]
	if !strings.Contains(text, "- 发周报的时候抄送方总 <!-- id: X | status: superseded") || !strings.Contains(text, "- 周报不用抄送方总了 <!-- id: X | replaces: ") {
		t.Errorf("the shelf is %s", text)
	}
}

// counted counts the pairs that are read.
type counted struct {
	judge.Reader
	pairs *int
}

func (c counted) Pairs(ctx context.Context, older []string, newer string) ([]reader.Pair, error) {
	*c.pairs += len(older)
	return c.Reader.Pairs(ctx, older, newer)
}

// The model calls what says the same in other words, and what cannot both hold; without
// it only what differs in a word is called.
func TestTidyPairs(t *testing.T) {
	files := map[string]string{"memory/learnings.md": "# Learnings\n\n- My Norwegian is at A2. <!-- observed: 2026-02-16 -->\n- 测试环境归老彭管，重启要跟他说一声。 <!-- observed: 2026-01-09 -->\n" +
		"- 网站的图床用的是七牛云。 <!-- observed: 2026-01-02 -->\n- Passed the exam, my Norwegian is B1. <!-- observed: 2026-02-22 -->\n- 老彭去产品了，测试环境现在归小屈管。 <!-- observed: 2026-02-28 -->\n" +
		"- 图片都存在七牛云图床上。 <!-- observed: 2026-02-02 -->\n- The ferry to Hven leaves the north pier at 9 each morning\n- The ferry to Hven leaves at the north pier at 9 each morning\n- The ferry to Hven leaves the north pier at 8 each morning\n- Never commit directly to main. <!-- observed: 2026-01-02 -->\n- 不许直接推 main。 <!-- observed: 2026-02-02 -->\n"}
	var reads int
	model := newBench(t, files, func(o *remember.Options) {
		withModel(t)(o)
		o.Reader = counted{o.Reader, &reads}
	})
	got := listed(model.tidy(remember.TidyOptions{}).Findings)
	for _, want := range []string{"contradiction? memory/learnings.md:3 memory/learnings.md:6", "contradiction? memory/learnings.md:4 memory/learnings.md:7", "near-duplicate? memory/learnings.md:5 memory/learnings.md:8"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %q", want, got)
		}
	}
	// What was compared is not compared again.
	first := reads
	if again := listed(model.tidy(remember.TidyOptions{}).Findings); reads != first || !slices.Equal(again, got) {
		t.Errorf("the second run read %d entries with the model, and found %q", reads-first, again)
	}
	found := model.tidy(remember.TidyOptions{Kinds: []string{remember.Contradiction}}).Findings
	id := found[0].ID
	if done := model.tidy(remember.TidyOptions{Apply: true, IDs: []string{id}}); len(done.Applied) != 1 {
		t.Fatalf("got %+v", done)
	}
	if text := model.notes()["memory/learnings.md"]; !strings.Contains(text, "- My Norwegian is at A2. <!-- observed: 2026-02-16 --> <!-- id: X | status: superseded | by: X | until: 2026-02-22 -->") ||
		!strings.Contains(text, "B1. <!-- observed: 2026-02-22 --> <!-- id: X | replaces: X -->") {
		t.Errorf("the note is %s", text)
	}
	newBench(t, files, nil).finds("near-duplicate? memory/learnings.md:9 memory/learnings.md:10")
}

// A note that changed after it was looked at is left alone, with the reason; the others
// are done.
func TestTidyChangedMeanwhile(t *testing.T) {
	var b *bench
	edited := false
	b = newBench(t, map[string]string{"MEMORY.md": "- Ann lives in Oslo\n- Ann lives in Oslo\n", "memory/contacts.md": "- Bob rows\n- Bob rows\n"}, func(o *remember.Options) {
		list := o.List
		o.List = func(ctx context.Context) ([]remember.Note, error) {
			if !edited { // the shelves have been read by now
				b.put("MEMORY.md", "- Ann lives in Oslo\n- Ann lives in Rome\n")
			}
			edited = true
			return list(ctx)
		}
	})
	done := b.tidy(remember.TidyOptions{Apply: true})
	if len(done.Applied) != 1 || len(done.Skipped) != 1 || done.Skipped[0].Reason != "it was changed meanwhile" {
		t.Errorf("got %+v", done)
	}
	b.check(map[string]string{"MEMORY.md": "- Ann lives in Oslo\n- Ann lives in Rome\n", "memory/contacts.md": "- Bob rows <!-- id: X | count: 1 -->\n"})
}

// What has not changed is not read again, and what is forgotten is not known any more.
func TestTidyReadsWhatChanged(t *testing.T) {
	const told = "the password is Trout!Fell55\n"
	b := newBench(t, map[string]string{"a.md": told, "b.md": strings.Repeat("x", len(told))}, nil)
	long := time.Now().Add(-time.Hour)
	age := func() {
		for _, name := range []string{"a.md", "b.md"} {
			if err := os.Chtimes(filepath.Join(b.root, name), long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	age()
	b.finds("secret! a.md:1")
	b.put("b.md", told)
	age() // so that it looks as it did
	b.finds("secret! a.md:1")
	b.put("b.md", told)
	b.finds("secret! a.md:1", "secret! b.md:1")
	if _, err := b.keeper.Mask(t.Context(), []string{"a.md", "b.md"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.state, "tidy.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was looked at is still known: %v", err)
	}
	b.finds()
}

func TestTidyMistakes(t *testing.T) {
	b := newBench(t, map[string]string{"MEMORY.md": "- tea\n"}, nil)
	if _, err := b.keeper.Tidy(t.Context(), remember.TidyOptions{Kinds: []string{"dust"}}); !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
		t.Errorf("a kind that there is not: got %v", err)
	}
	if _, err := b.keeper.Tidy(t.Context(), remember.TidyOptions{Apply: true, IDs: []string{"nosuch"}}); !errors.Is(err, memoir.ErrNotFound) || memoir.Hint(err) == "" {
		t.Errorf("an id that there is not: got %v", err)
	}
	notes, err := notebook.Open(filepath.Join(b.root, "gone"), filepath.Join(b.state, "none"), notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := remember.Open(remember.Options{Notebook: notes, Dir: filepath.Join(b.state, "none"), Shelves: layout.DefaultShelves()})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := k.Tidy(t.Context(), remember.TidyOptions{Apply: true}); err != nil || len(out.Findings) > 0 {
		t.Errorf("a workspace that is gone: got %+v, %v", out, err)
	}
}
