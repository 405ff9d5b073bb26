package analyze

import "unicode/utf8"

// run emits the terms of the run of a script without spaces that begins at i,
// and returns where it ends.
func (s *scanner) run(i int) int {
	start := i
	for i < len(s.text) {
		r, w := utf8.DecodeRuneInString(s.text[i:])
		if classify(r) != run {
			break
		}
		i += w
	}
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
		x = next
	}
	return i
}

// counted emits a number together with the character after it (3月, 2日, 15歳),
// which is at i, and reports whether there is one.
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

// unit returns where the character at i ends, its marks included.
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

// pairs emits the overlapping pairs of characters of text[a:b]; a single
// character is a term by itself unless it was counted already.
func (s *scanner) pairs(a, b int, counted bool) {
	mid := min(s.unit(a), b)
	if mid == b {
		if !counted {
			s.emit(s.text[a:b], Bigram, weightBigram)
		}
		return
	}
	for mid < b {
		end := min(s.unit(mid), b)
		s.emit(s.text[a:end], Bigram, weightBigram)
		if !s.query {
			s.single(a, mid)
		}
		a, mid = mid, end
	}
	if !s.query {
		s.single(a, b)
	}
}

// single emits a character of a document's run that a query may ask for alone.
func (s *scanner) single(a, b int) {
}
