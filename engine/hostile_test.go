package engine_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
)

// oneNote is a source of a single note.
type oneNote struct {
	meta memoir.DocumentMeta
	text string
}

func (n *oneNote) Kind() memoir.Kind { return memoir.KindNote }

func (n *oneNote) Scan(context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		yield(memoir.ScanEntry{DocumentMeta: n.meta}, nil)
	}
}

func (n *oneNote) Read(context.Context, memoir.DocID) (memoir.Document, error) {
	return memoir.Document{DocumentMeta: n.meta, Text: n.text}, nil
}

// scale is a store that weighs what it is given and keeps nothing.
type scale struct {
	*memstore.Store
	documents, chunks int
	stored            int64 // bytes of texts, headings, terms and names
}

func (s *scale) Write(_ context.Context, changes memoir.Changes) error {
	for _, d := range changes.Put {
		s.documents++
		s.chunks += len(d.Chunks)
		s.stored += int64(len(d.Title))
		for _, name := range d.Names {
			s.stored += int64(len(name))
		}
		for _, c := range d.Chunks {
			s.stored += int64(len(c.Text))
			for _, h := range c.Heading {
				s.stored += int64(len(h))
			}
			for _, terms := range c.Terms {
				for _, t := range terms {
					s.stored += int64(len(t)) + 1
				}
			}
		}
	}
	return nil
}

// indexing is what it took to index a note.
type indexing struct {
	scale
	peak, allocated int64 // bytes
	took            time.Duration
	warnings        []memoir.Warning
}

// index indexes a note as a sync does.
func index(t *testing.T, id memoir.DocID, text string) *indexing {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // so that what is needed is often counted
	src := &oneNote{memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Size: int64(len(text)), Hash: memoir.HashText(text)}, text}
	x := &indexing{scale: scale{Store: memstore.New()}}
	memory, err := engine.New(engine.Config{Store: &x.scale, Sources: []memoir.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	look := func() (now, all int64) {
		metrics.Read(used)
		return int64(used[0].Value.Uint64()), int64(used[1].Value.Uint64())
	}
	runtime.GC()
	before, allocated := look()
	done, start := make(chan error), time.Now()
	go func() {
		stats, err := memory.Sync(t.Context(), nil)
		x.warnings = stats.Warnings
		done <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case err = <-done:
			running = false
		case <-tick.C:
		}
		now, all := look()
		x.peak, x.allocated = max(x.peak, now-before), all-allocated
	}
	x.took = time.Since(start)
	if err != nil || x.documents != 1 {
		t.Fatalf("%d documents are indexed: %v", x.documents, err)
	}
	return x
}

// check holds the work to what is promised: linear in the file.
func (x *indexing) check(t *testing.T, size int) {
	t.Helper()
	const mb = 1 << 20
	if most := int64(30*mb + 40*size); x.peak > most {
		t.Errorf("%d MB of memory for %d KB, at most %d MB", x.peak/mb, size>>10, most/mb)
	}
	if most := int64(20*mb + 600*size); x.allocated > most {
		t.Errorf("%d MB are allocated for %d KB, at most %d MB", x.allocated/mb, size>>10, most/mb)
	}
	if most := int64(20*mb + 20*size); x.stored > most {
		t.Errorf("%d MB are stored for %d KB, at most %d MB", x.stored/mb, size>>10, most/mb)
	}
	if most := 4200 + size/100; x.chunks > most {
		t.Errorf("%d chunks of %d KB, at most %d", x.chunks, size>>10, most)
	}
}

func repeated(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }
}

func counted(format string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
}

func between(before string, f func(int) string, after string) func(int) string {
	return func(n int) string { return before + f(n) + after }
}

// halves puts two texts one after the other, the first no longer than most.
func halves(a func(int) string, most int, b func(int) string) func(int) string {
	return func(n int) string { return a(min(n/2, most)) + b(n/2) }
}

// deeper repeats a prefix once more at every line, up to most times.
func deeper(prefix, line string, most int) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(prefix, i%most) + line + "\n")
		}
		return b.String()
	}
}

const few = 60_000 // bytes of front matter

var manySections = repeated("# a\nsome words\n")

// hostile are notes that people, tools and attackers make, of any size.
var hostile = []struct {
	name string
	id   memoir.DocID
	text func(n int) string
	warn string // a part of the warning, "" for none
}{
	{"log above dashes", "a.md", between("", counted("10:32 line %d of a log\n"), "---\n\ntext\n"), "too long for a heading"},
	{"log above dashes, then notes", "a.md", halves(between("", counted("line %d\n"), "---\n"), 1<<30, manySections), "too long for a heading"},
	{"heading", "a.md", between("# ", counted("word%d "), "\n\ntext\n"), "a heading is too long"},
	{"heading, then notes", "a.md", halves(between("## ", counted("word%d "), "\n"), 1<<30, repeated("some words.\n\n")), "a heading is too long"},
	{"headings", "a.md", counted("# h%d\n"), ""},
	{"sections", "a.md", repeated("# a\nb\n"), "joined"},
	{"nested sections", "a.md", repeated("# a\n## b\n### c\n#### d\n##### e\n###### f\nx\n"), "joined"},
	{"long heading paths", "a.md", func(n int) string {
		long := strings.Repeat("a b ", 60)
		return "# " + long + "\n## " + long + "\n### " + long + "\n" + counted("#### "+long[:80]+"%d\nx\n")(n)
	}, "a heading path is too long"},
	{"empty headings", "a.md", repeated("#\n"), ""},
	{"links", "a.md", counted("[a%d](b.md) "), ""},
	{"wiki links", "a.md", counted("[[a%d]] "), ""},
	{"reference links", "a.md", counted("[a%d]: b\n\n"), ""},
	{"front matter", "a.md", between("---\n", counted("k%d: v\n"), "---\n\ntext\n"), "larger than 64 KiB"},
	{"front matter, broken", "a.md", halves(between("---\nk: [\n", counted("k%d: v\n"), "---\n"), few, manySections), "not valid YAML"},
	{"front matter, not closed", "a.md", between("---\n", counted("k%d: v\n"), "\n"), "larger than 64 KiB"},
	{"front matter of TOML", "a.md", between("+++\n", counted("k%d = 'v'\n"), "+++\n\ntext\n"), "larger than 64 KiB"},
	{"title", "a.md", halves(between("---\ntitle: ", counted("t%d "), "\n---\n"), few, manySections), "the title is too long"},
	{"title of TOML", "a.md", halves(between("+++\ntitle = '", counted("t%d "), "'\n+++\n"), few, manySections), "the title is too long"},
	{"tags", "a.md", halves(between("---\ntags: [", counted("tag-%d, "), "]\n---\n"), few, manySections), "tags"},
	{"long tags", "a.md", halves(between("---\ntags:\n", counted("- a-%015d\n"), "---\n"), few, manySections), "tags"},
	{"nested tag", "a.md", halves(between("---\ntags: [", repeated("a/"), "]\n---\n"), few, manySections), "tags"},
	{"aliases", "a.md", halves(between("---\naliases: [", counted("alias %d, "), "]\n---\n"), few, manySections), "aliases"},
	{"deep YAML", "a.md", halves(between("---\na: ", repeated("["), "\n---\n"), few, manySections), "nested too deeply"},
	{"deep YAML in lines", "a.md", halves(between("---\na:\n ", repeated("- "), "x\n---\n"), few, manySections), "not valid YAML"},
	{"deep TOML", "a.md", halves(between("+++\na.", repeated("b."), "c = 1\n+++\n"), few, manySections), "joined"},
	{"aliases of YAML", "a.md", func(int) string {
		bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
		for c := 'b'; c < 'k'; c++ {
			bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9))
		}
		return bomb + "tags: *j\n---\ntext\n"
	}, "not valid YAML"},
	{"aliases of YAML, as many as it unfolds", "a.md", func(int) string {
		plain := "---\nk: &k [" + strings.Repeat("x,", 99) + "]\nm: &m [" + strings.Repeat("*k,", 39) + "]\np: [" + strings.Repeat("x,", 10_000) + "]\n"
		return plain + "q: [" + strings.Repeat("*m,", 95) + "]\n---\ntext\n"
	}, ""},
	{"one word", "a.md", repeated("a"), ""},
	{"words of 200 letters", "a.md", repeated(strings.Repeat("ab-", 66) + " "), ""},
	{"one ideograph", "a.md", repeated("汉"), ""},
	{"Chinese", "a.md", repeated("汉字测试文本的内容很多很多"), ""},
	{"Chinese sentences", "a.md", repeated("我。"), ""},
	{"Thai", "a.md", repeated("ก็"), ""},
	{"ligatures of many words", "a.md", repeated("\ufdfa"), ""},
	{"combining marks", "a.md", between("a", repeated("\u0301\u0323"), ""), ""},
	{"voice marks", "a.md", between("か", repeated("\u3099"), ""), ""},
	{"zero-width spaces", "a.md", repeated("\u200b"), ""},
	{"joiners", "a.md", repeated("a\u200d"), ""},
	{"families", "a.md", repeated("👨\u200d👩\u200d👧\u200d👦"), ""},
	{"opening brackets", "a.md", repeated("["), ""},
	{"brackets and blanks", "a.md", repeated("[ "), ""},
	{"closing brackets", "a.md", repeated("] "), ""},
	{"asterisks", "a.md", repeated("* a"), ""},
	{"emphasis", "a.md", repeated("**a **b"), ""},
	{"backticks", "a.md", repeated("`a ``b "), ""},
	{"comments", "a.md", repeated("<!-- "), ""},
	{"comments, each whole", "a.md", counted("<!-- a%d -->"), ""},
	{"comments of an entry", "a.md", counted("<!-- id: %d -->"), ""},
	{"comments in lines", "a.md", repeated("<!--\n\n"), ""},
	{"bars", "a.md", repeated("| "), ""},
	{"table of many columns", "a.md", func(n int) string {
		return repeated("|a")(n/3) + "\n" + repeated("|-")(n/3) + "\n" + repeated("|b")(n/3) + "\n"
	}, ""},
	{"table of many rows", "a.md", between("|a|b|\n|-|-|\n", repeated("|c|d|\n"), ""), ""},
	{"list", "a.md", repeated("- a\n"), ""},
	{"empty entries", "a.md", repeated("-\n"), ""},
	{"lists", "a.md", repeated("- a\n* b\n"), ""},
	{"curated list", "MEMORY.md", repeated("- a\n"), "joined"},
	{"empty curated entries", "MEMORY.md", repeated("-\n"), "joined"},
	{"list of a shelf", "memory/contacts.md", repeated("- a\n"), ""},
	{"short windows of a shelf", "memory/contacts.md", between("# "+strings.Repeat("word ", 50)+"\n", repeated("- a b c d e f g h i j k l m n o\n"), ""), ""},
	{"empty entries of a shelf", "memory/contacts.md", repeated("-\n"), ""},
	{"nested lists of a shelf", "memory/contacts.md", repeated("- a\n  - b\n    - c\n\n      d\n"), ""},
	{"lists nested in a line", "a.md", repeated("- "), ""},
	{"lists nested in lines", "a.md", deeper("  ", "- x", 10_000), ""},
	{"lists nested by tabs", "a.md", deeper("\t", "- x", 200), ""},
	{"deep lists, then blank lines", "a.md", between(strings.Repeat("- ", 200)+"a\n", repeated("\n"), ""), ""},
	{"deep lists, then lines", "a.md", between(strings.Repeat("- ", 200)+"a\n", repeated(strings.Repeat("\t", 33)+"a\n\n\n"), ""), ""},
	{"quotations nested in a line", "a.md", repeated("> "), ""},
	{"quotations nested in lines", "a.md", deeper(">", "x", 10_000), ""},
	{"quotations", "a.md", repeated("> a\n\n"), ""},
	{"lines after deep quotations", "a.md", between(strings.Repeat(">", 60)+"a\n", repeated("a\n"), ""), ""},
	{"quotations and lists", "a.md", repeated("> - "), ""},
	{"line ends of Windows", "a.md", repeated("\r\n"), ""},
	{"carriage returns", "a.md", repeated("a\r"), ""},
	{"zero bytes", "a.md", repeated("\x00"), ""},
	{"blank lines", "a.md", repeated("\n"), ""},
	{"blank lines round words", "a.md", repeated("a\n\n"), ""},
	{"blank lines behind a word", "a.md", between("a\n", repeated(" \n"), ""), ""},
	{"blank lines in a log", "a.log", between("a\n", repeated("\n"), "b\n"), ""},
	{"tabs", "a.md", repeated("\ta\n\n"), ""},
	{"open fence", "a.md", between("```\n", repeated("a b\n"), ""), ""},
	{"fences", "a.md", repeated("```\n"), ""},
	{"functions in a fence", "a.md", between("```\n", repeated("func a() {\n}\n\n"), ""), ""},
	{"rules", "a.md", repeated("---\n"), ""},
	{"short titles by dashes", "a.md", repeated("a\n---\n"), ""},
	{"HTML", "a.md", repeated("<div>\n\n"), ""},
	{"talk with an assistant", "a.md", repeated("User: a\n\nAI: b\n\n"), "joined"},
	{"talk under headings", "a.md", repeated("## User\na\n## Assistant\nb\n"), "joined"},
	{"long answer", "a.md", between("User: a\n\nAI: ", repeated("word. "), ""), ""},
	{"talk", "a.md", repeated("Ann: a\nBen: b\n"), "joined"},
	{"talk of many", "a.md", counted("Ann%d: a\n"), ""},
	{"log", "a.log", counted("2026-03-02 10:32:%d word\n"), ""},
	{"log in a note", "a.md", counted("- 10:32 word %d\n"), ""},
	{"Go", "a.go", between("package a\n", counted("func A%d() {\n}\n\n"), ""), "joined"},
	{"dense Go", "a.go", between("package a\n", repeated("var a=1;"), ""), ""},
	{"deep Go", "a.go", between("package a\n\nvar a = ", repeated("( "), ""), ""},
	{"Go of signs", "a.go", between("package a\n\nvar a = ", repeated("! "), "b"), ""},
	{"Python", "a.py", counted("def a%d():\n  b\n\n"), "joined"},
	{"long name of a class", "a.py", func(n int) string {
		return "class " + strings.Repeat("ab_", n/6) + ":\n" + repeated("  def b():\n    c\n\n")(n/2)
	}, "a name in the code"},
	{"deep code", "a.c", deeper(" ", "if (x) {", 10_000), ""},
	{"JSON", "a.json", repeated(`{"a": `), ""},
	{"image", "a.md", between("![](data:image/png;base64,", repeated("iVBORw0KGgoAAAANSUhEUgAAB/"), ")\n"), ""},
	{"Base64", "a.md", repeated("iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAB/HSuDAAAQAElEQVR4Aez9\n"), ""},
	{"packed code", "a.js", counted("var a%d=b(c);"), ""},
	{"path", "a.md", repeated("ab/cd.e-f_g/"), ""},
	{"address", "a.md", between("http://", repeated("a/b?c=d&"), ""), ""},
	{"camel case", "a.md", repeated("aBcDeF "), ""},
	{"initials", "a.md", repeated("a."), ""},
	{"versions", "a.md", repeated("1.2.3-a "), ""},
	{"escapes", "a.md", repeated("\\* "), ""},
	{"short words", "a.md", repeated("a b "), ""},
	{"prose", "a.md", repeated("The quick brown fox jumps over the lazy dog, and nobody minds it. Then it rests.\n\n"), ""},
}

// No note takes more memory than 30 MB and 40 times its size, and the work
// grows at most in proportion to the size. MEMOIR_TEST_HOSTILE_BYTES is the
// size, 256 KiB when it is not set.
func TestHostileNotes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	size := 256 << 10
	if s := os.Getenv("MEMOIR_TEST_HOSTILE_BYTES"); s != "" {
		var err error
		if size, err = strconv.Atoi(s); err != nil || size < 128<<10 {
			t.Fatalf("MEMOIR_TEST_HOSTILE_BYTES=%s is no number of bytes from 131072 on", s)
		}
	}
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.ToValidUTF8(tt.text(size), "")
			x := index(t, tt.id, text)
			x.check(t, len(text))
			warned := tt.warn == "" && len(x.warnings) == 0
			for _, w := range x.warnings {
				warned = warned || tt.warn != "" && strings.Contains(w.Reason, tt.warn)
			}
			if !warned {
				t.Errorf("the warnings are %v, want %q", x.warnings, tt.warn)
			}
			t.Logf("%d KB: peak %.1f, allocated %.0f, stored %.1f times the size; %d chunks; %v", len(text)>>10,
				float64(x.peak)/float64(len(text)), float64(x.allocated)/float64(len(text)), float64(x.stored)/float64(len(text)), x.chunks, x.took)
		})
	}
}

// scraps are what the notes of FuzzIndex are made of.
var scraps = []string{
	"a", "word ", "字", "。", "\n", "\n\n", "\r\n", "# ", "###### ", "---\n", "===\n", "+++\n", "- ", "1. ", "> ", "\t", "    ", "```\n", "~~~", "|", "|-|-|\n", "<!--", "-->", "<div>\n", "[", "](", "]]", "[[", "*", "**", "`",
	"User: ", "AI: ", "Ann：", "10:32 ", "2026-03-02 ", "title: ", "tags: [", "aliases:\n- ", "k: &a ", "*a", "a = [", "data:image/png;base64,", "iVBORw0KGgoAAAANSUhEUg/", "00000000: 8950 4e47 0d0a 1a0a\n", "\u200b", "\u0301", "👨\u200d",
	"func a() {\n", "def a():\n", "}\n", "// ", "http://", "a/b.c-d_e", "aBc", "1.2.3", "\\", "\x00", "\ufdfa", "\"", "{", "}", "=", ":", ";",
}

// hostileNote runs a program that builds a note: each instruction is two bytes,
// what to do and with what.
func hostileNote(program []byte, most int) string {
	text := ""
	for i := 0; i+1 < len(program) && len(text) <= most; i += 2 {
		arg := int(program[i+1])
		scrap := scraps[arg%len(scraps)]
		switch program[i] % 8 {
		case 0, 1, 2: // a scrap
			text += scrap
		case 3: // the same scrap many times
			text += strings.Repeat(scrap, 1<<(arg%12))
		case 4: // all of it many times
			text = strings.Repeat(text, min(2+arg%64, max(2, most/max(len(text), 1))))
		case 5: // a scrap before every line
			text = scrap + strings.ReplaceAll(text, "\n", "\n"+scrap)
		case 6: // ever deeper lines
			text += deeper(scrap, "x", 2+arg)(min(1<<(arg%13), most))
		case 7: // the last bytes again
			text += text[max(0, len(text)-arg):]
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// noteIDs are names of notes that are cut in different ways.
var noteIDs = []memoir.DocID{"a.md", "MEMORY.md", "memory/contacts.md", "a.log", "a.go", "a.py", "a.js"}

// TestBuiltNotes checks the same as FuzzIndex for notes that programs by chance build. It
// does without the counters of fuzzing, which make indexing many times as slow.
// MEMOIR_TEST_LONG says for how many seconds.
func TestBuiltNotes(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("MEMOIR_TEST_LONG"))
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	slowest := time.Duration(0)
	n := uint64(0)
	for ; n < 20 || time.Now().Before(end); n++ {
		r := rand.New(rand.NewPCG(3, n))
		program := make([]byte, 2+r.IntN(60))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		text := hostileNote(program, 32<<10)
		id := noteIDs[r.IntN(len(noteIDs))]
		x := index(t, id, text)
		if x.check(t, len(text)); t.Failed() {
			t.Fatalf("note %d, %s, of the program %q", n, id, program)
		}
		slowest = max(slowest, x.took)
	}
	t.Logf("%d notes, the slowest in %v", n, slowest)
}

// FuzzIndex builds notes and checks that indexing them does not take more than
// it may. Programs that found something are in testdata.
func FuzzIndex(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		program := make([]byte, 2+r.IntN(40))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		f.Add(program, byte(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, program []byte, id byte) {
		text := hostileNote(program, 32<<10)
		x := index(t, noteIDs[int(id)%len(noteIDs)], text)
		x.check(t, len(text))
		if most := 20*time.Second + time.Duration(len(text)>>10)*200*time.Millisecond; x.took > most {
			t.Errorf("%v for %d KB, at most %v", x.took, len(text)>>10, most)
		}
	})
}
