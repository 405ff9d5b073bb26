package embedtest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Published returns the files of a tiny BERT encoder as encoders are published,
// by name: random weights, 128 dimensions, a vocabulary of letters. The same
// seed gives the same bytes.
func Published(seed uint64) map[string][]byte {
	vocabulary := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
	for r := 'a'; r <= 'z'; r++ {
		vocabulary = append(vocabulary, string(r), "##"+string(r))
	}
	const hidden, ffn, positions, layers = 128, 256, 64, 1
	config := fmt.Sprintf(`{"model_type": "bert", "hidden_size": %d, "num_hidden_layers": %d, "num_attention_heads": 2,
  "intermediate_size": %d, "vocab_size": %d, "max_position_embeddings": %d, "type_vocab_size": 2, "pad_token_id": 0}`,
		hidden, layers, ffn, len(vocabulary), positions)

	w := weights{random: rand.New(rand.NewPCG(seed, 7)), tensors: map[string]tensor{}}
	w.table("embeddings.word_embeddings.weight", len(vocabulary), hidden)
	w.table("embeddings.position_embeddings.weight", positions, hidden)
	w.table("embeddings.token_type_embeddings.weight", 2, hidden)
	w.norm("embeddings.LayerNorm", hidden)
	for l := range layers {
		name := fmt.Sprintf("encoder.layer.%d.", l)
		for _, part := range []string{"query", "key", "value"} {
			w.linear(name+"attention.self."+part, hidden, hidden)
		}
		w.linear(name+"attention.output.dense", hidden, hidden)
		w.norm(name+"attention.output.LayerNorm", hidden)
		w.linear(name+"intermediate.dense", ffn, hidden)
		w.linear(name+"output.dense", hidden, ffn)
		w.norm(name+"output.LayerNorm", hidden)
	}
	return map[string][]byte{
		"config.json":           []byte(config),
		"vocab.txt":             []byte(strings.Join(vocabulary, "\n") + "\n"),
		"tokenizer_config.json": []byte(`{"do_lower_case": true, "model_max_length": 64}`),
		"1_Pooling/config.json": []byte(`{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`),
		"model.safetensors":     w.file(),
	}
}

// weights gathers tensors for a file in the format safetensors.
type weights struct {
	random  *rand.Rand
	tensors map[string]tensor
}

type tensor struct {
	shape []int
	data  []byte
}

// add adds a tensor of values at most .5 away from about.
func (w *weights) add(name string, about float32, shape ...int) {
	t := tensor{shape: shape}
	n := 1
	for _, s := range shape {
		n *= s
	}
	for range n {
		t.data = binary.LittleEndian.AppendUint32(t.data, math.Float32bits(about+w.random.Float32()-0.5))
	}
	w.tensors[name] = t
}

func (w *weights) table(name string, rows, columns int) { w.add(name, 0, rows, columns) }

func (w *weights) linear(name string, outputs, inputs int) {
	w.add(name+".weight", 0, outputs, inputs)
	w.add(name+".bias", 0, outputs)
}

func (w *weights) norm(name string, n int) {
	w.add(name+".weight", 1, n)
	w.add(name+".bias", 0, n)
}

func (w *weights) file() []byte {
	header := map[string]any{}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(w.tensors)) {
		t := w.tensors[name]
		header[name] = map[string]any{"dtype": "F32", "shape": t.shape, "data_offsets": []int{len(data), len(data) + len(t.data)}}
		data = append(data, t.data...)
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err) // of names and numbers
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return slices.Concat(file, text, data)
}
