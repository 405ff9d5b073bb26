package secret

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:embed data/*.txt
var files embed.FS

// rules are the data files, read.
type rules struct {
	anchors anchors
	labels  []label // terms with a rule from 0 on
	shapes  []shape // terms with a rule from -1 down
	words   map[string]*words
	seedMap bitmap // of the first four letters of the words of seed phrases
}

// A class says what may follow a label; data/labels.txt names them.
type class string

const (
	classWord   class = "word"
	classLook   class = "look"
	classShort  class = "short"
	classPhrase class = "phrase"
	classCode   class = "code"
	classNeed   class = "need"
	classLock   class = "lock"
	classOpens  class = "opens"
	classKey    class = "key"
	classBare   class = "bare"
	classToken  class = "token"
	classLogin  class = "login"
	classCookie class = "cookie"
)

type label struct {
	kind  Kind
	class class
}

// A shape is a secret that is known by its own form.
type shape struct {
	kind   Kind
	anchor string
	source string
	once   sync.Once
	expr   *regexp.Regexp
}

// match returns the place of the expression, which matches only at the start of a text.
func (s *shape) match(text string) []int {
	s.once.Do(func() {
		flags := ""
		if strings.ContainsAny(s.anchor, " :") {
			flags = "(?i)"
		}
		s.expr = regexp.MustCompile(flags + `\A(?:` + s.source + ")")
	})
	return s.expr.FindStringSubmatchIndex(text)
}

// These rules stand in no file.
const (
	ruleMark = -1000 - iota // a secret that is masked already
	rulePEM
	ruleURL
	rulePair
)

// seeds are the words of seed phrases by their number in the list, read when the first text
// may hold such a phrase.
var seeds = sync.OnceValue(func() map[string]int {
	numbers := make(map[string]int, 1<<11)
	for word := range lines("seedwords") {
		numbers[word] = len(numbers)
	}
	return numbers
})

// loaded reads the data when the first text is looked through.
var loaded = sync.OnceValue(func() *rules { return load(func(string, string) bool { return true }) })

// load reads the rules. It takes only those labels and anchors of shapes that keep
// reports true for.
func load(keep func(list, term string) bool) *rules {
	r := &rules{words: map[string]*words{}}
	r.anchors.terms = make(map[uint32][]term, 1<<10)
	r.addTerm(markStart, ruleMark)
	r.addTerm("-----begin ", rulePEM)
	r.addTerm("://", ruleURL)
	r.addTerm(" / ", rulePair)
	for line := range lines("labels") {
		head, terms, _ := strings.Cut(line, ": ")
		kind, class_, _ := strings.Cut(head, " ")
		for t := range strings.SplitSeq(terms, ", ") {
			if !keep("labels", t) {
				continue
			}
			for _, form := range forms(t) {
				r.addTerm(form, int32(len(r.labels)))
			}
		}
		r.labels = append(r.labels, label{Kind(kind), class(class_)})
	}
	for line := range lines("shapes") {
		f := strings.SplitN(line, "\t", 3)
		r.shapes = append(r.shapes, shape{kind: Kind(f[0]), anchor: f[1], source: f[2]})
		if keep("shapes", f[1]) {
			r.addTerm(f[1], int32(-len(r.shapes)))
		}
	}
	var section *words
	for line := range lines("words") {
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = &words{latin: map[string]bool{}, parts: strings.HasPrefix(name, "placeholder")}
			r.words[strings.TrimSuffix(name, "]")] = section
			continue
		}
		section.add(line)
	}
	for word := range lines("seedwords") {
		r.seedMap.add(firstLetters(word))
	}
	return r
}

// forms returns the ways in which a term of a data file is written in a text, apart from
// the case of English letters: composed and decomposed, and in capitals.
func forms(term string) []string {
	if strings.IndexFunc(term, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return []string{term}
	}
	text, after, more := strings.Cut(term, "+")
	out := []string{term}
	first, size := utf8.DecodeRuneInString(text)
	for _, form := range []string{string(unicode.ToUpper(first)) + text[size:], strings.ToUpper(text)} {
		if more {
			form += "+" + after
		}
		if fold(form) != fold(term) && !slices.Contains(out, form) {
			out = append(out, form)
		}
	}
	for _, form := range out {
		if apart := norm.NFD.String(form); apart != form {
			out = append(out, apart)
		}
	}
	return out
}

// lines yields the lines of a data file that are neither empty nor a comment.
func lines(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		data, err := files.ReadFile("data/" + name + ".txt")
		if err != nil {
			panic(err) // the file is part of the program
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\r\n")
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

func (r *rules) addTerm(text string, rule int32) {
	text, after, _ := strings.Cut(text, "+")
	if after == "*" {
		for _, after := range []string{" ", ":", "=", "\"", "'", "`", "：", "是", "为", "為", "は", "を"} {
			r.addTerm(text+"+"+after, rule)
		}
		return
	}
	whole := []byte(text + after)
	for i, c := range whole {
		whole[i] = folded[c]
	}
	r.anchors.add(term{text: string(whole), length: len(text), rule: rule})
}
