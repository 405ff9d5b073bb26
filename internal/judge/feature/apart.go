package feature

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Apart reports whether the newer text certainly speaks of something else than the older,
// so that it takes nothing back:
//   - without a word of change: of one of the family whom the older does not name, of
//     another attribute (a birthday, a phone), of another event, such as the arrival after
//     the departure, of some cases only (see [otherCase], [narrower]), of the number of
//     another thing (see [ofAnother]), of another number in a name or in what happened (see
//     [otherFigure]), of what is not so at another time (see [deniesElsewhere]), and of what
//     holds in the opposite case (see [bothCases]);
//   - with one, too: of how answers are to be where the older is no order, of another one of
//     a kind or somebody of another trade (see [ofAnotherKind]), of another subject in some
//     languages (see [otherNoun], [otherHead]), of what holds in addition, of a former wife
//     beside a wife, of one of the family, a neighbour, a friend or a colleague beside
//     oneself, of what belongs to somebody else, of another number of a series (phase 1,
//     phase 2), of another name and another number at once, of another thing with another
//     value (see [otherSubject]), of something else about the same (see
//     [tellsOfWho], [Meeting.otherPredicate], [Meeting.ofOtherHead]), of a part that was changed (see
//     [changesPart]), of another matter of a life or of a program (see [otherMatter]), of
//     one of two matters (see [holdsMore]), of an
//     end that is still to come (see [Meeting.endsLater]), and of the end of what the older
//     text does not say ("no longer the owner of search" of the owner of billing).
func (m *Meeting) Apart() bool {
	a, b := m.older.text, m.newer.text
	if !b.has("change") && (adds(a.kin(), b.kin()) || adds(a.kinds("attribute "), b.kinds("attribute "))) {
		return true
	}
	if _, apart := otherFigure(a, b); apart && !b.has("change") || onlyOrders(a, b) || ofTwo(a, b) ||
		sayAnother(a, b) || onlyReviews(a, b) || moreOfOccasion(a, b) ||
		ofAnotherKind(a, b) || otherNoun(a, b) || otherHead(a, b) {
		return true
	}
	otherName := ownName(m.older, m.newer) && ownName(m.newer, m.older) && newNumbers(a, b) && newNumbers(b, a)
	return otherName || a.has("former") != b.has("former") || a.begins("self") && !a.beginsWithKin() && (b.beginsWithKin() || b.beginsWithOther(a)) ||
		othersOwn(a, b) || otherOfSeries(a.folded, b.folded) || endsOther(a, b) || otherSubject(a, b) || tellsOfWho(a, b) || m.otherPredicate() || m.ofOtherHead() || ofAnother(a, b) || otherCase(a, b) || deniesElsewhere(a, b) || bothCases(a, b) || narrower(a, b) || asides(a, b) || m.endsLater() || changesPart(a, b) || otherMatter(a, b) || holdsMore(a, b) || inAddition.in(b.folded) && !b.has("replaced") && !b.has("negation") || (!b.has("change") || newNumbers(a, b) && newNumbers(b, a)) && otherEvent(a, b)
}

// onlyOrders reports whether the newer text says how answers are to be, and the older is no
// order: 以后都用中文回答, 我的母语是中文.
func onlyOrders(a, b *Text) bool {
	return b.ordersAnswers() && !a.ordersAnswers() && !a.Standing() && !a.has("command") && (!a.has("instruction") || a.begins("self"))
}

// ordersAnswers reports whether the text says how answers are to be, or in which language.
func (t *Text) ordersAnswers() bool {
	return t.Answering() || slices.ContainsFunc(t.claims(), func(c claim) bool { return c.of == answers })
}

// ownName reports whether a text has a name, other than that of a month, which the other
// lacks. The first word is one if no text has it in small letters.
func ownName(s, other *Side) bool {
	if first, rest, _ := strings.Cut(s.text.raw, " "); !s.cjk() && begun.in(first) && !stopWord(first) && begun.in(other.text.raw) && predicated.in(" "+rest) && !strings.Contains(other.text.folded, fold(first)) {
		return true
	}
	return slices.ContainsFunc(s.units, func(u unit) bool {
		_, month := months[u.text]
		return u.name && !month && !strings.Contains(other.text.folded, fold(u.text))
	})
}

// begun matches a word that begins with a capital letter, predicated what follows a name
// without an article.
var (
	begun      = pattern{lazyregexp.New(`^\p{Lu}\p{L}{2,}`), anything}
	predicated = pattern{lazyregexp.New(`^ (?:now |has |have |is |was |will )?[a-z]+`), anything}
)

// family are the roles of a family. Others, such as a doctor, often tell of a change.
var family = []string{"wife", "husband", "partner", "father", "mother", "parents", "brother", "sister", "son", "daughter", "kid", "grandma", "grandpa", "uncle", "aunt", "cousin", "nephew", "in-law"}

// Family returns which roles in a family a text names, such as "mother", in English, Chinese
// or Japanese, nil for none.
func Family(text string) map[string]bool {
	t := &Text{folded: fold(text)}
	t.hits = cues().find(t.folded)
	return t.kin()
}

// Roles returns which roles a text names, of a family and others such as "doctor".
func Roles(text string) map[string]bool {
	t := &Text{folded: fold(text)}
	t.hits = cues().find(t.folded)
	return t.kinds("role ")
}

// Attributes returns which attributes a text names, such as "birthday" and "phone".
func Attributes(text string) map[string]bool {
	t := &Text{folded: fold(text)}
	t.hits = cues().find(t.folded)
	found := t.kinds("attribute ")
	maps.Copy(found, t.kinds("thing ")) // of the languages that are not judged by them
	return found
}

// kin returns which of the family a text names.
func (t *Text) kin() map[string]bool {
	found := map[string]bool{}
	for _, role := range family {
		if t.has("role " + role) {
			found[role] = true
		}
	}
	return found
}

// beginsWithKin reports whether one of the family stands in the first characters of a text.
func (t *Text) beginsWithKin() bool {
	return len(t.firstOf(family, 12)) > 0
}

// beside are who live beside one, or work beside one, and are not oneself.
var beside = []string{"neighbour", "friend", "colleague"}

// someonesPattern matches a beginning with what belongs to another one, who may be named,
// and oneself who tells it.
var (
	someonesPattern = lazyregexp.New(`^(?:(?:her|his|their)|(\p{L}{2,})['’]s) \p{L}`)
	oneself         = pattern{lazyregexp.New(`\b(?:i|me|my|mine|we|us|our|ours)\b`), anything}
)

// beginsWithOther reports whether a text begins with a neighbour, a friend or a colleague, or
// with what belongs to another one, of whom the older text does not speak, and does not come
// back to oneself.
func (t *Text) beginsWithOther(older *Text) bool {
	if m := someonesPattern().FindStringSubmatch(t.folded); m != nil {
		return !stopWord(m[1]) && !oneself.in(t.folded) && (m[1] == "" || !strings.Contains(older.folded, m[1]))
	}
	return slices.ContainsFunc(t.firstOf(beside, 16), func(role string) bool { return !older.has("role " + role) })
}

// firstOf returns which of some roles stand in the first characters of a text. It counts
// characters, where [Text.begins], which the models were fitted to, counts bytes of a short
// text.
func (t *Text) firstOf(roles []string, characters int) (found []string) {
	end, n := len(t.folded), 0
	for at := range t.folded {
		if n++; n > characters {
			end = at
			break
		}
	}
	for _, role := range roles {
		if slices.ContainsFunc(t.of("role "+role), func(h hit) bool { return h.end <= end }) {
			found = append(found, role)
		}
	}
	return found
}

// adds reports whether b holds something that a does not.
func adds(a, b map[string]bool) bool { return len(b) > shared(a, b) }

// A belonging is a thing with whose it is: "oneself" or as the text names the owner.
type belonging struct{ owner, thing string }

// othersOwn reports whether both texts are about one kind of thing and it belongs to
// somebody else in the newer one: my e-mail, Zhou's e-mail.
func othersOwn(a, b *Text) bool {
	old, newer := a.belongings(), b.belongings()
	apart := false
	for _, x := range newer {
		for _, y := range old {
			if x.thing != y.thing && !(latin(x.thing[0]) && latin(y.thing[0]) && oneStem(x.thing, y.thing)) {
				continue
			}
			if x.owner == y.owner || x.shorter(y) {
				return false
			}
			apart = true
		}
	}
	return apart
}

// shorter reports whether a belonging is of the owner of an older one, whom it names by the
// end of that name: 物业 of 小区物业. One of a family is not: 爸爸 is not 老周爸爸.
func (b belonging) shorter(older belonging) bool {
	return utf8.RuneCountInString(b.owner) > 1 && !latin(b.owner[0]) && strings.HasSuffix(older.owner, b.owner) && len(Family(b.owner)) == 0
}

// ownerPattern matches what belongs to somebody in English: the owner, and up to three
// words, of which those that say something are the thing.
var ownerPattern = lazyregexp.New(`\b(?:(?:my|our) )?([\p{L}]+(?:'s|s'))((?: [\p{L}-]+){1,3})|\b(?:my|our)((?: [\p{L}-]+){1,3})`)

// belongings returns what a text says belongs to somebody: in English whatever follows
// "my" or "Ann's"; in Chinese and Japanese attributes, such as a telephone number, with what
// stands before them.
func (t *Text) belongings() (all []belonging) {
	if t.latin >= t.cjk {
		for _, m := range ownerPattern().FindAllStringSubmatch(strings.ReplaceAll(t.folded, "’", "'"), -1) {
			owner, things := strings.TrimSuffix(strings.TrimSuffix(m[1], "s"), "'"), m[2] // Ann's, the Smiths'
			if m[1] == "" {
				owner, things = "oneself", m[3]
			}
			for _, w := range strings.Fields(things) {
				if !stopWord(w) && latin(w[0]) {
					all = append(all, belonging{owner, w})
				}
			}
		}
	}
	for _, h := range t.hits {
		kind, ok := strings.CutPrefix(cues().lists[cues().cues[h.cue].list], "attribute ")
		if !ok || latin(t.folded[h.at]) {
			continue
		}
		if owner := t.ownerBefore(h); owner != "" {
			all = append(all, belonging{owner, kind})
		}
	}
	return all
}

// stated matches what follows an attribute whose owner stands before it without 的.
var stated = pattern{lazyregexp.New(`^(?:号|是|为|换|改|变|:)`), anything}

// ownerBefore returns whose a Chinese or Japanese attribute is: the ideographs and katakana
// before it and before 的 or の, or right before what is said of it (小王手机号是), without
// さん; "oneself" after 我 or 私; "" if nothing is there.
func (t *Text) ownerBefore(attribute hit) string {
	const longest = 8
	before := []rune(t.folded[:attribute.at])
	from := len(before)
	for from > 0 && len(before)-from < longest && (unicode.In(before[from-1], unicode.Han, unicode.Katakana) || strings.ContainsRune("のさんちゃくー", before[from-1])) {
		from--
	}
	if !strings.ContainsAny(string(before[from:]), "的の") && !stated.in(t.folded[attribute.end:]) {
		return ""
	}
	owner := strings.Trim(string(before[from:]), "的の新旧")
	owner = strings.TrimSuffix(strings.TrimSuffix(owner, "さん"), "ちゃん")
	for _, first := range []string{"我们", "我", "本人", "咱", "私", "僕", "俺"} {
		rest, mine := strings.CutPrefix(owner, first)
		if !mine {
			continue
		}
		for _, h := range t.hits {
			if strings.HasPrefix(cues().lists[cues().cues[h.cue].list], "role ") && strings.Contains(rest, t.folded[h.at:h.end]) {
				return t.folded[h.at:h.end]
			}
		}
		if role, _, _ := t.headRole(); role != "" {
			return rest
		}
		return "oneself"
	}
	if ofAge.expr().ReplaceAllString(owner, "") == "" { // 正确的手机号, 现在的地址
		return ""
	}
	return owner
}

// seriesPattern matches the number of one of a series at the beginning of a text, with the
// word before or behind it: phase 1, sensor number 18, 一期.
var seriesPattern = lazyregexp.New(`^(?:the |our |my )?(?:([a-z]+|\p{Han}{1,3}|[\p{Cyrillic}\p{Hangul}]+)(?: (?:number|nummer|numero|no|nr)\.?)?[ #-]{0,2}(\d{1,5}(?:\.\d+)*)\b|(?:第)?(\d+|[一二三四五六七八九十]+)(号|期|楼|栋|班|组|队|车|室|批|版))`)

// otherOfSeries reports whether two texts begin with different numbers of one series:
// "Phase 1", "Phase 2"; 一期, 二期.
func otherOfSeries(older, newer string) bool {
	a, b := seriesPattern().FindStringSubmatch(older), seriesPattern().FindStringSubmatch(newer)
	if a == nil || b == nil {
		return false
	}
	return a[1] == b[1] && a[2] != b[2] && a[2] != "" && b[2] != "" || a[4] == b[4] && a[4] != "" && a[3] != b[3]
}

// endsOther reports whether the newer text says of something that it has ended which the
// older says only in part: "no longer the owner of search" of "the owner of billing".
func endsOther(a, b *Text) bool {
	if a.cjk > a.latin != (b.cjk > b.latin) {
		return false // words of two scripts are not compared
	}
	ended := b.of("ended")
	if len(ended) != 1 {
		return false // of several one may be what the older text says
	}
	rest := b.folded[ended[0].end:]
	clause := (&Text{folded: rest[:sentenceEnd(rest)]}).contents(false)
	said, missing := a.contents(false), 0
	for _, w := range clause {
		if !slices.ContainsFunc(said, func(v string) bool { return sameWord(v, w) }) {
			missing++
		}
	}
	return missing > 0 && missing < len(clause)
}
