package feature

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestValues(t *testing.T) {
	n := func(x float64) Value { return Value{Kind: Number, Number: x} }
	clock := func(x float64) Value { return Value{Kind: Clock, Number: x} }
	day := func(x float64) Value { return Value{Kind: Weekday, Number: x} }
	month := func(x float64) Value { return Value{Kind: Month, Number: x} }
	name := func(s string) Value { return Value{Kind: Literal, Text: s} }
	for _, test := range []struct {
		text string
		want []Value
	}{
		{"18k", []Value{n(18000)}},
		{"18,000 and 18 000", []Value{n(0), n(18), n(18000)}},
		{"1,250.50", []Value{n(1250.5)}},
		{"三万八", []Value{n(38000)}},
		{"一百二十", []Value{n(120)}},
		{"十二", []Value{n(12)}},
		{"二〇二六", []Value{n(2026)}},
		{"5万", []Value{n(50000)}},
		{"一直这样，一般不去", nil},
		{"两个孩子", []Value{n(2)}},
		{"half past nine", []Value{clock(9.5)}},
		{"9:30 am", []Value{clock(9.5)}},
		{"21:30", []Value{clock(9.5)}},
		{"九点半", []Value{clock(9.5)}},
		{"晚上九点三十分", []Value{clock(9.5)}},
		{"10 点一刻", []Value{n(10), n(1)}},
		{"10点一刻", []Value{clock(10.25)}},
		{"3时间", []Value{n(3)}},
		{"at 2 pm", []Value{clock(2)}},
		{"quarter to ten", []Value{clock(9.75)}},
		{"on Wednesdays", []Value{day(3)}},
		{"周三", []Value{day(3)}},
		{"禮拜天", []Value{day(7)}},
		{"水曜日", []Value{day(3)}},
		{"we may go in May", []Value{month(5)}},
		{"march 3rd", []Value{n(3), month(3)}},
		{"3月15日", []Value{n(15), month(3)}},
		{"三月", []Value{month(3)}},
		{"version 2.4.0 of b112", []Value{name("2.4.0"), name("b112")}},
		{"git.farrow.example", []Value{name("git.farrow.example")}},
		{"two hundred and twenty-five", []Value{n(25), n(200)}},
		{"once, no one else", []Value{n(1)}},
		{"", nil},
	} {
		if got := values(fold(test.text)); !cmp.Equal(values2(test.want), values2(got)) {
			t.Errorf("%q: got %v, want %v", test.text, got, test.want)
		}
	}
}

// values2 sorts.
func values2(v []Value) []Value {
	v = slices.Clone(v)
	slices.SortFunc(v, func(a, b Value) int {
		return strings.Compare(string(rune(a.Kind))+a.Text, string(rune(b.Kind))+b.Text)*1000 + int(a.Number*10) - int(b.Number*10)
	})
	return v
}

func TestCues(t *testing.T) {
	for _, test := range []struct {
		list, text string
		want       int
	}{
		{"change", "We moved, and moving was no longer fun.", 3},
		{"change", "A knowledge of movies", 0},
		{"change", "搬家了，以后往后都换成新的", 5},
		{"change", "不吃了", 1},
		{"change", "為了你", 0},
		{"change", "不得了", 0},
		{"negation", "别人特别好", 0},
		{"negation", "別去", 1},
		{"additive", "我还是不去，还在想", 0},
		{"additive", "我还养了一只", 1},
		{"instruction", "Always reply", 1},
		{"instruction", "They always reply", 0},
		{"role brother", "表弟来了", 0},
		{"role cousin", "表弟来了", 1},
		{"thanks", "Thank you! haha", 2},
		{"request", "再跑一遍", 1},
		{"past first", "Went to the museum", 1},
		{"past first", "We went to the museum", 0},
	} {
		if got := Read(test.text).count(test.list); got != test.want {
			t.Errorf("%q: got %d cues of %s, want %d", test.text, got, test.list, test.want)
		}
	}
}

// Cues that are kept away are not counted; persons and negation always are.
func TestOnly(t *testing.T) {
	text := Read("My brother moved, not me.").Only(func(int) bool { return false })
	if text.has("change") || !text.has("negation") || !text.roles()["brother"] {
		t.Error("got a cue that was kept away, or lost a general one")
	}
}

func TestStrong(t *testing.T) {
	for _, text := range []string{"🌹🌹", "?!", "banana", "/etc/hosts", `C:\a\b.txt`, "https://a.example/b?c=d", `{"a": 1, "b": [2]}`, "panic: boom\ngoroutine 1 [running]:",
		"2026-01-02 03:04:05 INFO started worker=1", "[3/17] Building wheel", "$ ls -la\ntotal 3", "<!-- hidden -->", "asdf asdf", "if (a) { return b[0]; }"} {
		if !Read(text).Strong() {
			t.Errorf("%q: not seen by its shape", text)
		}
	}
	for _, text := range []string{"I'm vegetarian.", "我不吃香菜", "Deploys need the flag --eu and two approvals.", "Rent is up 5%.", "Our homepage is https://a.example, Mick maintains it.",
		"Backups run at 01:30.", "会议室在三楼"} {
		if Read(text).Strong() {
			t.Errorf("%q: refused by its shape", text)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"I live in Oslo.", "i live  in OSLO", true},
		{"我住在臺北。", "我住在台北", true},
		{"住在廣州", "住在广州。", true},
		{"ＡＢＣ　１", "abc 1", true},
		{"I don’t eat meat", "I do not eat meat.", true},
		{"We can't and won't move", "we cannot and will not move", true},
		{"They've said they're late; I'm not", "They have said they are late; I am not", true},
		{"I don't eat meat", "I eat meat", false},
		{"Ann's late", "Ann is late", false},
		{"1.5 mg", "15 mg", false},
		{"I use C", "I use C#", false},
		{"Is it?", "Is it", false},
		{"...", "!!", false},
		{"", "", true},
	} {
		if got := Equal(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %v", test.a, test.b, got)
		}
	}
}

func TestAssign(t *testing.T) {
	for _, test := range []struct {
		likeness [][]float64
		want     []int
	}{
		{[][]float64{{.9, .8}, {.85, .1}}, []int{1, 0}},
		{[][]float64{{.1, .5, .2}}, []int{1}},
		{[][]float64{{.1}, {.9}, {.2}}, []int{-1, 0, -1}},
		{[][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, []int{0, 1, 2}},
	} {
		if diff := cmp.Diff(test.want, assign(test.likeness)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.likeness, diff)
		}
	}
}

// All rows have the same names whatever the texts are.
func TestRowsAreFixed(t *testing.T) {
	empty, full := Read(""), Read("On Monday my sister moved to Rome, 3 pm, \"no\" kids! 我")
	side := func(t *Text) *Side {
		return NewSide(t, []float32{1, 0}, []Token{{"▁On", -5, []float32{1, 0}}, {"▁Rome", -9, []float32{0, 1}}}, []float64{0, 0})
	}
	none := NewSide(empty, nil, nil, nil)
	for _, pair := range [][2]Row{{Junk(empty), Junk(full)}, {Topic(empty), Topic(full)}, {Meet(none, none).Row(), Meet(side(empty), side(full)).Row()}} {
		if diff := cmp.Diff(pair[0].Names, pair[1].Names); diff != "" {
			t.Errorf("names (-empty +full):\n%s", diff)
		}
		seen := map[string]bool{}
		for _, name := range pair[0].Names {
			if seen[name] {
				t.Errorf("two features are called %q", name)
			}
			seen[name] = true
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"I moved to Oslo at half past nine on 3 May.", "三万八千，九点半，周三", "\xff\xfe not ~ but", "not not not not but", "ﷺﷺﷺ", strings.Repeat("别", 999), "1,2,3.4.5:6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := Read(s)
		for _, row := range []Row{Junk(text), Topic(text)} {
			for i, v := range row.Values {
				if v != v || v > 1e6 || v < -1e6 {
					t.Fatalf("%s is %v", row.Names[i], v)
				}
			}
		}
		if !Equal(s, s) || Equal(s, s+" b") && s != "" {
			t.Fatal("a text is not equal to itself, or to another")
		}
	})
}

// A text of any size costs what its beginning costs.
func TestReadIsBounded(t *testing.T) {
	for name, s := range map[string]string{
		"cues": strings.Repeat("not ", 1<<18), "values": strings.Repeat("1,", 1<<19), "han": strings.Repeat("三万", 1<<17), "lines": strings.Repeat("a(\n", 1<<18),
		"marks": strings.Repeat("e\u0301\u0301", 1<<17), "long forms": strings.Repeat("ﷺ", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan *Text, 1)
			go func() { done <- Read(s) }()
			select {
			case text := <-done:
				if len(text.raw) > maxBytes || len(text.folded) > 4*maxBytes {
					t.Errorf("got %d bytes, folded %d", len(text.raw), len(text.folded))
				}
			case <-time.After(time.Minute):
				t.Fatal("no end after a minute")
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, s := range map[string]string{
		"short": "The museum moved our slot to Thursday at half past nine.",
		"long":  strings.Repeat("The museum moved our slot to Thursday at 9:30, 我们改到周四九点半。 ", 60),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(s)
			}
		})
	}
}

// TestFormer: who or what was is told from words that only look so.
func TestFormer(t *testing.T) {
	for text, want := range map[string]bool{
		"My late grandfather was a smith": true,
		"前の上司は厳しかった":                      true,
		"故田中氏の本棚です":                       true,
		"I work the late shift":           false,
		"上次事故以后改到周二发版":                    false,
		"服务器有故障":                          false,
		"故障の原因は電源です":                      false,
		"駅前の店で買います":                       false,
	} {
		if got := Read(text).has("former"); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
