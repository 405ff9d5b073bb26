package judge

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/judge/feature"
)

// How many numbers each projection gives.
const (
	differences = 4
	lacks       = 3
)

// A Token is a piece of a text as the encoder reads it.
type Token = feature.Token

// A Side is one text of a pair.
type Side struct {
	Text   string
	Vector []float32 // as a query; nil is none
	Tokens []Token   // tokens of the encoder, in order; nil: unknown
}

// Odds are the probabilities of how a newer text relates to an older one. Same,
// Changed and Distinct add up to 1; if all are zero, nothing can be said.
type Odds struct {
	// Related is the probability that the texts are about the same matter at
	// all.
	Related float64
	// Same: the newer text says nothing that the older does not. Changed: both
	// cannot hold, and the newer does. Distinct: both hold.
	Same, Changed, Distinct float64
	// Matter is the probability that a change is of the matter that the older text tells of,
	// and not of another one of the same thing.
	Matter float64
	// Ends is true when the newer text denies what the older states, or says that it
	// has ended.
	Ends bool
	// Call is [Same] or [Changed] when the odds are high enough to act on, else
	// [New].
	Call Code
}

// Near is the Related from which on an older text is worth naming as similar.
// At most three are named, those with the nearest vectors first.
const Near = .07

// alike is the Related below which the odds of same and changed shrink. Those
// of same shrink sooner, because a wrong call of same loses what the newer text
// says.
const (
	alikeSame    = .5
	alikeChanged = .3
)

// Below otherMatter as Matter a newer text is about something else than the older, unless both
// have words of one matter; from sureMatter on it is not, though their words are of two; from
// joinsMatter on who joined something works there.
const (
	otherMatter = .2
	joinsMatter = .8
	sureMatter  = .95
)

// Pair judges how a newer text relates to an older one. Texts that differ only
// in case, width and blanks are the same. For all others both sides need a
// vector and tokens of [Model]; without them the odds are zero and Call is New.
func (j *Judge) Pair(older, newer Side) Odds {
	a, b := feature.Read(older.Text), feature.Read(newer.Text)
	if feature.Equal(older.Text, newer.Text) {
		return Odds{Related: 1, Same: 1, Matter: 1, Call: Same}
	}
	if !j.usable(older) || !j.usable(newer) {
		return Odds{Call: New}
	}
	m := learned()
	both := feature.Meet(feature.NewSide(a, older.Vector, older.Tokens, m.mean), feature.NewSide(b, newer.Vector, newer.Tokens, m.mean))
	o := m.odds(both).Settle(both.Rules(), m.thresholds.same, m.thresholds.changed)
	o.Ends = both.Ends()
	return o
}

// Elsewhere reports whether the newer text is certainly about something else than the older,
// unless it says what takes the place of what was.
func (o Odds) Elsewhere(r feature.Rules) bool {
	return r.Apart || r.Aspect && o.Matter < sureMatter || o.Matter < otherMatter && !r.Several && !r.One && !r.Opposed && !r.Restates && !r.Likely
}

// Settle returns the odds of the models as the rules leave them, with the call that odds of
// at least same and changed make.
func (o Odds) Settle(r feature.Rules, same, changed float64) Odds {
	if r.Opposed {
		o.Same, o.Changed = 0, round(o.Same+o.Changed)
	}
	if r.Restates {
		o.Changed = max(o.Changed, changed)
		o.Same, o.Distinct = 0, round(1-o.Changed)
	}
	r.Apart = o.Elsewhere(r)
	if r.Apart {
		o.Changed, o.Distinct = 0, round(1-o.Same)
	}
	r.Replaces = r.Replaces || r.Joins && o.Matter >= joinsMatter
	if r.Replaces || r.Likely && o.Same+o.Changed > o.Distinct && !r.Apart {
		o.Related, o.Changed = 1, max(o.Changed, changed)
		o.Same, o.Distinct, r.Apart = 0, round(1-o.Changed), false
	}
	o.Call = New
	switch {
	case o.Same >= same && o.Same >= o.Changed && !r.Adds:
		o.Call = Same
	case o.Changed >= changed && o.Changed >= o.Same && !r.Apart && !r.Keeps:
		o.Call = Changed
	}
	return o
}

// Normal returns a text in the form that [Judge.Pair] compares: without case,
// width, variants of characters, blanks at its ends and the last stop. It is ""
// for a text that has no letter or digit.
func Normal(text string) string { return feature.Normal(text) }

// Check returns a short digest of a text in normal form ([Normal]): 32 bits in hexadecimal.
func Check(normal string) string { return feature.Check(normal) }

// Fact returns a text without the command that it be remembered, with which it begins or
// ends ("please remember that …", 请记住…), in the languages that the judge knows. Where what
// is left might tell nothing by itself, it returns the text as it is.
func Fact(text string) string { return feature.Fact(text) }

// Heading returns what the heading of a list says of its items, without a wish to have them
// remembered. It returns "" for a heading that only announces the list ("please remember the
// following", 以下几点).
func Heading(head string) string { return feature.Heading(head) }

// OneLanguage reports whether two texts are in one language of those that the models of
// pairs were fitted to: English, Chinese or Japanese. For others [Judge.Pair] is a guess.
func OneLanguage(a, b string) bool { return feature.OneLanguage(a, b) }

// usable reports whether a side has a vector and tokens that the models can use.
func (j *Judge) usable(s Side) bool {
	if j.use(s.Vector) == nil || len(s.Tokens) == 0 {
		return false
	}
	for _, t := range s.Tokens {
		if len(t.Vector) != Dimensions {
			return false
		}
	}
	return true
}

// odds returns the odds that the two stages give.
func (m *models) odds(texts *feature.Meeting) Odds {
	row := texts.Row().Values
	related := m.related.Probabilities(row)[1]
	matter := m.matter.Probabilities(append(slices.Clone(row), texts.Rests()))[1]
	row = append(row, m.difference.Apply(texts.Difference())...)
	row = append(row, m.lacking.Apply(texts.Lacking())...)
	p := m.relation.Probabilities(row)
	o := Odds{Related: round(related), Same: round(p[0] * min(1, related/alikeSame)), Changed: round(p[1] * min(1, related/alikeChanged)), Matter: round(matter), Call: New}
	o.Distinct = round(1 - o.Same - o.Changed)
	return o
}
