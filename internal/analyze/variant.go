package analyze

import (
	"strings"
	"time"
	"unicode"
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
const weightVariant = 1

// maxVariants bounds the terms and the phrases of one query.
const maxVariants = 64

// VariantsOf returns other ways of writing what a query names. A query without a digit
// and without a letter that is also written otherwise has none.
func VariantsOf(query string) Variants {
	text := fold(query).text
	v := variants{own: map[string]bool{}, known: map[string]bool{}}
	for _, t := range Query(query) {
		v.known[t.Text] = true
	}
	v.spellings(query)
	if strings.ContainsFunc(text, unicode.IsDigit) {
		v.numbers(text)
	}
	return v.Variants
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
		v.Phrases = append(v.Phrases, terms)
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
	for _, layout := range []string{"2006-01-02", "2006/01/02", "2006.01.02", "02.01.2006", "2.1.2006", "01/02/2006", "1/2/2006", "02/01/2006", "2/1/2006", "02-01-2006", "2006年1月2日", "2006年1月2号", "2006年01月02日"} {
		dated = append(dated, Phrase(day.Format(layout))[:1])
		if strings.HasSuffix(layout, "日") || strings.HasSuffix(layout, "号") {
			dated[len(dated)-1] = Phrase(day.Format(layout))
		}
	}
	nth := d + ordinal(day.Day())
	for _, name := range months()[day.Month()-1] {
		for _, text := range []string{d + " " + name, name + " " + d, nth + " " + name, name + " " + nth, nth + " of " + name, d + " de " + name} {
			yearless = append(yearless, Phrase(text))
			dated = append(dated, Phrase(text+" "+y))
			if strings.Contains(text, " de ") {
				dated = append(dated, Phrase(text+" de "+y))
			}
		}
	}
	for _, layout := range []string{"1月2日", "1月2号", "01月02日"} {
		yearless = append(yearless, Phrase(day.Format(layout)))
	}
	return unique(dated), unique(yearless)
}

// unique drops phrases that stand twice.
func unique(phrases [][]string) (out [][]string) {
	seen := map[string]bool{}
	for _, p := range phrases {
		if key := strings.Join(p, " "); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out
}
