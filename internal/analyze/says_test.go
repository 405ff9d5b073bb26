package analyze_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
)

func TestSays(t *testing.T) {
	for _, text := range []string{"budget", "C", "x", "猫", "我的猫", "お金", "where is the budget", "DB_PASSWORD", "zzzqqq", "42"} {
		if !analyze.Says(text) {
			t.Errorf("%q says something", text)
		}
	}
	for _, text := range []string{"", "...", "the", "is it", "what", "的", "啊啊啊啊", "什么", "是什么", "の"} {
		if analyze.Says(text) {
			t.Errorf("%q says nothing", text)
		}
	}
}

func TestOneWord(t *testing.T) {
	for _, text := range []string{"where do I live", "Who is Tomas?", "what about the peanuts"} {
		if !analyze.OneWord(text) {
			t.Errorf("%q has one word that says something", text)
		}
	}
	for _, text := range []string{"", "live", "the budget", "who is it", "where does Tomas live", "花生", "猫的名字是什么", "what is DB_PASSWORD for", "live live live"} {
		if analyze.OneWord(text) {
			t.Errorf("%q is no question of one word", text)
		}
	}
}

func TestNoise(t *testing.T) {
	for _, text := range []string{"", "?", "🎉🎉", "zzzz", "ZzZ z", "哈哈哈", "あああああ", "ㅋㅋㅋㅋㅋ"} {
		if !analyze.Noise(text) {
			t.Errorf("%q is noise", text)
		}
	}
	for _, text := range []string{"C", "AA", "aab", "猫", "哈哈", "42", "7", "zzzqqq"} {
		if analyze.Noise(text) {
			t.Errorf("%q may be meant", text)
		}
	}
}
