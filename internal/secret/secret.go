// Package secret finds secrets in a text, which is whatever gives access: keys, tokens,
// passwords, PINs, one-time and backup codes, cookies, private keys, cards and seed
// phrases, in English, Chinese and Japanese. In some other languages it finds passwords.
//
// It goes by three things: the form of a value, labels, and what links a label to a
// value. It uses no language model, asks nobody and keeps nothing. It does not find a
// value without a form of its own that has no label near it. docs/design/secrets.md has
// the rules, the reasons for them, and how often they are right. Numbers that only name
// somebody, such as those of identity cards, passports and accounts, are no secrets.
package secret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind says what a secret is; it is one of the constants below.
type Kind string

// The kinds.
const (
	Password   Kind = "password"
	Passphrase Kind = "passphrase"
	PIN        Kind = "pin"
	Code       Kind = "code" // one-time, backup, recovery and door codes
	Key        Kind = "key"
	Token      Kind = "token"
	PrivateKey Kind = "private-key" // a PEM block, whole
	Cookie     Kind = "cookie"
	Card       Kind = "card"
	CardCode   Kind = "card-code"
	SeedPhrase Kind = "seed-phrase"
)

// A Span is where a secret stands in a text: the bytes from Start up to End, End
// excluded. Label, quotes and user name are not part of it.
type Span struct {
	Start, End int
	Kind       Kind
}

// rounds bounds how often a text is looked through. A secret that is masked no longer
// stands between a label and the next value, so a second look may find more.
const rounds = 6

// Find returns the secrets of a text in order, or nil when it has none. Spans do not
// overlap, and they begin and end at the border of a character. Find takes linear time,
// and a text without secrets costs no memory. It is safe for concurrent use.
func Find(text string) []Span { return loaded().find(text) }

func (r *rules) find(text string) []Span {
	found := r.scan(text)
	for range rounds {
		if len(found) == 0 {
			return nil
		}
		more := r.scan(mask(text, found))
		if len(more) == 0 {
			break
		}
		found = merge(append(unmasked(text, found, more), found...))
	}
	return found
}

// Mask returns the text with each secret replaced by a mark that names its kind, as in
// "[secret: password]". The spans say where the secrets stood in the text as given.
// Masking a masked text changes nothing. The masked text has as many lines as before,
// because a secret of several lines becomes a mark on each.
func Mask(text string) (masked string, spans []Span) {
	spans = Find(text)
	return mask(text, spans), spans
}

// A mark is the kind of the secret between these two.
const (
	markStart = "[secret: "
	markEnd   = "]"
)

// Mark returns the mark that replaces a secret of a kind.
func Mark(k Kind) string { return markStart + string(k) + markEnd }

func mask(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start])
		for line := range strings.Lines(text[s.Start:s.End]) {
			b.WriteString(Mark(s.Kind))
			b.WriteString(line[len(strings.TrimRight(line, "\r\n")):])
		}
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// maskedLen returns the length of what replaces a secret in a masked text.
func maskedLen(text string, s Span) int {
	n := 0
	for line := range strings.Lines(text[s.Start:s.End]) {
		n += len(markStart) + len(s.Kind) + len(markEnd) + len(line) - len(strings.TrimRight(line, "\r\n"))
	}
	return n
}

// unmasked moves spans of a masked text to where they stand in the text itself. No span
// may touch a mark.
func unmasked(text string, masked, spans []Span) []Span {
	ahead := 0 // how many bytes the text itself is ahead of the masked one
	i := 0
	for n := range spans {
		for i < len(masked) && masked[i].Start < spans[n].Start+ahead {
			ahead += masked[i].End - masked[i].Start - maskedLen(text, masked[i])
			i++
		}
		spans[n].Start += ahead
		spans[n].End += ahead
	}
	return spans
}

// merge sorts spans and joins those that overlap. The kind of the first one wins.
func merge(spans []Span) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && s.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, s.End)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// Characters returns the spans of a text with offsets in characters (Unicode code points)
// instead of bytes. The spans must be in order.
func Characters(text string, spans []Span) []Span {
	out := make([]Span, len(spans))
	at, chars := 0, 0
	for i, s := range spans {
		start := chars + utf8.RuneCountInString(text[at:s.Start])
		chars = start + utf8.RuneCountInString(text[s.Start:s.End])
		at = s.End
		out[i] = Span{start, chars, s.Kind}
	}
	return out
}
