package feature

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Rules are what is certain about how a newer text relates to an older one, whatever the
// models make of it.
type Rules struct {
	Adds     bool // see [Meeting.Adds]
	Opposed  bool // see [Meeting.Opposed] and [Meeting.Returns]
	Restates bool // see [Meeting.Restates]
	Apart    bool // see [Meeting.Apart]
	Replaces bool // see [Meeting.Replaces]
	Likely   bool // as Replaces, if the odds of distinct are the lower ones
	Joins    bool // as Replaces, if the change is surely of the matter of the older text
	Keeps    bool // something of the older text may still hold, whatever else of it does not
	One      bool // both have words of one matter (see [oneAspect])
	Several  bool // the newer text has several clauses
	Aspect   bool // they have words of two matters of a thing (see [otherAspect])
}

// Rules returns what is certain about the two texts.
func (m *Meeting) Rules() Rules {
	r := Rules{Adds: m.Adds(), Opposed: m.Opposed() || m.Returns(), Restates: m.Restates(), Apart: m.Apart(), Keeps: m.likeness != nil && m.older.cjk() == m.newer.cjk() && m.keepsPart(), Several: len(m.newer.text.clauses()) > 1, One: oneAspect(m.older.text, m.newer.text), Aspect: otherAspect(m.older.text, m.newer.text)}
	r.Replaces, r.Likely, r.Joins = m.replaces()
	r.Apart = r.Apart || takesUpOther(m.older.text, m.newer.text) || turnsOther(m.older.text, m.newer.text)
	return r
}

// Adds reports whether the newer text certainly states something that the older does not:
// a number, a time, a day, another name in the place of one, what the older text denies or
// says has ended, another taste, another bound, a thing done that was a plan, another stage,
// an order to who answers, in Chinese and Japanese how somebody is reached, or the way back;
// who somebody is beside what else is told of him; or words, or a part with words, that are
// unlike the others.
// The models do not see these well enough: of 84 pairs that a "not" parts they take 25 for
// the same.
func (m *Meeting) Adds() bool {
	a, b := m.older, m.newer
	if addsByRule(firstAdding, a.text, b.text) || m.addsToName() || m.restsApart() || died.in(b.text.folded) && !died.in(a.text.folded) {
		return true
	}
	if a.cjk() == b.cjk() && m.likeness != nil && (m.addsPart() || dot(a.vector, b.vector) < leastSame && weighted(m.bestB, weights(b.units)) < leastHeld) {
		return true
	}
	n := names(a, b)
	return n[0] > 0 && (n[2] == 0 || calledOff.in(b.text.folded)) && a.cjk() == b.cjk() || n[3] > 0 ||
		addsByRule(thenAdding, a.text, b.text) || denies(b.text, a.text) || onlyOrders(b.text, a.text) ||
		a.text.taste()*b.text.taste() < 0 || a.text.has("plan") != b.text.has("plan") ||
		m.Returns() || b.cjk() && adds(a.text.reached(), b.text.reached())
}

// The rules by which a newer text states something that an older one does not. Those that say
// whom or what a text is about come first.
var (
	firstAdding = []addingRule{beginsNow, aboutNamed, otherPerson, ofTwo, sayAnother, onlyReviews, othersOwn, otherMatter, otherInShort}
	thenAdding  = []addingRule{
		newNumbers, numbersElsewhere, otherHalf, otherUnit, exchanged, exchangedUnder, denies, poles, opposedCases, inverted, otherWay, onlyOrders, otherStage,
	}
)

type addingRule func(older, newer *Text) bool

func addsByRule(rules []addingRule, older, newer *Text) bool {
	return slices.ContainsFunc(rules, func(adds addingRule) bool { return adds(older, newer) })
}

// Two texts do not say the same whose vectors are farther apart than leastSame while the
// words of the newer one are matched by less than leastHeld, weighed by what they say.
const (
	leastSame = .9
	leastHeld = .6
)

// Each part of a newer text that says the same is matched by leastHeldPart at least, as the
// mean likeness of the nearest words, and by leastHeldAlone where it has one part.
const (
	leastHeldAlone = .53
	leastHeldPart  = .5
)

// leastMetPart is how well each part of an older text is matched at least that is taken back.
const leastMetPart = .55

// Opposed reports whether the two texts say the same but for a negation or a taste, so that
// both cannot hold: "The lift doesn't work", "The lift works"; 我不抽烟, 我抽烟. What a text
// says about two parties is in their order: "Anna likes Tom" is not about "Tom doesn't like
// Anna".
func (m *Meeting) Opposed() bool {
	a, b := m.older.text, m.newer.text
	if takesUp(a, b) {
		return true
	}
	tastes := a.taste()*b.taste() < 0
	if !tastes && !denies(a, b) && !denies(b, a) {
		return false
	}
	said, again := a.contents(tastes), b.contents(tastes)
	return slices.EqualFunc(said, again, sameWord) && slices.Equal(a.values, b.values)
}

// Ends reports whether the newer text denies a word of the older, or says that it has ended.
func (m *Meeting) Ends() bool { return denies(m.newer.text, m.older.text) }

// Returns reports whether the newer text says that something is as it was before, and the
// older that it had changed.
func (m *Meeting) Returns() bool {
	a, b := m.older.text, m.newer.text
	return b.has("back") && !a.has("back") && (a.has("change") || a.has("ended"))
}

// Restates reports whether the two texts are one statement about something of which there
// is one, such as somebody's boss or a budget, with another value at its end: "My boss is
// Anna", "My boss is Tom".
func (m *Meeting) Restates() bool {
	a, b := m.older.text, m.newer.text
	before := commonPrefix(a.folded, b.folded)
	old, newer := value(a.folded[before:]), value(b.folded[before:])
	if old == "" || newer == "" || old == newer || !statement.in(a.folded[:before]) || !a.endsInName() || !b.endsInName() {
		return false
	}
	return slices.ContainsFunc(a.of("single"), func(h hit) bool { return h.end <= before })
}

// statement matches the beginning of a statement up to its value.
var statement = pattern{lazyregexp.New(`^(?:(?:my|our|the|\p{L}+'s) (?:[\p{L}-]+ ){1,3}(?:is|are|was)(?: called| named)? (?:(?:dr|mr|ms|mrs|prof)\.? )?|[^,，]*(?:是|叫|为|:) ?|[^、]*は)$`), anything}

// endsInName reports whether the last word of a text is a name or a number, so that it is
// no description of what the text is about.
func (t *Text) endsInName() bool {
	words := strings.Fields(strings.TrimRight(t.raw, " .。!"))
	if len(words) == 0 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return unicode.IsUpper(first) || strings.ContainsAny(words[len(words)-1], "0123456789@") || addressed.in(t.folded) || strings.IndexFunc(words[len(words)-1], isLatin) == 0 && t.cjk > t.latin
}

func isLatin(r rune) bool { return r < utf8.RuneSelf && latin(byte(r)) }

// addressed matches the end of a text that names a person as one is addressed, or a number
// in ideographs.
var addressed = pattern{lazyregexp.New(`(?:先生|女士|老师|总|哥|姐|叔|姨|师傅|经理|主任|医生|律师|さん|様|氏|[一二三四五六七八九十百千万](?:元|块|円|岁|号|点)?)(?:です|だ)?[.。!]*$`), beyondASCII}

// commonPrefix returns how many bytes two texts have in common at their beginning, up to
// where a word begins.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && (!utf8.RuneStart(a[n]) || wordly(a[n]) && wordly(a[n-1])) {
		n--
	}
	return n
}

// wordly reports whether a byte is part of a Latin word or a number.
func wordly(c byte) bool {
	return latin(c) || digit(c) || c == '.' || c == '@' || c == '-' || c == '\''
}

// value returns a short value, without what says how it is meant, or "".
func value(rest string) string {
	const words, bytes = 4, 36
	rest = strings.TrimRight(rest, " .。!")
	if len(rest) > bytes || len(strings.Fields(rest)) > words || scoped.in(rest) {
		return ""
	}
	return rest
}

// scoped matches what says that a value holds in some cases only.
var scoped = pattern{lazyregexp.New(`\b(?:for|per|on|at|in|when|if|and|or|but|not|no|until|from|since)\b|[,;，；、]|的时候|如果|不|没|や|と`), anything}

// inverted reports whether two texts of the same words have two of them exchanged where the
// order decides what is said: round "than", between "from" and "to", 从 and 到, 是 and 的.
func inverted(a, b *Text) bool {
	if x, y := ofWhom.expr().FindStringSubmatch(a.folded), ofWhom.expr().FindStringSubmatch(b.folded); x != nil && y != nil && x[1] == y[2] && x[2] == y[1] {
		return true
	}
	if !turning.in(a.folded) || !turning.in(b.folded) {
		return false
	}
	said, again := a.contents(false), b.contents(false)
	said = append(said, numerals(a.folded)...)
	again = append(again, numerals(b.folded)...)
	var common, order []string
	for _, w := range said {
		if slices.ContainsFunc(again, func(v string) bool { return sameWord(v, w) }) {
			common = append(common, w)
		}
	}
	for _, w := range again {
		if slices.ContainsFunc(said, func(v string) bool { return sameWord(v, w) }) {
			order = append(order, w)
		}
	}
	return len(common) > 1 && len(common) == len(order) && !slices.EqualFunc(common, order, sameWord)
}

// otherWay reports whether who tells does something in one of two texts, and in the other has
// it done to himself: "I owe Tom fifty", "Tom owes me fifty"; 我们付钱给胡贝尔, 胡贝尔付钱给我们.
// Words for oneself say nothing by themselves, so that the rest of both is alike.
func otherWay(a, b *Text) bool {
	return tellerDoes.in(a.folded) && tellerGets.in(b.folded) && !tellerDoes.in(b.folded) ||
		tellerDoes.in(b.folded) && tellerGets.in(a.folded) && !tellerDoes.in(a.folded)
}

// tellerDoes matches a text that begins with who tells, tellerGets what is done to him.
var (
	tellerDoes = pattern{lazyregexp.New(`^(?:i|we)\b|^我们?[^的\p{Latin}]*[给借欠教帮向把找请送替]`), anything}
	tellerGets = pattern{lazyregexp.New(`\b(?:me|us)\b|[给借欠教帮向把找请送替]我们?`), anything}
)

// ofWhom matches who is whose in Chinese and Japanese: 张三是李四的上司.
var ofWhom = pattern{lazyregexp.New(`^([\p{Han}\p{Katakana}ー]{1,6})(?:是|は)([\p{Han}\p{Katakana}ー]{1,6})(?:的|の)`), beyondASCII}

// turning matches what makes the order of two words decide.
var turning = pattern{lazyregexp.New(`\bthan\b|\bfrom\b.*\bto\b|\bover\b|从.*到|从.*[迁改换]|比|より|から.*へ|から.*に`), anything}

// numerals returns the runs of digits in a text.
func numerals(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return r > 0x7f || !digit(byte(r)) })
}

// sameWord reports whether two words of [Text.contents] are one, in Latin script by their
// stem.
func sameWord(v, w string) bool { return v == w || latin(v[0]) && latin(w[0]) && oneStem(v, w) }

// taste returns 1 for a text that says that somebody likes something, -1 for one that says
// that he does not, and 0 for any other.
func (t *Text) taste() int {
	likes, hates := 0, t.count("dislike")
	for _, h := range t.of("like") {
		if t.denied(h) {
			hates++
		} else {
			likes++
		}
	}
	switch {
	case likes > 0 && hates == 0:
		return 1
	case hates > 0 && likes == 0:
		return -1
	}
	return 0
}

// denied reports whether a negation stands right before a hit or, as in Japanese, right
// behind it.
func (t *Text) denied(h hit) bool {
	const near = 16 // bytes
	for _, d := range t.of("negation") {
		before := d.end <= h.at && h.at-d.end <= near && !strings.ContainsAny(t.folded[d.end:h.at], ".,;:!?，。；")
		behind := d.at >= h.end && d.at-h.end <= near && t.cjk > t.latin && !strings.ContainsAny(t.folded[h.end:d.at], ".,;:!?，。；、")
		hiragana, _ := utf8.DecodeRuneInString(t.folded[d.at:])
		if before || behind && unicode.Is(unicode.Hiragana, hiragana) {
			return true
		}
	}
	return false
}

// poles reports whether one of two texts says the opposite of what the other says, of what
// has two ends: least and most, for and against, joined and left.
func poles(a, b *Text) bool { return opposite(a, b, "") }

// otherEvent reports whether two texts tell of the two ends of one thing, which both happen:
// it begins and ends, somebody arrives and leaves.
func otherEvent(a, b *Text) bool { return opposite(a, b, "event ") }

// opposite does what [poles] says for the axes whose name begins so.
func opposite(a, b *Text, axes string) bool {
	upA, downA, upB, downB := a.kinds("pole + "+axes), a.kinds("pole - "+axes), b.kinds("pole + "+axes), b.kinds("pole - "+axes)
	one := func(up, down, otherUp, otherDown map[string]bool) bool {
		for axis := range up {
			if !down[axis] && otherDown[axis] && !otherUp[axis] {
				return true
			}
		}
		return false
	}
	return one(upA, downA, upB, downB) || one(upB, downB, upA, downA)
}

// calledOff matches what says that something does not take place.
var calledOff = pattern{lazyregexp.New(`\b(?:is|are|'s|was|were|been) (?:off|cancelled|canceled|called off|scrapped)\b|取消|作罢|泡汤|中止|(?:は|を)やめ`), anything}

// reached returns by what a text says that somebody is reached or named on papers.
func (t *Text) reached() map[string]bool {
	found := t.kinds("attribute ")
	maps.DeleteFunc(found, func(kind string, _ bool) bool {
		return !slices.Contains([]string{"phone", "mail", "address", "invoice", "passport", "plate", "password"}, kind)
	})
	return found
}

// stages returns at which stages a text says that something is, by what goes through them.
func (t *Text) stages() map[string]string {
	found := map[string]string{}
	for stage := range t.kinds("stage ") {
		of, number, _ := strings.Cut(stage, " ")
		found[of] = max(found[of], number)
	}
	t.stagesTurned(found)
	return found
}

// otherStage reports whether two texts say that something is at two stages of its course:
// "Nora is job hunting", "Nora found a job"; 奶奶住院了, 奶奶出院了.
func otherStage(a, b *Text) bool {
	older := a.stages()
	for of, stage := range b.stages() {
		if was, ok := older[of]; ok && was != stage {
			return true
		}
	}
	return false
}

// of returns the hits of a list.
func (t *Text) of(list string) (found []hit) {
	want := cues().index[list]
	for _, h := range t.hits {
		if cues().cues[h.cue].list == want {
			found = append(found, h)
		}
	}
	return found
}

// contents returns what a text says besides negations, and besides tastes when those are
// not wanted: Latin words that say something, ideographs, and runs of katakana.
func (t *Text) contents(noTastes bool) (all []string) {
	left := []byte(t.folded)
	gone := append(t.denials(), t.of("back")...)
	if noTastes {
		gone = slices.Concat(gone, t.of("like"), t.of("dislike"))
	}
	for _, h := range gone {
		copy(left[h.at:h.end], strings.Repeat(" ", h.end-h.at))
	}
	for _, w := range latinWords(string(left)) {
		if !stopWord(w) {
			all = append(all, w)
		}
	}
	katakana := ""
	for _, r := range string(left) + " " {
		if unicode.Is(unicode.Katakana, r) || r == 'ー' {
			katakana += string(r)
			continue
		}
		if katakana != "" {
			all, katakana = append(all, katakana), ""
		}
		if unicode.Is(unicode.Han, r) && !strings.ContainsRune("了的"+besides, r) {
			all = append(all, string(r))
		}
	}
	return all
}

// denies reports whether a text denies a word that the other one states, or says that it
// has ended. The other one has no negation, nor a word of change of its own, so that "the
// course stopped" and "no course any more" are not taken for opposites; unless that word is
// the one that is denied, or something is as before.
func denies(denying, other *Text) bool {
	denials := denying.denials()
	if len(denials) == 2 && denials[1].at-denials[0].end == 1 {
		denials = denials[:1] // "doesn't stop"
	}
	if len(denials) != 1 || len(other.denials()) > 0 {
		return false
	}
	for _, h := range denials {
		for _, word := range []string{wordAfter(denying.folded[h.end:]), wordBefore(denying.folded[:h.at], denying.folded[h.at:h.end])} {
			if states(other, word) && (!adds(denying.texts("change"), other.texts("change")) || other.tells("change", word) || other.has("back")) {
				return true
			}
		}
	}
	return false
}

// tells reports whether a word stands in a text as a cue of a list.
func (t *Text) tells(list, word string) bool {
	return slices.ContainsFunc(t.of(list), func(h hit) bool { return states(&Text{folded: t.folded[h.at:h.end]}, word) })
}

// denials returns where a text denies something or says that it has ended. The end of 必ず,
// which means always, is in the list of negations that the models were fitted to. A negation
// inside of what says that something has ended is not counted again.
func (t *Text) denials() (found []hit) {
	for _, h := range t.of("ended") {
		if denial, _, around := strings.Cut(cues().cues[h.cue].text, "~"); around {
			h.end = h.at + len(denial) // 不~了 denies what stands in it
		}
		found = append(found, h)
	}
	for _, h := range t.of("negation") {
		inside := slices.ContainsFunc(found, func(e hit) bool { return e.at <= h.at && h.end <= e.end })
		if !inside && !(strings.HasSuffix(t.folded[:h.at], "必") && strings.HasPrefix(t.folded[h.at:], "ず")) {
			found = append(found, h)
		}
	}
	return found
}

// states reports whether a text holds a word in some form; "" is none.
func states(t *Text, word string) bool {
	if word == "" {
		return false
	}
	if !latin(word[0]) {
		return strings.Contains(t.folded, word)
	}
	return slices.ContainsFunc(latinWords(t.folded), func(w string) bool { return oneStem(w, word) })
}

// oneStem reports whether two Latin words begin alike and differ in an ending at most, or are
// forms of one English word.
func oneStem(a, b string) bool {
	if plain := analyze.Plain(a); plain != "" && plain == analyze.Plain(b) {
		return true
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 3 && max(len(a), len(b))-n <= 3 && min(len(a), len(b))-n <= 1
}

// besides are characters of Chinese that may stand between a negation and its verb.
const besides = "有再会會能想太怎么麼要是去可以敢肯愿願得很大"

// wordAfter returns what a negation before it denies: the next word that says something,
// or in Chinese the next character.
func wordAfter(rest string) string {
	rest = strings.TrimLeft(rest, " ")
	r, _ := utf8.DecodeRuneInString(rest)
	if unicode.Is(unicode.Han, r) {
		for _, r := range rest {
			if !unicode.Is(unicode.Han, r) {
				return ""
			}
			if !strings.ContainsRune(besides, r) {
				return string(r)
			}
		}
		return ""
	}
	if rest != "" && !latin(rest[0]) {
		return ""
	}
	for _, w := range latinWords(rest[:sentenceEnd(rest)]) {
		if !stopWord(w) {
			return w
		}
	}
	return ""
}

// sentenceEnd returns where a clause ends.
func sentenceEnd(text string) int {
	if end := strings.IndexAny(text, ".,;:!?、"); end >= 0 {
		return end
	}
	return len(text)
}

// wordBefore returns what a Japanese negation at the end of a verb denies: the character
// of the verb, or its word in katakana.
func wordBefore(text, negation string) string {
	if r, _ := utf8.DecodeRuneInString(negation); !unicode.Is(unicode.Hiragana, r) {
		return ""
	}
	kana := 0
	for text != "" && kana < 4 {
		r, w := utf8.DecodeLastRuneInString(text)
		switch {
		case unicode.Is(unicode.Han, r):
			return string(r)
		case unicode.Is(unicode.Katakana, r) || r == 'ー':
			at := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.Is(unicode.Katakana, r) && r != 'ー' })
			_, width := utf8.DecodeRuneInString(text[max(at, 0):])
			if at < 0 {
				return text
			}
			return text[at+width:]
		case !unicode.Is(unicode.Hiragana, r):
			return ""
		}
		kana++
		text = text[:len(text)-w]
	}
	return ""
}
