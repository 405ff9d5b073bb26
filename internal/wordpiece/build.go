package wordpiece

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/trie"
)

// Vocabulary is what a tokenizer is built from.
type Vocabulary struct {
	// Pieces are UTF-8. The id of a piece is its place in the list. A piece that
	// continues a word begins with "##". An empty piece reserves an id that no
	// text produces.
	Pieces []string

	CLS, SEP, Unk int // ids of the markers for beginning, end and unknown words

	// WordChars is how many characters a word may have. A longer one counts as
	// unknown. 0 means [DefaultWordChars].
	WordChars int

	Rules Rules
}

// Rules say what happens to a text before it is cut into words. The zero value
// is that of a cased model.
type Rules struct {
	KeepControls bool // do not drop control and format characters
	JoinChinese  bool // do not make a word of each Chinese character
	Lowercase    bool // map each character to lower case
	StripAccents bool // decompose (NFD) and drop nonspacing marks
}

// DefaultWordChars is how many characters a word may have in BERT.
const DefaultWordChars = 100

const maxPieceBytes = 1 << 10

// Build writes a vocabulary in the form that [Parse] opens. The same
// vocabulary always makes the same bytes.
func Build(v Vocabulary) ([]byte, error) {
	if len(v.Pieces) == 0 || len(v.Pieces) > maxPieces {
		return nil, fmt.Errorf("wordpiece: %d pieces are not between 1 and %d", len(v.Pieces), maxPieces)
	}
	for _, id := range []int{v.CLS, v.SEP, v.Unk} {
		if id < 0 || id >= len(v.Pieces) {
			return nil, fmt.Errorf("wordpiece: marker %d is not one of %d pieces", id, len(v.Pieces))
		}
	}
	if v.WordChars == 0 {
		v.WordChars = DefaultWordChars
	}
	if v.WordChars < 0 || v.WordChars > maxWordChars {
		return nil, fmt.Errorf("wordpiece: words of %d characters are not between 1 and %d", v.WordChars, maxWordChars)
	}
	var keys []trie.Key
	for id, p := range v.Pieces {
		if p == "" {
			continue
		}
		if len(p) > maxPieceBytes || !utf8.ValidString(p) || strings.Contains(p, "\x00") {
			return nil, fmt.Errorf("wordpiece: piece %d (%.40q) is not at most %d bytes of UTF-8 without NUL", id, p, maxPieceBytes)
		}
		keys = append(keys, trie.Key{Text: p, ID: uint32(id)})
	}
	units, err := trie.Build(keys)
	if err != nil {
		return nil, fmt.Errorf("wordpiece: %w", err)
	}
	out := []byte(magic)
	for _, n := range []int{len(v.Pieces), v.CLS, v.SEP, v.Unk, v.WordChars, v.Rules.flags(), len(units) / trie.UnitSize} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	return append(out, units...), nil
}

func (r Rules) flags() (flags int) {
	for _, f := range []struct {
		isSet bool
		flag  int
	}{{!r.KeepControls, flagClean}, {!r.JoinChinese, flagChinese}, {r.Lowercase, flagLowercase}, {r.StripAccents, flagStripAccents}} {
		if f.isSet {
			flags |= f.flag
		}
	}
	return flags
}
