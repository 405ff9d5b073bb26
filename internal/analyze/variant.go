package analyze

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Variants are other ways of writing what a query names: a time of day, an amount, a
// measure, a number behind a word, a word with other letters. They stand for what the
// query says, and count only where a note holds them.
type Variants struct {
	// Terms are of the kind [Variant].
	Terms []Term
	// Phrases are ways of writing that make several terms, which stand one after another.
	Phrases [][]string
	// Same are the ways of writing the same that make a term, and the query's own. Of a
	// time of day there are none, because logs hold many.
	Same [][]string
}

// weightVariant is the weight of another way of writing: that of a word.
const weightVariant = .7

// maxVariants bounds the terms and the phrases of one query.
const maxVariants = 64

// VariantsOf returns other ways of writing what a query names. terms are the query's. A
// query without a digit and without a letter that is also written otherwise has none.
func VariantsOf(query string, terms []Term) Variants {
	digits, spelled := look(query)
	if !digits && !spelled {
		return Variants{}
	}
	v := variants{own: map[string]bool{}, known: make(map[string]bool, len(terms))}
	for _, t := range terms {
		v.known[t.Text] = true
	}
	if spelled {
		v.spellings(query)
	}
	if digits {
		v.numbers(fold(query).text)
	}
	return v.Variants
}

// look reports quickly whether a query has a digit, and whether it has a letter, or two,
// that are also written otherwise.
func look(query string) (digits, spelled bool) {
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case digit(c), c == 0xef: // 0xef begins a full-width digit
			digits = true
		case c|0x20 == 'e' && i > 0 && strings.IndexByte("aouAOU", query[i-1]) >= 0, c|0x20 == 'a' && i > 0 && query[i-1]|0x20 == 'a':
			spelled = true
		case c >= 0xc3 && c <= 0xdb, c == 0xcc: // Latin letters with marks, Cyrillic, Arabic, a mark by itself
			spelled = true
		}
		if digits && spelled {
			return
		}
	}
	return
}

// variants collects the variants of a query.
type variants struct {
	Variants
	own   map[string]bool // the texts that were collected
	known map[string]bool // terms of the query, and those that were collected
}

// itself notes a text that stands in the query.
func (v *variants) itself(text string) {
	if text = strings.TrimSpace(text); !v.own[text] {
		v.own[text] = true
		if terms := Phrase(text); len(terms) > 0 {
			v.Same = append(v.Same, written(text, terms))
		}
	}
}

// add adds a text as it may stand in a note.
func (v *variants) add(text string) {
	same := len(v.Terms)
	if v.addTime(text); len(v.Terms) > same {
		v.Same = append(v.Same, []string{v.Terms[same].Text})
	}
}

// addTime does what add does for a time of day.
func (v *variants) addTime(text string) {
	if v.own[text] {
		return
	}
	v.own[text] = true
	terms := Phrase(text)
	switch {
	case len(terms) == 0 || len(v.Phrases)+len(v.Same) >= maxVariants:
	case len(written(text, terms)) > 1:
		if same := strings.Join(terms, " "); same == text || !v.own[same] {
			v.own[same] = true
			v.Phrases = append(v.Phrases, terms)
		}
	default:
		v.term(terms[0], weightVariant)
	}
}

// written returns the terms of a text that stand one after another: of an identifier,
// whose parts are terms, too, the whole.
func written(text string, terms []string) []string {
	if terms[0] == text {
		return terms[:1]
	}
	return terms
}

// term adds a term that the query does not have itself.
func (v *variants) term(text string, weight float64) {
	if len(v.Terms) < maxVariants && !v.known[text] {
		v.known[text] = true
		v.Terms = append(v.Terms, Term{text, weight, Variant})
	}
}

// word adds a word as it may stand in a note, with its stem.
func (v *variants) word(w string, latin bool) {
	st := beginning(w)
	if latin {
		st = mainForm(w)
	}
	if st != w {
		v.term(w, weightVariant*weightBesideStem)
	}
	v.term(st, weightVariant)
}

// DayVariants returns the ways of writing a day, each as terms that stand one after
// another, with its year and without.
func DayVariants(day time.Time) (dated, yearless [][]string) {
	d, y := day.Format("2"), day.Format("2006")
	add := func(phrases *[][]string, terms ...string) {
		if !slices.ContainsFunc(*phrases, func(p []string) bool { return slices.Equal(p, terms) }) {
			*phrases = append(*phrases, terms)
		}
	}
	for _, layout := range []string{"2006-01-02", "2006/01/02", "2006.01.02", "02.01.2006", "2.1.2006", "01/02/2006", "1/2/2006", "02/01/2006", "2/1/2006", "02-01-2006"} {
		add(&dated, day.Format(layout))
	}
	for _, end := range []string{"日", "号"} {
		for _, layout := range []string{"1月2", "01月02"} {
			add(&dated, Phrase(day.Format("2006年"+layout)+end)...)
			add(&yearless, Phrase(day.Format(layout)+end)...)
		}
	}
	nth := d + ordinal(day.Day())
	for _, name := range monthTerms()[day.Month()-1] {
		for _, n := range []string{d, nth} {
			before, behind := append([]string{n}, name...), append(slices.Clip(name), n)
			for _, terms := range [][]string{before, behind} {
				add(&yearless, terms...)
				add(&dated, append(slices.Clip(terms), y)...)
			}
		}
		of, de := append([]string{nth, "of"}, name...), append([]string{d, "de"}, name...)
		add(&yearless, of...)
		add(&yearless, de...)
		add(&dated, append(slices.Clip(of), y)...)
		add(&dated, append(slices.Clip(de), "de", y)...)
		add(&dated, append(slices.Clip(de), y)...)
	}
	return dated, yearless
}

// monthTerms has the names of each month as terms of a document.
var monthTerms = sync.OnceValue(func() (all [][][]string) {
	for _, names := range rows("months") {
		var terms [][]string
		for _, n := range names {
			terms = append(terms, Phrase(n))
		}
		all = append(all, terms)
	}
	return all
})
