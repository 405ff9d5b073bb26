package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// many is the number of notes: 100,000 if MEMOIR_TEST_LONG is set.
func many() int {
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		return 100_000
	}
	return 5_000
}

// TestManyNotes: one can scroll through all notes, while few rows are in the page. The
// server takes less than 100 ms of processor time for a page of the list.
func TestManyNotes(t *testing.T) {
	n := many()
	name := func(i int) string { return fmt.Sprintf("memory/%03d/note-%06d.md", i/1000, i) }
	s := serve(t, map[string]string{"MEMORY.md": "a\n"}, func(s *server) []string {
		s.env = append(s.env, "MEMOIR_PROVIDER=none")
		for i := range n - 1 {
			if i%1000 == 0 {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(s.workspace, filepath.FromSlash(name(i)))), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(s.workspace, filepath.FromSlash(name(i))), fmt.Appendf(nil, "# Note %d\n\nThe box %d stands in the cellar.\n", i, i), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	})
	s.listed(t, n)
	p := s.open(t, 1440, "#/notes")
	p.until(`document.querySelector(".pane-head [role=status]")?.textContent === "` + thousands(n) + ` notes"`)
	p.until(`document.activeElement.getAttribute("role") === "tree"`)
	p.keys(kb.End)
	p.until(`document.querySelector('[aria-selected="true"]').textContent.includes("` + filepath.Base(name(n-2)) + `")`)
	most := 0
	for i := range 50 { // scrolls through all of them
		value[any](p, fmt.Sprintf(`document.querySelector(".virtual").scrollTop = %d`, i*n/50*32))
		rows, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](`new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(document.querySelectorAll(".row").length))))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, rows)
	}
	if all := value[int](p, `document.querySelectorAll("*").length`); most > 100 || most == 0 || all > 1000 {
		t.Errorf("%d rows and %d elements are in the page", most, all)
	}
	t.Logf("%d notes: %d rows at most, %d elements in the page", n, most, value[int](p, `document.querySelectorAll("*").length`))
	value[any](p, `document.querySelector(".virtual").scrollTop = `+strconv.Itoa((n/2+n/2/1000)*32)) // each thousand has a row for its folder
	p.until(`[...document.querySelectorAll(".row")].some((x) => x.textContent.includes("` + fmt.Sprintf("note-%06d", n/2)[:len("note-000000")-2] + `"))`)
	value[any](p, `(() => { const f = document.querySelector(".pane-head input"); f.value = "`+fmt.Sprintf("%06d", n/3)+`"; f.dispatchEvent(new Event("input")); })()`)
	p.until(`document.querySelectorAll(".row").length === 1 && document.querySelector(".row").textContent.includes("` + fmt.Sprintf("note-%06d", n/3) + `")`)
	if runtime.GOOS == "linux" {
		value[any](p, `location.hash = "#/search"`)
		p.until(`document.activeElement.id === "q"`)
		before := s.processor(t)
		p.keys("box " + strconv.Itoa(n/2))
		p.until(`document.querySelector(".hit")?.textContent.includes("` + fmt.Sprintf("note-%06d", n/2) + `")`)
		t.Logf("%d notes: a question took %v of the server's processor time, with all that was asked while it was typed", n, s.processor(t)-before)
	}
}

// listed lists all notes and checks the time that a page costs the server.
func (s *server) listed(t *testing.T, n int) {
	t.Helper()
	pages, count, after, before := 0, 0, "", s.processor(t)
	for {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/notes?limit=1000&collections=true&after="+after, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", s.cookie(t))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%d %s, %v", res.StatusCode, body, err)
		}
		pages++
		count += strings.Count(string(body), `"path"`)
		_, next, ok := strings.Cut(string(body), `"next":"`)
		if !ok {
			break
		}
		after, _, _ = strings.Cut(next, `"`)
	}
	each := (s.processor(t) - before) / time.Duration(pages)
	t.Logf("%d notes: a page of the list took %v of the server's processor time, of %d pages", n, each, pages)
	if count != n || runtime.GOOS == "linux" && each > 100*time.Millisecond {
		t.Errorf("%d notes are listed, at %v a page", count, each)
	}
}

// processor returns the processor time of the server. It is exact to a hundredth of a
// second.
func (s *server) processor(t *testing.T) time.Duration {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for _, f := range fields[11:13] { // utime and stime
		x, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += x
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	return text[:len(text)-3] + "," + text[len(text)-3:]
}
