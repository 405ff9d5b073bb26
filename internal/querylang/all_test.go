package querylang_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAll(t *testing.T) {
	for _, text := range []string{
		"what happened last week", "What happened last week?", "what did I do yesterday", "yesterday, what did we work on?", "What have I been working on this week?",
		"What did we talk about on 7 May 2025?", "what's new today", "so, what happened in the last three days?", "tell me what happened the day before yesterday",
		"summarize last week", "Summarise my week: last week", "give me a summary of last week", "show me my notes from yesterday", "notes of 7 May 2025", "recap of yesterday",
		"yesterday", "last week", "2026-03-02", "what happened last month", "did anything happen yesterday", "what was I working on last Friday?", "what happened between 1 May and 3 May 2025?",
		"what did I tell you on 7 May 2025?", "what have I told you today", "what did you learn yesterday?", "what did I mention to you yesterday", "what did I ask you to remember last week", "what did you remember yesterday", "What did I say yesterday?", "tell me what I told you yesterday", "everything I told you yesterday", "show me all that I mentioned to you last week", "list what I asked you to remember yesterday", "what were you told yesterday",
		"what happened last week tag:work", "what did I do yesterday and the day before yesterday", "what happened yesterday -draft",
		"what changed today", "what's changed this week", "what did I correct today", "what do you remember from the last two weeks", "今天更正了什么", "昨天有什么改动", "今日何を直した？",
		"what was corrected yesterday", "which things changed last week", "any changes yesterday?", "what do you know from yesterday", "is there anything new this week", "did anything change on Tuesday", "what has been corrected this week", "show me what changed yesterday", "what got added today",
		"上周有哪些变动", "昨天纠正过什么", "昨日何が変わった？", "先週の変更は？",
		"上周发生了什么", "上周发生了什么事？", "我昨天做了什么", "昨天我都干了些啥？", "今天有什么进展", "总结一下上周的工作", "上周的笔记", "最近三天我们讨论了什么", "帮我回顾一下昨天", "昨天", "前天", "2026年3月2日发生了什么事情", "昨天做了什么 标签:工作",
		"四月做了什么", "我们十月份做了什么", "去年十月发生了什么", "我昨天跟你说了什么", "昨天我告诉你什么了", "今天我跟你说过什么", "我昨天让你记了什么", "昨天你记住了什么", "昨天我都讲了些什么", "昨天我告诉了你什么", "我昨天告诉过你哪些事", "昨天我教了你什么", "我昨天跟你说的是什么", "上周末干了什么", "4月に何をした", "what did I do in April", "what happened the week before last", "what did we do last weekend",
		"先週何をしましたか", "昨日は何があった？", "先週の出来事", "昨日のメモを見せて", "3日前に何をした", "先週、私は何をしたっけ", "先週のまとめ", "昨日何を話しましたか", "昨日私はあなたに何を言った？", "昨日、何を教えましたか", "昨日何を伝えたっけ", "昨日教えたこと", "昨日あなたに伝えたことは何ですか", "昨日私が言ったことを教えて",
	} {
		if !querylang.Parse(text, today).All {
			t.Errorf("%q: does not ask for all", text)
		}
	}
	for _, text := range []string{
		"", "what happened", "what happened to the roof last week", "what did I do about the roof yesterday", "what did we decide on SQLite last week", "what happened since yesterday",
		"what happened before last week", "what happened after 7 May 2025", "what happened until yesterday", "what happened last year", "what happened in 2025", "yesterday's soup", "who called yesterday", "what did Mia tell you yesterday", "everything I told Mia yesterday", "what I told you about Mia yesterday", "everything I bought yesterday", "what was the password I told you yesterday", "昨天我告诉了小李什么", "昨天我告诉你的密码", "昨日母が言ったこと", "昨日先生に教えたこと", "what did I tell you about Mia yesterday", "who did I tell yesterday", "我昨天跟小李说了什么", "昨天我跟你说的密码是什么", "昨日母に何を言った",
		"did anything about the visa happen yesterday", `what happened "last week"`, "what happened last week +roof", "what happened last week #roof", "line\nwhat happened last week",
		"what happened last week " + strings.Repeat("? ", 100), "when did it happen last week", "what did Mia do yesterday", "tag:work since:2026-01",
		"what changed in the deploy script yesterday", "any changes to the rent this week", "who changed the lock last week", "what did I correct in the invoice yesterday", "what do you remember about Petra from last week", "is there anything new about the roof this week", "what changed my mind yesterday", "昨天谁改了密码", "昨日変わった住所は", "上周房租有什么变动",
		"what was decided yesterday", "上周我们决定了什么", "昨日何を決めた", "上周谁来了", "昨天买了什么", "昨天以来发生了什么", "上周之前做了什么", "去年发生了什么", "屋顶昨天怎么了", "昨天屋顶发生了什么", "发生了什么",
		"先週から何をしましたか", "昨日までのメモ", "半年来做了什么", "去年年底做了什么", "昨日の会議で何を決めた", "去年何をした", "美亜は昨日何をした",
	} {
		if querylang.Parse(text, today).All {
			t.Errorf("%q: asks for all", text)
		}
	}
}
