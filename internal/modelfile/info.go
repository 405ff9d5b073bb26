package modelfile

import (
	"cmp"
	"fmt"
)

// Info describes the model in a file. [Parse] checks the numbers, not the texts.
type Info struct {
	Architecture string `json:"architecture"` // "bert"
	Name         string `json:"name"`         // such as "multilingual-e5-small"

	Hidden    int     `json:"hidden"`    // dimensions of a token's state and of the embedding
	Layers    int     `json:"layers"`    // transformer blocks
	Heads     int     `json:"heads"`     // attention heads; they divide Hidden evenly
	FFN       int     `json:"ffn"`       // dimensions inside the feed-forward part
	Vocab     int     `json:"vocab"`     // rows of the token embeddings; ids are below it
	Positions int     `json:"positions"` // rows of the position embeddings
	Eps       float64 `json:"eps"`       // added to the variance in layer normalisation

	Pooling   string `json:"pooling"`   // [PoolMean] or [PoolCLS]
	MaxTokens int    `json:"maxTokens"` // most tokens of a text, markers included; at most Positions
	Tokenizer string `json:"tokenizer"` // [TokenizerUnigram] or [TokenizerWordPiece]

	// Reranks says that the model reads two texts as one sequence and gives a
	// number for them instead of a vector: a cross-encoder (Nogueira and Cho,
	// arXiv 1901.04085). Its Pooling is [PoolCLS].
	Reranks     bool `json:"reranks,omitempty"`
	PairMarkers int  `json:"pairMarkers,omitempty"` // end markers between the two texts, 1 or 2; 0 unless Reranks

	QueryPrefix    string `json:"queryPrefix,omitempty"`    // what the model wants before a question
	DocumentPrefix string `json:"documentPrefix,omitempty"` // what the model wants before a document

	// UnrelatedCosine is the mean cosine of texts that have nothing to do with
	// each other, as measured. Scores are calibrated with it.
	UnrelatedCosine float64 `json:"unrelatedCosine,omitempty"`

	Languages []string `json:"languages,omitempty"` // ISO 639 codes it was made for
	Scripts   []string `json:"scripts,omitempty"`   // scripts it reads, by the names of Unicode's property

	Origin      string `json:"origin"`      // where the weights were published
	Licence     string `json:"licence"`     // SPDX identifier
	LicenceText string `json:"licenceText"` // the licence in full
}

// How an encoder makes one vector from the states of a text's tokens.
const (
	PoolMean = "mean" // the average of all tokens
	PoolCLS  = "cls"  // the first token
)

// ArchitectureBERT is a transformer encoder with learned positions and
// normalisation after each part (Devlin et al., arXiv 1810.04805).
const ArchitectureBERT = "bert"

// ArchitectureAdapters are tensors that change what an encoder computes, which is
// in a file of its own.
const ArchitectureAdapters = "adapters"

// Limits far above the models that a processor without a graphics card can
// run.
const (
	maxHidden = 1 << 14
	maxFFN    = 1 << 16
	maxLayers = 1 << 10
	maxVocab  = 1 << 24
)

// check returns an error unless the numbers of the info fit together and every
// tensor that they imply is there.
func (f *File) check() error {
	info := f.info
	if info.Architecture == ArchitectureAdapters {
		return nil // whoever reads it checks that it fits its encoder
	}
	if info.Architecture != ArchitectureBERT {
		return fmt.Errorf("architecture %q is not known", info.Architecture)
	}
	for _, n := range []struct {
		name       string
		value, max int
	}{
		{"hidden", info.Hidden, maxHidden},
		{"layers", info.Layers, maxLayers},
		{"heads", info.Heads, maxHidden},
		{"ffn", info.FFN, maxFFN},
		{"vocab", info.Vocab, maxVocab},
		{"positions", info.Positions, maxVocab},
		{"maxTokens", info.MaxTokens, info.Positions},
	} {
		if n.value < 1 || n.value > n.max {
			return fmt.Errorf("%s %d is not between 1 and %d", n.name, n.value, n.max)
		}
	}
	if info.Hidden%info.Heads != 0 {
		return fmt.Errorf("%d heads do not divide %d dimensions", info.Heads, info.Hidden)
	}
	if !(info.Eps >= 0 && info.Eps < 1) {
		return fmt.Errorf("eps %g is not between 0 and 1", info.Eps)
	}
	if info.Pooling != PoolMean && info.Pooling != PoolCLS {
		return fmt.Errorf("pooling %q is not known", info.Pooling)
	}
	if info.Reranks != (info.PairMarkers == 1 || info.PairMarkers == 2) || info.Reranks && info.Pooling != PoolCLS || info.PairMarkers < 0 {
		return fmt.Errorf("%d markers between two texts, pooling %q, do not fit a model that reranks: %v", info.PairMarkers, info.Pooling, info.Reranks)
	}
	section, ok := tokenizerSections[info.Tokenizer]
	if !ok {
		return fmt.Errorf("tokenizer %q is not known", info.Tokenizer)
	}
	if f.find(section) == nil {
		return fmt.Errorf("section %q is missing", section)
	}
	return cmp.Or(f.checkSamples(), f.checkBERT(), f.checkHead())
}

// checkBERT looks for every tensor of the architecture.
func (f *File) checkBERT() error {
	h, ffn := f.info.Hidden, f.info.FFN
	err := cmp.Or(
		f.checkRows("embeddings.word", f.info.Vocab, h),
		f.checkRows("embeddings.position", f.info.Positions, h),
		f.checkVector("embeddings.type", h),
		f.checkNorm("embeddings.norm", h),
	)
	for l := 0; l < f.info.Layers && err == nil; l++ {
		layer := fmt.Sprintf("layer.%d.", l)
		err = cmp.Or(
			f.checkLinear(layer+"qkv", 3*h, h),
			f.checkLinear(layer+"attention", h, h),
			f.checkNorm(layer+"attention.norm", h),
			f.checkLinear(layer+"up", ffn, h),
			f.checkLinear(layer+"down", h, ffn),
			f.checkNorm(layer+"norm", h),
		)
	}
	return err
}

// The sections that a model that reranks has beside those of an encoder. One is
// the row that is added to each token of the second text, where it differs from
// that of the first. The others are the head, which makes a number of the first
// token's state x: out·tanh(dense·x + bias) + bias.
const (
	SecondType = "embeddings.type.second"
	HeadDense  = "head.dense"
	HeadOut    = "head.out"
)

// checkHead looks for the tensors of a model that reranks.
func (f *File) checkHead() error {
	if !f.info.Reranks {
		return nil
	}
	h := f.info.Hidden
	if f.find(SecondType) != nil {
		if err := f.checkVector(SecondType, h); err != nil {
			return err
		}
	}
	return cmp.Or(
		f.checkShape(HeadDense+".weight", h, h, KindF32, KindF16), f.checkVector(HeadDense+".bias", h),
		f.checkVector(HeadOut+".weight", h), f.checkVector(HeadOut+".bias", 1))
}

// Has reports whether the file holds a section.
func (f *File) Has(name string) bool { return f.find(name) != nil }

func (f *File) checkRows(name string, rows, cols int) error {
	if head := f.find(name + headSuffix); head != nil && (head.kind != KindQ4Rows || head.rows > rows || head.cols != cols) {
		return fmt.Errorf("section %q of %v %d x %d is no head of %d x %d", head.name, head.kind, head.rows, head.cols, rows, cols)
	}
	return f.checkShape(name, rows, cols, tableKinds...)
}

func (f *File) checkVector(name string, n int) error {
	return f.checkShape(name, 1, n, KindF32, KindF16)
}

func (f *File) checkNorm(name string, n int) error {
	return cmp.Or(f.checkVector(name+".weight", n), f.checkVector(name+".bias", n))
}

func (f *File) checkLinear(name string, out, in int) error {
	return cmp.Or(f.checkShape(name+".weight", out, in, panelKinds...), f.checkVector(name+".bias", out))
}

func (f *File) checkShape(name string, rows, cols int, kinds ...Kind) error {
	s, err := f.section(name, kinds...)
	if err != nil {
		return err
	}
	if s.rows != rows || s.cols != cols {
		return fmt.Errorf("section %q is %d x %d instead of %d x %d", name, s.rows, s.cols, rows, cols)
	}
	return nil
}
