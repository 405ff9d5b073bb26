package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/judge"
)

// hit returns a hit whose snippet shows all of its text, with some words highlighted.
func hit(text string, score float64, words ...string) memoir.Hit {
	h := memoir.Hit{Chunk: memoir.Chunk{StartLine: 3, EndLine: 3 + strings.Count(text, "\n"), Text: text}, Score: score, Snippet: text, SnippetStart: 3}
	h.SnippetEnd = h.EndLine
	for _, w := range words {
		at := strings.Index(text, w)
		h.Highlights = append(h.Highlights, memoir.Span{Start: at, End: at + len(w)})
	}
	return h
}

// clock is a clock that a test sets, day by day.
type clock struct {
	sync.Mutex
	day int
}

func (c *clock) now() time.Time {
	c.Lock()
	defer c.Unlock()
	return time.Date(2026, 3, c.day, 10, 0, 0, 0, time.UTC)
}

// ask counts answers to a question on a day.
func ask(t *testing.T, dir string, day int, question string, hits ...memoir.Hit) {
	t.Helper()
	c := &clock{day: day}
	l := Open(dir, c.now, nil)
	l.Add(memoir.Query{}, memoir.Results{Query: question, Hits: hits})
	l.Close()
}

func counts(t *testing.T, dir string) *Counts {
	t.Helper()
	c, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(t *testing.T, dir, text string) Count {
	t.Helper()
	d := digest.Digests{Dir: dir}
	return counts(t, dir).Of(d.Of(judge.Normal(text)))
}

func TestCounts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ws", "notebook")
	if c := counts(t, dir); c.Since != "" || c.Of("x").Found != 0 {
		t.Errorf("without counts: got %+v", c)
	}
	const list = "- The ferry leaves at nine\n- Tea is green 茶\n- 今天的潮水很高"
	for range 10 {
		ask(t, dir, 2, "when does the ferry leave", hit(list, .5, "ferry"))
	}
	ask(t, dir, 2, "When does the FERRY leave ", hit(list, .7, "ferry"))
	ask(t, dir, 2, "ferry times", hit(list, .6, "ferry"))
	ask(t, dir, 4, "ferry times", hit(list, .6, "ferry"))
	for _, question := range []string{"what happened yesterday", "上周做了什么", "since:2026-03-01"} { // they ask for a time, and for no entry
		ask(t, dir, 4, question, hit(list, .9, "ferry"))
	}
	ask(t, dir, 5, "潮水", hit(list, .4, "潮水"))
	ask(t, dir, 5, "which beverage", hit(list, .3)) // found by meaning: no word of the question is highlighted
	for text, want := range map[string]Count{
		"The ferry leaves at nine": {Found: 4, Questions: 3, Days: []string{"2026-03-02", "2026-03-04", "2026-03-05"}, Score: (.7 + .6 + .6 + .3) / 4},
		"今天的潮水很高":                  {Found: 2, Questions: 2, Days: []string{"2026-03-05"}, Score: .35},
		"Tea is green 茶":           {Found: 1, Questions: 1, Days: []string{"2026-03-05"}, Score: .3},
		"nothing of the kind":      {},
	} {
		got := of(t, dir, text)
		got.Score = float64(int(got.Score*1000+.5)) / 1000
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if got := of(t, dir, "the FERRY leaves at nine.").Last(); got != "2026-03-05" {
		t.Errorf("last found on %q", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "accesses"))
	if err != nil || strings.Contains(strings.ToLower(string(data)), "ferry") {
		t.Errorf("the file tells what was asked: %v, %s", err, data)
	}
}

// TestGiven: an answer gives out only what it shows, and a transcript has no entries.
func TestGiven(t *testing.T) {
	dir := t.TempDir()
	hidden, session, part := hit("- one thing", .5), hit("- two things", .5), hit("- three\n- four\n- five", .5)
	hidden.SnippetStart, hidden.SnippetEnd = 0, 0
	session.Kind = memoir.KindSession
	part.Snippet, part.SnippetStart, part.SnippetEnd = "- four", 4, 4
	ask(t, dir, 2, "things", hidden, session, part)
	for text, want := range map[string]int{"one thing": 0, "two things": 0, "three": 0, "four": 1, "five": 0} {
		if got := of(t, dir, text).Found; got != want {
			t.Errorf("%s: found %d times, want %d", text, got, want)
		}
	}
}

// TestOrder: the files stay bounded. No line is lost or counted twice when lines are put
// in order, whoever writes at the same time.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			s := newStore(dir)
			s.full = 2000
			for i := range 200 {
				if err := s.add(fmt.Sprintf("2026-03-%02d %s %s:50\n", 1+i%28, s.key(fmt.Sprint("q", w, i)), s.key("e"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if got := of(t, dir, "e"); got.Found != 800 || got.Questions != 800 || len(got.Days) != 28 {
		t.Errorf("got %d, %d on %d days", got.Found, got.Questions, len(got.Days))
	}
	if info, err := os.Stat(filepath.Join(dir, "accesses")); err == nil && info.Size() > 2200 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the new lines: %v, %v", info, err) // there is none if the last line made it full
	}
	a := asked{}
	for i := range 60_000 {
		a[[2]string{"2026-03-02", fmt.Sprintf("%016x", i)}] = map[string]int{strings.Repeat("a", keySize): 50, strings.Repeat("b", keySize): 50, strings.Repeat("c", keySize): 50}
	}
	if all := a.lines(); len(all) > maxKept || len(all) < maxKept/3 || !strings.HasPrefix(string(all), "2026-03-02 ") || !strings.Contains(string(all), fmt.Sprintf("%016x", 59_999)) {
		t.Errorf("%d bytes are kept", len(all))
	}
}

// TestHostile: damaged lines are skipped, and links are not followed.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	d := digest.Digests{Dir: dir}
	key := d.Of("e")[:keySize]
	file := filepath.Join(dir, "accesses")
	lines := "2026-03-02 " + key + " " + key + ":50\n" + "2026-03-02 " + key + "\nrubbish\n2026-13-02 " + key + " " + key + ":50\n" +
		"2026-03-03 " + key + " " + key + ":-5 " + key + ":101 x:50 " + key + "\n\x00\xff\n2026-03-04 " + key + " " + key + ":5"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := of(t, dir, "e"); got.Found != 1 {
		t.Errorf("got %+v", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, file); err != nil {
		t.Fatal(err)
	}
	ask(t, dir, 2, "q", hit("- one thing", .5))
	if data, err := os.ReadFile(outside); err != nil || len(data) > 0 {
		t.Errorf("a link was followed: %q, %v", data, err)
	}
	if _, err := Read(dir); err == nil || memoir.Hint(err) == "" {
		t.Errorf("reading through a link: got %v", err)
	}
}
