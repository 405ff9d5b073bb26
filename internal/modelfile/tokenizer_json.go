package modelfile

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memoir-ai/memoir/internal/wordpiece"
)

// publishedTokenizer is a tokenizer.json, as the library tokenizers writes it.
type publishedTokenizer struct {
	Added        []addedToken    `json:"added_tokens"`
	Normalizer   json.RawMessage `json:"normalizer"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer"`
	Post         postProcessor   `json:"post_processor"`
	Model        struct {
		Type      string          `json:"type"`
		Vocab     json.RawMessage `json:"vocab"`
		Unk       string          `json:"unk_token"`
		UnkID     *int            `json:"unk_id"`
		Inner     string          `json:"continuing_subword_prefix"`
		WordChars int             `json:"max_input_chars_per_word"`
		ByBytes   bool            `json:"byte_fallback"`
	} `json:"model"`
}

type addedToken struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// part is the beginning of every part of a pipeline.
type part struct {
	Type string `json:"type"`
}

// convert returns the tokenizer in our form, for a model with that many token
// embeddings.
func (p *publishedTokenizer) convert(vocab int) (t folderTokenizer, err error) {
	for _, a := range p.Added {
		if !a.Special {
			return t, fmt.Errorf("the added token %.40q is found in texts, which is not supported", a.Content)
		}
	}
	t.pair, t.pairErr = p.Post.pair()
	switch p.Model.Type {
	case "WordPiece":
		t.kind = TokenizerWordPiece
		t.section, err = p.wordPiece(vocab)
	case "Unigram":
		t.kind = TokenizerUnigram
		t.section, err = p.unigram(vocab)
	default:
		err = fmt.Errorf("the model %q is not supported; WordPiece and Unigram are", p.Model.Type)
	}
	return t, err
}

// wordPiece builds a tokenizer as BERT has it.
func (p *publishedTokenizer) wordPiece(vocab int) ([]byte, error) {
	var pre part
	var rules struct {
		part
		Clean        *bool `json:"clean_text"`
		Chinese      *bool `json:"handle_chinese_chars"`
		StripAccents *bool `json:"strip_accents"`
		Lowercase    *bool `json:"lowercase"`
	}
	if err := errors.Join(json.Unmarshal(p.PreTokenizer, &pre), json.Unmarshal(p.Normalizer, &rules)); err != nil {
		return nil, err
	}
	if pre.Type != "BertPreTokenizer" || rules.Type != "BertNormalizer" || p.Model.Inner != "##" {
		return nil, fmt.Errorf("WordPiece with the pre-tokenizer %q, the normalizer %q and the prefix %q is not supported", pre.Type, rules.Type, p.Model.Inner)
	}
	if rules.Clean == nil || rules.Chinese == nil || rules.Lowercase == nil {
		return nil, errors.New("the normalizer does not say what it does")
	}
	if rules.StripAccents == nil {
		rules.StripAccents = rules.Lowercase
	}
	var ids map[string]int
	if err := json.Unmarshal(p.Model.Vocab, &ids); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	v := wordpiece.Vocabulary{
		WordChars: p.Model.WordChars,
		Rules: wordpiece.Rules{
			KeepControls: !*rules.Clean, JoinChinese: !*rules.Chinese,
			Lowercase: *rules.Lowercase, StripAccents: *rules.StripAccents,
		},
	}
	for piece, id := range ids {
		if id < 0 || id >= vocab {
			return nil, fmt.Errorf("piece %.40q has the id %d of %d token embeddings", piece, id, vocab)
		}
		for len(v.Pieces) <= id {
			v.Pieces = append(v.Pieces, "")
		}
		if v.Pieces[id] != "" {
			return nil, fmt.Errorf("pieces %.40q and %.40q have the id %d", v.Pieces[id], piece, id)
		}
		v.Pieces[id] = piece
	}
	var ok bool
	if v.Unk, ok = ids[p.Model.Unk]; !ok {
		return nil, fmt.Errorf("the unknown token %.40q is not in the vocabulary", p.Model.Unk)
	}
	var err error
	if v.CLS, v.SEP, err = p.Post.markers(); err != nil {
		return nil, err
	}
	return wordpiece.Build(v)
}

// postProcessor puts markers round a text.
type postProcessor struct {
	Type   string         `json:"type"`
	CLS    marker         `json:"cls"` // BertProcessing, RobertaProcessing
	SEP    marker         `json:"sep"`
	Single []templatePart `json:"single"` // TemplateProcessing
	Pair   []templatePart `json:"pair"`
	Tokens map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
}

// templatePart is a marker or a text.
type templatePart struct {
	Special  *typedID `json:"SpecialToken"`
	Sequence *typedID `json:"Sequence"`
}

type typedID struct {
	ID   string `json:"id"`
	Type int    `json:"type_id"`
}

// pair returns how two texts become one sequence: <s> A </s> B </s>, or with
// two markers between them.
func (p *postProcessor) pair() (pair, error) {
	switch p.Type {
	case "BertProcessing":
		return bertPair(), nil
	case "RobertaProcessing":
		return pair{markers: 2}, nil
	}
	markers := len(p.Pair) - 4 // a marker at each end, and the texts
	if markers != 1 && markers != 2 || len(p.Single) != 3 || p.Single[0].Special == nil || p.Single[2].Special == nil {
		return pair{}, errors.New("tokenizer.json does not say how two texts are read as one")
	}
	for i, part := range p.Pair {
		want, special := p.Single[2].Special.ID, true
		switch i {
		case 0:
			want = p.Single[0].Special.ID
		case 1:
			want, special = "A", false
		case len(p.Pair) - 2:
			want, special = "B", false
		}
		found := part.Sequence
		if special {
			found = part.Special
		}
		if found == nil || found.ID != want {
			return pair{}, errors.New("tokenizer.json reads two texts as one in a form that is not supported")
		}
	}
	return pair{markers, p.Pair[len(p.Pair)-2].Sequence.Type == 1}, nil
}

// marker is a pair of text and id.
type marker struct{ id int }

func (m *marker) UnmarshalJSON(data []byte) error {
	var text string
	return json.Unmarshal(data, &[]any{&text, &m.id})
}

// markers returns the ids that stand before and after a text.
func (p *postProcessor) markers() (first, last int, err error) {
	switch p.Type {
	case "BertProcessing", "RobertaProcessing":
		return p.CLS.id, p.SEP.id, nil
	case "TemplateProcessing":
		s := p.Single
		if len(s) != 3 || s[0].Special == nil || s[1].Sequence == nil || s[2].Special == nil {
			return 0, 0, errors.New("a text does not stand between two markers")
		}
		before, behind := p.Tokens[s[0].Special.ID].IDs, p.Tokens[s[2].Special.ID].IDs
		if len(before) != 1 || len(behind) != 1 {
			return 0, 0, errors.New("a marker is not one token")
		}
		return before[0], behind[0], nil
	}
	return 0, 0, fmt.Errorf("the post-processor %q is not supported", p.Type)
}
