package feature

import "github.com/memoir-ai/memoir/internal/lazyregexp"

// Recurs reports whether a text in Chinese or Japanese says what happens again and again: at
// which times it does, as 每天 and 毎週 say, and neither that it did nor of which days that
// is. In English the models tell that by the tense of the verb.
func (t *Text) Recurs() bool {
	return t.cjk > t.latin && recurring.in(t.folded) && !passed.in(t.folded) && !t.has("once")
}

var (
	recurring = pattern{lazyregexp.New(`[每毎](?:隔?[一二两三四五六七八九十几半\d]{0,3}个?)(?:天|日|周|週|星期|礼拜|月|年|晚|夜|早|朝|夕|小时|钟头|季度?|学期)|每逢|平时|通常|いつも[^の]|普段|隔週|隔周|[一二三四五六七八九十\d]日おき|[週周月年日]に?[一二三四五六七八九十\d]{1,2}[回度]`), beyondASCII}
	// passed matches what says that something was so or came to be so, or in which days.
	passed = pattern{lazyregexp.New(`[了过]|[这那前]几?[天周月年晚]|这个月|今年|去年|期间|[今先][週周月]|中[は,、]|[\p{Hiragana}]た(?:$|[。.,、!よねのけがし]|から|んだ)`), beyondASCII}
)
