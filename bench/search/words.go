package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
)

const (
	ranked     = 50      // passages of a question
	overlap    = 10      // first passages that are compared with the full ranking
	mostOracle = 200_000 // chunks beyond which the store in memory, which ranks all, would fill the memory
)

// words compares memoir's ranking by words with FTS5's own over the same terms.
func (b *bench) words(ctx context.Context) error {
	t := table{
		Title: "Words: the best 50 passages",
		About: fmt.Sprintf("Generated notes in English and Chinese; questions of six words, or a dozen characters, with their stop words, as the engine analyses them (%d of each language, %d rounds in turns in one process). "+
			"FTS5 ranks the same terms by MATCH 'a OR b …' ORDER BY rank LIMIT %d. First is the first question after opening. "+
			"Overlap is with the first %d of the store in memory, which ranks every passage.", b.questions, b.rounds, ranked, overlap),
		Columns: []string{"chunks", "questions", "method", "first ms", "p50 ms", "p99 ms", "CPU ms", "x by the clock", "x by CPU", fmt.Sprintf("overlap@%d", overlap)},
	}
	for _, n := range b.wordSizes {
		rows, err := b.wordSet(ctx, n)
		if err != nil {
			return fmt.Errorf("%d chunks: %w", n, err)
		}
		t.Rows = append(t.Rows, rows...)
	}
	b.report.add(b.out, t)
	return nil
}

func (b *bench) wordSet(ctx context.Context, n int) (rows [][]string, err error) {
	dir, err := os.MkdirTemp(b.temp, "words-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	notes, index := filepath.Join(dir, "notes"), filepath.Join(dir, "memoir.sqlite")
	if _, err := notegen.Write(notes, b.logs(n)); err != nil {
		return nil, err
	}
	fts5, err := openFTS5(ctx, filepath.Join(dir, "fts5.sqlite"))
	if err != nil {
		return nil, err
	}
	defer fts5.close()
	languages := []*language{b.language("English", false), b.language("Chinese", true)}
	chunks, err := indexTwice(ctx, notes, index, fts5, n <= mostOracle, languages)
	if err != nil {
		return nil, err
	}
	b.progress("words: %d chunks are indexed", chunks)
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ask, err := fts5.asking(ctx, askFTS5)
	if err != nil {
		return nil, err
	}
	for _, l := range languages {
		of, err := b.compareWords(ctx, chunks, l, store, ask)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

// language is the questions of a language.
type language struct {
	name  string
	asked [][]memoir.Term
	best  [][]memoir.ChunkID // the full ranking's first; nil: not known
}

// language makes questions and analyses them as the engine does.
func (b *bench) language(name string, chinese bool) *language {
	l := &language{name: name}
	for _, q := range notegen.Questions(b.seed, chinese, b.questions) {
		var terms []memoir.Term
		for _, t := range analyze.Query(q) {
			terms = append(terms, memoir.Term{Text: t.Text, Weight: t.Weight, Supports: t.Kind == analyze.Character, Light: t.Kind == analyze.Character})
		}
		l.asked = append(l.asked, terms)
	}
	return l
}

// compareWords asks both the same questions.
func (b *bench) compareWords(ctx context.Context, chunks int, l *language, store memoir.Store, fts5 asker) (rows [][]string, err error) {
	first := make([][]memoir.ChunkID, len(l.asked))
	samples, err := b.compare(ctx, fmt.Sprintf("words-%d-%s", chunks, strings.ToLower(l.name)), len(l.asked),
		measure.Method{Name: "memoir", Ask: func(ctx context.Context, i int) (err error) {
			i %= len(l.asked)
			first[i], err = searchText(ctx, store, l.asked[i], ranked)
			return err
		}},
		measure.Method{Name: "FTS5", Ask: func(ctx context.Context, i int) error {
			_, err := fts5(ctx, matchAny(l.asked[i%len(l.asked)]), ranked)
			return err
		}})
	if err != nil {
		return nil, err
	}
	for i, s := range samples {
		row := []string{fmt.Sprint(chunks), l.name, s.Name, digits(s.First), digits(s.P50()), digits(s.P99()), digits(s.CPU50()),
			times(s.WallRatio(samples[1])), times(s.CPURatio(samples[1])), "–"}
		if i == 0 && l.best != nil {
			row[len(row)-1] = fmt.Sprintf("%.4f", l.overlap(first))
		}
		rows = append(rows, row)
		b.report.point(chartWords, s.Name+", "+l.name, float64(chunks), s.P50())
	}
	b.progress("words %d %s: memoir %s ms, FTS5 %s ms", chunks, l.name, digits(samples[0].P50()), digits(samples[1].P50()))
	return rows, nil
}

// overlap returns the share of the full ranking's first chunks that are among
// the first chunks found.
func (l *language) overlap(found [][]memoir.ChunkID) float64 {
	right, all := 0, 0
	for i, best := range l.best {
		for _, id := range best {
			all++
			if slices.Contains(found[i][:min(overlap, len(found[i]))], id) {
				right++
			}
		}
	}
	return float64(right) / float64(all)
}

// indexTwice indexes notes with the engine, and gives the terms of every chunk
// to FTS5 as well. With an oracle it also asks the store in memory, which ranks
// every chunk, for the best chunks of all questions.
func indexTwice(ctx context.Context, notes, index string, fts5 *baseline, withOracle bool, languages []*language) (chunks int, err error) {
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return 0, err
	}
	to := &tee{Store: store, fts5: fts5}
	if withOracle {
		oracle := memstore.New()
		defer oracle.Close()
		to.oracle = oracle
	}
	memory, err := openEngine(notes, to, nil)
	if err != nil {
		return 0, err
	}
	_, err = memory.Sync(ctx, nil)
	if err := errors.Join(err, memory.Close()); err != nil || !withOracle {
		return to.chunks, err
	}
	for _, l := range languages {
		for _, terms := range l.asked {
			best, err := searchText(ctx, to.oracle, terms, overlap)
			if err != nil {
				return 0, err
			}
			l.best = append(l.best, best)
		}
	}
	return to.chunks, nil
}

// A tee is a store whose chunks other indexes get as well.
type tee struct {
	memoir.Store
	fts5   *baseline
	oracle memoir.Store // nil: none
	chunks int
}

// Write implements [memoir.Store]. The others take what is put.
func (t *tee) Write(ctx context.Context, c memoir.Changes) error {
	if err := t.Store.Write(ctx, c); err != nil {
		return err
	}
	if t.oracle != nil {
		if err := t.oracle.Write(ctx, c); err != nil {
			return err
		}
	}
	for _, doc := range c.Put {
		if err := t.fts5.addChunks(ctx, t.chunks, doc.Chunks); err != nil {
			return err
		}
		t.chunks += len(doc.Chunks)
	}
	return nil
}

// searchText returns the best chunks, best first.
func searchText(ctx context.Context, store memoir.Store, terms []memoir.Term, limit int) ([]memoir.ChunkID, error) {
	var out []memoir.ChunkID
	err := store.View(ctx, func(view memoir.View) error {
		matches, err := memoir.SearchText(ctx, view, terms, memoir.Filter{}, limit)
		for _, m := range matches {
			out = append(out, m.ChunkID)
		}
		return err
	})
	return out, err
}
