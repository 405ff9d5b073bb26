package analyze

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// run emits the terms of the run that begins at i, in a script without spaces. It returns
// where the run ends.
func (s *scanner) run(i int) int {
	start := i
	i = s.runEnd(i)
	counted := s.counted(start)
	if !s.query || s.stopWordsCount {
		s.pairs(start, i, counted)
		return i
	}
	for x := start; x < i; {
		y, next := s.untilStop(x, i)
		if y > x {
			s.pairs(x, y, counted && x == start)
		}
		if x = next; s.asksTwice(y, i) == next && next > y {
			s.single(next)
		}
	}
	return i
}

// counted emits a number together with the character at i that follows it (3月, 2日, 15歳).
// It reports whether it did.
func (s *scanner) counted(i int) bool {
	a := i
	for a > 0 && i-a < 8 && digit(s.text[a-1]) {
		a--
	}
	if a == i {
		return false
	}
	s.emit(s.text[a:s.unit(i)], Bigram, weightBigram)
	return true
}

// unit returns where the character at i ends, including its marks.
func (s *scanner) unit(i int) int {
	_, w := utf8.DecodeRuneInString(s.text[i:])
	i += w
	for i < len(s.text) && s.text[i] >= utf8.RuneSelf {
		r, w := utf8.DecodeRuneInString(s.text[i:])
		if !mark(r) {
			break
		}
		i += w
	}
	return i
}

// pairs emits the overlapping pairs of characters of text[a:b]. A character without a
// neighbour is a term by itself, unless counted says that it was emitted with a number.
func (s *scanner) pairs(a, b int, counted bool) {
	start, mid := a, min(s.unit(a), b)
	if mid == b && !counted {
		s.emit(s.text[a:b], Bigram, weightParticle)
		return
	}
	s.single(a)
	for mid < b {
		end := min(s.unit(mid), b)
		weight := s.weigh(a, mid, end)
		if a == start && end == b {
			weight = weightBigram // somebody set this word apart
		}
		s.emit(s.text[a:end], Bigram, weight)
		s.single(mid)
		a, mid = mid, end
	}
}

// weigh returns the weight in a query of the pair of characters text[a:mid] and
// text[mid:end].
func (s *scanner) weigh(a, mid, end int) float64 {
	if s.particles == nil || !s.particles()[s.text[a:mid]] && !s.particles()[s.text[mid:end]] {
		return weightBigram
	}
	return weightParticle
}

// rareHan reports whether r is an ideograph outside the block of common ones.
func rareHan(r rune) bool { return r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x3ffff }

// alone is the set of single characters that a document has given as terms, in the range
// from Han to Hangul. It is a hash table with at least as many empty places as full ones.
type alone []uint16

const (
	firstAlone = 0x4e00
	lastAlone  = 0xd7a3
)

// newAlone makes a set with room for the characters of a text.
func newAlone(text string) alone { return make(alone, 1<<bits.Len(uint(2*len(text)/3))) }

// add adds a character to the set and reports whether it is new.
func (a alone) add(r rune) bool {
	key := uint16(r - firstAlone + 1) // 0 marks an empty place
	i := int(key) * 40503             // spreads neighbouring characters
	for ; ; i++ {
		switch i &= len(a) - 1; a[i] {
		case 0:
			a[i] = key
			return true
		case key:
			return false
		}
	}
}

// single emits the character at i of a document, once, so that a query of one character
// (猫, 집, 𠮷) finds it. Kana are no terms by themselves. In a query an ideograph is a term
// beside its pairs, because it has a meaning by itself: 车祸 and 车辆 share a car.
func (s *scanner) single(i int) {
	r, w := utf8.DecodeRuneInString(s.text[i:])
	rare := rareHan(r)
	if !rare && (r < firstAlone || r > lastAlone) {
		return
	}
	char := s.text[i : i+w]
	if s.query {
		if (rare || r <= lastHan) && !s.stopWordsCount && !s.particles()[char] {
			s.emit(char, Character, weightCharacter)
		}
		return
	}
	if rare {
		if !s.rare[r] {
			if s.rare == nil {
				s.rare = map[rune]bool{}
			}
			s.rare[r] = true
			s.singles = append(s.singles, char)
		}
		return
	}
	if s.alone == nil && len(s.singles) < fewSingles {
		if !slices.Contains(s.singles, char) {
			s.singles = append(s.singles, char)
		}
		return
	}
	if s.alone == nil {
		s.alone = newAlone(s.text)
		for _, known := range s.singles {
			if r, _ := utf8.DecodeRuneInString(known); !rareHan(r) {
				s.alone.add(r)
			}
		}
	}
	if s.alone.add(r) {
		s.singles = append(s.singles, char)
	}
}

// fewSingles is how many characters can be searched faster than a set is made.
const fewSingles = 16
