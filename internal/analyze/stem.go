package analyze

import "strings"

// stem returns the stem of an English word of small ASCII letters, at most
// MaxTermRunes of them, by Porter's second algorithm ("Porter2", the English
// stemmer of https://snowballstem.org/algorithms/english/stemmer.html).
// Most stems are the beginning of the word and share its memory.
func stem(word string) string {
	if len(word) <= 2 {
		return word
	}
	if s, ok := irregular(word); ok {
		return s
	}
	var s stemmer
	s.load(word)
	s.step1a()
	if !s.invariantAfter1a() {
		s.step1b()
		s.step1c()
		s.step2()
		s.step3()
		s.step4()
		s.step5()
	}
	return s.result(word)
}

// irregular returns a stem that no rule gives.
func irregular(word string) (string, bool) {
	switch word {
	case "skis":
		return "ski", true
	case "skies":
		return "sky", true
	case "dying":
		return "die", true
	case "lying":
		return "lie", true
	case "tying":
		return "tie", true
	case "idly":
		return "idl", true
	case "gently":
		return "gentl", true
	case "ugly":
		return "ugli", true
	case "early":
		return "earli", true
	case "only":
		return "onli", true
	case "singly":
		return "singl", true
	case "sky", "news", "howe", "atlas", "cosmos", "bias", "andes":
		return word, true
	}
	return "", false
}

// stemmer holds the word whose suffixes are cut. It writes Y for a y that is a consonant.
type stemmer struct {
	b      [MaxTermRunes + 1]byte
	n      int // length of the word
	r1, r2 int // where the regions R1 and R2 begin, on which most rules depend
}

func (s *stemmer) load(word string) {
	s.n = copy(s.b[:], word)
	for i := range s.n {
		if s.b[i] == 'y' && (i == 0 || s.vowel(i-1)) {
			s.b[i] = 'Y'
		}
	}
	s.r1 = s.region(0)
	for _, prefix := range [...]string{"gener", "commun", "arsen"} {
		if strings.HasPrefix(word, prefix) {
			s.r1 = len(prefix)
		}
	}
	s.r2 = s.region(s.r1)
}

// region returns the position behind the first consonant that follows a vowel, from a
// position on.
func (s *stemmer) region(from int) int {
	for i := from + 1; i < s.n; i++ {
		if !s.vowel(i) && s.vowel(i-1) {
			return i + 1
		}
	}
	return s.n
}

func (s *stemmer) result(word string) string {
	for i := range s.n {
		if s.b[i] == 'Y' {
			s.b[i] = 'y'
		}
	}
	if s.n <= len(word) && string(s.b[:s.n]) == word[:s.n] {
		return word[:s.n]
	}
	return string(s.b[:s.n])
}

func (s *stemmer) vowel(i int) bool {
	switch s.b[i] {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (s *stemmer) vowelBefore(end int) bool {
	for i := range end {
		if s.vowel(i) {
			return true
		}
	}
	return false
}

func (s *stemmer) ends(suffix string) bool {
	return s.n >= len(suffix) && string(s.b[s.n-len(suffix):s.n]) == suffix
}

// replace replaces the last cut letters by a suffix.
func (s *stemmer) replace(cut int, suffix string) {
	s.n -= cut
	s.n += copy(s.b[s.n:], suffix)
}

// short reports whether the letters before end close with a short syllable.
func (s *stemmer) short(end int) bool {
	if end < 2 || s.vowel(end-1) || !s.vowel(end-2) {
		return false
	}
	if end == 2 {
		return true
	}
	last := s.b[end-1]
	return last != 'w' && last != 'x' && last != 'Y' && !s.vowel(end-3)
}

// step1a cuts plurals.
func (s *stemmer) step1a() {
	switch {
	case s.ends("sses"):
		s.n -= 2
	case s.ends("ied"), s.ends("ies"):
		if s.n > 4 {
			s.n -= 2
		} else {
			s.n--
		}
	case s.ends("us"), s.ends("ss"):
	case s.ends("s"):
		if s.vowelBefore(s.n - 2) {
			s.n--
		}
	}
}

func (s *stemmer) invariantAfter1a() bool {
	switch string(s.b[:s.n]) {
	case "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed":
		return true
	}
	return false
}

// step1b cuts the past tense and the participle.
func (s *stemmer) step1b() {
	cut := 0
	switch {
	case s.ends("eedly"), s.ends("eed"):
		cut = 3
		if s.ends("eedly") {
			cut = 5
		}
		if s.n-cut >= s.r1 {
			s.replace(cut, "ee")
		}
		return
	case s.ends("ingly"):
		cut = 5
	case s.ends("edly"):
		cut = 4
	case s.ends("ing"):
		cut = 3
	case s.ends("ed"):
		cut = 2
	default:
		return
	}
	if !s.vowelBefore(s.n - cut) {
		return
	}
	s.n -= cut
	switch {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.replace(0, "e")
	case s.n >= 2 && s.b[s.n-1] == s.b[s.n-2] && strings.IndexByte("bdfgmnprt", s.b[s.n-1]) >= 0:
		s.n--
	case s.r1 >= s.n && s.short(s.n):
		s.replace(0, "e")
	}
}

func (s *stemmer) step1c() {
	if s.n > 2 && (s.b[s.n-1] == 'y' || s.b[s.n-1] == 'Y') && !s.vowel(s.n-2) {
		s.b[s.n-1] = 'i'
	}
}

// rule replaces one suffix by another.
type rule struct{ suffix, with string }

// longest returns the first rule that matches the end of the word. The rules are sorted
// by the length of their suffixes, longest first.
func (s *stemmer) longest(rules []rule) (rule, bool) {
	last := s.b[s.n-1]
	for _, r := range rules {
		if r.suffix[len(r.suffix)-1] == last && s.ends(r.suffix) {
			return r, true
		}
	}
	return rule{}, false
}

func (s *stemmer) step2() {
	r, ok := s.longest(step2Rules[:])
	if !ok || s.n-len(r.suffix) < s.r1 {
		return
	}
	before := byte(0)
	if s.n > len(r.suffix) {
		before = s.b[s.n-len(r.suffix)-1]
	}
	switch {
	case r.suffix == "ogi" && before != 'l':
	case r.suffix == "li" && strings.IndexByte("cdeghkmnrt", before) < 0:
	default:
		s.replace(len(r.suffix), r.with)
	}
}

var step2Rules = [...]rule{
	{"ational", "ate"}, {"ization", "ize"}, {"fulness", "ful"}, {"ousness", "ous"}, {"iveness", "ive"},
	{"tional", "tion"}, {"biliti", "ble"}, {"lessli", "less"},
	{"entli", "ent"}, {"ation", "ate"}, {"alism", "al"}, {"aliti", "al"}, {"ousli", "ous"}, {"iviti", "ive"}, {"fulli", "ful"},
	{"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"izer", "ize"}, {"ator", "ate"}, {"alli", "al"},
	{"bli", "ble"}, {"ogi", "og"},
	{"li", ""},
}

func (s *stemmer) step3() {
	r, ok := s.longest(step3Rules[:])
	if !ok || s.n-len(r.suffix) < s.r1 || r.suffix == "ative" && s.n-len(r.suffix) < s.r2 {
		return
	}
	s.replace(len(r.suffix), r.with)
}

var step3Rules = [...]rule{
	{"ational", "ate"}, {"tional", "tion"},
	{"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"}, {"ative", ""},
	{"ical", "ic"}, {"ness", ""}, {"ful", ""},
}

func (s *stemmer) step4() {
	r, ok := s.longest(step4Rules[:])
	if !ok || s.n-len(r.suffix) < s.r2 {
		return
	}
	if r.suffix == "ion" && (s.n < 4 || s.b[s.n-4] != 's' && s.b[s.n-4] != 't') {
		return
	}
	s.n -= len(r.suffix)
}

var step4Rules = [...]rule{
	{"ement", ""},
	{"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""}, {"ment", ""},
	{"ant", ""}, {"ent", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""}, {"ion", ""},
	{"al", ""}, {"er", ""}, {"ic", ""},
}

func (s *stemmer) step5() {
	switch s.b[s.n-1] {
	case 'e':
		if s.n-1 >= s.r2 || s.n-1 >= s.r1 && !s.short(s.n-1) {
			s.n--
		}
	case 'l':
		if s.n-1 >= s.r2 && s.n > 1 && s.b[s.n-2] == 'l' {
			s.n--
		}
	}
}
