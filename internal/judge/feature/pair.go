package feature

import (
	"maps"
	"math"
	"unicode"
)

// A Token is a piece of a text as the encoder reads it.
type Token struct {
	Text   string  // the first piece of a word begins with U+2581
	Score  float64 // the logarithm of its probability
	Vector []float32
}

// A Side is one text of a pair.
type Side struct {
	text   *Text
	vector []float32
	units  []unit
	grams  map[string]bool
}

// NewSide returns a side made of a text, its vector as a query and its tokens.
// mean is the mean vector of all tokens, which is subtracted from each.
func NewSide(text *Text, vector []float32, tokens []Token, mean []float64) *Side {
	return &Side{text, vector, units(tokens, mean), grams(text.folded)}
}

// As returns the side with other cues.
func (s *Side) As(text *Text) *Side {
	as := *s
	as.text = text
	return &as
}

// grams returns the groups of three letters in a text, or of two in a text with
// Chinese or Japanese.
func grams(folded string) map[string]bool {
	var letters []rune
	width := 3
	for _, r := range folded {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			letters = append(letters, r)
		}
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			width = 2
		}
	}
	found := map[string]bool{}
	for i := 0; i+width <= len(letters); i++ {
		found[string(letters[i:i+width])] = true
	}
	return found
}

// Row returns the features of an older and a newer text that the pair models
// weigh.
func (m *Meeting) Row() Row {
	var r Row
	a, b := m.older, m.newer
	common := 0
	for g := range a.grams {
		if b.grams[g] {
			common++
		}
	}
	share := func(n int) float64 { return float64(common) / float64(max(1, n)) }
	r.put("cosine", dot(a.vector, b.vector))
	r.put("grams", share(len(a.grams)+len(b.grams)-common))
	r.put("grams in new", share(len(b.grams)))
	r.put("grams in old", share(len(a.grams)))
	r.put("length", float64(len([]rune(b.text.folded)))/float64(max(1, len([]rune(a.text.folded)))))
	pairCues(&r, a.text, b.text)
	pairValues(&r, a.text.values, b.text.values)
	m.words(&r)
	r.is("scripts differ", a.cjk() != b.cjk())
	r.put("past first", number(a.text.past)+number(b.text.past))
	v := map[string]float64{}
	for i, name := range r.Names {
		v[name] = r.Values[i]
	}
	r.put("value exchanged, words unmatched in old", v["value exchanged"]*v["unmatched words in old"])
	r.put("value exchanged, words unmatched in new", v["value exchanged"]*v["unmatched words in new"])
	r.put("change only in new, words unmatched in old", v["change only in new"]*v["unmatched words in old"])
	r.put("change only in new, first said", v["change only in new"]*v["first said in old"])
	r.put("change only in new, role", v["change only in new"]*v["role exchanged"])
	r.put("change only in new, unmatched in new", v["change only in new"]*v["unmatched in new 1"])
	r.put("change only in new, names exchanged", v["change only in new"]*v["names exchanged"])
	return r
}

func (s *Side) cjk() bool { return s.text.cjk > s.text.latin }

// Difference returns the input of the projection of a pair's vectors: their
// difference, and its absolute value in each dimension.
func (m *Meeting) Difference() []float64 {
	a, b := m.older, m.newer
	d := make([]float64, 2*len(a.vector))
	for i := range a.vector {
		x := 20 * (float64(b.vector[i]) - float64(a.vector[i]))
		d[i], d[len(a.vector)+i] = x, math.Abs(x)
	}
	return d
}

func pairCues(r *Row, a, b *Text) {
	ca, cb := a.count("change"), b.count("change")
	r.is("change in old", ca > 0)
	r.is("change in new", cb > 0)
	r.is("change only in new", cb > 0 && ca == 0)
	r.put("more change", float64(cb-ca))
	r.is("change in both", ca > 0 && cb > 0)
	na, nb := a.has("negation"), b.has("negation")
	r.is("negation in old", na)
	r.is("negation in new", nb)
	r.is("negation in one", na != nb)
	r.is("negation only in new", nb && !na)
	r.is("additive", b.has("additive"))
	r.put("many-valued", both(a, b, "manyvalued"))
	event := both(a, b, "event")
	r.put("event", event)
	r.is("event in both", event == 2)
	sa, sb := a.texts("scope"), b.texts("scope")
	same := shared(sa, sb)
	r.put("scope differs", float64(len(sa)+len(sb)-2*same))
	r.is("scope in both", len(sa) > 0 && len(sb) > 0 && !maps.Equal(sa, sb))
	r.put("scope common", float64(same))
	ra, rb := a.roles(), b.roles()
	same = shared(ra, rb)
	r.put("role new", float64(len(rb)-same))
	r.put("role gone", float64(len(ra)-same))
	r.is("role exchanged", len(ra) > same && len(rb) > same)
	r.put("role common", float64(same))
	ia, ib := a.begins("self"), b.begins("self")
	r.is("self in old", ia)
	r.is("self in new", ib)
	r.is("self in one", ia != ib)
	r.is("self in both", ia && ib)
}

func both(a, b *Text, list string) float64 {
	n := 0.0
	for _, t := range []*Text{a, b} {
		if t.has(list) {
			n++
		}
	}
	return n
}

func shared[K comparable](a, b map[K]bool) int {
	n := 0
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}

// begins reports whether a cue of the list stands in the first characters.
func (t *Text) begins(list string) bool {
	const characters = 12
	end := 0
	for n := range t.folded {
		if end++; end > characters {
			end = n
			break
		}
	}
	want := cues().index[list]
	for _, h := range t.hits {
		if cues().cues[h.cue].list == want && (h.end <= end || len(t.folded) <= characters) {
			return true
		}
	}
	return false
}

func pairValues(r *Row, a, b []Value) {
	set := func(values []Value) map[Value]bool {
		m := map[Value]bool{}
		for _, v := range values {
			m[v] = true
		}
		return m
	}
	va, vb := set(a), set(b)
	same := shared(va, vb)
	ka, kb := map[Kind]bool{}, map[Kind]bool{}
	for v := range va {
		if !vb[v] {
			ka[v.Kind] = true
		}
	}
	for v := range vb {
		if !va[v] {
			kb[v.Kind] = true
		}
	}
	r.put("values new", float64(len(vb)-same))
	r.put("values gone", float64(len(va)-same))
	r.put("values common", float64(same))
	r.is("value exchanged", len(vb) > same && len(va) > same)
	r.put("kinds exchanged", float64(shared(ka, kb)))
	n := 0.0
	if len(va) > 0 {
		n++
	}
	if len(vb) > 0 {
		n++
	}
	r.put("values in", n)
	r.is("values equal", len(va) > 0 && maps.Equal(va, vb))
}

// newNumbers reports whether b states a number, a time or a day that a does not.
func newNumbers(a, b *Text) bool {
	for _, v := range b.values {
		found := false
		for _, w := range a.values {
			found = found || v == w
		}
		if !found && v.Kind != Literal {
			return true
		}
	}
	return false
}

func dot(a, b []float32) float64 {
	var sum float64
	if len(a) != len(b) {
		return 0
	}
	for i := range a {
		sum += float64(float64(a[i]) * float64(b[i]))
	}
	return sum
}
