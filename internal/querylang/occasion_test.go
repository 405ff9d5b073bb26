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
		{"when did I first climb", querylang.First, "when did I first climb"},
		{"the first time we played Catan", querylang.First, "the first time we played Catan"},
		{"第一次去羽毛球馆是什么时候", querylang.First, "第一次去羽毛球馆是什么时候"},
		{"初めて行ったのはいつ", querylang.First, "初めて行ったのはいつ"},
		{"最初にパンを焼いたのはいつ", querylang.First, "最初にパンを焼いたのはいつ"},
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
		"对了，我上次玩篮球感觉很棒！", "2時間の第一次石油危機", "did the team win first place", "her last visit", "last time in March 2026", "line\nlast time", strings.Repeat("long ", 40) + "last time",
	} {
		if of, rest := (querylang.Parse(text, today)).AsksOccasion(); of != "" || rest != "" {
			t.Errorf("%q: got %q and %q, want neither", text, of, rest)
		}
	}
}
