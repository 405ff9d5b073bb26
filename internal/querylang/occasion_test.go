package querylang_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksOccasion(t *testing.T) {
	for _, c := range []struct {
		text string
		want querylang.Occasion
		rest string
	}{
		{"when did I last pay the electricity bill", querylang.Last, "when did I pay the electricity bill"},
		{"When was the ficus last watered?", querylang.Last, "When was the ficus watered?"},
		{"where did my sister and her husband last stay?", querylang.Last, "where did my sister and her husband stay?"},
		{"the last time we met", querylang.Last, "the we met"},
		{"Last time I swam", querylang.Last, "I swam"},
		{"when did I most recently call Noor", querylang.Last, "when did I most recently call Noor"},
		{"the latest car wash", querylang.Last, "the latest car wash"},
		{"what was the last thing I cooked", querylang.Last, "what was cooked"},
		{"上次去理发是哪天", querylang.Last, "去理发是哪天"},
		{"上一次给车做保养是什么时候", querylang.Last, "给车做保养是什么时候"},
		{"我最近什么时候去看过奶奶", querylang.Last, "我 去看过奶奶"},
		{"最后一次见到老张", querylang.Last, "见到老张"},
		{"前回歯医者に行ったのはいつ", querylang.Last, "歯医者に行ったのはいつ"},
		{"最後に髪を切ったのはいつ", querylang.Last, "髪を切ったのはいつ"},
		{"この前佐藤さんと飲んだのはどこ", querylang.Last, "佐藤さんと飲んだのはどこ"},
		{"when did I first climb", querylang.First, "when did I climb"},
		{"the first time we played Catan", querylang.First, "played Catan"},
		{"第一次去羽毛球馆是什么时候", querylang.First, "去羽毛球馆是什么时候"},
		{"初めて行ったのはいつ", querylang.First, "行ったのはいつ"},
		{"最初にパンを焼いたのはいつ", querylang.First, "パンを焼いたのはいつ"},
		{"when was the first time I baked bread", querylang.First, "when was baked bread"},
		{"when did Anna swim for the first time", querylang.First, "when did Anna swim for the"},
		{"what day was our first time at the lake", querylang.First, "what day was our at the lake"},
		{"首次发布是哪天", querylang.First, "发布是哪天"},
		{"when was she last in Rome", querylang.Last, "when was she in Rome"},
		{"who did I last call", querylang.Last, "who did I call"},
		{"so when did I last call Noor", querylang.Last, "so when did I call Noor"},
		{"my last dentist appointment", querylang.Last, "my dentist appointment"},
		{"When was our last visit to Oslo?", querylang.Last, "When was our visit to Oslo?"},
		{"Noor's last visit", querylang.Last, "Noor's visit"},
		{"when was the last oil change of the van", querylang.Last, "when was the oil change of the van"},
		{"last dentist appointment", querylang.Last, "dentist appointment"},
		{"last time at the dentist", querylang.Last, "at the dentist"},
		{"how long has it been since I wrote to Vera", querylang.Last, "I wrote to Vera"},
		{"我最近一次看牙医", querylang.Last, "我 看牙医"},
		{"我最近去游泳是什么时候", querylang.Last, "我 去游泳是什么时候"},
		{"最近啥时候洗过车", querylang.Last, "洗过车"},
		{"最近理发是哪一天", querylang.Last, "理发是哪一天"},
		{"最近いつ歯医者に行った", querylang.Last, "歯医者に行った"},
		{"最近ジムに行ったのはいつ", querylang.Last, "ジムに行ったのはいつ"},
		{"一番最近温泉に行ったのはいつ", querylang.Last, "温泉に行ったのはいつ"},
		{"この間田中さんと会ったのはどこ", querylang.Last, "田中さんと会ったのはどこ"},
	} {
		if of, rest := (querylang.Parse(c.text, today)).AsksOccasion(); of != c.want || rest != c.rest {
			t.Errorf("%q: got %q and %q, want %q and %q", c.text, of, rest, c.want, c.rest)
		}
	}
	for _, text := range []string{
		"", "what did I do last week", "when did we meet last Friday", "what did Mia do last weekend?", "the last chapter", "what is her last name", "the last line of the poem",
		"how long did the meeting last", "when did the last train leave", "did the paint last for a year", "when does the first bus go", "his first aid course", "at last", "blast time", "what did he say first",
		"when was my last name misspelt", "did the sale last until noon", "what happened in the last two weeks",
		"上周做了什么", "最后一章讲什么", "晚上次数", "晚上回家", "第一次世界大战", "上回った売上", "会議の最後に何を決めたか", "三年前回国", "この前後に何があった", "最後に何をしますか", "最近怎么样",
		"对了，我上次玩篮球感觉很棒！", "2時間の第一次石油危機", "did the team win first place", "last time in March 2026", "line\nlast time",
		"my last name", "my last resort appointment", "the last chapter of the book", "last week's meeting", "my last minute trip", "our last two meetings", "when is my last exam",
		"the last meeting of the year", "when was the last class of the day", "today's last meeting", "her last words", "my last boss", "at last a visit", "the week's last session",
		"最近的地铁站是什么时候开的", "最近いつも眠い", "最近いつか行きたい", "この間取りはいつ決めた", "最近忙しい", "この間ずっと寝ていた",
		"首次公开募股的最新进展", "首次公开募股现在进展如何", "首次代码提交", "第一次全国代表大会", "第一次印刷", "初めての方", "初めての方はいつ来ますか", "did he finish first grade", "when did he finish first grade",
		"first degree burns", "was Anna first in the race", "first time setup of the router", "is it a first time visitor", "第一次代码提交现在什么时候",
		"how long did the flight last", "how long did the flight last today then", "how many hours did the milk last in the fridge", "did the game last more than two hours", "did the milk last the week",
		"were we last in line", "last write wins", "did we agree on last write wins", "when did we agree on last write wins", strings.Repeat("long ", 40) + "last time",
	} {
		if of, rest := (querylang.Parse(text, today)).AsksOccasion(); of != "" || rest != "" {
			t.Errorf("%q: got %q and %q, want neither", text, of, rest)
		}
	}
}
