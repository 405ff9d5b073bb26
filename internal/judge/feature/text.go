// Package feature turns texts, and pairs of texts, into the numbers that the
// small models of package judge weigh: what a text is made of, which cues it
// holds, which values it states, and how the words of one text match those of
// another. Training and use call the same functions.
package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// maxBytes is how many bytes of a text are read.
const maxBytes = 2048

// A Text is a text that has been read. It is for one goroutine at a time, and for any
// number after [Text.Look].
type Text struct {
	raw    string
	folded string
	hits   []hit
	values []Value
	latin  int         // words
	cjk    int         // characters of Chinese and Japanese
	past   bool        // begins with what was done, but does not say who did it
	looks  *shape      // nil until it is needed
	short  *[]hit      // of the lists in lists/few; nil until they are needed
	things *[]hit      // of the lists in lists/things; nil until they are needed
	turns  *[]hit      // of the lists in lists/turns; nil until they are needed
	times  *[]saidTime // nil until they are needed
}

// Read reads a text, or the beginning of a long one.
func Read(text string) *Text {
	if len(text) > maxBytes {
		text = text[:maxBytes]
		for range utf8.UTFMax - 1 {
			if r, width := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || width != 1 {
				break
			}
			text = text[:len(text)-1]
		}
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, " "))
	t := &Text{raw: text, folded: fold(text)}
	if len(t.folded) > 4*maxBytes { // compatibility forms may make it longer
		t.folded = strings.ToValidUTF8(t.folded[:4*maxBytes], "")
	}
	t.hits = cues().find(t.folded)
	t.values = values(t.folded)
	t.latin = len(latinWords(t.folded))
	for _, r := range t.folded {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			t.cjk++
		}
	}
	t.past = t.has("past first") || beginsPast(t.raw)
	return t
}

// Look looks at the shape of the text, and for cues of facts in a few words, which otherwise
// happens when they are first needed.
func (t *Text) Look() {
	t.shape()
	t.shorts()
}

// shape returns what can be seen of the text.
func (t *Text) shape() *shape {
	if t.looks == nil {
		l := look(t)
		t.looks = &l
	}
	return t.looks
}

// Strong reports whether the text's shape alone shows that it states nothing.
func (t *Text) Strong() bool {
	l := t.shape()
	return l.strong() || l.progress && !l.personal && !(t.cued("demanding") && t.mayNote()) || (l.single || l.path) && !t.Terse() && !t.Hosts()
}

// Bare reports whether the text is no sentence of any language: no letter and no digit, an
// address, a path, a value of JSON, one word, or several lines of code or of a trace.
func (t *Text) Bare() bool {
	l := t.shape()
	return l.empty || l.url || l.path || l.json || l.single || l.lines > 0 && (l.trace || l.code && l.symbols)
}

// Tiny reports whether the text is a word or less.
func (t *Text) Tiny() bool { return t.shape().empty || t.shape().words <= 2 }

// Orders reports whether the text speaks to assistants who come to read it.
func (t *Text) Orders() bool {
	return t.has("injection") || t.count("command") > 1 || t.has("order") || t.count("half an order") > 1
}

// AsksToForget reports whether the text asks to have something forgotten and says nothing
// else: "Please forget my address", 忘掉我住在上海. What follows in another clause may be a
// fact.
func (t *Text) AsksToForget() bool {
	return t.has("forget") && !strings.ContainsFunc(behindClause.expr().ReplaceAllString(t.folded, ""), clauseMark)
}

// behindClause matches what may stand behind a request, and signs inside numbers and names.
var behindClause = pattern{lazyregexp.New(`[ ,，.。;!！?？~]*(?:(?:please|thanks|thank you|ok|okay|谢谢|好吗|好不好|吧|お願いします|お願い)[ .。!！?？~]*)*$|[.,:][0-9a-z]`), anything}

// clauseMark reports whether a character ends a clause.
func clauseMark(r rune) bool { return strings.ContainsRune(",;:.!?，、；：。！？\n", r) }

// Asked reports whether the text begins or ends with a request to remember it, and says
// something besides.
func (t *Text) Asked() bool {
	return (t.has("asked") && t.shape().size > 4 || Fact(t.raw) != t.raw) && !t.Orders()
}

// OnlyAsks reports whether a text is one question and nothing else: "Who is my manager
// now?", 我现在住在哪里. An order with "ok?" behind it is none, nor is what only quotes a
// question or says who knows an answer.
func (t *Text) OnlyAsks() bool {
	text := strings.TrimRight(t.folded, " ")
	if strings.IndexAny(text, "\"'“‘「『") == 0 {
		text = strings.Trim(text, " \"'“”‘’「」『』")
	}
	said := strings.TrimRight(text, "?؟。!~ ")
	if said == "" || strings.ContainsAny(said, ".!?;:\n؟") || strings.Contains(said, "。") || orderTag.in(said) {
		return false
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "؟") {
		return asksFirst.in(said) || !stating.in(said)
	}
	if asksInEnglish.in(said) {
		return true
	}
	if answered.in(said) && !asksWhether.in(said) {
		return false
	}
	return asksAtEnd.in(said) || len([]rune(said)) <= shortQuestion && asksWithin.in(whatever.expr().ReplaceAllString(said, ""))
}

// Quotes reports whether something in the text stands in quotation marks. Whoever tells it has
// not said that.
func (t *Text) Quotes() bool {
	return strings.ContainsAny(t.raw, "\"“”„«»「」『』《》〈〉")
}

// EndsAsking reports whether the text ends in a question mark.
func (t *Text) EndsAsking() bool {
	return strings.HasSuffix(strings.TrimRight(t.folded, " \"'”’」』)"), "?") || strings.HasSuffix(t.folded, "؟")
}

// shortQuestion is how many characters of Chinese or Japanese may stand round a question
// word in a question without a mark.
const shortQuestion = 20

// orderTag matches what makes an order sound like a question, asksAtEnd the ends of Chinese
// and Japanese questions without a mark, and asksWithin their question words; whatever
// matches those that ask nothing, as in 什么都, and answered what says who knows, forgot or
// told an answer. asksFirst matches how questions begin, and stating a statement that ends
// with the question mark of a title.
var (
	orderTag   = pattern{lazyregexp.New(`\b(?:ok|okay|please|yes|yeah)$|, ?(?:right|alright)$|(?:好吗|好嗎|好不好|行吗|行不行|可以吗|对吧|对吗|ね|よね)$`), anything}
	asksAtEnd  = pattern{lazyregexp.New(`(?:吗|嗎|在哪里|在哪|在哪儿|是谁|叫什么|什么时候|是什么|几号|几点|多少钱|了没有|来着|[放搁丢]?在?哪(?:里|儿)?了)[呢啊呀]?$|^[^,]{0,8}是不是[^,]*$|(?:ですか|ますか|でしょうか|でしたっけ|でしたか|ましたか|ますっけ|だっけ|は|はどこ|はいつ|は誰|は何|^(?:なんで|なぜ|どうして).*の)$`), beyondASCII}
	asksWithin = pattern{lazyregexp.New(`^[^,、]*(?:谁|哪[个里儿些天位家]|什么|怎么|咋|为啥|多少|几[点号天个岁时次]|周几|星期几|要不要|该不该|能不能|会不会|有没有|是否|啥)[^,、]*$`), beyondASCII}
	whatever   = pattern{lazyregexp.New(`(?:不管|无论|不论).*|(?:谁|哪[个里儿些天位家]?|什么|怎么|多少|啥)[^,、]{0,3}[都也就]|没(?:有)?(?:什么|多少|几)|什么的|那么多|(?:谁|什么|怎么|哪)[^,、]{1,8}(?:谁|什么|怎么|哪)`), beyondASCII}
	answered   = pattern{lazyregexp.New(`知道|忘|记得|问|告诉|不清楚|明白|说明|取决|提醒|确认|请|应该|必须|需要|[“”"「」『』《》]`), beyondASCII}
	asksFirst  = pattern{lazyregexp.New(`^(?:(?:so|and|ok|hey|um|well|but),? )?(?:who|whose|whom|what|when|where|which|why|how|is|are|am|was|were|do|does|did|can|could|would|will|have|has|had|should|shall|may|any)\b`), anything}
	// asksInEnglish matches an English question without its mark: a question word with its verb
	// and what is asked about. asksWhether matches Chinese ones that ask who knows something.
	asksInEnglish = pattern{lazyregexp.New(`^(?:(?:what|where|when|why|how|which|who) ?(?:do|does|did|is|are|was|were|can|could|should|will|would) (?:i|you|we|he|she|it|they|the|my|our|your|his|her|their|this|that|these|those|there|a|an)\b|(?:what's|where's|how's|who's) (?:the|my|our|your|this|that)\b|(?:who|what) (?:wrote|broke|changed|did|happened)\b)[^,]{0,60}$`), beginsQuestion}
	asksWhether   = pattern{lazyregexp.New(`^你(?:还|還)?(?:知道|记得).*[吗嗎]$`), beyondASCII}
	stating       = pattern{lazyregexp.New(`\b(?:is|are|was|were|called|named|titled)\b`), anything}
)

// Thanks reports whether the text has words of thanks, greeting or assent.
func (t *Text) Thanks() bool { return t.has("thanks") || t.cued("thanks") }

// Standing reports whether the text says in so many words that it holds from now on.
func (t *Text) Standing() bool { return t.has("standing") }

// AtHand reports whether the text points at what is being talked about, as requests do.
func (t *Text) AtHand() bool { return t.has("at hand") }

// Self reports whether the text speaks of who tells it.
func (t *Text) Self() bool { return t.has("self") || t.has("oneself") }

// Reaches reports whether the text says by which address or number somebody is reached.
func (t *Text) Reaches() bool {
	return (t.has("attribute mail") || t.has("attribute phone")) && strings.ContainsAny(t.folded, "@0123456789")
}

// OfUser reports whether the text is what an agent says of the user ("User prefers …",
// 用户住在…), and not what the user asks for.
func (t *Text) OfUser() bool { return ofUser.in(t.folded) && !userAsks.in(t.folded) }

// Places reports whether the text says where a part of a project is, by which name it is
// known or which version of it runs: its address, port or host, a flag, an id in the sandbox.
// What is so by default is common knowledge.
func (t *Text) Places() bool {
	return (places.in(t.folded) || partOf.in(t.folded) && !happens.in(t.folded)) && !byDefault.in(t.folded)
}

// Hosts reports whether the text says of something on which host or address it is, and hardly
// anything else. Nothing but a statement has that shape.
func (t *Text) Hosts() bool { return atHost.in(t.folded) && !byDefault.in(t.folded) }

var (
	ofUser   = pattern{lazyregexp.New(`^(?:(?:the |this )?user(?:'s)? |用户的?|使用者的?|ユーザー[はがの])`), anything}
	userAsks = pattern{lazyregexp.New(`^(?:the |this )?user (?:is asking|asks|asked|wants me|would like me|wants you|wants to know|wanted to know|requests|requested|is looking|needs help|inquire)|^(?:用户|使用者).{0,3}(?:问|想知道|要求|请求|咨询|想了解|需要)|^ユーザー.*(?:知りた|尋ね|求め|聞い|質問)`), anything}
	places   = pattern{lazyregexp.New(`\b(?:url|host|port|endpoint|domain|server|database|repo|repository|branch|bucket|registry|cluster|environment)\b[a-z ]{0,24} (?:is|are|runs|lives|listens|sits)\b.*(?:[a-z0-9]\.[a-z0-9]|\d|/)|(?:域名|端口|地址|仓库|主机|环境|数据库|分支|集群|服务器?)[^,。]{0,6}(?:是|在|部署)[^,。]*[a-z0-9]|(?:環境|环境|ポート|ホスト|サーバー?|リポジトリ|データベース)[はが].*[a-z0-9]|(?:서버|포트|도메인|저장소|데이터베이스|브랜치|디비)(?:은|는|이|가|를|을) [^,.]*[a-z0-9]`), anything}
	// partOf matches a part of a project by the environment that it is in or by what it is, and
	// the value that is said of it; happens a value that tells how it goes just now.
	partOf  = pattern{lazyregexp.New(`^(?:[^.,:;?!]* )?(?:prod|production|staging|preprod|sandbox|our|(?:feature flag|flag|topic|queue|namespace|dashboard|channel|runner label) for|test account)\b[^.,:;?!]{0,30} (?:is|are|runs|runs on) [^?]*(?:[a-z0-9][._/@:-][a-z0-9]|[a-z]\d|\d[a-z]|#[a-z]|\d\.\d|\d{3})`), anything}
	happens = pattern{lazyregexp.New(`\b(?:error|down|up|green|red|failing|failed|slow|broken|again|today|exit)\b|%$`), anything}
	// atHost matches the name of something and the host or address that is said of it.
	atHost    = pattern{lazyregexp.New(`^[^.,:;=/?!。,]{2,30}?(?: (?:is|are|moved|runs|lives)(?: now)?(?: at| on| to)?|(?: is)? now(?: at| on| to)?|[:=]|[はが]|[是在换改]成?到?|地址)[ :]?(?:https?://)?(?:(?:[a-z0-9-]+\.){2,}[a-z]{2,}|[a-z0-9-]+\.(?:local|lan|internal)|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:$|[^a-z0-9-])`), oneOf(".")}
	byDefault = pattern{lazyregexp.New(`\b(?:default|usually|typically|always|protocol)\b|默认|通常|一般|协议|标准|デフォルト|既定`), anything}
)

// Tastes reports whether the text says that somebody likes or dislikes something.
func (t *Text) Tastes() bool { return t.has("like") || t.has("dislike") }

// Answering reports whether the text says how answers are to be.
func (t *Text) Answering() bool { return t.has("answering") }

// maxEqual is the length from which on two texts are equal only to the byte.
const maxEqual = 1 << 16

// Equal reports whether two texts are the same but for case, width, variants of
// characters, blanks, the stop at the end, and English words that are drawn together
// ("don't", "do not").
func Equal(a, b string) bool {
	if a == b || len(a) > maxEqual || len(b) > maxEqual {
		return a == b
	}
	a, b = Normal(a), Normal(b)
	return a != "" && (a == b || spelledOut(a) == spelledOut(b))
}

// drawn are endings of English words that are drawn together, with what they stand for,
// whole words first. What 's and 'd stand for, they do not tell.
var drawn = strings.NewReplacer("can't ", "can not ", "cannot ", "can not ", "won't ", "will not ", "shan't ", "shall not ",
	"n't ", " not ", "i'm ", "i am ", "'re ", " are ", "'ve ", " have ", "'ll ", " will ")

// spelledOut returns a text in normal form with its words spelled out.
func spelledOut(normal string) string {
	if !strings.Contains(normal, "'") && !strings.Contains(normal, "cannot") {
		return normal
	}
	return strings.TrimSuffix(drawn.Replace(normal+" "), " ")
}

// Normal returns a text in its normal form, which [Equal] compares.
func Normal(s string) string {
	if len(s) > maxEqual {
		return s
	}
	return strings.TrimRight(fold(s), " .。!！…~")
}

// Check returns a short digest of a text in normal form: 32 bits, as eight hexadecimal digits.
func Check(normal string) string {
	sum := sha256.Sum256([]byte(normal))
	return hex.EncodeToString(sum[:4])
}

// Cues returns the numbers of the cues in the text.
func (t *Text) Cues() []int {
	var all []int
	for _, h := range t.hits {
		all = append(all, h.cue)
	}
	return all
}

// Only returns the text without some cues of the lists that are judged: it
// keeps those for which keep is true.
func (t *Text) Only(keep func(cue int) bool) *Text {
	only := *t
	only.hits = nil
	for _, h := range t.hits {
		if l := cues().lists[cues().cues[h.cue].list]; general(l) || keep(h.cue) {
			only.hits = append(only.hits, h)
		}
	}
	only.looks = nil
	return &only
}

// general reports whether a list holds general words (persons, pronouns, negation), or
// those of a rule, which no model weighs.
func general(list string) bool {
	switch list {
	case "self", "negation", "second person", "third person", "we", "i first", "stop":
		return true
	}
	return strings.HasPrefix(list, "role ") || strings.HasPrefix(list, "attribute ") || ruled(list)
}

// ruled reports whether a list serves a rule about pairs alone (see [Meeting.Adds],
// [Meeting.Apart], [Meeting.Restates] and [Meeting.Replaces]).
func ruled(list string) bool {
	switch list {
	case "ended", "back", "like", "dislike", "plan", "former", "single", "once", "repeated", "forget", "except", "no place", "city", "ending", "ahead", "done", "part":
		return true
	}
	return strings.HasPrefix(list, "pole ") || strings.HasPrefix(list, "condition ") || strings.HasPrefix(list, "stage ") || strings.HasPrefix(list, "trade ") || strings.HasPrefix(list, "matter ")
}

// count returns how many cues of a list the text holds.
func (t *Text) count(list string) int {
	want, ok := cues().index[list]
	if !ok {
		panic("feature: no list " + list)
	}
	n := 0
	for _, h := range t.hits {
		if cues().cues[h.cue].list == want {
			n++
		}
	}
	return n
}

// has reports whether the text holds a cue of a list.
func (t *Text) has(list string) bool { return t.count(list) > 0 }

// texts returns the distinct cues of a list as they stand in the text.
func (t *Text) texts(list string) map[string]bool {
	want, found := cues().index[list], map[string]bool{}
	for _, h := range t.hits {
		if cues().cues[h.cue].list == want {
			found[t.folded[h.at:h.end]] = true
		}
	}
	return found
}

// roles returns the persons that the text names by their role.
func (t *Text) roles() map[string]bool { return t.kinds("role ") }

// kinds returns which of the lists whose names begin alike have a cue in the text.
func (t *Text) kinds(lists string) map[string]bool {
	found := map[string]bool{}
	for _, h := range t.hits {
		if kind, ok := strings.CutPrefix(cues().lists[cues().cues[h.cue].list], lists); ok {
			found[kind] = true
		}
	}
	return found
}

// A Row is the features of a text or of a pair, in a fixed order.
type Row struct {
	Names  []string
	Values []float64
}

func (r *Row) put(name string, value float64) {
	r.Names, r.Values = append(r.Names, name), append(r.Values, value)
}

func (r *Row) is(name string, value bool) {
	v := 0.0
	if value {
		v = 1
	}
	r.put(name, v)
}
