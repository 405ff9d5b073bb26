package modelfile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/unigram"
)

// unigram builds a tokenizer as XLM-RoBERTa has it, for a model with that many
// token embeddings.
func (p *publishedTokenizer) unigram(vocab int) ([]byte, error) {
	if p.Model.ByBytes || p.Model.UnkID == nil {
		return nil, errors.New("a Unigram model with byte_fallback or without unk_id is not supported")
	}
	if err := checkWords(p.PreTokenizer); err != nil {
		return nil, err
	}
	rules, err := charRules(p.Normalizer)
	if err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	var pieces [][2]json.RawMessage
	if err := json.Unmarshal(p.Model.Vocab, &pieces); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	if len(pieces) > vocab {
		return nil, fmt.Errorf("%d pieces but only %d token embeddings", len(pieces), vocab)
	}
	v := unigram.Vocabulary{Rules: rules, Unk: *p.Model.UnkID, Pieces: make([]unigram.Piece, len(pieces))}
	for id, raw := range pieces {
		piece := &v.Pieces[id]
		if err := errors.Join(json.Unmarshal(raw[0], &piece.Text), json.Unmarshal(raw[1], &piece.Score)); err != nil {
			return nil, fmt.Errorf("piece %d: %w", id, err)
		}
	}
	for _, a := range p.Added {
		if a.ID >= 0 && a.ID < len(v.Pieces) {
			v.Pieces[a.ID].Control = true
		}
	}
	if v.BOS, v.EOS, err = p.Post.markers(); err != nil {
		return nil, err
	}
	for _, id := range []int{v.BOS, v.EOS, v.Unk} {
		if id < 0 || id >= len(v.Pieces) {
			return nil, fmt.Errorf("marker %d is not one of %d pieces", id, len(v.Pieces))
		}
		v.Pieces[id].Control = true
	}
	return unigram.Build(v)
}

// preTokenizer is one that cuts a text into words, or several in turn.
type preTokenizer struct {
	part
	Replacement string         `json:"replacement"`
	AddPrefix   *bool          `json:"add_prefix_space"`
	Scheme      string         `json:"prepend_scheme"`
	Parts       []preTokenizer `json:"pretokenizers"`
}

// checkWords refuses a tokenizer that does not put U+2581 before each word.
func checkWords(raw json.RawMessage) error {
	var pre preTokenizer
	if err := json.Unmarshal(raw, &pre); err != nil {
		return fmt.Errorf("pre_tokenizer: %w", err)
	}
	parts := []preTokenizer{pre}
	if pre.Type == "Sequence" {
		parts = pre.Parts
	}
	if len(parts) == 2 && parts[0].Type == "WhitespaceSplit" {
		parts = parts[1:]
	}
	if len(parts) == 1 {
		m := parts[0]
		leads := m.Scheme == "always" || m.Scheme == "" && m.AddPrefix != nil && *m.AddPrefix
		if m.Type == "Metaspace" && m.Replacement == "\u2581" && leads {
			return nil
		}
	}
	return fmt.Errorf("a Unigram model with the pre_tokenizer %.200s is not supported", raw)
}

// normalizer is a published one, or several in turn.
type normalizer struct {
	part
	Charsmap string `json:"precompiled_charsmap"`
	Pattern  struct{ Regex string }
	Content  string
	Parts    []normalizer `json:"normalizers"`
}

// charRules returns what the normalizer makes of single characters. It also
// joins a letter with its accent and collapses spaces; package unigram does
// that by itself.
func charRules(raw json.RawMessage) ([]unigram.Rule, error) {
	var n normalizer
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, err
	}
	parts := []normalizer{n}
	if n.Type == "Sequence" {
		parts = n.Parts
	}
	if len(parts) == 0 || parts[0].Type != "Precompiled" {
		return nil, fmt.Errorf("%.40q is not supported; Precompiled is", n.Type)
	}
	for _, other := range parts[1:] {
		collapses := other.Type == "Replace" && other.Pattern.Regex == " {2,}" && (other.Content == " " || other.Content == "\u2581")
		if !collapses && other.Type != "Strip" {
			return nil, fmt.Errorf("%.40q is not supported", other.Type)
		}
	}
	data, err := base64.StdEncoding.DecodeString(parts[0].Charsmap)
	if err != nil {
		return nil, fmt.Errorf("precompiled_charsmap: %w", err)
	}
	m, err := openCharsmap(data)
	if err != nil {
		return nil, fmt.Errorf("precompiled_charsmap: %w", err)
	}
	var rules []unigram.Rule
	for r := rune(1); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if to, ok := m.find(string(r)); ok && to != string(r) {
			rules = append(rules, unigram.Rule{From: r, To: to})
		}
	}
	return rules, nil
}

// charsmap is SentencePiece's table of replacements: the length of a trie, the
// trie as darts-clone writes it, then strings that end in NUL.
type charsmap struct {
	units   []byte
	strings []byte
}

func openCharsmap(data []byte) (charsmap, error) {
	if len(data) < 4 {
		return charsmap{}, errors.New("it is cut short")
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if size%4 != 0 || uint64(size) > uint64(len(data)) {
		return charsmap{}, fmt.Errorf("a trie of %d bytes in %d", size, len(data))
	}
	return charsmap{units: data[:size], strings: data[size:]}, nil
}

// unit returns unit i. If there is none, it returns one that leads nowhere.
func (m charsmap) unit(i uint32) uint32 {
	if uint64(i)*4+4 > uint64(len(m.units)) {
		return 1 << 31 // a value, whose label no byte has
	}
	return binary.LittleEndian.Uint32(m.units[4*i:])
}

// find returns the replacement of a key. The bits of a unit are those of
// darts-clone: offset from bit 10, which bit 9 shifts by 8 more, a value below
// from bit 8, a label in the lowest 8 and bit 31.
func (m charsmap) find(key string) (to string, ok bool) {
	at, unit := uint32(0), m.unit(0)
	offset := func() uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	for i := range len(key) {
		at ^= offset() ^ uint32(key[i])
		if unit = m.unit(at); unit&(1<<31|0xff) != uint32(key[i]) {
			return "", false
		}
	}
	if unit>>8&1 == 0 {
		return "", false
	}
	value := m.unit(at^offset()) &^ (1 << 31)
	if uint64(value) >= uint64(len(m.strings)) {
		return "", false
	}
	to, _, ok = strings.Cut(string(m.strings[value:min(len(m.strings), int(value)+64)]), "\x00")
	return to, ok
}
