package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// A tool searches a folder of Markdown from the command line, by words and
// without a key or a server.
type tool struct {
	name    string
	binary  string // on PATH
	notes   string // where the notes are to be, below its home
	version []string
	index   func(notes string) []string // from nothing
	again   []string                    // when it may have changed
	search  func(question string) []string
}

// tools are those whose documentation tells these commands. What each searches
// by when nothing is set up is what is measured.
func tools() []tool {
	return []tool{
		{"qmd search", "qmd", "notes", []string{"--version"},
			func(notes string) []string { return []string{"collection", "add", notes, "--name", "notes"} },
			[]string{"update"},
			func(q string) []string { return []string{"search", q, "-n", "10", "--json"} }},
		{"openclaw memory", "openclaw", filepath.Join(".openclaw", "workspace"), []string{"--version"},
			func(string) []string { return []string{"memory", "index"} },
			[]string{"memory", "index"},
			func(q string) []string { return []string{"memory", "search", q, "--max-results", "10", "--json"} }},
	}
}

// askedOfEach is how many facts of each kind a tool is asked for.
const askedOfEach = 10

// others runs memoir and the tools that are installed over the same files.
func (b *bench) others(ctx context.Context) error {
	t := table{
		Title: "Others: tools over the same files",
		About: fmt.Sprintf("%d notes with planted facts; each tool has a home and a copy of the notes of its own, and no settings. Found are facts whose file is among what it prints of its first ten, "+
			"asked by their own words: an identifier, a phrase of eight words, a clause in Chinese. Searches are processes, medians.", b.days[0]),
		Columns: []string{"tool", "version", "index, s", "CPU s", "peak MB", "nothing changed, s", "search, ms", "found: id", "phrase", "Chinese"},
	}
	dir, err := os.MkdirTemp(b.temp, "others-")
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "memoir")
	own, err := b.memoir(ctx, home, filepath.Join(home, "notes"), "MEMOIR_PROVIDER=none")
	if err != nil {
		return err
	}
	memoir := tool{"memoir, words only", own.binary, "notes", []string{"version"},
		func(string) []string { return []string{"index"} }, []string{"index"},
		func(q string) []string { return []string{"search", "-n", "10", "--json", q} }}
	row, err := b.try(ctx, memoir, own, home)
	if err != nil {
		return err
	}
	t.Rows = append(t.Rows, row)
	for _, other := range tools() {
		binary, err := exec.LookPath(other.binary)
		if err != nil {
			t.Rows = append(t.Rows, []string{other.name, "not installed", "–", "–", "–", "–", "–", "–", "–", "–"})
			continue
		}
		home := filepath.Join(dir, other.binary)
		row, err := b.try(ctx, other, newProgram(binary, home), home)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			row = []string{other.name, shorten(err.Error()), "–", "–", "–", "–", "–", "–", "–", "–"}
		}
		t.Rows = append(t.Rows, row)
	}
	b.report.add(b.out, t)
	return nil
}

// shorten returns the first words of a complaint.
func shorten(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 100 {
		r = append(r[:100], '…')
	}
	return string(r)
}

// try measures a tool on a copy of the notes in its home.
func (b *bench) try(ctx context.Context, t tool, p program, home string) ([]string, error) {
	notes := filepath.Join(home, t.notes)
	facts, err := notegen.Write(notes, b.year(b.days[0]))
	if err != nil {
		return nil, err
	}
	version, err := p.run(ctx, t.version...)
	if err != nil {
		return nil, err
	}
	full, err := p.run(ctx, t.index(notes)...)
	if err != nil {
		return nil, err
	}
	again, err := p.run(ctx, t.again...)
	if err != nil {
		return nil, err
	}
	b.progress("others: %s has indexed %d notes", t.name, b.days[0])
	asked, found := map[notegen.FactKind]int{}, map[notegen.FactKind]int{}
	var searches runs
	step := max(len(facts)/3/askedOfEach, 1)
	for i, f := range facts {
		if i/3%step != 0 || asked[f.Kind] == askedOfEach {
			continue
		}
		run, err := p.run(ctx, t.search(f.Text)...)
		if err != nil {
			return nil, err
		}
		asked[f.Kind]++
		if strings.Contains(run.Output, filepath.Base(filepath.FromSlash(f.Path))) {
			found[f.Kind]++
		}
		searches = append(searches, run)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(version.Output), "\n")
	row := []string{t.name, shorten(line), digits(full.WallMilliseconds / 1000), digits(full.CPUMilliseconds / 1000), megabytes(full.PeakBytes),
		digits(again.WallMilliseconds / 1000), digits(measure.Median(searches.wall()))}
	for _, kind := range []notegen.FactKind{notegen.FactID, notegen.FactPhrase, notegen.FactChinese} {
		row = append(row, fmt.Sprintf("%d/%d", found[kind], asked[kind]))
	}
	return row, nil
}
