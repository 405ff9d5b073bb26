package analyze

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// variantsOf returns the variants of a query as texts, phrases with blanks between terms.
func variantsOf(query string) (all []string) {
	v := VariantsOf(query, Query(query))
	for _, t := range v.Terms {
		all = append(all, t.Text)
	}
	for _, p := range v.Phrases {
		all = append(all, strings.Join(p, " "))
	}
	return all
}

// What a query names has the forms in which notes write it.
func TestVariantsOf(t *testing.T) {
	for query, want := range map[string]string{
		"what is at 7:30 pm":         "19:30",
		"call at 16:45":              "4:45",
		"what begins at 15:00":       "3pm|3 pm|15 uhr|3 3点",
		"Termin um 8 Uhr 20":         "8:20",
		"下午3点的会":                     "15:00|15 15点",
		"réunion à 18h30":            "18:30",
		"what costs 1200 dollars":    "1 200|1.200|1.2k",
		"what costs 1,200":           "1200|1.200",
		"was kostete 312.50":         "312 50",
		"what cost $99":              "99.00",
		"who quoted 15k":             "15000|15 000",
		"20000元的预算":                  "2 2万",
		"what raised 1,500,000":      "1.5 million|1500000|1.5m",
		"which run is 14 kilometres": "14km|14 km|14 14公 公里",
		"8km的路线":                     "8 8公 公里",
		"limit of 200MB":             "200 mb",
		"Ofen auf 220 Grad":          "220 c",
		"go1.22":                     "go 1.22|go-1.22",
		"proj 1234":                  "proj-1234|proj1234",
		"PR #913":                    "pr-913|pr 913",
		"API version 3":              "v3",
		"error 80070005":             "0x80070005",
		"0x80070005":                 "80070005",
		"Mueller":                    "muller",
		"Müller":                     "mueller",
		"Ｍüller":                     "mueller",
		"Groß":                       "",
		"احمد":                       "أحمد",
		"أحمد":                       "احمد",
		"القطه":                      "القطة",
		"čuva":                       "чува",
		"Ђорђе":                      "dorde|djordje",
	} {
		got := variantsOf(query)
		for _, w := range strings.Split(want, "|") {
			if w = Fold(w); w != "" && !slices.Contains(got, w) {
				t.Errorf("%s: %q, want %q among them", query, got, w)
			}
		}
	}
}

// A query whose words are written in one way has no variants. What is a part of something
// longer is no number, and no variant is a term of the query.
func TestNoVariants(t *testing.T) {
	for _, query := range []string{
		"", "what did we decide about the pool", "支付系统的登录页面", "the pursuit", "Joe is due", "10.0.3.12", "v1.2.3", "192.168.1.47:3000", "2026-11-25", "in 2026", "f2b40f7ef",
		"\xff\xfe", "٣", "é",
	} {
		if got := variantsOf(query); len(got) > 0 && query != "f2b40f7ef" {
			t.Errorf("%q: %q, want none", query, got)
		}
	}
	if got := variantsOf("f2b40f7ef"); !slices.Equal(got, []string{"0xf2b40f7ef"}) {
		t.Errorf("%q for a number that may be hexadecimal", got)
	}
	for _, query := range []string{"pursue value and rescue", "14 km and 3pm", "Mueller 1,200"} {
		own := Query(query)
		for _, v := range VariantsOf(query, own).Terms {
			if slices.ContainsFunc(own, func(t Term) bool { return t.Text == v.Text }) {
				t.Errorf("%q: %q stands in it", query, v.Text)
			}
		}
	}
}

// However long a query is, it has no more variants than a bound.
func TestVariantsAreBounded(t *testing.T) {
	v := VariantsOf(strings.Repeat("at 7:30 pm 1200 dollars 14 km Müller čuva احمد ", 200), nil)
	if len(v.Terms) > maxVariants || len(v.Phrases)+len(v.Same) > 2*maxVariants {
		t.Errorf("%d terms, %d and %d phrases", len(v.Terms), len(v.Phrases), len(v.Same))
	}
}

// Each way of writing a day is what a note that writes it so holds.
func TestDayVariants(t *testing.T) {
	dated, yearless := DayVariants(time.Date(2026, time.December, 9, 0, 0, 0, 0, time.UTC))
	holds := func(phrases [][]string, text string) bool {
		terms := strings.Join(Document(nil, text), " ")
		return slices.ContainsFunc(phrases, func(p []string) bool {
			return strings.Contains(" "+terms+" ", " "+strings.Join(p, " ")+" ")
		})
	}
	for _, text := range []string{
		"on 2026-12-09.", "am 09.12.2026 um neun", "am 9.12.2026", "12/9/2026", "09/12/2026", "December 9, 2026", "9 Dec 2026", "9th of December 2026", "Dec 9th, 2026",
		"9. Dezember 2026", "le 9 décembre 2026", "el 9 de diciembre de 2026", "在2026年12月9日", "2026年12月9号",
	} {
		if !holds(dated, text) {
			t.Errorf("no form of the day is in %q: %q", text, Document(nil, text))
		}
	}
	for _, text := range []string{"December 9", "9. Dez.", "12月9日に", "9 de diciembre"} {
		if !holds(yearless, text) {
			t.Errorf("no form without a year is in %q", text)
		}
	}
	for _, text := range []string{"2026-12-19", "December 19, 2026", "9 November 2026", "2025-12-09"} {
		if holds(dated, text) {
			t.Errorf("a form of the day is in %q", text)
		}
	}
}

// A long number is the same with other marks between its digits, and no part of it is.
func TestLongNumbers(t *testing.T) {
	for _, c := range []struct {
		query, note string
		want        bool
	}{
		{"whose number is 030-5567821", "Weber: +49 30 5567821.", true},
		{"030 4489102", "(030) 448 91 02", true},
		{"+34612345987", "+34 612 345 987", true},
		{"08003344556", "0800 33 44 556", true},
		{"010 6552 8899", "01065528899", true},
		{"0142685300", "01 42 68 53 00", true},
		{"01 42 68 53 00", "01-42-68-53-00", true},
		{"+49 176 4455667", "0049 176 4455667", true},
		{"+49 176 4455667", "0176/4455667", true},
		{"1 800 555 0199", "1-800-555-0199", true},
		{"case 001772", "00-1772", true},
		{"030-5567821", "+49 40 5567821", false},
		{"030 4489102", "448 91 03", false},
		{"030 4489102", "room 448", false},
		{"0142685300", "01 42", false},
		{"13812345678", "138 and 1234", false},
	} {
		numbers := LongNumbers(c.query)
		if len(numbers) != 1 {
			t.Errorf("%q: %d numbers", c.query, len(numbers))
			continue
		}
		terms := Document(nil, c.note)
		note := " " + strings.Join(terms, " ") + " "
		found := slices.ContainsFunc(numbers[0].Written(func(term string) bool { return slices.Contains(terms, term) }), func(way []string) bool {
			return strings.Contains(note, " "+strings.Join(way, " ")+" ")
		})
		if found != c.want {
			t.Errorf("%q finds %q: %v, want %v (%q)", c.query, c.note, found, c.want, terms)
		}
	}
	for _, text := range []string{"2026-11-25", "25.11.2026", "192.168.178.20", "1.22.3", "12345", "room 448", "x1234567", "1234567x", strings.Repeat("1", 40)} {
		if got := LongNumbers(text); len(got) > 0 {
			t.Errorf("%q has the number %q", text, got[0].Text)
		}
	}
}

func FuzzVariants(f *testing.F) {
	for _, q := range []string{"at 7:30 pm", "下午3点半", "1,500,000 $", "Müller čuva احمد Ђ", "+49 (30) 12-34 56", "0xdeadbeef 220°C", "version 3", "\xff１２:00"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		v := VariantsOf(query, Query(query))
		for _, term := range v.Terms {
			if term.Text == "" || strings.ContainsAny(term.Text, " \x00") || !(term.Weight > 0) {
				t.Errorf("%q: the term %q of weight %v", query, term.Text, term.Weight)
			}
		}
		for _, n := range LongNumbers(query) {
			n.Terms()
			n.Written(func(string) bool { return true })
		}
	})
}
