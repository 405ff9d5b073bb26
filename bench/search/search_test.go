package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/cli"
)

// TestMain lets the test binary launch processes as the bench does, and be
// memoir where it is called so.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "memoir") {
		os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Options{}))
	}
	if len(os.Args) > 2 && os.Args[1] == measure.LauncherArgument {
		if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// self returns a memoir that needs no compiler: this binary under that name.
// With MEMOIR_TEST_NIGHTLY the bench builds it as a release is, which compiles
// everything once more.
func self(t *testing.T) string {
	t.Helper()
	if os.Getenv("MEMOIR_TEST_NIGHTLY") != "" {
		return ""
	}
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "memoir"+filepath.Ext(test))
	if err := os.Link(test, name); err != nil { // on another file system
		data, err := os.ReadFile(test)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// tiny measures one part at a size that takes no time.
func tiny(t *testing.T, part string) table {
	t.Helper()
	s := settings{
		parts: []string{part}, vectorSizes: []int{1_200}, dimensions: []int{64}, wordSizes: []int{120}, hybridSizes: []int{120}, days: []int{2}, coldDays: 1, bytesPerDay: 1000,
		questions: 6, rounds: 2, repeats: 1, seed: 1, cache: t.TempDir(), binary: self(t),
	}
	var out bytes.Buffer
	r, err := s.measure(t.Context(), "search", &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 1 {
		t.Fatalf("got %d tables, want 1", len(r.Tables))
	}
	for _, want := range []string{r.Machine, runtime.Version(), "SQLite 3.", "sqlite-vec v", "## " + r.Tables[0].Title} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	for _, row := range r.Tables[0].Rows {
		if len(row) != len(r.Tables[0].Columns) {
			t.Errorf("row %q has not the columns %q", row, r.Tables[0].Columns)
		}
	}
	return r.Tables[0]
}

// column returns the cells of a column.
func column(t *testing.T, from table, name string) []string {
	t.Helper()
	var out []string
	for i, c := range from.Columns {
		if c == name {
			for _, row := range from.Rows {
				out = append(out, row[i])
			}
			return out
		}
	}
	t.Fatalf("no column %q among %q", name, from.Columns)
	return nil
}

func TestVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	got := tiny(t, "vectors")
	if diff := cmp.Diff(column(t, got, "method"), []string{"memoir", "vec0", "plain read"}); diff != "" {
		t.Errorf("methods: -got +want:\n%s", diff)
	}
	for _, at := range []string{"recall@10", "recall@50"} {
		if diff := cmp.Diff(column(t, got, at), []string{"1.0000", "1.0000", "–"}); diff != "" {
			t.Errorf("%s: -got +want:\n%s", at, diff)
		}
	}
}

func TestWords(t *testing.T) {
	got := tiny(t, "words")
	if diff := cmp.Diff(column(t, got, "method"), []string{"memoir", "FTS5", "memoir", "FTS5"}); diff != "" {
		t.Errorf("methods: -got +want:\n%s", diff)
	}
	if diff := cmp.Diff(column(t, got, "overlap@10"), []string{"1.0000", "–", "1.0000", "–"}); diff != "" {
		t.Errorf("overlap: -got +want:\n%s", diff)
	}
}

func TestHybrid(t *testing.T) {
	got := tiny(t, "hybrid")
	if diff := cmp.Diff(column(t, got, "search"), []string{"hybrid", "hybrid, files looked at", "words only"}); diff != "" {
		t.Errorf("searches: -got +want:\n%s", diff)
	}
}

func TestDisk(t *testing.T) {
	got := tiny(t, "disk")
	if text := column(t, got, "text, MB")[0]; text == "–" || text == "0" {
		t.Errorf("got text of %s MB", text)
	}
}

func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	got := tiny(t, "sync")
	if diff := cmp.Diff(column(t, got, "run"), []string{"from nothing", "nothing changed", "one file changed", "a search"}); diff != "" {
		t.Errorf("runs: -got +want:\n%s", diff)
	}
	got = tiny(t, "cold")
	if runs := column(t, got, "run"); len(runs) != 5 || runs[0] != "memoir search" || runs[1] != "memoir search --mode text" {
		t.Errorf("got the runs %q", runs)
	}
	if !regexp.MustCompile(`^\d+ passages`).MatchString(got.About) {
		t.Errorf("the number of passages is not told: %s", got.About)
	}
}

// A tool that is there is run, one that fails is told with what it said, and
// memoir finds every planted fact.
func TestOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the tools of this test are shell scripts")
	}
	bin := t.TempDir()
	for name, script := range map[string]string{
		"qmd": `#!/bin/sh
case $1 in
--version) echo qmd 9.9 ;;
search) ls -R "$HOME/notes/memory" ;;
esac
`,
		"openclaw": "#!/bin/sh\necho no workspace >&2\nexit 3\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	got := tiny(t, "others")
	if diff := cmp.Diff(column(t, got, "tool"), []string{"memoir, words only", "memoir", "qmd search", "basic-memory, words only", "memsearch, vectors of a stand-in", "mcp-memory-service, vectors of a stand-in", "openclaw memory"}); diff != "" {
		t.Errorf("tools: -got +want:\n%s", diff)
	}
	for _, kind := range []string{"found: id", "phrase", "Chinese"} {
		if diff := cmp.Diff(column(t, got, kind), []string{"2/2", "2/2", "2/2", "–", "–", "–", "–"}); diff != "" {
			t.Errorf("%s: -got +want:\n%s", kind, diff)
		}
	}
	versions := column(t, got, "version")
	if versions[2] != "qmd 9.9" || versions[3] != "not installed" || !strings.Contains(versions[6], "no workspace") {
		t.Errorf("got versions %q", versions)
	}
}

func TestFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-parts", "vectors,taste"}, `no part "taste"`},
		{[]string{"-chunks", "10,x"}, "10,x"},
		{[]string{"-dims", "0"}, "above 0"},
		{[]string{"-rounds", "0"}, "at least 1"},
		{[]string{"vectors"}, "no arguments"},
		{[]string{"-sweep", "-max", "10"}, "at least 1000"},
		{[]string{"-from", "r.json"}, "-plot"},
		{[]string{"-from", filepath.Join(t.TempDir(), "none.json"), "-plot", t.TempDir()}, "none.json"},
	} {
		err := run(t.Context(), test.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want an error that says %q", test.args, err, test.want)
		}
	}
}

// What -json writes, -from draws.
func TestDraw(t *testing.T) {
	dir := t.TempDir()
	r := &report{}
	r.point(chartVectors, "memoir", 1000, .1)
	r.point(chartVectors, "memoir", 10_000, .5)
	r.point(chartVectors, "vec0", 1000, 1)
	file := filepath.Join(dir, "r.json")
	if err := r.save(file); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-from", file, "-plot", filepath.Join(dir, "out")}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "out"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "search-vectors.svg" {
		t.Fatalf("got %v, %v; want search-vectors.svg alone", entries, err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "out", "search-vectors.svg"))
	if err != nil || !strings.Contains(string(svg), ">vec0<") {
		t.Errorf("the drawing lacks vec0 (%v)", err)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	table{"A", "About.", []string{"name", "ms"}, [][]string{{"a|b\r\nc", "1"}}}.write(&out)
	want := "\n## A\n\nAbout.\n\n| name | ms |\n|---|---:|\n| a\\|b c | 1 |\n"
	if diff := cmp.Diff(out.String(), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.000123: "0.00012", 0.01234: "0.0123", 0.5: "0.500", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 12345: "12345",
		math.Inf(1): "–", math.NaN(): "–"} {
		if got := digits(v); got != want {
			t.Errorf("digits(%v): got %s, want %s", v, got, want)
		}
	}
	if got := times(31.4); got != "31.4x" {
		t.Errorf("got %s, want 31.4x", got)
	}
	if got := times(math.NaN()); got != "–" {
		t.Errorf("got %s, want a dash", got)
	}
	if got := megabytes(0); got != "–" {
		t.Errorf("got %s, want a dash", got)
	}
}

func TestLatent(t *testing.T) {
	set := newLatent(1, 96)
	a, b := set.batch(0, 5), set.batch(3, 5)
	if diff := cmp.Diff(a[3:], b); diff != "" {
		t.Errorf("a vector depends on its batch: -got +want:\n%s", diff)
	}
	if diff := cmp.Diff(newLatent(1, 96).vector(4), a[4]); diff != "" {
		t.Errorf("a vector depends on the run: -got +want:\n%s", diff)
	}
	if cmp.Equal(newLatent(2, 96).vector(4), a[4]) || cmp.Equal(a[0], a[1]) {
		t.Error("two seeds, or two numbers, give the same vector")
	}
	for _, v := range a {
		var squares float64
		for _, x := range v {
			squares += float64(x) * float64(x)
		}
		if math.Abs(squares-1) > 1e-5 {
			t.Errorf("a vector has the length %v, want 1", math.Sqrt(squares))
		}
	}
}

func TestExact(t *testing.T) {
	e := newExact([][]float32{{1, 0}, {0, 1}}, 2)
	e.add(0, [][]float32{{.6, .8}, {1, 0}})
	e.add(2, [][]float32{{0, 1}, {.8, .6}})
	for _, test := range []struct {
		found [][]int
		k     int
		want  float64
	}{
		{[][]int{{1, 3}, {2, 0}}, 2, 1},
		{[][]int{{3, 1}, {2, 0}}, 1, .5},
		{[][]int{{1}, nil}, 2, .25},
	} {
		if got := e.recall(test.found, test.k); got != test.want {
			t.Errorf("recall@%d of %v: got %v, want %v", test.k, test.found, got, test.want)
		}
	}
}
