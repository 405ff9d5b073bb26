package notegen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// writer writes one day log.
type writer struct {
	strings.Builder
	opts  Options
	rand  *rand.Rand
	path  string
	facts []Fact // with Path and Line once they are planted
	lines int    // complete ones
}

// log writes sections until the log has its size. The facts go into the first
// sections that have room for prose.
func (w *writer) log(day time.Time) Log {
	w.line("# " + day.Format("2006-01-02 (Monday)"))
	clock := 7*60 + w.rand.IntN(60)
	for next := 0; w.Len() < w.opts.BytesPerDay || next < len(w.facts); {
		clock = min(clock+1+w.rand.IntN(50), 23*60+59)
		w.line("")
		w.line(fmt.Sprintf("## %02d:%02d %s", clock/60, clock%60, w.fill("{topic}")))
		w.line("")
		if w.opts.Links {
			w.line("See [[" + w.opts.day(w.rand.IntN(w.opts.Days)) + "]].")
			w.line("")
		}
		w.section()
		if next < len(w.facts) {
			w.line("")
			w.plant(&w.facts[next])
			next++
		}
	}
	return Log{w.path, w.String(), w.facts}
}

func (w *writer) line(s string) {
	w.WriteString(s)
	w.WriteByte('\n')
	w.lines++
}

// section writes one to three blocks.
func (w *writer) section() {
	for n := range 1 + w.rand.IntN(3) {
		if n > 0 {
			w.line("")
		}
		switch k := w.rand.IntN(12); {
		case k < 4:
			w.line(w.paragraph(" ", "en"))
		case k < 7:
			w.line(w.paragraph("", "zh"))
		case k < 9:
			w.list("{enItem}")
		case k < 10:
			w.list("{zhItem}")
		case k < 11:
			w.code()
		default:
			w.table()
		}
	}
}

// paragraph joins sentences of different patterns.
func (w *writer) paragraph(between, name string) string {
	patterns := vocabulary[name]
	parts := make([]string, 2+w.rand.IntN(5))
	for i, n := range w.rand.Perm(len(patterns))[:len(parts)] {
		parts[i] = w.fill(patterns[n])
	}
	return strings.Join(parts, between)
}

func (w *writer) list(item string) {
	for range 2 + w.rand.IntN(5) {
		mark := [...]string{"- ", "- [ ] ", "- [x] ", "  - "}[min(w.rand.IntN(8), 3)]
		if w.rand.IntN(2) == 0 {
			mark = "- "
		}
		w.line(mark + w.fill(item))
	}
}

func (w *writer) code() {
	w.line("```" + w.fill("{language}"))
	for range 2 + w.rand.IntN(6) {
		w.line(w.fill("{code}"))
	}
	w.line("```")
}

func (w *writer) table() {
	w.line("| part | before | after |")
	w.line("| --- | ---: | ---: |")
	for range 2 + w.rand.IntN(4) {
		w.line(w.fill("| {component} | {number} ms | {number} ms |"))
	}
}

// plant writes a fact as prose and notes its line.
func (w *writer) plant(f *Fact) {
	f.Path, f.Line = w.path, w.lines+1
	switch f.Kind {
	case FactID:
		w.line(w.fill("- {person} filed the {component} work under ") + f.Text + w.fill(" for {project}."))
	case FactPhrase:
		w.line(w.fill("{person} wrote on the board: ") + f.Text + w.fill(". {en}"))
	case FactChinese:
		w.line(w.fill("{zh}") + f.Text + w.fill("。{zh}"))
	}
}

// fill replaces each {name} of a template by one of the vocabulary's entries
// of that name, which may hold names themselves.
func (w *writer) fill(template string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(w.word(name))
		template = after
	}
}

func (w *writer) word(name string) string {
	switch name {
	case "number":
		return fmt.Sprint(2 + w.rand.IntN(950))
	case "version":
		return fmt.Sprintf("v%d.%d.%d", w.rand.IntN(4), w.rand.IntN(20), w.rand.IntN(12))
	case "hex":
		return fmt.Sprintf("%07x", w.rand.Uint32()>>4)
	case "time":
		return fmt.Sprintf("%02d:%02d", 8+w.rand.IntN(12), 5*w.rand.IntN(12))
	}
	entries := vocabulary[name]
	return w.fill(entries[w.rand.IntN(len(entries))])
}

// planted returns the facts of a day. No two days of a seed share one: the
// number of the day is part of each, as digits or in the choice of words.
func planted(seed uint64, day int) []Fact {
	// The upper half of the second word keeps this stream apart from the day's text.
	r := rand.New(rand.NewPCG(seed, uint64(day)|1<<63))
	pick := func(words []string) string { return words[r.IntN(len(words))] }

	// The last three words of a phrase spell the day in base len(rareWords); the
	// prime, which does not divide the base, lets neighbours look different.
	phrase := make([]string, 8)
	for i, n := len(phrase)-1, day*40_507; i >= 0; i-- {
		if i >= 5 {
			phrase[i] = rareWords[n%len(rareWords)]
			n /= len(rareWords)
		} else {
			phrase[i] = pick(rareWords)
		}
	}
	put := pick(vocabulary["zhPerson"]) + "把" + pick(vocabulary["zhColour"]) + pick(vocabulary["zhThing"]) + "放进了"
	place := "第" + chineseNumber(day+1) + "号" + pick(vocabulary["zhPlace"])
	id := fmt.Sprintf("%s-%04x%04x", pick(vocabulary["prefix"]), r.Uint32()>>16, day&0xffff)
	words := strings.Join(phrase, " ")
	return []Fact{
		{Kind: FactID, Text: id, Question: "what was filed under " + id + " and for which project"},
		{Kind: FactPhrase, Text: words, Question: "who wrote " + words + " on the board"},
		{Kind: FactChinese, Text: put + place, Question: "谁把什么东西放进了" + place},
	}
}

// chineseNumber writes a positive number digit by digit, as house numbers are read.
func chineseNumber(n int) string {
	digits := []rune("〇一二三四五六七八九")
	var out []rune
	for ; n > 0; n /= 10 {
		out = append(out, digits[n%10])
	}
	slices.Reverse(out)
	return string(out)
}
