package feature

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// otherCase reports whether the newer text holds in some cases only, of which the older
// says nothing, or the older in some cases only and the newer in general, and both have a
// value of their own: "I get up at 6", "I get up at 7 on weekends"; 六点起床, 周末七点起床.
// So for what is so once and what is so always. Where the newer text tells of a change it
// may mean that very case.
func otherCase(a, b *Text) bool {
	if b.has("change") || otherStage(a, b) {
		return false
	}
	older, newer := a.cases(), b.cases()
	if adds(older, newer) && b.has("condition case") {
		return true
	}
	once := b.has("once") && a.has("repeated") && !a.has("once") && !b.has("repeated")
	return (once || adds(older, newer) || len(older) > 0 && len(newer) == 0) && leavesOut(a, b)
}

// deniesElsewhere reports whether the newer text denies something at other times or numbers
// than those at which the older states it: "I swim on Mondays", "I don't swim on Fridays".
func deniesElsewhere(a, b *Text) bool {
	if b.has("change") || len(b.denials()) == 0 || len(a.denials()) > 0 || len(a.values) == 0 || len(b.values) == 0 {
		return false
	}
	return !slices.ContainsFunc(b.values, func(v Value) bool { return slices.Contains(a.values, v) })
}

// cases returns by which conditions a text is bound. That of a clause ("when …") counts where
// there is no other, since one condition is said in several ways.
func (t *Text) cases() map[string]bool {
	found := t.kinds("condition ")
	if len(found) > 1 {
		delete(found, "case")
	}
	return found
}

// leavesOut reports whether the newer text lacks something that the older says.
func leavesOut(a, b *Text) bool {
	older, newer := pieces(a.folded), pieces(b.folded)
	return telling(older, newer) || otherNumber(older, newer) || newNumbers(b, a)
}

// exchangedUnder reports whether one text is the other under a condition, with another word
// in one place: "When I travel I use the small laptop", "I use the big laptop".
func exchangedUnder(a, b *Text) bool {
	if len(a.cases()) == len(b.cases()) {
		return false
	}
	long, short := pieces(a.folded), pieces(b.folded)
	if len(long) < len(short) {
		long, short = short, long
	}
	long = long[len(long)-len(short):]
	other := -1
	for i, p := range short {
		if p != long[i] {
			if other >= 0 {
				return false
			}
			other = i
		}
	}
	return other >= 0 && telling(short[other:other+1], long) && telling(long[other:other+1], short)
}

// ofAnother reports whether two texts give different numbers of two things: each has before
// its first number a word that the other lacks, and what stands there is else alike
// (恒通账期三十天, 恒达账期六十天; "The kitchen budget is 8,000", "The bathroom budget is
// 5,000").
func ofAnother(a, b *Text) bool {
	if b.has("change") {
		return false
	}
	older, newer := pieces(a.folded), pieces(b.folded)
	i, j := slices.IndexFunc(older, numeral), slices.IndexFunc(newer, numeral)
	const longest = 14 // pieces before a number
	if i < 1 || j < 1 || max(i, j) > longest {
		return false
	}
	return telling(newer[:j], older) && telling(older[:i], newer) && framed(older[:i], newer[:j]) && otherNumber(older[i:], newer[j:]) && otherNumber(newer[j:], older[i:])
}

// numeral reports whether a piece is a number or begins one.
func numeral(piece string) bool {
	return strings.ContainsAny(piece, "0123456789") || strings.Contains(ideographs+"半", piece)
}

// framed reports whether two runs of pieces begin or end alike, with a word that says
// something.
func framed(x, y []string) bool {
	const least = 2 // pieces
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	common := slices.Clone(x[:n])
	for x, y = x[n:], y[n:]; len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1]; x, y = x[:len(x)-1], y[:len(y)-1] {
		common = append(common, x[len(x)-1])
	}
	return len(common) >= least && telling(common, nil)
}

// numbers matches a number in digits or ideographs.
var numbers = lazyregexp.New(`\d+(?:[.:,]\d+)*|[` + ideographs + `]+`)

// goesOn matches what tells why or from when on something is so, and not in which case.
var goesOn = pattern{lazyregexp.New(`\b(?:because|since|as of|from|starting|effective|until|till|now|today|this (?:week|month|year|term|season)|next (?:week|month|year)|so that|thanks to|due to|again|instead|already|per|each|plus|and|but|not)\b|从|自|起|因为|由于|为了|现在|今天|今年|本周|这周|这个月|下周|下个月|明年|已|改|又|而|不|ので|から|ため|今は|今日|今年|来月|来年|もう`), anything}

// particles stand behind a sentence and say nothing.
const particles = " 了啦呢吧的です。だよね"

// narrower reports whether the newer text is the older one with another number and with more
// before or behind it that may name a case: "We meet at 9", "We meet at 11 in the Oslo
// office"; 泳池八点关门, 七月泳池十点关门. What tells of a change, a reason or a beginning names
// none.
func narrower(a, b *Text) bool {
	if b.has("change") {
		return false
	}
	older, newer := strings.TrimRight(a.folded, " .。!"), strings.TrimRight(b.folded, " .。!")
	const (
		number = "\x00" // stands for one; a text that has such signs itself is left to the models
		least  = 6      // bytes that say what the number is of
	)
	form, forms := numbers().ReplaceAllString(older, number), numbers().ReplaceAllString(newer, number)
	at := strings.Index(forms, form)
	if at < 0 || len(forms) == len(form) || len(form) < least || !strings.Contains(form, number) {
		return false
	}
	before, after := forms[:at], forms[at+len(form):]
	if latin(form[0]) && before != "" && !strings.HasSuffix(before, " ") || after != "" && latin(after[0]) {
		return false
	}
	rest := before + " " + after
	if !slices.ContainsFunc(strings.Fields(strings.Trim(rest, particles)), func(w string) bool { return !stopWord(w) && strings.ContainsFunc(w, letter) }) || goesOn.in(rest) {
		return false
	}
	was, now := numbers().FindAllString(older, -1), numbers().FindAllString(newer, -1)
	from := strings.Count(before, number)
	return from+len(was) <= len(now) && !slices.Equal(was, now[from:from+len(was)])
}
