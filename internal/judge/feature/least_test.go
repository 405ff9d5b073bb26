package feature

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

// patterns are those that are first asked what a text has at least.
var patterns = []pattern{pathPattern, filePattern, urlPattern, codePattern, tracePattern, logPattern, logWordPattern, progressPattern, toolPattern, placePattern, questionWord, questionEnd, questionIn}

// simpleShapes are the shapes that are told without an expression, with the one that says
// what they are.
var simpleShapes = []struct {
	expr string
	is   func(string) bool
}{
	{`^[\[{]\s*["\[{\d\]}]`, beginsJSON},
	{`^\s*(?:<!--|//|/\*|#!|# [-=])`, beginsComment},
	{`[a-z,'’] [A-Z][a-z]+`, holdsName},
	{`(?m)^\s*(?:[-*•]|\d+[.)])\s`, holdsList},
	{`(?:啊|呀|哦|哈|啦|嘛|喽|呗|嘞|诶|欸|よ|ね|な|わ|笑|www?|lol|:\)|;\)|\^\^|xx?)[!~。.]*$`, endsPolite},
	{`^[A-Z][a-z]+ed\b`, beginsPast},
	{`\b(?:i|my|me|we|our|i'm|i've|us)\b|[我咱俺私僕]`, func(s string) bool { return holdsWord(s, ofMe) || strings.ContainsAny(s, "我咱俺私僕") }},
	{`\b(?:you|your|u)\b|[你您]|あなた`, func(s string) bool {
		return holdsWord(s, ofYou) || strings.ContainsAny(s, "你您") || strings.Contains(s, "あなた")
	}},
	{`^[A-Z]?[a-z]+[,:]`, beginsWord},
}

// generate writes a text that an expression matches, but for marks of places such as the
// ends of words.
func generate(rng *rand.Rand, b *strings.Builder, re *syntax.Regexp) {
	times := func(least, most int) {
		if most < 0 || most > least+3 {
			most = least + 3
		}
		for range least + rng.IntN(most-least+1) {
			generate(rng, b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				if folds := others(r); rng.IntN(3) == 0 {
					r = folds[rng.IntN(len(folds))]
				}
			}
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		at := 2 * rng.IntN(len(re.Rune)/2)
		b.WriteRune(re.Rune[at] + rng.Int32N(min(re.Rune[at+1]-re.Rune[at], 200)+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune([]rune("a Z0,。是")[rng.IntN(7)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			generate(rng, b, sub)
		}
	case syntax.OpAlternate:
		generate(rng, b, re.Sub[rng.IntN(len(re.Sub))])
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	}
}

// others are the letters that are a letter where case does not count.
func others(r rune) []rune {
	all := []rune{r}
	for o := r; ; {
		if o = unicode.SimpleFold(o); o == r {
			return all
		}
		all = append(all, o)
	}
}

// samples calls with texts that are likely to match an expression, and with some that are
// nearly such.
func samples(t *testing.T, expr string, with func(string)) {
	t.Helper()
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(15, 4))
	pads := []string{"", "", "", " ", "\n", "the ", "是", "A", "1", ".", "x\n", "Bob's "}
	for range 2_000 {
		var b strings.Builder
		b.WriteString(pads[rng.IntN(len(pads))])
		generate(rng, &b, re)
		b.WriteString(pads[rng.IntN(len(pads))])
		s := []rune(b.String())
		with(string(s))
		if len(s) > 1 {
			at := rng.IntN(len(s))
			with(string(s[:at]) + string(s[at+1:]))
			with(string(s[:at]) + pads[rng.IntN(len(pads))] + string(s[at:]))
		}
	}
}

// TestLeast: what a pattern is not asked about, it does not match.
func TestLeast(t *testing.T) {
	for _, p := range patterns {
		matched := 0
		samples(t, p.expr().String(), func(s string) {
			if p.expr().MatchString(s) {
				if matched++; !p.least(s) {
					t.Errorf("%.40s…: %q matches, and was not asked about", p.expr(), s)
				}
			}
		})
		if matched < 500 {
			t.Errorf("%.40s…: only %d texts matched", p.expr(), matched)
		}
	}
}

// TestSimpleShapes: each is what its expression says.
func TestSimpleShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, shape := range simpleShapes {
		re, matched, other := regexp.MustCompile(shape.expr), 0, 0
		check := func(s string) {
			want := re.MatchString(s)
			if want {
				matched++
			} else {
				other++
			}
			if got := shape.is(s); got != want {
				t.Errorf("%.40s: %q: got %v", shape.expr, s, got)
			}
		}
		samples(t, shape.expr, check)
		for _, other := range simpleShapes {
			samples(t, other.expr, check)
		}
		if matched < 500 || other < 1_000 {
			t.Errorf("%.40s: %d texts matched, %d did not", shape.expr, matched, other)
		}
	}
}
