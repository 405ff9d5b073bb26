package feature

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// OfTeller reports whether the text speaks of who tells it: it says "I" or "my", but of no
// other person ("my boss") and of no group ("we"). Where the language leaves "I" out, it
// says what one says of oneself (出身です), and nobody stands there of whom it may be said.
// "I live in Oslo", 我住在余杭区 and 杭州に住んでいます do, "My boss is Ann" and "We moved" do not.
func (t *Text) OfTeller() bool {
	for _, h := range t.hits {
		switch cues().lists[cues().cues[h.cue].list] {
		case "self":
			if !t.ofOther(h) {
				return true
			}
		case "oneself":
			if !t.ofOther(h) && t.unnamed(h) {
				return true
			}
		}
	}
	return false
}

// ofOther reports whether a cue is of a group, or belongs to a person whom the text names
// right there by the role.
func (t *Text) ofOther(h hit) bool {
	for _, other := range t.hits {
		list := cues().lists[cues().cues[other.cue].list]
		switch {
		case list == "we":
			if other.at == h.at {
				return true
			}
		case strings.HasPrefix(list, "role ") && other.at >= h.at:
			if other.at <= h.end || strings.Trim(t.folded[h.end:other.at], " 的の") == "" {
				return true
			}
		}
	}
	return false
}

// unnamed reports whether nobody stands before a cue of whom it may be said. What names a
// matter (誕生日は, 老家在) has to be the first; before what ends a sentence may stand
// where and what, but no topic and no title.
func (t *Text) unnamed(h hit) bool {
	before, said := t.folded[:h.at], t.folded[h.at:h.end]
	if !strings.ContainsFunc(before, letter) {
		return true
	}
	if language(t.folded) != "ja" || strings.HasSuffix(said, "は") || strings.HasSuffix(said, "が") {
		return false
	}
	for _, mark := range []string{"は", "が", "も", "さん", "氏", "様", "君", "くん", "ちゃん", "先生"} {
		if strings.Contains(before, mark) {
			return false
		}
	}
	return true
}

// userSubjects are the beginnings of a text in which an agent says something of the user, and
// what the user says there. "User" and 用户 begin other things, too (user accounts, 用户数据),
// so that a verb has to follow.
var userSubjects = []struct {
	called pattern
	teller string
}{
	{pattern{lazyregexp.New(`^(?:(?:the|this) )?user's `), anything}, "my "},
	{pattern{lazyregexp.New(`^(?:(?:the|this) )?user (?:is|was|has|had|can|cannot|(?:(?:usually|often|always|also|never|only|now) )?[a-z]+s) `), anything}, "i am "},
	{pattern{lazyregexp.New(`^(?:用户|使用者)的`), anything}, "我的"},
	{pattern{lazyregexp.New(`^(?:用户|使用者)(?:名?叫|姓|是|在|住|有|对|会|来自|今年|出生|属|说)`), anything}, "我是"},
	{pattern{lazyregexp.New(`^ユーザーの`), anything}, "私の"},
	{pattern{lazyregexp.New(`^ユーザー[はが]`), anything}, "私は"},
}

// several matches things of users, of which there are several.
var several = pattern{lazyregexp.New(`^user [a-z]+s (?:are|were|have|can|may|must|will|should)\b`), anything}

// OfUserAlone reports whether the text is what an agent says of the user and of nobody else:
// with "I" for "the user" it speaks of who tells it, as in "The user's name is Lin" and
// 用户住在余杭区.
func (t *Text) OfUserAlone() bool {
	if !t.OfUser() || several.in(t.folded) {
		return false
	}
	for _, s := range userSubjects {
		if at := s.called.expr().FindStringIndex(t.folded); at != nil {
			return Read(s.teller + t.folded[at[1]:]).OfTeller()
		}
	}
	return false
}
