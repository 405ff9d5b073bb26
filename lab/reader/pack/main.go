// Pack writes what the training of the reader learned as a model file.
//
//	go run ./lab/reader/pack FOLDER FILE
//
// FOLDER holds reader.json and reader.f32 as train.py writes them.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER FILE")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(folder, to string) error {
	model, err := modelfile.Parse(weights.File())
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(folder, "reader.json"))
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(folder, "reader.f32"))
	if err != nil {
		return err
	}
	var tensors []struct {
		Name       string
		Rows, Cols int
		Offset     int // in numbers
	}
	if err := json.Unmarshal(list, &tensors); err != nil {
		return err
	}
	var w modelfile.Writer
	w.Bytes("base", []byte(model.Checksum()))
	for _, t := range tensors {
		values := make([]float32, t.Rows*t.Cols)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(t.Offset+i):]))
		}
		switch {
		case strings.HasPrefix(t.Name, "layer."), strings.HasSuffix(t.Name, ".dense"):
			w.Table(t.Name, t.Rows, t.Cols, 8, values)
		case strings.HasSuffix(t.Name, ".out"), strings.HasSuffix(t.Name, ".kinds"):
			w.Float16s(t.Name, t.Rows, t.Cols, values)
		default:
			w.Float32s(t.Name, t.Rows, t.Cols, values)
		}
	}
	file, err := w.File(modelfile.Info{Architecture: modelfile.ArchitectureAdapters, Name: "memoir-reader"})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", to, len(file))
	return os.WriteFile(to, file, 0o644)
}
