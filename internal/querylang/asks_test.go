package querylang_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"Where is Ingrid on Fridays?": true, "where is Ingrid on Fridays": true, "what time is it": true, "So, what's next": true,
		"ok thanks. Which port was it? I forgot": true, "他不吃什么": true, "陈总喝什么咖啡？": true, "会議はどこですか": true, "(which one?)": true,
		"": false, "when you are done, commit": false, "where possible use tabs": false, "whatever": false, "go on": false,
		"add ?page=2 to the address": false, "x ?.y": false, "帮我看一下这个报错是怎么回事": false, "テストを直して": false, "howdy": false,
	} {
		if got := querylang.Asks(text); got != want {
			t.Errorf("Asks(%q) = %v", text, got)
		}
	}
}
