package modelfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/memoir-ai/memoir/internal/wordpiece"
)

// folderTokenizer is a published tokenizer in our form.
type folderTokenizer struct {
	kind      string // [TokenizerUnigram] or [TokenizerWordPiece]
	section   []byte
	maxTokens int // 0 if the folder does not say
	pair      pair
	pairErr   error // why two texts cannot be read as one; only rerankers ask
}

// pair is how two texts become one sequence.
type pair struct {
	markers int  // end markers between them: 1, or 2 as RoBERTa has it
	typed   bool // the second text has the token type 1
}

// bertPair returns the form that came with BERT.
func bertPair() pair { return pair{1, true} }

// tokenizerConfig is what tokenizer_config.json says.
type tokenizerConfig struct {
	Lowercase    *bool   `json:"do_lower_case"`
	StripAccents *bool   `json:"strip_accents"`
	Chinese      *bool   `json:"tokenize_chinese_chars"`
	MaxTokens    float64 `json:"model_max_length"` // 1e30 stands for none
}

// readTokenizer reads tokenizer.json, or else the two files that came before it.
// vocab is the number of token embeddings.
func readTokenizer(folder fs.FS, vocab int) (t folderTokenizer, err error) {
	var config tokenizerConfig
	if _, err := readJSON(folder, "tokenizer_config.json", maxConfig, &config); err != nil {
		return t, err
	}
	var published publishedTokenizer
	found, err := readJSON(folder, "tokenizer.json", maxVocabulary, &published)
	if err != nil {
		return t, err
	}
	if found {
		if t, err = published.convert(vocab); err != nil {
			return t, fmt.Errorf("tokenizer.json: %w", err)
		}
	} else if t, err = readVocabTxt(folder, config, vocab); err != nil {
		return t, err
	}
	if config.MaxTokens >= 1 && config.MaxTokens < maxVocab {
		t.maxTokens = int(config.MaxTokens)
	}
	return t, nil
}

// readVocabTxt reads a WordPiece vocabulary of one piece a line.
func readVocabTxt(folder fs.FS, config tokenizerConfig, vocab int) (t folderTokenizer, err error) {
	const name = "vocab.txt"
	data, err := readOptional(folder, name, maxVocabulary)
	if err != nil {
		return t, err
	}
	if data == nil {
		return t, errors.New("tokenizer.json and vocab.txt are missing")
	}
	lines := strings.Split(strings.TrimSuffix(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n"), "\n")
	if len(lines) > vocab {
		return t, fmt.Errorf("%s: %d pieces but only %d token embeddings", name, len(lines), vocab)
	}
	v := wordpiece.Vocabulary{Pieces: lines, CLS: -1, SEP: -1, Unk: -1}
	for id, piece := range lines {
		switch piece {
		case "[CLS]":
			v.CLS = id
		case "[SEP]":
			v.SEP = id
		case "[UNK]":
			v.Unk = id
		}
	}
	isTrue := func(set *bool, otherwise bool) bool { return *cmp.Or(set, &otherwise) }
	v.Rules.Lowercase = isTrue(config.Lowercase, true)
	v.Rules.StripAccents = isTrue(config.StripAccents, v.Rules.Lowercase)
	v.Rules.JoinChinese = !isTrue(config.Chinese, true)
	t.kind, t.pair = TokenizerWordPiece, bertPair()
	if t.section, err = wordpiece.Build(v); err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
