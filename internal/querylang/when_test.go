package querylang_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksWhen(t *testing.T) {
	for text, want := range map[string]bool{
		"When did phase one go live?": true, "since WHEN is he in Bergen": true, "which day is the meeting": true, "what date was the visa refused": true,
		"一期是哪天交付的？": true, "二期什么时候交？": true, "何时上线": true, "会議はいつですか": true, "何曜日に会う": true,

		"": false, "what to do when the build fails": false, "When I paste a trace, start with the cause": false, "whenever": false,
		"他住在哪里": false, "on 3 March": false, "line one\nwhen did it": false, "when did it " + strings.Repeat("happen ", 40): false,
	} {
		if got := querylang.Parse(text, today).AsksWhen(); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
