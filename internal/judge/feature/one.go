package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows reads what somebody has one of: where he lives, whom he works for, his
// favourite colour, his number. Who tells another one takes back the first. The patterns
// match a whole text, so that what else it says is not lost, and what is meant otherwise is
// not taken for it.

// A claim is what a text says somebody has one of.
type claim struct {
	of    string // home, job, or what is named, such as "favourite colour"
	who   string // "oneself" or as the text names him
	value string
	when  tense
}

// A tense is what a claim says about its time.
type tense int

const (
	holds  tense = iota // it is so
	begins              // it is so now, and was not
	moves               // it is so now, if that is a place
	once                // it came to be so in some year
	not                 // it was so, or will be
)

// claimPattern is a way to say a claim, with groups who, of and value.
type claimPattern struct {
	pattern
	of   string
	when tense
	raw  bool // names are told by their capital letter
}

const (
	enWho  = `(?P<who>(?i:i|we|(?:the )?user(?:['’]s [a-z]+)?|my [a-z]+)|\p{Lu}\p{L}+(?:['’]s [a-z]+)?)`
	enName = `(?P<value>(?:\d+[a-z]? )?\p{Lu}[\p{L}\d'’&.-]*(?: (?:\p{Lu}|\d|of |the |de |la )[\p{L}\d'’&.-]*){0,3})`
	enTime = `(?: (?:now|already|last (?:week|month|year|night|spring|summer|autumn|fall|winter)|yesterday|recently|(?:in|since|from|on) (?:January|February|March|April|May|June|July|August|September|October|November|December|spring|summer|autumn|winter|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)|a (?:week|month|few (?:days|weeks|months)) ago|this (?:week|month|year)|today|these days))?[.!]*$`
	enHave = `(?:'ve|’ve|'s|’s| have| has)?(?: just| finally| already| now| recently)?`
	enLive = `(?:(?i:'m|’m| am|'re| are| is|'s)(?: based| living)| live| lives)`
	enWork = `(?:(?i:'m|’m| am|'re| are| is|'s)(?: employed| working)| work| works)`

	zhWho   = `(?P<who>[小老阿]?\p{Han}{0,3}?)`
	zhTime  = `(?:现在|目前|如今|已经|刚刚|刚|最近|上周|上个月|这周|这个月|今年|去年|昨天|前几天|从上周起|从这周起|从这个月起|从上个月起|从[一二三四五六七八九十\d]{1,3}月起|从周[一二三四五]起|搬家了?,?|换工作了?,?|跳槽了,?)*`
	zhValue = `(?P<value>[\p{Han}\p{Latin}\d]{1,14}?)`

	jaWho   = `(?:(?P<who>[\p{Han}\p{Katakana}ー]{1,6}(?:さん|くん|君|ちゃん)?)[はがも][,、]?)?`
	jaTime  = `(?:今は|现在は?|今は?,|先月[,、]?|先周[,、]?|昨日[,、]?|今月[,、]?|最近[,、]?|先日[,、]?|やっと|実は[,、]?|[一二三四五六七八九十\d]{1,2}月に[,、]?|春に[,、]?|夏に[,、]?|秋に[,、]?|冬に[,、]?)*`
	jaValue = `(?P<value>[\p{Han}\p{Katakana}\p{Latin}ー\d]{1,14}?(?:の[\p{Han}]{1,4})?)`
	jaEnd   = `(?:んだ|んです|の)?[.。!]*$`
)

var claimPatterns = []claimPattern{
	{claiming(`^`+enWho+enLive+` (?:in|at) (?P<value>[^,;.!?]{2,40})[.!]*$`, "live", "living", "based"), "home", holds, true},
	{claiming(`^(?P<who>(?i:my|our)) (?:home|flat|apartment|house) is (?:in|at) (?P<value>[^,;.!?]{2,40})[.!]*$`, "home", "flat", "apartment", "house"), "home", holds, true},
	{claiming(`^`+enWho+` now (?:live|lives) (?:in|at) `+enName+enTime, "now live"), "home", begins, true},
	{claiming(`^`+enWho+enLive+` (?:in|at) `+enName+` (?:now|these days|since \p{Lu}\p{L}+)[.!]*$`, "live", "living", "based"), "home", begins, true},
	{claiming(`^`+enWho+enHave+` (?i:relocated) (?:from [\p{L} ]{2,20} )?to `+enName+enTime, "relocated to", "relocated from"), "home", begins, true},
	{claiming(`^`+enWho+enHave+` (?i:moved) (?:from [\p{L} ]{2,20} )?to `+enName+enTime, "moved to", "moved from"), "home", moves, true},
	{claiming(`^`+enWho+enHave+` (?i:moved|relocated) to `+enName+` in \d{4}[.!]*$`, "moved to", "relocated to"), "home", once, true},
	{claiming(`^`+enWho+`(?:(?:'d|’d|'ll|’ll| would| will| might| may| could| want| wants| plan| plans| hope| hopes| dream| dreams| intend| intends| used|[^,;!?]* (?:planning|going|thinking|about))(?: like| love)?(?: to| of)? (?:move|moving|relocate|relocating|live|living)\b|(?: am|'m|’m| is|'s|’s| are|'re|’re) (?:moving|relocating)\b| lived\b)[^,;!?]*$`, "move", "moving", "live", "living", "relocat"), "home", not, true},

	{claiming(`^`+enWho+enWork+` (?:at|for) `+enName+`(?: as [a-z -]{2,30})?[.!]*$`, "work", "employed"), "job", holds, true},
	{claiming(`^`+enWho+enWork+` (?:at|for) the (?P<value>[a-z -]{2,30})[.!]*$`, "work", "employed"), "job", holds, true},
	{claiming(`^`+enWho+` now (?:work|works) (?:at|for) `+enName+enTime, "now work"), "job", begins, true},
	{claiming(`^`+enWho+enWork+` (?:at|for) `+enName+` (?:now|these days|since (?:last )?[\p{L}\d]+)[.!]*$`, "work", "employed"), "job", begins, true},
	{claiming(`^`+enWho+enHave+` (?:started|begun|began) (?:working|work|a job|a new job|my new job) (?:at|for|with) `+enName+enTime, "started", "began", "begun"), "job", begins, true},
	{claiming(`^`+enWho+enHave+` (?:left|quit) [\p{L}\d'& ]{2,24},? (?:and|to) (?:joined|join|started at|work at|work for|now work at|now work for) `+enName+enTime, "left", "quit"), "job", begins, true},
	{claiming(`^`+enWho+enHave+` (?:changed jobs|switched jobs|changed employers?),? (?:and|to) (?:now )?(?:work at |work for |joined |am at )?`+enName+enTime, "changed", "switched"), "job", begins, true},
	{claiming(`^`+enWho+enHave+` (?i:joined|got hired by|(?:was|been) hired by|took a (?:new )?(?:job|position|role) (?:at|with)) `+enName+`(?: as an? [a-z -]{2,30})?`+enTime, "joined", "hired by", "took a"), "job", begins, true},
	{claiming(`^`+enWho+`(?:'ve|’ve| have| has)?(?: previously| once)? (?:worked|used to work|was employed) (?:at|for) [^;!?]*$`, "worked", "work", "employed"), "job", not, true},
	{claiming(`^`+enWho+` (?:joined|started at) `+enName+` in \d{4}[.!]*$`, "joined", "started at"), "job", once, true},

	{claiming(`^`+zhWho+zhTime+`(?:住在|定居在?)`+zhValue+`[.。!]*$`, "住在", "定居"), "home", holds, false},
	{claiming(`^(?P<who>我们?)?`+zhTime+`(?:的?家(?:住在|住|在)|住)`+zhValue+`[.。!]*$`, "家", "我住", "我们住", "现在住", "目前住"), "home", holds, false},
	{claiming(`^`+zhWho+zhTime+`在`+zhValue+`(?:租房住?|居住|定居)[.。!]*$`, "租房", "居住", "定居"), "home", holds, false},
	{claiming(`^`+zhWho+zhTime+`(?:搬家?|迁居|移居)(?:到|去|至|往)了?`+zhValue+`(?:住|居住|生活|定居)?[去来]?[了啦]?[.。!]*$`, "搬", "迁居", "移居"), "home", moves, false},
	{claiming(`^`+zhWho+`(?:搬家了,)`+zhTime+`(?:住在|家在)`+zhValue+`[.。!]*$`, "搬家"), "home", begins, false},
	{claiming(`^`+zhWho+zhTime+`(?:打算|计划|想|准备|考虑|要|可能|明年|下个月|以前|之前|曾经|过去|小时候)[^,。]{0,8}(?:搬|住)[^,。]*$`, "搬", "住"), "home", not, false},
	{claiming(`^`+zhWho+`在`+zhValue+`住过[^,。]*$`, "住过"), "home", not, false},
	{claiming(`^`+zhWho+`\d{4}年(?:搬家?到|搬去|住到)了?`+zhValue+`[的了]?[.。!]*$`, "搬", "住到"), "home", once, false},

	{claiming(`^`+zhWho+zhTime+`在`+zhValue+`(?:上班|工作|任职|就职|做(?:测试|开发|运营|设计|产品|销售|后端|前端|研发|运维|财务|会计|市场|客服|编辑|行政|人事|算法|数据|护士|医生|老师|工程师))[.。!]*$`, "上班", "工作", "任职", "就职", "做"), "job", holds, false},
	{claiming(`^`+zhWho+zhTime+`(?:就职于|任职于|供职于)`+zhValue+`[.。!]*$`, "职于"), "job", holds, false},
	{claiming(`^`+zhWho+zhTime+`(?:跳槽|转职|换工作)(?:到|去|至)了?`+zhValue+`(?:上班|工作)?[了啦]?[.。!]*$`, "跳槽", "转职", "换工作"), "job", begins, false},
	{claiming(`^`+zhWho+zhTime+`入职了?`+zhValue+`[了啦]?[.。!]*$`, "入职"), "job", begins, false},
	{claiming(`^`+zhWho+zhTime+`加入了?`+zhValue+`[了啦]?[.。!]*$`, "加入"), "job", begins, false},
	{claiming(`^`+zhWho+zhTime+`从[\p{Han}\p{Latin}\d]{1,10}?(?:离职|辞职|跳槽|跳),?(?:后|并)?(?:去|到|加入|入职)了?`+zhValue+`[了啦]?[.。!]*$`, "从"), "job", begins, false},
	{claiming(`^`+zhWho+`(?:换工作了|跳槽了|现在|从[\p{Han}\d]{1,4}起),?(?:现在)?在`+zhValue+`(?:上班|工作|任职)了?[.。!]*$`, "上班", "工作", "任职"), "job", begins, false},

	{claiming(`^`+zhWho+zhTime+`(?:以前|之前|曾经|过去)在?[^,。]{1,12}(?:上班|工作|任职)过?[^,。]*$`, "上班", "工作", "任职"), "job", not, false},
	{claiming(`^`+zhWho+`\d{4}年(?:加入|入职)了?`+zhValue+`[的了]?[.。!]*$`, "加入", "入职"), "job", once, false},

	{claiming(`^`+jaWho+jaTime+jaValue+`(?:に(?:住んでいる|住んでる|住んでいます|住んでます|住む)|在住(?:です|だ)?)[.。!]*$`, "住"), "home", holds, false},
	{claiming(`^`+jaWho+jaTime+jaValue+`[にへ](?:引っ越し|引越し|転居し|移住し)(?:た|ました)`+jaEnd, "引っ越", "引越", "転居", "移住"), "home", moves, false},
	{claiming(`^`+jaWho+`\d{4}年に?`+jaValue+`[にへ](?:引っ越し|引越し|転居し|移住し)(?:た|ました)`+jaEnd, "引っ越", "引越", "転居", "移住"), "home", once, false},
	{claiming(`^`+jaWho+`(?:今は|现在は?)`+jaValue+`に(?:住んでいる|住んでる|住んでいます)[.。!]*$`, "住"), "home", begins, false},
	{claiming(`^`+jaWho+`[^.。!]*(?:引っ越す|引っ越したい|転居する|移住する|移住したい|引っ越し(?:を|の)?予定|住みたい|住んでいた|住んでいました)[^.。!]*[.。!]*$`, "引っ越", "転居", "移住", "住"), "home", not, false},

	{claiming(`^`+jaWho+jaTime+jaValue+`(?:で(?:働いている|働いています|働いてる)|に勤めている|に勤めています|に勤务している|に勤务しています|に勤务|勤务(?:です)?)[.。!]*$`, "働", "勤"), "job", holds, false},
	{claiming(`^`+jaWho+jaTime+jaValue+`[にへ](?:転职し|入社し|移籍し)(?:た|ました)`+jaEnd, "転职", "入社", "移籍"), "job", begins, false},
	{claiming(`^`+jaWho+`[^.。!]*(?:働いていた|働いていました|勤めていた|勤めていました|勤务していた|勤务していました)[.。!]*$`, "働", "勤"), "job", not, false},
	{claiming(`^`+jaWho+`(?:今は|现在は?)`+jaValue+`で(?:働いている|働いています|働いてる)[.。!]*$`, "働"), "job", begins, false},

	{claiming(`^(?P<who>(?i:my|(?:the )?user['’]s)|\p{Lu}\p{L}+['’]s)(?: current)?(?: all-time)? (?P<of>favou?rite (?:[a-z-]+ ){0,2}?[a-z-]+) (?:is|are) (?:now )?(?P<value>[^,;.!?]{1,30}?)(?: now| these days| instead)?[.!]*$`, "favourite ", "favorite "), "", holds, true},
	{claiming(`^(?P<who>我|[小老阿]?\p{Han}{1,2})?(?:现在|目前)?(?P<of>最(?:喜欢|爱|爱吃|爱喝|爱看|爱听)的?\p{Han}{1,4}?)(?:现在|已经)?(?:是|改成了?|变成了?|换成了?|成了)(?P<value>[\p{Han}\p{Latin}\d《》·]{1,12}?)[了啦]?[.。!]*$`, "最喜欢", "最爱"), "", holds, false},
	{claiming(`^`+jaWho+`(?:今の|今、)?(?P<of>(?:一番|いちばん)好きな[\p{Han}\p{Katakana}ー]{1,8})は(?:今は)?(?P<value>[\p{Han}\p{Katakana}\p{Latin}ーの\d]{1,14}?)(?:です|だ|になった|になりました|に変わった)?[.。!]*$`, "好きな"), "", holds, false},

	{claiming(`^(?P<who>(?i:my|(?:the )?user['’]s)|\p{Lu}\p{L}+['’]s)(?: new| current)? (?P<of>(?:[a-z-]+ ){0,2}(?:number|no\.|e-?mail|email address|e-mail address|address|plate|extension|postcode|zip code)) is (?:now )?(?P<value>[\p{L}\d@+.#(-][^,;!?]{1,40}?)(?: now)?[.!]*$`, "number", "no.", "mail", "address", "plate", "extension", "code"), "", holds, true},
	{claiming(`^(?P<who>我)的?(?:新)?(?P<of>[\p{Han}]{0,3}(?:号|号码|邮箱|地址|车牌|电话|邮编))(?:现在)?(?:是|改成了?|换成了?|变成了?|:)(?P<value>[\p{L}\d@+._-]{2,40}?)[了啦]?[.。!]*$`, "号", "邮箱", "地址", "车牌", "电话", "邮编"), "", holds, false},
	{claiming(`^(?:(?P<who>私|仆|俺)の)?(?:新しい)?(?P<of>(?:电话|携帯|社员|会员|部屋|内线|口座|邮便|学籍)番号|メールアドレス|住所|内线)は(?P<value>[\p{L}\d@+._-]{2,40}?)(?:です|だ|になった|になりました)?[.。!]*$`, "番号", "アドレス", "住所", "内线"), "", holds, false},

	{claiming(`^(?P<who>)(?:以后|今后|请|都|一律|总是|永远|始终|记得|跟我|和我|对我|回答时?|回复时?|改成?|换成?|,)*[用说讲](?P<value>\p{Han}{1,4}[文语话])(?:来?(?:回答|回复|答复|回|交流|沟通|对话|聊|[跟和对]我(?:说话?|聊)))?我?[吧了]?[。.!]*$`, "文", "语", "话"), answers, begins, false},
	{claiming(`^(?P<who>)(?:これからは?|今后は?|今度から|ずっと|返事は|回答は|返信は|答えは|[、,])*(?P<value>[\p{Han}\p{Katakana}]{1,6}语)で(?:お愿いします|答えて(?:ください|ほしい)?|返事して(?:ください|ほしい)?|返信して(?:ください|ほしい)?|回答して(?:ください|ほしい)?)[。.!]*$`, "语で"), answers, begins, false},

	{claiming(`^`+zhWho+zhTime+`在`+zhValue+`(?:上学|读书|念书|就读)[.。!]*$`, "上学", "读书", "念书", "就读"), "school", holds, false},
	{claiming(`^`+zhWho+zhTime+`转(?:学)?(?:到|去|至|入)了?`+zhValue+`[了啦]?[.。!]*$`, "转"), "school", begins, false},

	{claiming(`^`+enWho+` is (?:now )?in (?:the )?(?P<value>(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th)) grade|(?i:grade|year|class) \d{1,2})(?: now)?[.!]*$`, "grade", "year", "class"), "grade", begins, true},
	{claiming(`^`+zhWho+`(?:现在|今年|已经|开始)*(?:上|读|在上|在读|升)(?:小学|初中|高中|大学|幼儿园)?(?P<value>[一二三四五六]年级|[初高][一二三]|大[一二三四]|[小中大]班)了?[.。!]*$`, "年级", "初", "高", "大", "班"), "grade", begins, false},
	{claiming(`^`+jaWho+`(?:もう|今は|今年)?(?P<value>(?:小学|中学|高校|大学)?[一二三四五六\d]年生)(?:です|だ|になった|になりました)?[.。!]*$`, "年生"), "grade", begins, false},

	{claiming(`^`+enWho+enHave+` (?i:quit|stopped|given up|gave up) (?P<value>[\p{L} -]{2,40}?)(?: (?:for good|completely|altogether|entirely))?[.!]*$`, "quit", "stopped", "given up", "gave up"), habit, begins, true},
	{claiming(`^`+zhWho+zhTime+`(?:戒掉?了?|不再)(?P<value>\p{Han}{1,5}?)了?[.。!]*$`, "戒", "不再"), habit, begins, false},
	{claiming(`^`+jaWho+jaTime+`(?P<value>[\p{Han}\p{Katakana}ー]{1,8})(?:[をは])?(?:飲むの|吸うの|食べるの)?を?やめ(?:た|ました)`+jaEnd, "やめ"), habit, begins, false},
}

const (
	habit   = "habit"   // somebody gave up what the value says
	answers = "answers" // the language in which answers are asked for
)

func claiming(expr string, least ...string) pattern {
	return pattern{lazyregexp.New(expr), oneOf(least...)}
}

// claims returns what a text says somebody has one of; several where it can be read in
// several ways.
func (t *Text) claims() (all []claim) {
	const longest = 200 // bytes of a text that says nothing else
	if len(t.folded) > longest {
		return nil
	}
	for _, p := range claimPatterns {
		text := t.folded
		if p.raw {
			text = t.raw
		}
		if !p.least(t.folded) {
			continue
		}
		m := p.expr().FindStringSubmatch(text)
		if m == nil || p.of == "job" && joining.in(t.folded) && noEmployer(m[p.expr().SubexpIndex("value")]) {
			continue
		}
		c := claim{of: p.of, when: p.when}
		for i, name := range p.expr().SubexpNames() {
			switch name {
			case "who":
				c.who = owner(m[i])
			case "of":
				c.of = fold(m[i])
			case "value":
				c.value = strings.Trim(m[i], " .。")
			}
		}
		all = append(all, c)
	}
	return all
}

// Settles reports whether the text says where somebody lives now or whom he works for, though
// it may tell it as what happened: "I moved to Bergen last week".
func (t *Text) Settles() bool {
	return slices.ContainsFunc(t.claims(), func(c claim) bool {
		return (c.of == "home" || c.of == "job") && c.who != "" && c.when <= moves && !(c.when == moves && (t.has("no place") || within.in(c.value)))
	})
}

// owner returns who is meant: "oneself" or "ourselves", "" if that is not known.
func owner(who string) string {
	switch who = fold(who); who {
	case "", "i", "my", "我", "本人", "我家", "私", "仆", "俺", "user", "the user", "user's", "the user's", "用户", "ユーザー":
		return "oneself"
	case "we", "our", "我们", "咱们":
		return "ourselves"
	case "he", "she", "it", "they", "他", "她", "他们", "彼", "彼女":
		return ""
	}
	for _, mine := range []string{"我的", "我家", "我", "私の", "our "} {
		if rest, ok := strings.CutPrefix(who, mine); ok {
			return rest
		}
	}
	return strings.TrimPrefix(who, "my ")
}

// Replaces reports whether the newer text says what takes the place of what the older one
// says somebody has one of: a home, an employer, a favourite, a number, a language for
// answers; what is said of something, with another number; that somebody gave up what he
// does; or that something has come to another stage. It is likely only where the models have
// to know that what somebody moved to is a place, that what is given up was a habit, or that
// the stages are those of one thing.
func (m *Meeting) Replaces() (surely, likely bool) {
	surely, likely, _ = m.replaces()
	return surely, likely
}

// replaces does so. What joins is a change where the models know that it is of the same
// matter: nothing else tells "joined Bosch" from "joined Strava".
func (m *Meeting) replaces() (surely, likely, joins bool) {
	a, b := m.older.text, m.newer.text
	if m.older.cjk() != m.newer.cjk() || holdsMore(a, b) {
		return false, false, false // a name in another script may be the same
	}
	surely, _ = otherFigure(a, b)
	surely = surely || sameFrame(a, b) || tradesIn(a, b) || petDied(a, b) || otherHousehold(a, b)
	likely = otherStage(a, b) && names(m.older, m.newer)[3] == 0
	for _, y := range b.claims() {
		if y.of == habit {
			likely = likely || a.keeps(y)
			continue
		}
		for _, x := range a.claims() {
			if !x.beside(y) || x.when > moves || y.when > moves || y.of == "job" && (b.elsewhere(y.value) || a.elsewhere(x.value)) {
				continue
			}
			switch {
			case x.of == "grade", x.of == answers:
				surely = true
			case x.of != "home" && x.of != "job" && x.of != "school":
				surely = surely || !scoped.in(fold(y.value)) && (exact(x) && exact(y) || named(x, y))
			case y.of == "job" && b.latin < b.cjk && joining.in(b.folded):
				likely = true // names are not told from other words
			case y.of == "job" && joining.in(b.folded) && !leaving.in(b.folded):
				joins = joins || !b.has("no place")
			case y.when == begins:
				surely = surely || y.of != "home" || !b.has("no place")
			case y.when == moves && b.latin >= b.cjk:
				likely = likely || !b.has("no place")
			case y.when == moves:
				surely = surely || !b.has("no place") && !within.in(y.value)
			}
		}
	}
	return surely, likely, joins
}

// beside reports whether two claims are about one thing of one person, with another value.
func (c claim) beside(other claim) bool {
	x, y := fold(c.value), fold(other.value)
	return c.of == other.of && c.who == other.who && c.who != "" && !strings.Contains(x, y) && !strings.Contains(y, x)
}

// keeps reports whether a text says, and little else, that the one who gave something up
// does it.
func (t *Text) keeps(up claim) bool {
	who := map[bool]string{true: "i", false: up.who}[up.who == "oneself"]
	mine := t.latin > t.cjk && strings.HasPrefix(t.folded, who+" ") || t.cjk > t.latin && (up.who == "oneself" && len(t.kin()) == 0 || strings.HasPrefix(t.folded, up.who))
	if !mine || !consumes.in(t.folded) && !t.begun(up) || len(t.denials()) > 0 || joined.in(t.folded) || t.has("change") || t.has("plan") {
		return false
	}
	said := false
	for _, p := range pieces(fold(up.value)) {
		if silent(p) {
			continue
		}
		if !states(t, p) {
			return false
		}
		said = true
	}
	return said
}

// consumes matches what one does to what one may give up.
var consumes = pattern{lazyregexp.New(`^\p{L}+ (?:smoke|drink|eat|play|take|have|use|do|watch|chew|buy|go)(?:s|es)?\b|[抽吸喝吃玩打刷嚼赌飲食]`), anything}

// begun reports whether the second word of a text, its verb, is the first that is given up:
// "I bite my nails", "biting my nails".
func (t *Text) begun(up claim) bool {
	said, gone := pieces(t.folded), pieces(fold(up.value))
	return len(said) > 1 && len(gone) > 0 && sameWord(said[1], gone[0])
}

// joined matches what joins two things that somebody does.
var joined = pattern{lazyregexp.New(`\b(?:and|but|or|when|if)\b|[,;、]|和|也|如果`), anything}

// lives matches what may say where somebody lives or means to live.
var lives = pattern{lazyregexp.New(`\b(?:liv|resid|mov|relocat|settl|emigrat|stay|rent)|\b(?:home|house|flat|apartment|address|based|city|town|place)\b|[住居搬迁移家房租城町市]|引っ?越|暮ら`), anything}

// within matches the end of what is a part of a house or of a company in Chinese and
// Japanese.
var within = pattern{lazyregexp.New(`(?:[楼层号栋组室厅桌排群阶课]|[工座车]位|房间|[前阳平后]台|[场术售发品事计政]部|部门|楼上|楼下|云上|里面|对面|旁边|公司|单位|学校|校区|园区|系统|服务器|环境|新家|支店|本社)$`), beyondASCII}

// elsewhere reports whether what stands for an employer is a city, or one's home.
func (t *Text) elsewhere(value string) bool {
	value = fold(value)
	return slices.Contains(strings.Fields("home night weekends 家 家里 家中 自宅 在宅 远程 外地 现场 单位 公司 会社"), value) ||
		slices.ContainsFunc(t.of("city"), func(h hit) bool {
			return strings.HasPrefix(value, t.folded[h.at:h.end]) && len(value) <= h.end-h.at+len("市")
		})
}

// exact reports whether the value of a claim is a number or an address.
func exact(c claim) bool {
	return strings.ContainsAny(c.value, "0123456789@") && !favourite.in(c.of)
}

var favourite = pattern{lazyregexp.New(`^favou?rite|^最|好きな`), anything}

// named reports whether two claims about a favourite name it, where the newer one might say
// how it is ("My favourite mug is broken").
func named(x, y claim) bool {
	if !favourite.in(y.of) || y.value == "" || scoped.in(fold(y.value)) {
		return false
	}
	if !latin(y.value[0]) && !strings.HasPrefix(y.of, "favo") {
		return !described.in(y.value)
	}
	words := strings.Fields(fold(y.value))
	first, _ := utf8.DecodeRuneInString(y.value)
	small := !unicode.IsUpper(first)
	switch last := words[len(words)-1]; {
	case len(words) > 4 || words[0] != "the" && (stopWord(words[0]) || small && slices.ContainsFunc(words, stopWord)):
		return false
	case kindOfWord.in(y.of):
		return true
	case small && strings.HasSuffix(last, "ing"):
		return strings.HasSuffix(fold(x.value), "ing")
	default:
		return !described.in(fold(y.value))
	}
}

// kindOfWord matches what has values that are also said of things.
var kindOfWord = pattern{lazyregexp.New(`colou?r|number|season|day|month|language|cuisine`), anything}

// described matches a value that says how something is.
var described = pattern{lazyregexp.New(`(?:[a-z]{3}(?:ed|ous|ful|ive|able|ible|less|ish|ese|ian|ean)|best|better|worst|big|broke|broken|british|cheap|closed|cold|cool|dead|dirty|empty|excellent|fine|free|french|full|german|gone|good|great|here|hot|huge|late|long|lost|near|new|nice|old|open|out|ready|sad|sick|small|sold|there|torn|worn|warm|wet|wrong|young|的|人|种|类|了|不|没)$|^[不没很太超真]|の$`), anything}

// worksOnly reports whether a text says for whom or as what somebody works, and not where he
// lives.
func worksOnly(t *Text) bool {
	matters := t.kinds("matter ")
	return (matters["work"] || worksAs.in(t.raw)) && !matters["home"]
}

// worksAs matches as what somebody works for whom.
var worksAs = pattern{lazyregexp.New(`(?: is|['’]s| am|['’]m) an? [a-z -]{2,30} (?:at|for|with) (?:the )?\p{Lu}`), anything}

// asides reports whether the newer text says something beside what somebody has one of: where
// somebody else lives or works, where he lived or means to live, since when he lives where
// he does, what somebody else gave up, or how his favourite is; that somebody moved to where
// he did something else before; or to a place by its name, where the older says for whom he
// works: nothing tells "moved to Braga" from "moved to Siemens", and few move to a firm.
func asides(a, b *Text) bool {
	for _, y := range b.claims() {
		if y.of == habit && y.who != "" && y.who != "oneself" && y.who != "ourselves" && !strings.Contains(a.folded, y.who) {
			return true
		}
		if y.of == "home" && y.when == moves && y.value != "" && strings.Contains(a.folded, fold(y.value)) && !lives.in(a.folded) {
			return true
		}
		if y.of == "home" && y.when == moves && worksOnly(a) && !b.kinds("matter ")["work"] && !b.has("no place") && !within.in(y.value) {
			return true
		}
		for _, x := range a.claims() {
			one, other := x.who == y.who && x.who != "", x.who != "" && y.who != "" && x.who != y.who && x.who != "ourselves" && y.who != "ourselves"
			switch {
			case x.of != y.of:
			case x.of != "home" && x.of != "job" && x.of != "school":
				if one && favourite.in(x.of) && named(y, x) && !named(x, y) {
					return true
				}
			case y.when == not || other || one && (!x.beside(y) || y.when == holds && within.in(y.value) && !within.in(x.value)):
				return true
			}
		}
	}
	return false
}
