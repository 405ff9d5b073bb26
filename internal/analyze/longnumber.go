package analyze

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A LongNumber is a number of a query that says by itself what is meant, such as that of
// a telephone or an order, whatever marks stand between its digits.
type LongNumber struct {
	Text   string   // as it stands in the query, folded
	digits []string // the number, and the forms of a telephone number that mean the same
}

// Bounds of a long number.
const (
	leastLong  = 6  // digits; fewer are a year, an amount or a time
	mostLong   = 16 // digits
	leastPhone = 7  // digits of a telephone number without the codes before it
	mostLongs  = 4  // in one query
	mostWays   = 8  // of writing one number
)

var (
	longPattern  = lazyregexp.New(`\+?\(?\d(?:[ ./()-]{0,3}\d)+`)
	datedPattern = lazyregexp.New(`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d+(?:\.\d+){1,3})(?:\D|$)`)
)

// LongNumbers returns the long numbers of a text. A day, a version and the address of a
// machine are none.
func LongNumbers(text string) (found []LongNumber) {
	if digits, _ := look(text); !digits {
		return nil // most queries
	}
	if text = fold(text).text; len(onlyDigits(text)) < leastLong {
		return nil
	}
	for _, at := range longPattern().FindAllStringIndex(text, -1) {
		number := text[at[0]:at[1]]
		if datedPattern().MatchString(number) || at[0] > 0 && (alnum(text[at[0]-1]) || text[at[0]-1] == '.') || at[1] < len(text) && alnum(text[at[1]]) {
			continue
		}
		digits := onlyDigits(number)
		if len(digits) < leastLong || len(digits) > mostLong || len(found) == mostLongs {
			continue
		}
		found = append(found, LongNumber{number, sameNumbers(digits, strings.HasPrefix(number, "+"))})
	}
	return found
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// sameNumbers returns the digits of a number, and if it is that of a telephone what is
// dialled for it elsewhere: with or without the code of the country (one to three digits)
// and the 0 before an area.
func sameNumbers(digits string, plus bool) []string {
	same := []string{digits}
	add := func(d string) {
		if len(d) >= leastPhone && !slices.Contains(same, d) {
			same = append(same, d)
		}
	}
	abroad := digits
	if rest, ok := strings.CutPrefix(digits, "00"); ok {
		abroad, plus = rest, true
		add(rest)
	}
	switch {
	case plus:
		add("00" + abroad)
		for code := 1; code <= 3 && code < len(abroad)-leastPhone; code++ {
			add("0" + abroad[code:])
			add(abroad[code:])
		}
	case digits[0] == '0':
		add(digits[1:])
	case digits[0] == '1' && len(digits) == 11: // North America
		add(digits[1:])
	}
	return same
}

// Terms returns every term that the number may be written with, none of which need be in
// a note.
func (n *LongNumber) Terms() (all []string) {
	for _, d := range n.digits {
		for i := range d {
			for j := i + leastPiece; j <= len(d); j++ {
				if !slices.Contains(all, d[i:j]) {
					all = append(all, d[i:j])
				}
			}
		}
	}
	for _, w := range n.joined() {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// leastPiece is how many digits stand together in a number of groups.
const leastPiece = 2

// joined returns the number as one term: in two groups with a hyphen, and in the groups of
// the query with other marks between them.
func (n *LongNumber) joined() (all []string) {
	for i := leastPiece; i <= len(n.digits[0])-leastPiece; i++ {
		all = append(all, n.digits[0][:i]+"-"+n.digits[0][i:])
	}
	groups := strings.FieldsFunc(n.Text, func(r rune) bool { return r < '0' || r > '9' })
	if len(groups) < 2 {
		return all
	}
	for _, mark := range []string{"-", ".", "/"} {
		all = append(all, strings.Join(groups, mark))
	}
	return all
}

// Written returns the ways in which the number is written with the terms that held
// reports, each as terms that stand one after another and together have all its digits.
func (n *LongNumber) Written(held func(term string) bool) (ways [][]string) {
	var cut func(rest string, before []string)
	cut = func(rest string, before []string) {
		if rest == "" {
			ways = append(ways, slices.Clone(before))
			return
		}
		for j := len(rest); j >= leastPiece && len(ways) < mostWays; j-- {
			if held(rest[:j]) && (j == len(rest) || len(rest)-j >= leastPiece) {
				cut(rest[j:], append(before, rest[:j]))
			}
		}
	}
	for _, w := range n.joined() {
		if held(w) {
			ways = append(ways, []string{w})
		}
	}
	for _, d := range n.digits {
		cut(d, nil)
	}
	return ways
}
