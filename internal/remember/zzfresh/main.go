package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	t0 := time.Now()
	ctx := context.Background()
	root, state, mode := os.Args[1], os.Args[2], os.Args[3]
	if mode == "gen" {
		must(notegen.Write(root, notegen.Options{Seed: 1}))
		var entries []byte
		for i := range 1000 {
			entries = fmt.Appendf(entries, "- The %d. of the suppliers is in street %d of town %d and delivers on Mondays. <!-- id: e%07d | observed: 2026-01-05 | origin: user -->\n", i, i*7, i*13, i)
		}
		os.WriteFile(root+"/memory/contacts.md", entries, 0o600)
	}
	src := must(mdfile.Open(root, mdfile.Options{}))
	store := must(sqlite.Open(ctx, state+"/index.sqlite", sqlite.Options{}))
	cfg := memoir.Config{Store: store, Sources: []memoir.Source{src}}
	e := must(local.New(weights.File(), local.Options{}))
	if mode != "words" {
		cfg.Embedder = e
	}
	eng := must(memoir.New(cfg))
	opts := remember.Options{Notebook: must(notebook.Open(root, state, notebook.Options{})), Dir: state}
	read := func(ctx context.Context, texts []string) ([]judge.Side, error) {
		rs, err := e.Read(ctx, memoir.TaskQuery, texts)
		if err != nil {
			return nil, err
		}
		out := make([]judge.Side, len(rs))
		for i, r := range rs {
			out[i] = judge.Side{Text: texts[i], Vector: r.Vector}
			for _, t := range r.Tokens {
				out[i].Tokens = append(out[i].Tokens, judge.Token(t))
			}
		}
		return out, nil
	}
	if mode != "words" {
		opts.Read, opts.Space = read, e.Space()
	}
	opts.Near = func(ctx context.Context, text string, v []float32, n int) ([]remember.Place, error) {
		t := time.Now()
		q := memoir.Query{Text: text, Literal: true, Limit: n, NoSync: true, Mode: memoir.ModeText}
		res, err := eng.Search(ctx, q)
		var ps []remember.Place
		for _, h := range res.Hits {
			ps = append(ps, remember.Place{Path: string(h.Doc), StartLine: h.StartLine, EndLine: h.EndLine})
		}
		fmt.Print("near ", time.Since(t), " ")
		return ps, err
	}
	k := must(remember.Open(opts))
	if mode == "gen" {
		st := must(eng.Sync(ctx, nil))
		fmt.Println(st.Added)
		s := must(eng.Status(ctx))
		fmt.Printf("%+v\n", s)
		must(0, k.Prepare(ctx))
		eng.Close()
		return
	}
	t1 := time.Now()
	req := remember.Request{Text: fmt.Sprintf("The auditor of the harbour, number %s, comes in spring.", os.Args[4])}
	if mode == "words" {
		req.Type = "decision"
	}
	out := must(k.Remember(ctx, req))
	fmt.Println(out.Outcome, out.Path, "remember", time.Since(t1), "total", time.Since(t0))
}
