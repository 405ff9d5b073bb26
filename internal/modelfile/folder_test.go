package modelfile_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

const (
	wordPieceJSON = `{"added_tokens":[{"id":0,"content":"[UNK]","special":true}],
		"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
		"pre_tokenizer":{"type":"BertPreTokenizer"},
		"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]"}},{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"[SEP]"}}],
			"special_tokens":{"[CLS]":{"ids":[1]},"[SEP]":{"ids":[2]}}},
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
			"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"cafe":3,"##s":4}}}`
	bertConfig = `{"model_type":"bert","hidden_size":128,"num_hidden_layers":1,"num_attention_heads":4,"intermediate_size":256,
		"vocab_size":6,"max_position_embeddings":9,"type_vocab_size":2,"layer_norm_eps":1e-12,"hidden_act":"gelu","pad_token_id":1}`
	meanPooling = `{"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":false,"word_embedding_dimension":128}`
)

// tensors are published tensors in single precision.
type tensors struct {
	shapes map[string][]int
	values map[string][]float32
}

// newTensors returns those that bertConfig asks for.
func newTensors() tensors {
	t := tensors{make(map[string][]int), make(map[string][]float32)}
	r := rand.New(rand.NewPCG(7, 8))
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		t.shapes[name], t.values[name] = shape, normal(r, n)
	}
	both := func(name string, n, k int) { add(name+".weight", n, k); add(name+".bias", n) }
	norm := func(name string) { add(name+".weight", 128); add(name+".bias", 128) }
	add("embeddings.word_embeddings.weight", 6, 128)
	add("embeddings.position_embeddings.weight", 9, 128)
	add("embeddings.token_type_embeddings.weight", 2, 128)
	norm("embeddings.LayerNorm")
	layer := "encoder.layer.0."
	for _, name := range []string{"query", "key", "value"} {
		both(layer+"attention.self."+name, 128, 128)
	}
	both(layer+"attention.output.dense", 128, 128)
	norm(layer + "attention.output.LayerNorm")
	both(layer+"intermediate.dense", 256, 128)
	both(layer+"output.dense", 128, 256)
	norm(layer + "output.LayerNorm")
	return t
}

// rename gives a tensor another name.
func (t tensors) rename(from, to string) {
	t.shapes[to], t.values[to] = t.shapes[from], t.values[from]
	delete(t.shapes, from)
	delete(t.values, from)
}

// file writes the tensors in the given type, rounding as that type does.
func (t tensors) file(kind string) []byte {
	header := make(map[string]any)
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(t.shapes)) {
		start := len(data)
		for _, v := range t.values[name] {
			switch bits := math.Float32bits(v); kind {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, bits)
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(bits>>16))
			}
		}
		header[name] = map[string]any{"dtype": kind, "shape": t.shapes[name], "data_offsets": []int{start, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), data...)
}

// folder returns the smallest published folder. More files are given by name
// and content in turn.
func folder(weights []byte, more ...string) fstest.MapFS {
	f := fstest.MapFS{
		"config.json":           {Data: []byte(bertConfig)},
		"tokenizer.json":        {Data: []byte(wordPieceJSON)},
		"1_Pooling/config.json": {Data: []byte(meanPooling)},
		"model.safetensors":     {Data: weights},
	}
	for i := 0; i < len(more); i += 2 {
		if f[more[i]] = (&fstest.MapFile{Data: []byte(more[i+1])}); more[i+1] == "" {
			delete(f, more[i])
		}
	}
	return f
}

func convertFolder(t testing.TB, f fstest.MapFS, opts modelfile.Options) *modelfile.File {
	t.Helper()
	if opts.Name == "" {
		opts.Name = "someone/tiny"
	}
	data, err := modelfile.ConvertFolder(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, data)
}

func TestConvertFolderKeepsEveryNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	want := newTensors()
	plain := want.file("F32")
	prefixed, old := newTensors(), newTensors()
	for name := range maps.Clone(prefixed.shapes) {
		prefixed.rename(name, "bert."+name)
	}
	old.rename("embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma")
	old.rename("embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta")
	for name, weights := range map[string][]byte{"plain": plain, "bert.": prefixed.file("F32"), "gamma and beta": old.file("F32")} {
		f := convertFolder(t, folder(weights), modelfile.Options{WeightBits: 32, EmbeddingBits: 32})
		layer := "encoder.layer.0."
		for to, from := range map[string][]string{
			"layer.0.qkv":       {"attention.self.query", "attention.self.key", "attention.self.value"},
			"layer.0.attention": {"attention.output.dense"}, "layer.0.up": {"intermediate.dense"}, "layer.0.down": {"output.dense"},
		} {
			var weights, bias []float32
			for _, part := range from {
				weights = append(weights, want.values[layer+part+".weight"]...)
				bias = append(bias, want.values[layer+part+".bias"]...)
			}
			if diff := cmp.Diff(outputs(t, f, to+".weight"), weights); diff != "" {
				t.Errorf("%s: %s.weight (-got +want):\n%s", name, to, diff)
			}
			checkSingles(t, f, to+".bias", bias)
		}
		checkSingles(t, f, "embeddings.word", want.values["embeddings.word_embeddings.weight"])
		checkSingles(t, f, "embeddings.position", want.values["embeddings.position_embeddings.weight"])
		checkSingles(t, f, "embeddings.type", want.values["embeddings.token_type_embeddings.weight"][:128])
		checkSingles(t, f, "embeddings.norm.weight", want.values["embeddings.LayerNorm.weight"])
		checkSingles(t, f, "embeddings.norm.bias", want.values["embeddings.LayerNorm.bias"])
	}
}

// TestWidths checks how far a number may be from the published one. The unit is
// the largest of the numbers that share a scale.
func TestWidths(t *testing.T) {
	want := newTensors()
	for bits, most := range map[int]float64{4: 0.15, 8: 0.5 / 127 * 1.01, 16: 1.0 / 2048, 32: 0} {
		f := convertFolder(t, folder(want.file("F32")), modelfile.Options{WeightBits: bits, EmbeddingBits: bits})
		var words []float32
		for _, row := range rows(t, f, "embeddings.word") {
			words = append(words, row...)
		}
		for name, c := range map[string]struct{ got, want []float32 }{
			"embeddings": {words, want.values["embeddings.word_embeddings.weight"]},
			"weights":    {outputs(t, f, "layer.0.down.weight"), want.values["encoder.layer.0.output.dense.weight"]},
		} {
			for first := 0; first < len(c.want); first += 128 {
				peak := float64(slices.Max(c.want[first:][:128]))
				peak = max(peak, -float64(slices.Min(c.want[first:][:128])))
				for i, v := range c.want[first:][:128] {
					if d := math.Abs(float64(c.got[first+i] - v)); d > most*peak {
						t.Fatalf("%d bits: %s: number %d is %g instead of %g", bits, name, first+i, c.got[first+i], v)
					}
				}
			}
		}
	}
	two := convertFolder(t, folder(want.file("F32")), modelfile.Options{EmbeddingBits: 2})
	if e, err := two.Embedding("embeddings.word"); err != nil || e.Kind() != modelfile.KindQ2Rows {
		t.Errorf("2 bits: got %v, error %v", e.Kind(), err)
	}
}

func TestConvertFolderBF16(t *testing.T) {
	want := newTensors()
	f := convertFolder(t, folder(want.file("BF16")), modelfile.Options{WeightBits: 32})
	got := outputs(t, f, "layer.0.up.weight")
	for i, v := range want.values["encoder.layer.0.intermediate.dense.weight"] {
		if rounded := math.Float32frombits(math.Float32bits(v) &^ 0xffff); got[i] != rounded {
			t.Fatalf("weight %d: got %g, want %g", i, got[i], rounded)
		}
	}
}

func TestConvertFolderInfo(t *testing.T) {
	weights := newTensors().file("F32")
	base := modelfile.Info{
		Architecture: "bert", Name: "tiny", Hidden: 128, Layers: 1, Heads: 4, FFN: 256, Vocab: 6, Positions: 9, Eps: 1e-12,
		Pooling: modelfile.PoolMean, MaxTokens: 9, Tokenizer: modelfile.TokenizerWordPiece,
	}
	for _, c := range []struct {
		name   string
		model  string
		more   []string
		change func(*modelfile.Info)
	}{
		{"nothing but the weights", "", nil, func(*modelfile.Info) {}},
		{"stated", "", []string{
			"modules.json", `[{"path":"","type":"sentence_transformers.models.Transformer"},{"path":"pool","type":"sentence_transformers.models.Pooling"},{"path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`,
			"pool/config.json", `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}`,
			"sentence_bert_config.json", `{"max_seq_length":5,"do_lower_case":false}`,
			"config_sentence_transformers.json", `{"prompts":{"query":"ask: ","passage":"tell: "}}`,
			"README.md", "---\r\nlanguage:\r\n- no\r\n- zh\r\nlicense: mit\r\ntags: [a, b]\r\n---\r\n# Tiny\r\n",
			"LICENSE", "Do what you like.\r\n",
		}, func(i *modelfile.Info) {
			i.Pooling, i.MaxTokens, i.QueryPrefix, i.DocumentPrefix = modelfile.PoolCLS, 5, "ask: ", "tell: "
			i.Languages, i.Scripts = []string{"no", "zh"}, []string{"Han", "Latin"}
			i.Licence, i.LicenceText = "MIT", "Do what you like.\n"
		}},
		{"pooling in the later form", "", []string{"1_Pooling/config.json", `{"embedding_dimension":128,"pooling_mode":"cls"}`}, func(i *modelfile.Info) { i.Pooling = modelfile.PoolCLS }},
		{"the card is damaged", "", []string{"README.md", "---\nlanguage: [a\n---\n"}, func(*modelfile.Info) {}},
		{"no limit", "", []string{"tokenizer_config.json", `{"model_max_length":1000000000000000019884624838656}`}, func(*modelfile.Info) {}},
		{"the tokenizer's limit", "", []string{"tokenizer_config.json", `{"model_max_length":7}`}, func(i *modelfile.Info) { i.MaxTokens = 7 }},
		{"a known model", "BAAI/bge-small-en-v1.5", []string{"1_Pooling/config.json", ""}, func(i *modelfile.Info) {
			i.Name, i.Pooling, i.Licence = "bge-small-en-v1.5", modelfile.PoolCLS, "MIT"
			i.QueryPrefix = "Represent this sentence for searching relevant passages: "
			i.Languages, i.Scripts = []string{"en"}, []string{"Latin"}
			i.Origin = "https://huggingface.co/BAAI/bge-small-en-v1.5"
			i.LicenceText = "The model was published under the licence MIT (https://spdx.org/licenses/MIT.html).\n"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := base
			c.change(&want)
			got := convertFolder(t, folder(weights, c.more...), modelfile.Options{Name: c.model}).Info()
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("info (-got +want):\n%s", diff)
			}
		})
	}
}

func TestConvertFolderTokenizers(t *testing.T) {
	weights := newTensors().file("F32")
	vocabTxt := "[UNK]\r\n[CLS]\r\n[SEP]\r\ncafe\r\n##s\r\n"
	for _, c := range []struct {
		name string
		more []string
		text string
		want []int32
	}{
		{"tokenizer.json", nil, "Cafés 中", []int32{1, 3, 4, 0, 2}},
		{"cased", []string{"tokenizer.json", strings.Replace(wordPieceJSON, `"lowercase":true`, `"lowercase":false`, 1)}, "Cafes cafes", []int32{1, 0, 3, 4, 2}},
		{"vocab.txt", []string{"tokenizer.json", "", "vocab.txt", vocabTxt}, "Cafés", []int32{1, 3, 4, 2}},
		{"vocab.txt, cased", []string{"tokenizer.json", "", "vocab.txt", vocabTxt, "tokenizer_config.json", `{"do_lower_case":false,"strip_accents":null}`},
			"Cafes cafés", []int32{1, 0, 0, 2}},
		{"BertProcessing", []string{"tokenizer.json", strings.Replace(wordPieceJSON, `{"type":"TemplateProcessing"`, `{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]`, 1)},
			"cafe", []int32{1, 3, 2}},
		{"Unigram", []string{"tokenizer.json", unigramJSON()}, "Ａa x", []int32{1, 4, 3, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok, err := convertFolder(t, folder(weights, c.more...), modelfile.Options{}).Tokenizer()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tok.Encode(nil, c.text, 0), c.want); diff != "" {
				t.Errorf("ids (-got +want):\n%s", diff)
			}
		})
	}
}

// unigramJSON returns a SentencePiece tokenizer that makes A of the full-width
// letter.
func unigramJSON() string {
	units := make([]uint32, 1024)
	at := uint32(0)
	for i, c := range []byte("Ａ") { // each node's children lie in a block of their own
		children := uint32(256 * (i + 1))
		units[at] |= (at ^ children) << 10
		at = children ^ uint32(c)
		units[at] = uint32(c)
	}
	units[at] |= 1<<8 | (at^1000)<<10
	units[1000] = 1 << 31
	data := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		data = binary.LittleEndian.AppendUint32(data, u)
	}
	data = append(data, "A\x00"...)
	return fmt.Sprintf(`{"added_tokens":[{"id":0,"content":"<unk>","special":true}],
		"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":%q},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},
		"pre_tokenizer":{"type":"Metaspace","replacement":"▁","add_prefix_space":true},
		"post_processor":{"type":"RobertaProcessing","sep":["</s>",2],"cls":["<s>",1]},
		"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["<s>",0],["</s>",0],["▁",-3],["▁Aa",-1.5]]}}`,
		base64.StdEncoding.EncodeToString(data))
}

// TestPositionsBehindThePadding: in XLM-RoBERTa the first position comes after
// the id of the padding. In BERT it is 0, whatever the tokenizer.
func TestPositionsBehindThePadding(t *testing.T) {
	want := newTensors()
	f := convertFolder(t, folder(want.file("F32"), "config.json", strings.Replace(bertConfig, `"bert"`, `"xlm-roberta"`, 1)), modelfile.Options{WeightBits: 32})
	if got := f.Info().Positions; got != 7 {
		t.Errorf("got %d positions, want 7", got)
	}
	checkSingles(t, f, "embeddings.position", want.values["embeddings.position_embeddings.weight"][2*128:])
}

func TestConvertFolderRefuses(t *testing.T) {
	weights := newTensors().file("F32")
	replace := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the file", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for _, c := range []struct {
		name, file, content string
		want                string
	}{
		{"no folder of a model", "config.json", "", "config.json is missing"},
		{"config that is no JSON", "config.json", "{", "config.json"},
		{"another architecture", "config.json", replace(bertConfig, `"bert"`, `"distilbert"`), `"distilbert"`},
		{"another activation", "config.json", replace(bertConfig, `"gelu"`, `"relu"`), `"relu"`},
		{"a giant layer", "config.json", replace(bertConfig, `:256`, `:99999999999`), "intermediate_size"},
		{"no layers", "config.json", replace(bertConfig, `"num_hidden_layers":1`, `"num_hidden_layers":0`), "num_hidden_layers 0"},
		{"another layer", "config.json", replace(bertConfig, `"num_hidden_layers":1`, `"num_hidden_layers":2`), "encoder.layer.1"},
		{"another shape", "config.json", replace(bertConfig, `:256`, `:512`), "shape"},
		{"padding behind all positions", "config.json", replace(replace(bertConfig, `"bert"`, `"xlm-roberta"`), `"pad_token_id":1`, `"pad_token_id":8`), "pad_token_id"},
		{"no weights", "model.safetensors", "", "model.safetensors is missing"},
		{"weights that are none", "model.safetensors", "PK\x03\x04 and so on", "model.safetensors"},
		{"no vocabulary", "tokenizer.json", "", "vocab.txt are missing"},
		{"byte pairs", "tokenizer.json", replace(wordPieceJSON, `"type":"WordPiece"`, `"type":"BPE"`), `"BPE"`},
		{"an id beyond the embeddings", "tokenizer.json", replace(wordPieceJSON, `"##s":4`, `"##s":6`), "id 6"},
		{"a negative id", "tokenizer.json", replace(wordPieceJSON, `"##s":4`, `"##s":-1`), "id -1"},
		{"two pieces with an id", "tokenizer.json", replace(wordPieceJSON, `"##s":4`, `"##s":3`), "have the id 3"},
		{"a marker that is not there", "tokenizer.json", replace(wordPieceJSON, `[2]`, `[9]`), "marker 9"},
		{"no markers", "tokenizer.json", replace(wordPieceJSON, `"TemplateProcessing"`, `"ByteLevel"`), "ByteLevel"},
		{"an added token that texts hold", "tokenizer.json", replace(wordPieceJSON, `"special":true`, `"special":false`), "added token"},
		{"another normalizer", "tokenizer.json", replace(wordPieceJSON, `"BertNormalizer"`, `"NFC"`), `"NFC"`},
		{"pooling by maximum", "1_Pooling/config.json", `{"pooling_mode_max_tokens":true}`, "max_tokens"},
		{"pooling by two ways", "1_Pooling/config.json", `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true}`, "pooling by"},
		{"pooling unknown", "1_Pooling/config.json", "", "is not known"},
		{"a dense part", "modules.json", `[{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]`, "Dense"},
		{"a path out of the folder", "modules.json", `[{"path":"../x","type":"sentence_transformers.models.Pooling"}]`, "no path"},
		{"a negative limit", "sentence_bert_config.json", `{"max_seq_length":-5}`, "max_seq_length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := modelfile.ConvertFolder(folder(weights, c.file, c.content), modelfile.Options{Name: "tiny"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
	for other, want := range map[string]string{"model.safetensors.index.json": "several files", "pytorch_model.bin": "pickle"} {
		_, err := modelfile.ConvertFolder(folder(nil, "model.safetensors", "", other, "{}"), modelfile.Options{Name: "tiny"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", other, err, want)
		}
	}
	for _, opts := range []modelfile.Options{{Name: "tiny", WeightBits: 2}, {Name: "tiny", EmbeddingBits: 3}, {}} {
		if _, err := modelfile.ConvertFolder(folder(weights), opts); err == nil {
			t.Errorf("%+v: got no error", opts)
		}
	}
	bad := newTensors()
	bad.values["encoder.layer.0.output.dense.weight"][7] = float32(math.NaN())
	if _, err := modelfile.ConvertFolder(folder(bad.file("F32")), modelfile.Options{Name: "tiny"}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a weight that is none: got error %v", err)
	}
}

func TestSamples(t *testing.T) {
	data := newTiny().mustWrite(t)
	if got, err := parse(t, data).Samples(); got != nil || err != nil {
		t.Errorf("no samples: got %v, error %v", got, err)
	}
	vector := make([]float32, 32)
	vector[3], vector[9] = 127.0/128, -64.0/128
	with, err := modelfile.AddSamples(data, []modelfile.Sample{{Text: "数据", Vector: vector}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(t, with).Samples()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, []modelfile.Sample{{Text: "数据", Vector: vector}}); diff != "" {
		t.Errorf("samples (-got +want):\n%s", diff)
	}
	without, err := modelfile.AddSamples(with, nil)
	if err != nil || !bytes.Equal(without, data) {
		t.Errorf("taking them out: got another file, error %v", err)
	}
	if _, err := modelfile.AddSamples(data, []modelfile.Sample{{Text: "a", Vector: vector[:31]}}); err == nil {
		t.Error("a short vector: got no error")
	}
	if _, err := parse(t, bytes.Replace(with, []byte(`["数据"]`), []byte(`["aa","b"]`), 1)).Samples(); err == nil {
		t.Error("more texts than vectors: got no error")
	}
	m := newTiny()
	m.more = func(w *modelfile.Writer) { w.Bytes("samples", []byte(`["a"]`)) }
	if _, err := m.write(""); err == nil || !strings.Contains(err.Error(), "do not fit together") {
		t.Errorf("texts without vectors: got error %v", err)
	}
}

// FuzzConvertFolder damages each of a folder's files in turn. If the folder can
// still be converted, the result can be read.
func FuzzConvertFolder(f *testing.F) {
	weights := newTensors().file("F32")
	f.Add([]byte(bertConfig), []byte(wordPieceJSON), []byte(meanPooling), 0, uint64(0))
	f.Add([]byte(bertConfig), []byte(unigramJSON()), []byte(`{"pooling_mode_cls_token":true}`), 9, uint64(1)<<40)
	f.Fuzz(func(t *testing.T, config, tokenizer, pooling []byte, at int, change uint64) {
		damaged := bytes.Clone(weights)
		if at >= 0 && at <= len(damaged)-8 {
			binary.LittleEndian.PutUint64(damaged[at:], binary.LittleEndian.Uint64(damaged[at:])^change)
		}
		data, err := modelfile.ConvertFolder(folder(damaged, "config.json", string(config), "tokenizer.json", string(tokenizer),
			"1_Pooling/config.json", string(pooling)), modelfile.Options{Name: "tiny"})
		if err == nil {
			readAll(data)
		}
	})
}

// BenchmarkPanel unpacks 32 outputs of 256 inputs.
func BenchmarkPanel(b *testing.B) {
	weights := newTensors().file("F32")
	for _, bits := range []int{4, 8, 16, 32} {
		l, err := convertFolder(b, folder(weights), modelfile.Options{WeightBits: bits}).Linear("layer.0.down.weight")
		if err != nil {
			b.Fatal(err)
		}
		buffer := make([]float32, 32*l.K)
		b.Run(fmt.Sprintf("bits=%d", bits), func(b *testing.B) {
			b.SetBytes(int64(len(l.Stored(0))))
			for b.Loop() {
				l.Panel(0, buffer)
			}
		})
	}
}
