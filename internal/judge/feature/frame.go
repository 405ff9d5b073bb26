package feature

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// sameFrame reports whether the two texts say the same of the same up to another value at
// their end, which the newer one says holds now: "Parcels go to the porter", "Parcels go to
// the locker now"; 快递放门卫室, 快递现在放驿站; in Japanese the value stands before the verb.
func sameFrame(a, b *Text) bool {
	if !sinceNow.in(b.folded) {
		return false
	}
	newer := bare(b.folded)
	if newer == a.folded {
		return false
	}
	if calledNow(a, b) {
		return true
	}
	before := commonPrefix(a.folded, newer)
	if a.cjk <= a.latin {
		return valueFollows(strings.Fields(a.folded[:before]))
	}
	head := a.folded[:before]
	last, _ := utf8.DecodeLastRuneInString(head)
	if strings.ContainsRune("はをがにで", last) {
		return commonEnd(a.folded[before:], newer[before:]) > 1
	}
	return utf8.RuneCountInString(head) > 1 && strings.ContainsRune(frameVerbs, last)
}

// calledNow reports whether the older text says how somebody is called and the newer who he is
// now: "Our landlord is called Bob", "Our landlord is Mrs Vance now"; 房东叫张伟, 房东现在是刘阿姨.
func calledNow(a, b *Text) bool {
	older := calledSo().FindStringSubmatch(a.folded)
	of, named := b.isNow()
	return older != nil && named && older[1]+older[2] == of && len(b.roles())+len(b.kinds("trade ")) > 0
}

// isNow returns of whom a text says by name who it is now, and whether it does.
func (t *Text) isNow() (of string, ok bool) {
	m := isNow().FindStringSubmatch(t.raw)
	if m == nil || described.in(fold(m[2]+m[4])) {
		return "", false
	}
	return fold(m[1] + m[3] + m[5]), true
}

// toldMore reports whether the older text says how somebody or something is called, and the newer
// something else of the same: "Our landlord is called Bob", "Our landlord is in Spain now".
func toldMore(a, b *Text) bool {
	older := calledSo().FindStringSubmatch(a.folded)
	if _, named := b.isNow(); named || older == nil {
		return false
	}
	rest, of := strings.CutPrefix(b.folded, older[1]+older[2])
	return of && isMore.in(rest) && !calledAnew.in(b.folded)
}

// calledSo matches how somebody is called, with who it is; isNow who somebody is now, in
// Chinese by a title or a name that begins with one. isMore matches what says more of
// somebody, calledAnew what names him or it anew, or says that it is no more.
var (
	calledSo   = lazyregexp.New(`^([^,.;!?]{2,40}?)(?: (?:is|are) (?:called|named)|['’]s name is) \p{L}|^([^,。!?]{1,8}?)(?:的?名字是|名叫|姓|叫)\p{L}`)
	isNow      = lazyregexp.New(`^([^,.;!?]{2,40}?) is (?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(\p{Lu}\p{Latin}*(?: \p{Lu}\p{Latin}*)?) now[.!]?$|^([^,.;!?]{2,40}?) is now (?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(\p{Lu}\p{Latin}*(?: \p{Lu}\p{Latin}*)?)[.!]?$|^([^,。!?]{1,8}?)(?:现在|如今|目前)(?:是|叫)(?:[小老阿]\p{Han}|\p{Han}{1,2}(?:先生|女士|太太|老师|医生|大夫|律师|师傅|阿姨|叔叔|[姐哥姨叔婶总工]))[。.]?$`)
	isMore     = pattern{lazyregexp.New(`^ (?:is|are|was|has|have|lives|works|likes|wants) |^(?:现在|如今|目前|最近)?(?:在|是|有|也|去|住|很|刚|又|要|会)`), anything}
	calledAnew = pattern{lazyregexp.New(`\b(?:called|named|names?|renamed|died|dead|gone|sold|replaced|left|retired)\b|叫|姓|名|改|死|走了|去世|换|卖`), anything}
)

// bare returns a text without what says that it holds now.
func bare(folded string) string {
	return ended().ReplaceAllString(sinceNow.expr().ReplaceAllString(folded, ""), "")
}

// sinceNow matches what says that something holds now, and ended the particle that Chinese
// ends with then, which says no more than that something happened.
var (
	sinceNow = pattern{lazyregexp.New(` ?\b(?:now|currently|these days)\b|现在|目前|如今|改(?:成|为|在)?|今は、?|現在は?、?`), anything}
	ended    = lazyregexp.New(`了[。.!]?$`)
)

// inAddition matches what says that something holds beside what was told before.
var inAddition = pattern{lazyregexp.New(`\b(?:also|as well|in addition|additionally)\b|\btoo[.!]?$|也|还[养有用去上学喝吃买订住做练跑打听看开养]|他にも`), anything}

// frameVerbs are Chinese verbs that a value follows.
const frameVerbs = "放停买订喝吃穿睡看读学练养存寄送发交找问走上住坐跑用叫归由付"

// valueFollows reports whether English words end where a value follows that is said of something:
// behind a verb that is neither "be" nor "have", or behind one of these and another word.
func valueFollows(words []string) bool {
	for n := len(words); n > 0 && determiner(words[n-1]); n-- {
		words = words[:n-1]
	}
	at := slices.IndexFunc(words, isPredicate)
	if at < 1 {
		return false
	}
	return !beOrHave(words[at]) || at < len(words)-1
}

var (
	determiner = oneOfWords("a an the my our")
	beOrHave   = oneOfWords("is are was were has have")
)

// oneOfWords returns a function that reports whether a word is one of some, of which a set
// is made when it is called first.
func oneOfWords(words string) func(string) bool {
	set := sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
	return func(word string) bool { return set()[word] }
}

// commonEnd returns how many characters two texts end alike.
func commonEnd(a, b string) int {
	n := 0
	for a != "" && b != "" {
		ra, wa := utf8.DecodeLastRuneInString(a)
		rb, wb := utf8.DecodeLastRuneInString(b)
		if ra != rb {
			break
		}
		a, b, n = a[:len(a)-wa], b[:len(b)-wb], n+1
	}
	return n
}

// otherHead reports whether two Chinese texts, or two Japanese ones, say the same of two
// things, of which neither text has the other one's: 快递放门卫室, 报纸现在放驿站.
func otherHead(a, b *Text) bool {
	if !sinceNow.in(b.folded) {
		return false
	}
	x, y := headPattern().FindStringSubmatch(a.folded), headPattern().FindStringSubmatch(bare(b.folded))
	return x != nil && y != nil && x[2] == y[2] && !strings.ContainsAny(x[1]+y[1], noHead) && !strings.Contains(b.folded, x[1]) && !strings.Contains(a.folded, y[1])
}

// noHead are characters of persons and times, which stand before a verb as well.
const noHead = "我你他她咱每点周天年日号时后前早晚今私僕俺朝夕時毎"

// headPattern matches what a text speaks of and the verb or particle behind it.
var headPattern = lazyregexp.New(`^([\p{Han}\p{Katakana}ー]{2,4}?)([放停买订喝吃穿睡学练养存寄送发交找坐用归由付はを])`)
