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
