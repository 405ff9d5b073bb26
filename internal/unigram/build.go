package unigram

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/trie"
)

// Piece is an entry of a vocabulary. Its id is its place in the list.
type Piece struct {
	Text    string  // UTF-8 without NUL, with U+2581 in place of spaces
	Score   float32 // logarithm of its probability
	Control bool    // a marker such as "</s>", which text never makes
}

// Rule replaces one character of a text before it is cut into words.
type Rule struct {
	From rune
	To   string
}

// Vocabulary is what a tokenizer is built from.
type Vocabulary struct {
	Pieces []Piece
	Rules  []Rule // in any order, one for a character

	BOS, EOS, Unk int // ids of the markers for beginning, end and unknown characters
}

// unknownPenalty is how far an unknown character scores below the lowest
// piece; the value is SentencePiece's.
const unknownPenalty = 10

// Build writes a vocabulary in the form that [Parse] opens. The same
// vocabulary always makes the same bytes.
func Build(v Vocabulary) ([]byte, error) {
	if len(v.Pieces) == 0 || len(v.Pieces) > maxPieces {
		return nil, fmt.Errorf("unigram: %d pieces are not between 1 and %d", len(v.Pieces), maxPieces)
	}
	for _, id := range []int{v.BOS, v.EOS, v.Unk} {
		if id < 0 || id >= len(v.Pieces) {
			return nil, fmt.Errorf("unigram: marker %d is not one of %d pieces", id, len(v.Pieces))
		}
	}
	keys, longest, lowest, err := keysOf(v.Pieces)
	if err != nil {
		return nil, err
	}
	units, err := trie.Build(keys)
	if err != nil {
		return nil, err
	}
	rules, err := sortedRules(v.Rules)
	if err != nil {
		return nil, err
	}
	var replacements []byte
	ends := make([]uint32, len(rules))
	for i, r := range rules {
		replacements = append(replacements, r.To...)
		ends[i] = uint32(len(replacements))
	}

	out := []byte(magic)
	for _, n := range []int{len(v.Pieces), v.BOS, v.EOS, v.Unk, longest, len(units) / trie.UnitSize, len(rules), len(replacements)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(lowest-unknownPenalty))
	for _, p := range v.Pieces {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(p.Score))
	}
	out = append(out, units...)
	for _, r := range rules {
		out = binary.LittleEndian.AppendUint32(out, uint32(r.From))
	}
	for _, end := range ends {
		out = binary.LittleEndian.AppendUint32(out, end)
	}
	return append(out, replacements...), nil
}

// keysOf returns the pieces that a text can contain, the length of the longest,
// and the lowest score among them.
func keysOf(pieces []Piece) (keys []trie.Key, longest int, lowest float32, err error) {
	lowest = math.MaxFloat32
	for id, p := range pieces {
		if s := float64(p.Score); math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, 0, 0, fmt.Errorf("unigram: piece %d (%q) has the score %g", id, p.Text, p.Score)
		}
		lowest = min(lowest, p.Score)
		if p.Control {
			continue
		}
		if p.Text == "" || len(p.Text) > maxPieceBytes || !utf8.ValidString(p.Text) || strings.Contains(p.Text, "\x00") {
			return nil, 0, 0, fmt.Errorf("unigram: piece %d (%.40q) is not between 1 and %d bytes of UTF-8 without NUL", id, p.Text, maxPieceBytes)
		}
		longest = max(longest, len(p.Text))
		keys = append(keys, trie.Key{Text: p.Text, ID: uint32(id)})
	}
	return keys, longest, lowest, nil
}

func sortedRules(rules []Rule) ([]Rule, error) {
	if len(rules) > maxRules {
		return nil, fmt.Errorf("unigram: %d rules are more than %d", len(rules), maxRules)
	}
	rules = slices.Clone(rules)
	order.By(rules, func(a, b Rule) int { return int(a.From) - int(b.From) })
	for i, r := range rules {
		if !utf8.ValidRune(r.From) || !utf8.ValidString(r.To) {
			return nil, fmt.Errorf("unigram: the rule %U to %q is not Unicode", r.From, r.To)
		}
		if len(r.To) > maxReplacementBytes {
			return nil, fmt.Errorf("unigram: %U becomes %d bytes, more than %d", r.From, len(r.To), maxReplacementBytes)
		}
		if i > 0 && r.From == rules[i-1].From {
			return nil, fmt.Errorf("unigram: two rules replace %U", r.From)
		}
	}
	return rules, nil
}
