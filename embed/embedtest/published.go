package embedtest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Published returns the files of a tiny BERT encoder, by name, in the form in
// which encoders are published. It has random weights, 128 dimensions and a
// vocabulary of letters. The same seed gives the same bytes.
func Published(seed uint64) map[string][]byte {
	vocabulary := letters([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, "", "##")
	w := encoder(seed, "", len(vocabulary), 2, 1)
	return map[string][]byte{
		"config.json":           config("bert", "BertModel", len(vocabulary), 2, 1),
		"vocab.txt":             []byte(strings.Join(vocabulary, "\n") + "\n"),
		"tokenizer_config.json": []byte(`{"do_lower_case": true, "model_max_length": 64}`),
		"1_Pooling/config.json": []byte(`{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`),
		"model.safetensors":     w.file(),
	}
}

// PublishedCrossEncoder does what [Published] does, for a model of two layers
// that reranks.
func PublishedCrossEncoder(seed uint64) map[string][]byte {
	vocabulary := letters([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, "", "##")
	w := encoder(seed, "bert.", len(vocabulary), 2, 2)
	w.linear("bert.pooler.dense", hidden, hidden)
	w.linear("classifier", 1, hidden)
	return map[string][]byte{
		"config.json":           config("bert", "BertForSequenceClassification", len(vocabulary), 2, 2),
		"vocab.txt":             []byte(strings.Join(vocabulary, "\n") + "\n"),
		"tokenizer_config.json": []byte(`{"do_lower_case": true, "model_max_length": 64}`),
		"model.safetensors":     w.file(),
	}
}

// PublishedRobertaCrossEncoder does what [PublishedCrossEncoder] does, in the
// form of XLM-RoBERTa. That has another tokenizer, another head and no token
// types.
func PublishedRobertaCrossEncoder(seed uint64) map[string][]byte {
	vocabulary := letters([]string{"<s>", "<pad>", "</s>", "<unk>", "\u2581"}, "\u2581", "")
	w := encoder(seed, "roberta.", len(vocabulary), 1, 2)
	w.linear("classifier.dense", hidden, hidden)
	w.linear("classifier.out_proj", 1, hidden)
	var pieces []string
	for i, p := range vocabulary {
		pieces = append(pieces, fmt.Sprintf("[%q, %d]", p, -min(i, 5)))
	}
	nothing := binary.LittleEndian.AppendUint32(nil, 1024) // a table without entries
	var markers []string
	for id, text := range vocabulary[:4] {
		markers = append(markers, fmt.Sprintf(`{"id": %d, "content": %q, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}`, id, text))
	}
	tokenizer := fmt.Sprintf(`{
  "version": "1.0",
  "added_tokens": [%s],
  "normalizer": {"type": "Precompiled", "precompiled_charsmap": %q},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": true}]},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}},
      {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
  "model": {"type": "Unigram", "unk_id": 3, "vocab": [%s]}}`,
		strings.Join(markers, ", "), base64.StdEncoding.EncodeToString(append(nothing, make([]byte, 1024)...)), strings.Join(pieces, ", "))
	return map[string][]byte{
		"config.json":           config("xlm-roberta", "XLMRobertaForSequenceClassification", len(vocabulary), 1, 2),
		"tokenizer.json":        []byte(tokenizer),
		"tokenizer_config.json": []byte(`{"model_max_length": 62}`),
		"model.safetensors":     w.file(),
	}
}

const hidden, ffn, positions = 128, 256, 64

// letters adds each letter as the first of a word and as a later one.
func letters(vocabulary []string, first, later string) []string {
	for r := 'a'; r <= 'z'; r++ {
		vocabulary = append(vocabulary, first+string(r), later+string(r))
	}
	return vocabulary
}

func config(kind, architecture string, vocabulary, types, layers int) []byte {
	padding := 0
	if types == 1 {
		padding = 1 // of XLM-RoBERTa, whose positions begin behind it
	}
	return fmt.Appendf(nil, `{"model_type": %q, "architectures": [%q], "hidden_size": %d, "num_hidden_layers": %d, "num_attention_heads": 2,
  "intermediate_size": %d, "vocab_size": %d, "max_position_embeddings": %d, "type_vocab_size": %d, "pad_token_id": %d}`,
		kind, architecture, hidden, layers, ffn, vocabulary, positions, types, padding)
}

// encoder returns the tensors of an encoder, each name behind a prefix.
func encoder(seed uint64, prefix string, vocabulary, types, layers int) *weights {
	w := &weights{random: rand.New(rand.NewPCG(seed, 7)), tensors: map[string]tensor{}}
	w.table(prefix+"embeddings.word_embeddings.weight", vocabulary, hidden)
	w.table(prefix+"embeddings.position_embeddings.weight", positions, hidden)
	w.table(prefix+"embeddings.token_type_embeddings.weight", types, hidden)
	w.norm(prefix+"embeddings.LayerNorm", hidden)
	for l := range layers {
		name := fmt.Sprintf("%sencoder.layer.%d.", prefix, l)
		for _, part := range []string{"query", "key", "value"} {
			w.linear(name+"attention.self."+part, hidden, hidden)
		}
		w.linear(name+"attention.output.dense", hidden, hidden)
		w.norm(name+"attention.output.LayerNorm", hidden)
		w.linear(name+"intermediate.dense", ffn, hidden)
		w.linear(name+"output.dense", hidden, ffn)
		w.norm(name+"output.LayerNorm", hidden)
	}
	return w
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

// add adds a tensor whose values differ from about by at most .5.
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
