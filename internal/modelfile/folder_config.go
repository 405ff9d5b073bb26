package modelfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// bertConfig is the content of config.json. The defaults are those of the library
// transformers.
type bertConfig struct {
	Type       string  `json:"model_type"`
	Hidden     int     `json:"hidden_size"`
	Layers     int     `json:"num_hidden_layers"`
	Heads      int     `json:"num_attention_heads"`
	FFN        int     `json:"intermediate_size"`
	Vocab      int     `json:"vocab_size"`
	Positions  int     `json:"max_position_embeddings"`
	Types      int     `json:"type_vocab_size"`
	Pad        int     `json:"pad_token_id"`
	Eps        float64 `json:"layer_norm_eps"`
	Activation string  `json:"hidden_act"`
	Places     string  `json:"position_embedding_type"`
	IsDecoder  bool    `json:"is_decoder"`
	// Architectures are the classes of transformers that the weights are for.
	Architectures []string `json:"architectures"`
}

// reranks reports whether the model gives a number for two texts.
func (c bertConfig) reranks() bool {
	return slices.ContainsFunc(c.Architectures, func(name string) bool { return strings.HasSuffix(name, "ForSequenceClassification") })
}

// readConfig reads config.json and refuses a model that is not of the BERT family.
func readConfig(folder fs.FS) (bertConfig, error) {
	c := bertConfig{Types: 2, Eps: 1e-12, Activation: "gelu", Places: "absolute"}
	found, err := readJSON(folder, "config.json", maxConfig, &c)
	if err != nil {
		return c, err
	}
	if !found {
		return c, errors.New("config.json is missing: this is no folder of a published model")
	}
	switch {
	case c.Type != "bert" && c.Type != "xlm-roberta":
		err = fmt.Errorf("model_type %q is not supported; bert and xlm-roberta are", c.Type)
	case c.Activation != "gelu":
		err = fmt.Errorf("hidden_act %q is not supported; gelu is", c.Activation)
	case c.Places != "absolute":
		err = fmt.Errorf("position_embedding_type %q is not supported; absolute is", c.Places)
	case c.IsDecoder:
		err = errors.New("the model is a decoder")
	}
	for _, n := range []struct {
		name       string
		value, max int
	}{
		{"hidden_size", c.Hidden, maxHidden},
		{"num_hidden_layers", c.Layers, maxLayers},
		{"num_attention_heads", c.Heads, maxHidden},
		{"intermediate_size", c.FFN, maxFFN},
		{"vocab_size", c.Vocab, maxVocab},
		{"max_position_embeddings", c.Positions, maxVocab},
		{"type_vocab_size", c.Types, maxVocab},
	} {
		if err == nil && (n.value < 1 || n.value > n.max) {
			err = fmt.Errorf("%s %d is not between 1 and %d", n.name, n.value, n.max)
		}
	}
	if first := c.firstPosition(); err == nil && (first < 0 || first >= c.Positions) {
		err = fmt.Errorf("pad_token_id %d leaves none of %d positions", c.Pad, c.Positions)
	}
	if err != nil {
		return c, fmt.Errorf("config.json: %w", err)
	}
	return c, nil
}

// firstPosition returns the row of the first token's position. RoBERTa and its
// descendants count from behind the padding's id; BERT, whatever its tokenizer,
// counts from 0.
func (c bertConfig) firstPosition() int {
	if c.Type == "xlm-roberta" {
		return c.Pad + 1
	}
	return 0
}

// describe gathers what the folder and the table of known models say.
func describe(folder fs.FS, c bertConfig, t folderTokenizer, opts Options) (Info, error) {
	name := strings.Trim(opts.Name, "/")
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	if name == "" {
		return Info{}, errors.New("the model has no name")
	}
	known := knownModels[strings.ToLower(name)]
	info := Info{
		Architecture: ArchitectureBERT, Name: name,
		Hidden: c.Hidden, Layers: c.Layers, Heads: c.Heads, FFN: c.FFN, Vocab: c.Vocab, Eps: c.Eps,
		Positions: c.Positions - c.firstPosition(),
		Tokenizer: t.kind,

		Pooling: known.pooling, QueryPrefix: known.query, DocumentPrefix: known.document,
		UnrelatedCosine: known.unrelated,
		Licence:         known.licence,
		Origin:          cmp.Or(opts.Origin, known.origin()),
	}
	if c.reranks() {
		if t.pairErr != nil {
			return Info{}, t.pairErr
		}
		info.Reranks, info.PairMarkers, info.Pooling = true, t.pair.markers, PoolCLS
	} else if err := info.readPooling(folder); err != nil {
		return Info{}, err
	}
	if err := info.readLimits(folder, cmp.Or(known.tokens, t.maxTokens)); err != nil {
		return Info{}, err
	}
	if info.Reranks {
		return info, info.readCard(folder, known)
	}
	if err := info.readPrompts(folder); err != nil {
		return Info{}, err
	}
	if err := info.readCard(folder, known); err != nil {
		return Info{}, err
	}
	return info, nil
}

// readPooling reads how the states of the tokens become one vector.
func (i *Info) readPooling(folder fs.FS) error {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if _, err := readJSON(folder, "modules.json", maxConfig, &modules); err != nil {
		return err
	}
	path := "1_Pooling"
	for _, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		switch kind {
		case "Transformer", "Normalize": // vectors are always scaled to length 1
		case "Pooling":
			path = m.Path
		default:
			return fmt.Errorf("modules.json: the part %q is not supported", m.Type)
		}
	}
	modes := make(map[string]any)
	file := strings.Trim(path, "/") + "/config.json"
	if !fs.ValidPath(file) {
		return fmt.Errorf("modules.json: %q is no path", path)
	}
	found, err := readJSON(folder, file, maxConfig, &modes)
	if err != nil {
		return err
	}
	if !found {
		if i.Pooling == "" {
			return fmt.Errorf("%s is missing, and how the model %s makes one vector of many is not known", file, i.Name)
		}
		return nil
	}
	var asked []string
	for mode, is := range modes {
		if is == true && strings.HasPrefix(mode, "pooling_mode_") {
			asked = append(asked, strings.TrimPrefix(mode, "pooling_mode_"))
		}
	}
	if mode, ok := modes["pooling_mode"].(string); ok { // the form since sentence-transformers 5
		asked = []string{map[string]string{"mean": "mean_tokens", "cls": "cls_token"}[mode]}
	}
	pooling := map[string]string{"mean_tokens": PoolMean, "cls_token": PoolCLS}[strings.Join(asked, "+")]
	if pooling == "" {
		return fmt.Errorf("%s: pooling by %q is not supported; mean_tokens and cls_token are", file, asked)
	}
	i.Pooling = pooling
	return nil
}

// readLimits reads how many tokens a text may have.
func (i *Info) readLimits(folder fs.FS, otherwise int) error {
	var limits struct {
		Tokens int `json:"max_seq_length"`
	}
	if _, err := readJSON(folder, "sentence_bert_config.json", maxConfig, &limits); err != nil {
		return err
	}
	i.MaxTokens = cmp.Or(limits.Tokens, otherwise, i.Positions)
	if i.MaxTokens < 1 {
		return fmt.Errorf("sentence_bert_config.json: max_seq_length %d", i.MaxTokens)
	}
	i.MaxTokens = min(i.MaxTokens, i.Positions)
	return nil
}

// readPrompts reads the prefixes that the model wants before queries and documents.
func (i *Info) readPrompts(folder fs.FS) error {
	var config struct {
		Prompts map[string]string `json:"prompts"`
	}
	if _, err := readJSON(folder, "config_sentence_transformers.json", maxConfig, &config); err != nil {
		return err
	}
	for _, p := range []struct {
		prefix *string
		names  []string
	}{
		{&i.QueryPrefix, []string{"query", "s2p_query", "retrieval.query"}},
		{&i.DocumentPrefix, []string{"document", "passage", "corpus", "retrieval.passage"}},
	} {
		for _, name := range p.names {
			if text := config.Prompts[name]; text != "" {
				*p.prefix = text
				break
			}
		}
	}
	return nil
}
