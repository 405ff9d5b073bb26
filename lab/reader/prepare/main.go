// Prepare gives the training of the reader what the program itself would read:
// the token ids of texts and the weights of the bundled encoder, as numbers.
//
//	go run ./lab/reader/prepare FOLDER < texts
//
// Texts are JSON strings, one a line. FOLDER gets ids.json (the ids of each text,
// without markers), words.json (the ids that occur) with words.f32 (a row of the
// embedding table for each), and weights.json with weights.f32: name, shape and
// offset of each other matrix and vector, [outputs][inputs], little-endian.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prepare FOLDER < texts, one JSON string a line")
		os.Exit(2)
	}
	if err := prepare(os.Args[1], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

func prepare(folder string, texts io.Reader) error {
	f, err := modelfile.Parse(weights.File())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	words, err := writeIDs(f, folder, texts)
	if err != nil {
		return err
	}
	if err := writeWords(f, folder, words); err != nil {
		return err
	}
	return writeWeights(f, folder)
}

// writeIDs writes the ids of each text, and returns those that occur.
func writeIDs(f *modelfile.File, folder string, texts io.Reader) ([]int32, error) {
	tokenizer, err := f.Tokenizer()
	if err != nil {
		return nil, err
	}
	occur := map[int32]bool{}
	ids := [][]int32{}
	for _, id := range tokenizer.Encode(nil, "", 2) {
		occur[id] = true
	}
	for lines := json.NewDecoder(bufio.NewReader(texts)); ; {
		var text string
		if err := lines.Decode(&text); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		these := tokenizer.Encode(nil, text, f.Info().MaxTokens)
		these = these[1 : len(these)-1]
		for _, id := range these {
			occur[id] = true
		}
		ids = append(ids, these)
	}
	words := make([]int32, 0, len(occur))
	for id := range occur {
		words = append(words, id)
	}
	slices.Sort(words)
	return words, errorsOf(writeJSON(filepath.Join(folder, "ids.json"), ids), writeJSON(filepath.Join(folder, "words.json"), words))
}

func writeWords(f *modelfile.File, folder string, words []int32) error {
	table, err := f.Embedding("embeddings.word")
	if err != nil {
		return err
	}
	rows := make([]float32, 0, len(words)*table.Dim)
	row := make([]float32, table.Dim)
	for _, id := range words {
		table.Row(int(id), row)
		rows = append(rows, row...)
	}
	return writeFloats(filepath.Join(folder, "words.f32"), rows)
}

// A tensor says where the numbers of a matrix or vector are.
type tensor struct {
	Name   string
	Shape  []int
	Offset int // in numbers
}

func writeWeights(f *modelfile.File, folder string) error {
	var tensors []tensor
	var all []float32
	add := func(name string, values []float32, shape ...int) {
		tensors = append(tensors, tensor{name, shape, len(all)})
		all = append(all, values...)
	}
	vectors := []string{"embeddings.type", "embeddings.norm.weight", "embeddings.norm.bias"}
	var linears []string
	for i := range f.Info().Layers {
		layer := fmt.Sprintf("layer.%d.", i)
		for _, part := range []string{"qkv", "attention", "up", "down"} {
			linears = append(linears, layer+part+".weight")
			vectors = append(vectors, layer+part+".bias")
		}
		for _, part := range []string{"attention.norm", "norm"} {
			vectors = append(vectors, layer+part+".weight", layer+part+".bias")
		}
	}
	for _, name := range vectors {
		v, err := f.Float32s(name)
		if err != nil {
			return err
		}
		add(name, v, len(v))
	}
	places, err := f.Embedding("embeddings.position")
	if err != nil {
		return err
	}
	row := make([]float32, places.Dim)
	var table []float32
	for i := range places.Rows {
		places.Row(i, row)
		table = append(table, row...)
	}
	add("embeddings.position", table, places.Rows, places.Dim)
	for _, name := range linears {
		l, err := f.Linear(name)
		if err != nil {
			return err
		}
		add(name, matrix(l), l.N, l.K)
	}
	return errorsOf(writeJSON(filepath.Join(folder, "weights.json"), tensors), writeFloats(filepath.Join(folder, "weights.f32"), all))
}

// matrix returns the weights as [outputs][inputs].
func matrix(l modelfile.Linear) []float32 {
	const width = 32
	values := make([]float32, l.N*l.K)
	buffer := make([]float32, width*l.K)
	for p := range l.N / width {
		for i, v := range l.Panel(p, buffer) {
			values[(p*width+i%width)*l.K+i/width] = v
		}
	}
	return values
}

func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func writeFloats(path string, values []float32) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errorsOf(binary.Write(w, binary.LittleEndian, values), w.Flush(), file.Close())
}

// errorsOf returns the first error.
func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
