package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/memoir-ai/memoir/internal/half"
	"github.com/memoir-ai/memoir/internal/safetensors"
)

// The default bits of [ConvertFolder]. docs/design/model-files.md says why.
const (
	DefaultWeightBits    = 8
	DefaultEmbeddingBits = 8
)

const (
	maxConfig     = 1 << 20   // bytes of a small file beside the weights
	maxVocabulary = 128 << 20 // bytes of a tokenizer.json
)

// ConvertFolder makes a model file out of a folder as encoders of the BERT
// family are published on the Hugging Face hub: config.json, model.safetensors,
// tokenizer.json (or vocab.txt and tokenizer_config.json), and where they are
// there modules.json, 1_Pooling/config.json, sentence_bert_config.json,
// config_sentence_transformers.json, LICENSE and README.md. What a folder does
// not say about pooling, prefixes, languages and licence comes from a table of
// known models, by opts.Name. The same input makes the same bytes on every
// machine.
//
// The error says what is missing or cannot be converted. A folder may come from
// a stranger. While it is read, the memory holds the largest tensor and the
// file that is being made.
func ConvertFolder(folder fs.FS, opts Options) ([]byte, error) {
	if opts.WeightBits == 0 {
		opts.WeightBits = DefaultWeightBits
	}
	if opts.EmbeddingBits == 0 {
		opts.EmbeddingBits = DefaultEmbeddingBits
	}
	if _, ok := linearBits[opts.WeightBits]; !ok {
		return nil, fmt.Errorf("weights of %d bits are not supported; 4, 8, 16 and 32 are", opts.WeightBits)
	}
	if _, ok := tableBits[opts.EmbeddingBits]; !ok {
		return nil, fmt.Errorf("token embeddings of %d bits are not supported; 2, 4, 8, 16 and 32 are", opts.EmbeddingBits)
	}
	config, err := readConfig(folder)
	if err != nil {
		return nil, err
	}
	tokenizer, err := readTokenizer(folder, config.Vocab)
	if err != nil {
		return nil, err
	}
	info, err := describe(folder, config, tokenizer, opts)
	if err != nil {
		return nil, err
	}
	w := new(Writer)
	w.Bytes(tokenizerSections[tokenizer.kind], tokenizer.section)
	if err := writeFolder(folder, w, config, tokenizer.pair, opts); err != nil {
		return nil, err
	}
	return w.File(info)
}

// writeFolder adds the tensors.
func writeFolder(folder fs.FS, w *Writer, config bertConfig, pair pair, opts Options) (err error) {
	file, size, err := openWeights(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r, ok := file.(io.ReaderAt)
	if !ok {
		data, err := io.ReadAll(io.LimitReader(file, size))
		if err != nil {
			return fmt.Errorf("read %s: %w", weightsFile, err)
		}
		r = bytes.NewReader(data)
	}
	tensors, err := safetensors.Open(r, size)
	if err != nil {
		return fmt.Errorf("%s: %w", weightsFile, err)
	}
	c := folderWeights{config: config, pair: pair, opts: opts, tensors: tensors, w: w}
	c.convert()
	if config.reranks() {
		c.head()
	}
	if c.err != nil {
		return fmt.Errorf("%s: %w", weightsFile, c.err)
	}
	return nil
}

const weightsFile = "model.safetensors"

// openWeights opens the file of weights and returns its size.
func openWeights(folder fs.FS) (fs.File, int64, error) {
	file, err := folder.Open(weightsFile)
	if errors.Is(err, fs.ErrNotExist) {
		for other, reason := range map[string]string{
			weightsFile + ".index.json": "the weights are spread over several files, which cannot be converted",
			"pytorch_model.bin":         "the weights are a Python pickle, which is not read; look for a revision of the model with " + weightsFile,
		} {
			if _, missing := fs.Stat(folder, other); missing == nil {
				return nil, 0, fmt.Errorf("%s is missing: %s", weightsFile, reason)
			}
		}
		return nil, 0, fmt.Errorf("%s is missing: %w", weightsFile, fs.ErrNotExist)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", weightsFile)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// folderWeights copies published tensors to a writer. The first error is kept.
type folderWeights struct {
	config  bertConfig
	pair    pair
	opts    Options
	tensors *safetensors.File
	w       *Writer
	prefix  string // before every published name
	err     error
}

func (c *folderWeights) convert() {
	const words = "embeddings.word_embeddings.weight"
	for _, prefix := range []string{"", "bert.", "roberta.", "model."} {
		if _, ok := c.tensors.Tensor(prefix + words); ok {
			c.prefix = prefix
			break
		}
	}
	h, ffn := c.config.Hidden, c.config.FFN
	if values := c.read(words, c.config.Vocab, h); c.err == nil {
		c.w.Table("embeddings.word", c.config.Vocab, h, c.opts.EmbeddingBits, values)
	}
	c.positions()
	if types := c.read("embeddings.token_type_embeddings.weight", c.config.Types, h); c.err == nil {
		c.w.Float32s("embeddings.type", 1, h, types[:h])
		if c.config.reranks() && c.pair.typed && c.config.Types > 1 {
			c.w.Float32s(SecondType, 1, h, types[h:2*h])
		}
	}
	c.norm("embeddings.norm", "embeddings.LayerNorm")
	for l := range c.config.Layers {
		to, from := fmt.Sprintf("layer.%d.", l), fmt.Sprintf("encoder.layer.%d.", l)
		c.linear(to+"qkv", h, h, from+"attention.self.query", from+"attention.self.key", from+"attention.self.value")
		c.linear(to+"attention", h, h, from+"attention.output.dense")
		c.norm(to+"attention.norm", from+"attention.output.LayerNorm")
		c.linear(to+"up", ffn, h, from+"intermediate.dense")
		c.linear(to+"down", h, ffn, from+"output.dense")
		c.norm(to+"norm", from+"output.LayerNorm")
		if c.err != nil {
			break
		}
	}
}

// head copies the layers that turn the first token's state into a number: BERT's
// pooler and classifier, or the two layers of RoBERTa's classifier.
func (c *folderWeights) head() {
	h := c.config.Hidden
	dense, out := c.prefix+"pooler.dense", "classifier"
	if _, ok := c.tensors.Tensor("classifier.dense.weight"); ok {
		dense, out = "classifier.dense", "classifier.out_proj"
	}
	c.prefix = ""
	if t, ok := c.tensors.Tensor(out + ".weight"); ok && len(t.Shape) == 2 && t.Shape[0] != 1 && c.err == nil {
		c.err = fmt.Errorf("the model sorts texts into %d classes; one that reranks gives one number", t.Shape[0])
	}
	weights, bias := c.read(dense+".weight", h, h), c.read(dense+".bias", h)
	outWeights, outBias := c.read(out+".weight", 1, h), c.read(out+".bias", 1)
	if c.err != nil {
		return
	}
	c.matrix(HeadDense+".weight", h, h, weights)
	c.w.Float32s(HeadDense+".bias", 1, h, bias)
	c.w.Float32s(HeadOut+".weight", 1, h, outWeights)
	c.w.Float32s(HeadOut+".bias", 1, 1, outBias)
}

// matrix writes a matrix in half precision. Where weights have 32 bits it writes
// single precision, unless half loses nothing.
func (c *folderWeights) matrix(name string, rows, columns int, values []float32) {
	if c.opts.WeightBits < 32 || half.Fits(values) {
		c.w.Float16s(name, rows, columns, values)
	} else {
		c.w.Float32s(name, rows, columns, values)
	}
}

// positions copies the embeddings of the positions that a text can have.
func (c *folderWeights) positions() {
	h, first := c.config.Hidden, c.config.firstPosition()
	values := c.read("embeddings.position_embeddings.weight", c.config.Positions, h)
	if c.err != nil {
		return
	}
	values = values[first*h:]
	c.matrix("embeddings.position", c.config.Positions-first, h, values)
}

// linear joins several layers, each of n outputs and k inputs, into one.
func (c *folderWeights) linear(to string, n, k int, from ...string) {
	var weights, bias []float32
	for _, name := range from {
		weights = append(weights, c.read(name+".weight", n, k)...)
		bias = append(bias, c.read(name+".bias", n)...)
	}
	if c.err == nil {
		c.w.Weights(to+".weight", n*len(from), k, c.opts.WeightBits, weights)
		c.w.Float32s(to+".bias", 1, n*len(from), bias)
	}
}

// norm copies a layer normalisation. Old files call its parts gamma and beta.
func (c *folderWeights) norm(to, from string) {
	for part, old := range map[string]string{"weight": "gamma", "bias": "beta"} {
		name := from + "." + part
		if _, ok := c.tensors.Tensor(c.prefix + name); !ok {
			if _, ok := c.tensors.Tensor(c.prefix + from + "." + old); ok {
				name = from + "." + old
			}
		}
		if values := c.read(name, c.config.Hidden); c.err == nil {
			c.w.Float32s(to+"."+part, 1, len(values), values)
		}
	}
}

// read returns a tensor of the given shape. After the first error it returns nil.
func (c *folderWeights) read(name string, shape ...int) []float32 {
	if c.err != nil {
		return nil
	}
	name = c.prefix + name
	if t, ok := c.tensors.Tensor(name); ok && fmt.Sprint(t.Shape) != fmt.Sprint(shape) {
		c.err = fmt.Errorf("tensor %q has the shape %v instead of %v", name, t.Shape, shape)
		return nil
	}
	values, err := c.tensors.Float32s(name)
	c.err = err
	return values
}

// readOptional returns a file of at most limit bytes, or nil if there is none.
func readOptional(folder fs.FS, name string, limit int64) (data []byte, err error) {
	file, err := folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return data, nil
}

// readJSON decodes a file into v and tells whether it is there.
func readJSON(folder fs.FS, name string, limit int64, v any) (found bool, err error) {
	data, err := readOptional(folder, name, limit)
	if err != nil || data == nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}
