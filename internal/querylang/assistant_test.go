package querylang_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksAssistant(t *testing.T) {
	for text, want := range map[string]bool{
		"which restaurant did you recommend?": true, "Remind me of the seventh job in the list you provided": true, "what was your advice on shoes": true,
		"the book YOU suggested": true, "which restaurant did I recommend to the user": true, "我建议过的方案": true, "what did the assistant say about sleep": true, "what you told me on Monday": true, "have you ever mentioned Kyoto": true,
		"what Claude recommended": true, "the schema that you have given me": true, "the answers of ChatGPT": false, "your earlier recommendations": true,
		"你上次推荐的餐厅": true, "你建议我怎么做": true, "助手说了什么": true, "ＡＩ建议的方案": true, "你跟我说过什么": true, "你的建议是什么": true,
		"アシスタントの提案": true, "あなたが勧めた本": true, "ChatGPTの回答": true,

		"": false, "which restaurant do I like": false, "can you tell me where Mia lives": false, "would you say it again": false, "what do you know of my car": false,
		"your database": false, "who said that we ship on Friday": false, "我说过什么": false, "她推荐的餐厅": false, "assistants": false, "AI safety": false, "母の言ったこと": false,
		"User: a\nAssistant: you said b": false,
	} {
		if got := querylang.Parse(text, today).AsksAssistant(); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
