package entry_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/entry"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"- tea":                 "- tea",
		"- tea <!-- id: k3 -->": "- tea",
		"- tea <!-- id: k3 | observed: 2026-03-02 --> <!-- trigger: tea, green tea -->\r\nb": "- tea\r\nb",
		"- 茶 <!--importance: 8-->\n":                               "- 茶\n",
		"a\n<!-- observed: 2026-03-02 | status: active -->\n- b\n": "a\n\n- b\n",
		"- a <!-- TODO -->":                                        "- a <!-- TODO -->",
		"- a <!-- note: mine -->":                                  "- a <!-- note: mine -->",
		"- a <!-- id: k --> <!-- b -->":                            "- a <!-- id: k --> <!-- b -->",
		"- a <!-- b --> <!-- id: k -->":                            "- a <!-- b -->",
		"- a <!-- id: k --> b":                                     "- a <!-- id: k --> b",
		"<!-- id: k":                                               "<!-- id: k",
		"- see https://a.b/c <!-- url: https://a.b -->":            "- see https://a.b/c <!-- url: https://a.b -->",
	} {
		if got := entry.Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("- a <!-- id: k -->\n\r\n<!-- --> <!--id: x-->")
	f.Fuzz(func(t *testing.T, src string) {
		got := entry.Plain(src)
		if strings.Count(got, "\n") != strings.Count(src, "\n") || len(got) > len(src) || entry.Plain(got) != got {
			t.Errorf("Plain(%q) = %q", src, got)
		}
	})
}
