package modelfile_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

// The tests of this file convert the published weights of
// multilingual-e5-small, which are not in the repository.
const (
	envModels     = "MEMOIR_TEST_MODELS"        // folder of models, default ~/.cache/memoir-models
	envReference  = "MEMOIR_TEST_REFERENCE"     // folder of reference ids, default beside the checkout
	envNoSkipping = "MEMOIR_TEST_DISALLOW_SKIP" // 1: a missing file is a failure
	modelFolder   = "multilingual-e5-small-q4"
)

// readOrSkip returns a file that is not in the repository.
func readOrSkip(t testing.TB, env, fallback, name string) []byte {
	t.Helper()
	folder := os.Getenv(env)
	if folder == "" {
		folder = fallback
	}
	data, err := os.ReadFile(filepath.Join(folder, modelFolder, name))
	if errors.Is(err, os.ErrNotExist) && os.Getenv(envNoSkipping) != "1" {
		t.Skipf("%v (set %s)", err, env)
	}
	if err != nil {
		t.Fatalf("%v (set %s)", err, env)
	}
	return data
}

// convertPublished converts the published file once for all tests.
var convertPublished = sync.OnceValues(func() ([]byte, error) {
	folder := os.Getenv(envModels)
	if folder == "" {
		folder = modelsInCache()
	}
	data, err := os.ReadFile(filepath.Join(folder, modelFolder, "e5-small-q4.bin"))
	if err != nil {
		return nil, err
	}
	return modelfile.ConvertE5S1(data, modelfile.Options{EmbeddingBits: 2})
})

func modelsInCache() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".cache", "memoir-models")
}

// compact returns the published model in the form that memoir ships.
func compact(t testing.TB) []byte {
	t.Helper()
	data, err := convertPublished()
	if errors.Is(err, os.ErrNotExist) && os.Getenv(envNoSkipping) != "1" {
		t.Skipf("%v (set %s)", err, envModels)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPublishedModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	data := compact(t)
	if most := 45_000_000; len(data) > most {
		t.Errorf("got %d bytes, want at most %d", len(data), most)
	}
	f := parse(t, data)
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	got := f.Info()
	got.LicenceText, got.Origin, got.Languages, got.Scripts, got.UnrelatedCosine = "", "", nil, nil, 0
	want := modelfile.Info{
		Architecture: "bert", Name: "multilingual-e5-small",
		Hidden: 384, Layers: 12, Heads: 12, FFN: 1536, Vocab: 250037, Positions: 512, Eps: 1e-12,
		Pooling: modelfile.PoolMean, MaxTokens: 512, Tokenizer: modelfile.TokenizerUnigram,
		QueryPrefix: "query: ", DocumentPrefix: "passage: ", Licence: "MIT",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("info (-got +want):\n%s", diff)
	}
	text := f.Info().LicenceText
	for _, part := range []string{"Copyright (c) Microsoft Corporation", "Permission is hereby granted", "AS IS"} {
		if !strings.Contains(text, part) {
			t.Errorf("the licence does not say %q", part)
		}
	}
}

// encoded is a text with its ids, as the Hugging Face library tokenizers makes
// them.
type encoded struct {
	Prefix string
	Text   string
	IDs    []int32
}

func decode(t testing.TB, r io.Reader) []encoded {
	t.Helper()
	var all []encoded
	for d := json.NewDecoder(r); ; {
		var e encoded
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

func checkIDs(t *testing.T, all []encoded) {
	t.Helper()
	tok, err := parse(t, compact(t)).Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Error("there is nothing to compare")
	}
	for _, e := range all {
		if diff := cmp.Diff(tok.Encode(nil, e.Prefix+e.Text, 512), e.IDs); diff != "" {
			t.Errorf("%+q (-got +want):\n%s", e.Prefix+e.Text, diff)
		}
	}
}

// TestReferenceIDs has the texts that the reference vectors were made of.
func TestReferenceIDs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	data := readOrSkip(t, envReference, filepath.Join("..", "..", "..", "shared", "models"), "vectors.jsonl.gz")
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	checkIDs(t, decode(t, unzipped))
}

// TestMoreIDs has at least one sentence in each of the scripts. It also has
// what tends to go wrong: decomposed accents, widths, markers, repeated
// characters.
func TestMoreIDs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "e5_ids.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	checkIDs(t, decode(t, bytes.NewReader(data)))
}

func BenchmarkParse(b *testing.B) {
	data := compact(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := modelfile.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmbeddingRow(b *testing.B) {
	e, err := parse(b, compact(b)).Embedding("embeddings.word")
	if err != nil {
		b.Fatal(err)
	}
	row := make([]float32, e.Dim)
	i := 0
	for b.Loop() {
		e.Row(i%e.Rows, row)
		i += 7919
	}
}

func BenchmarkTokenizer(b *testing.B) {
	tok, err := parse(b, compact(b)).Tokenizer()
	if err != nil {
		b.Fatal(err)
	}
	english := "On Wednesday Alice moved the auth service to the new cluster; it took twelve minutes, and DB_PASSWORD was rotated (notes/2026-11-21.md). "
	chinese := "上周三我们决定把数据库从 MySQL 迁移到 PostgreSQL，会议由王伟主持，预算三万元。"
	for _, c := range []struct{ name, text string }{
		{"query", english[:40]},
		{"English", strings.Repeat(english, 50)},
		{"Chinese", strings.Repeat(chinese, 50)},
		{"decomposed", strings.Repeat("Cafe\u0301 nai\u0308ve re\u0301sume\u0301 ", 50)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			var dst []int32
			for b.Loop() {
				dst = tok.Encode(dst[:0], c.text, 0)
			}
		})
	}
}
