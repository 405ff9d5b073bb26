package querylang_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksForLatest(t *testing.T) {
	for text, want := range map[string]bool{
		"What is the latest version?": true, "current address": true, "Who is CURRENTLY on call": true, "where does Mia live now?": true,
		"what is Mia now working on": true, "the most recent backup": true, "最新的进展": true, "目前用哪个数据库": true, "她现在住在哪里": true,
		"現在の担当者は誰": true, "直近の会議": true, "今の住所": true,

		"": false, "what did Mia say": false, "current_user": false, "now and then": false, "knowledge": false, "concurrently": false,
		"the current plan of March 2025": false, "昨天目前": false, "今日の会議": false, "Mia: 我现在很好\nBot: 好": false,
	} {
		if got := querylang.Parse(text, today).AsksForLatest(); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
