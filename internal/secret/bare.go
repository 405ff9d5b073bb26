package secret

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// cards looks for card numbers: 13 to 19 digits in the ranges of the issuers, with Luhn's
// check digit (ISO/IEC 7812). The security code beside a card number is found by its
// label.
func (f *finder) cards() {
	text := f.text
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		start := i
		var number [20]byte
		n := 0
		end := i
		for ; i < len(text); i++ {
			switch c := text[i]; {
			case isDigit(c):
				if n < len(number) {
					number[n] = c
				}
				n++
				end = i + 1
				continue
			case (c == ' ' || c == '-') && i+1 < len(text) && isDigit(text[i+1]):
				continue
			}
			break
		}
		if n < 13 || n > 19 || !f.card(number[:n], text[start:end]) {
			continue
		}
		before, after := byteBefore(text, start), byteAt(text, end)
		if isAlnum(before) || strings.IndexByte("._-/=+", before) > 0 || isAlnum(after) || strings.IndexByte("_-/%", after) > 0 {
			continue
		}
		if f.words["number"].within(lineBefore(text, start, 24)) {
			continue
		}
		f.add(start, end, Card)
	}
}

var issuers = lazyregexp.New(`^(4(\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(0[0-5]|[689]\d)\d{11}|35(2[89]|[3-8]\d)\d{12}|6(011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|60\d{14}|81\d{14})$`)

// card reports whether digits that are written this way are the number of a card.
func (f *finder) card(number []byte, written string) bool {
	sum := 0
	for i, c := range number {
		d := int(c - '0')
		if (len(number)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	if sum%10 != 0 || !issuers().Match(number) {
		return false
	}
	// A card's number is never grouped in other ways.
	groups := strings.FieldsFunc(written, func(r rune) bool { return r == ' ' || r == '-' })
	for i, g := range groups {
		if len(groups) > 1 && (len(g) < 3 || len(g) > 6 || i < len(groups)-1 && len(g) < 4) {
			return false
		}
	}
	return strings.Trim(string(number), string(number[:1])) != ""
}

func byteBefore(text string, at int) byte {
	if at <= 0 || at > len(text) {
		return 0
	}
	return text[at-1]
}

func byteAt(text string, at int) byte {
	if at < 0 || at >= len(text) {
		return 0
	}
	return text[at]
}
