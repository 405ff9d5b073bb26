package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
)

// garden is notes for each part of the language.
func garden(t *testing.T) *notes {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Agent: "main"},
		"memory/2026-03-02.md", "# Monday\n\nThe garden plan: a blue button for the gate.\n",
		"memory/2026-03-09.md", "# Later\n\nThe garden plan again, the button is blue. 数据库在花园\n",
		"people/mia.md", "---\ntags: [Work/Roses, 园艺]\naliases: [Mia B]\n---\n# Mia Brown\n\nMia keeps the garden.\n\n## Open questions\n\nWhich garden databases?\n",
		"agents/bob/notes.md", "# Bob\n\nBob's garden include.\n",
		"MEMORY.md", "# Memory\n\n- The garden has a gate.\n",
	)
	n.sync()
	n.embed()
	return n
}

const (
	monday = "memory/2026-03-02.md"
	later  = "memory/2026-03-09.md"
	mia    = "people/mia.md"
	bob    = "agents/bob/notes.md"
	memory = "MEMORY.md"
)

// found returns the notes of the hits, each once, in the order of their paths.
func foundNotes(res memoir.Results) string {
	var out []string
	for _, p := range []string{memory, bob, monday, later, mia} {
		for _, h := range res.Hits {
			if string(h.Doc) == p {
				out = append(out, p)
				break
			}
		}
	}
	return strings.Join(out, " ")
}

func list(paths ...string) string { return strings.Join(paths, " ") }

// A path beside the text is the filter path: in the text.
func TestPath(t *testing.T) {
	n := garden(t)
	for path, want := range map[string]string{
		"":                 list(memory, bob, monday, later, mia),
		"memory":           list(memory, monday, later),
		"memory/":          list(monday, later),
		"emory":            list(memory, monday, later),
		"/emory":           "",
		"/2026":            list(monday, later),
		"memory/*02.md":    list(monday),
		`.\memory\`:        list(monday, later),
		"./memory/":        list(monday, later),
		"none of these":    "",
		"user:memory/":     "", // there is one memory, and no such note
		"*":                list(memory, bob, monday, later, mia),
		"../memory/":       "",
		"\"memory\" -x:y ": "",
	} {
		asked := n.search(memoir.Query{Text: "garden", Path: path, Explain: true})
		if got := foundNotes(asked); got != want {
			t.Errorf("path %q: got %q, want %q", path, got, want)
		}
		if got := foundNotes(n.search(memoir.Query{Text: "garden", Path: path, Literal: true})); got != want {
			t.Errorf("path %q beside a literal text: got %q, want %q", path, got, want)
		}
		if path == "" || strings.Contains(path, `"`) {
			continue
		}
		typed := n.search(memoir.Query{Text: `garden path:"` + path + `"`})
		if got := foundNotes(typed); got != want || typed.Reason != strings.ReplaceAll(asked.Reason, "path:"+path, `path:"`+path+`"`) && typed.Reason != asked.Reason {
			t.Errorf("path:%s typed: got %q, %q; want %q, %q", path, got, typed.Reason, want, asked.Reason)
		}
	}
	res := n.search(memoir.Query{Text: "garden -tag:work", Path: "no where", Explain: true})
	if want := `path:"no where": no note has that in its path`; !strings.Contains(res.Reason, want) {
		t.Errorf("reason %q, want %q", res.Reason, want)
	}
	if diff := cmp.Diff([]string{`path:"no where"`, "-tag:work"}, res.Understood.Filters); diff != "" {
		t.Errorf("understood (-want +got):\n%s", diff)
	}
}

func TestFilters(t *testing.T) {
	n := garden(t)
	tests := []struct{ text, want string }{
		{"garden", list(memory, bob, monday, later, mia)},
		{"garden path:memory", list(memory, monday, later)},
		{"garden path:memory/", list(monday, later)},
		{"garden path:memory/*02.md", list(monday)},
		{"garden -path:memory", list(bob, mia)},
		{"garden tag:work", list(mia)},
		{"garden tag:WORK/roses", list(mia)},
		{"garden tag:#园艺", list(mia)},
		{"garden tag:rose", ""},
		{"garden #work", list(mia)},
		{"garden #include", list(memory, bob, monday, later, mia)},
		{"garden -#work", list(memory, bob, monday, later)},
		{"garden type:note", list(memory, bob, monday, later, mia)},
		{"garden type:session", ""},
		{"garden type:session source:memory", list(memory, bob, monday, later, mia)},
		{`garden heading:"open questions"`, list(mia)},
		{"garden heading:question", list(mia)},
		{"garden agent:main", list(memory, bob, monday, later, mia)},
		{"garden agent:bob", list(bob)},
		{"garden agent:eve", ""},
		{"garden session:x", ""},
		{"garden on:2026-03-02", list(monday)},
		{"garden since:2026-03-03", list(later)},
		{"garden until:2026-03-02", list(monday)},
		{"garden after:2026-03-01 before:2026-03-09", list(monday)},
		{"garden since:2026 -since:2026-03-03", list(monday)},
		{"garden +button", list(monday, later)},
		{"garden +database", list(mia)},
		{"garden +数据库", list(later)},
		{"garden -buttons", list(memory, bob, mia)},
		{"garden -数据库", list(memory, bob, monday, mia)},
		{`garden +"blue button"`, list(monday)},
		{`garden -"blue button"`, list(memory, bob, later, mia)},
		{`garden -"" +"!!" a - b`, list(memory, bob, monday, later, mia)},
	}
	for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid, memoir.ModeVector} {
		for _, tt := range tests {
			res := n.search(memoir.Query{Text: tt.text, Limit: 99, Mode: mode})
			if got := foundNotes(res); got != tt.want {
				t.Errorf("%s: %q found %q, want %q", mode, tt.text, got, tt.want)
			}
			if len(res.Hits) == 0 && res.Reason == "" {
				t.Errorf("%s: %q found nothing without a reason", mode, tt.text)
			}
		}
	}
	for text, want := range map[string]string{"garden +button": "", "garden agent:bob": list(bob), "garden type:session": ""} {
		res := n.search(memoir.Query{Text: text, Limit: 99, Filter: memoir.Filter{Prefix: "agents/", Kinds: []memoir.Kind{memoir.KindNote}}})
		if got := foundNotes(res); got != want {
			t.Errorf("%q below agents/ found %q, want %q", text, got, want)
		}
	}
	if got := foundNotes(n.search(memoir.Query{Text: "garden tag:work", Limit: 99, Literal: true})); got != list(memory, bob, monday, later, mia) {
		t.Errorf("taken literally, garden tag:work found %q", got)
	}
}

// TestFiltersAlone: what passes is the answer, the latest first.
func TestFiltersAlone(t *testing.T) {
	n := garden(t)
	for text, want := range map[string][]string{
		"path:memory/":          {later + "#L1-L3", monday + "#L1-L3"},
		"path:memory -blue":     {memory + "#L1-L3"},
		"since:2026-03-03":      {later + "#L1-L3"},
		"tag:work -path:people": {},
	} {
		res := n.search(memoir.Query{Text: text})
		if diff := cmp.Diff(citations(res), want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", text, diff)
		}
		for i, h := range res.Hits {
			if h.Score <= 0 || i > 0 && h.Score >= res.Hits[i-1].Score {
				t.Errorf("%q: hit %d scores %v", text, i, h.Score)
			}
		}
	}
	one := n.search(memoir.Query{Text: "path:memory/", Limit: 1})
	if diff := cmp.Diff(citations(one), []string{later + "#L1-L3"}); diff != "" {
		t.Errorf("limit 1 (-got +want):\n%s", diff)
	}
}

func TestReasonNamesTheFilter(t *testing.T) {
	n := garden(t)
	for text, want := range map[string]string{
		"garden tag:rose":                   "tag:rose: no note has that tag",
		"garden path:nowhere tag:work":      "path:nowhere: no note has that in its path",
		"garden since:2027":                 "since:2027: no note is of that time",
		"garden type:session":               "type:session: there are none",
		"garden agent:eve":                  "agent:eve: this is another agent's index, and no note is below agents/eve",
		"garden +zebra":                     "+zebra: no passage holds that",
		"garden tag:work since:2026":        "nothing passes the filter tag:work since:2026",
		"tag:work -path:people":             "nothing passes the filter tag:work -path:people",
		"zebra tag:work":                    "nothing that passes the filter matches",
		`heading:"no such" garden tag:rose`: `heading:"no such": no title and no heading holds that`,
	} {
		if got := n.search(memoir.Query{Text: text, Mode: memoir.ModeText}).Reason; got != want {
			t.Errorf("%q found nothing because %q, want %q", text, got, want)
		}
	}
	for kind, want := range map[memoir.Kind]string{memoir.KindSession: "no session is indexed", memoir.KindCollection: "no document of a collection is indexed"} {
		if got := n.search(memoir.Query{Text: "garden", Filter: memoir.Filter{Kinds: []memoir.Kind{kind}}}).Reason; got != want {
			t.Errorf("of kind %s nothing was found because %q, want %q", kind, got, want)
		}
	}
}

func TestPhrasesComeFirst(t *testing.T) {
	n := garden(t)
	for i := range 300 { // more than the candidates that a search begins with
		n.write(fmt.Sprintf("log/%03d.md", i), "Or rather: button blue button blue blue"+strings.Repeat(" button blue", i%5)+"\n")
	}
	n.sync()
	n.embed()
	for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid, memoir.ModeVector} {
		all := n.search(memoir.Query{Text: `the "gate plan" or “a blue button for”`, Limit: 1000, Mode: mode, Explain: true})
		if len(all.Hits) == 0 || all.Hits[0].Doc != monday || all.Hits[0].Explain.Exact.Phrases != 1 {
			t.Fatalf("%s: the first of %d hits is not the one with the phrase", mode, len(all.Hits))
		}
		for _, limit := range []int{1, 3, 10} {
			some := n.search(memoir.Query{Text: all.Query, Limit: limit, Mode: mode})
			if diff := cmp.Diff(some.Hits, all.Hits[:min(limit, len(all.Hits))], cmpopts.IgnoreFields(memoir.Hit{}, "Explain")); diff != "" {
				t.Errorf("%s: limit %d is not the head of 1000 (-got +want):\n%s", mode, limit, diff)
			}
		}
	}
}

// TestNameComesFirst: a query that is a note's name finds the note.
func TestNameComesFirst(t *testing.T) {
	n := garden(t)
	n.write("x.md", "mia people mia people/mia 2026-03-02 MEMORY memory memory.md Mia Brown Mia B Monday "+strings.Repeat("mia brown memory monday ", 20)+"\n")
	n.sync()
	n.embed()
	for text, want := range map[string]memoir.DocID{
		"MEMORY.md": memory, "memory": memory, "people/mia": mia, "people/mia.md": mia, "mia": mia, "Mia Brown": mia, "“mia b”": mia, "[[mia]]": mia,
		"2026-03-02": monday, "memory/2026-03-02.md": monday, "Monday": monday,
	} {
		for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid, memoir.ModeVector} {
			res := n.search(memoir.Query{Text: text, Mode: mode, Explain: true})
			if len(res.Hits) == 0 || res.Hits[0].Doc != want || !res.Hits[0].Explain.Exact.Name {
				t.Errorf("%s: %q found %q, want %s first", mode, text, citations(res), want)
			}
		}
	}
}

func TestUnderstood(t *testing.T) {
	n := garden(t)
	day := func(ago int) string { return time.Now().AddDate(0, 0, -ago).Format(time.DateOnly) }
	got := n.search(memoir.Query{Text: `garden "blue button" +gate -zebra #work #include since:2026-03 yesterday`, Explain: true}).Understood
	want := &explain.Understood{
		Text:    `garden "blue button" gate #work #include yesterday`,
		Phrases: []string{"blue button"},
		Filters: []string{"+gate", "-zebra", "since:2026-03 (2026-03-01 to the last)", "#work"},
		When:    []explain.Days{{From: day(1), To: day(1)}},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("understood (-got +want):\n%s", diff)
	}
	if got := n.search(memoir.Query{Text: "garden"}).Understood; got != nil {
		t.Errorf("without an explanation it is %+v, want nil", got)
	}
}

// Of a talk with an assistant the others' turns are asked, unless they say little.
func TestTalkIsAsked(t *testing.T) {
	n := garden(t)
	for query, want := range map[string]string{
		"User: where are the garden databases, roses and gates?\nAssistant: I do not know yet.\nUser: look at Mia Brown's notes": "where are the garden databases, roses and gates?\nlook at Mia Brown's notes",
		"Mia: 花园里的数据库在哪里？\nAssistant: 我不知道。\nMia: 看看笔记":                                                                          "Mia: 花园里的数据库在哪里？\nMia: 看看笔记",
		"User: hello\nAssistant: Shall I move the garden gate?\nUser: yes":                                                       "User: hello\nAssistant: Shall I move the garden gate?\nUser: yes",
		"Mia: the garden\nBob: the gate": "Mia: the garden\nBob: the gate",
	} {
		res := n.search(memoir.Query{Text: query, Explain: true})
		if res.Query != query {
			t.Errorf("the answer is to %q, want %q", res.Query, query)
		}
		if got := res.Understood.Text; got != want {
			t.Errorf("%q\nis understood as %q, want %q", query, got, want)
		}
	}
	literal := n.search(memoir.Query{Text: "User: garden databases roses gates blue buttons\nAssistant: zebra", Literal: true, Explain: true})
	if !strings.Contains(literal.Understood.Text, "zebra") {
		t.Errorf("a literal query is understood as %q", literal.Understood.Text)
	}
}

// Where words alone are asked, an ideograph finds nothing by itself.
func TestIdeographsSupport(t *testing.T) {
	n := garden(t)
	for query, want := range map[string]string{
		"数学老师的花店": "", "库": later, "花园": later, "数学老师的花园": later,
	} {
		if got := foundNotes(n.search(memoir.Query{Text: query, Mode: memoir.ModeText})); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// TestPhrasesThatSayLittle: what too many passages hold, and the ninth phrase,
// are words.
func TestPhrasesThatSayLittle(t *testing.T) {
	n := garden(t)
	for i := range 600 {
		n.write(fmt.Sprintf("log/%03d.md", i), "a common phrase\n")
	}
	n.sync()
	text := `"common phrase" ` + strings.Repeat(`"blue button" `, 20)
	got := n.search(memoir.Query{Text: text, Mode: memoir.ModeText, Explain: true})
	if len(got.Understood.Phrases) != 7 || len(got.Hits) == 0 || got.Hits[0].Doc != monday {
		t.Errorf("%d phrases come first, and %q; want 7, and %s", len(got.Understood.Phrases), citations(got), monday)
	}
}
