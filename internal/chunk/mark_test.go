package chunk_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/chunk"
)

func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"**Ann:** hello":                 "Ann: hello",
		"a **b** and **c d**.":           "a b and c d.",
		"**张三**：**早**上好":                 "张三：早上好",
		"f(**options), g(**more)":        "f(**options), g(**more)",
		"2 ** 3 ** 4":                    "2 ** 3 ** 4",
		"x**y**z":                        "x**y**z",
		"**open\nto the next** line":     "**open\nto the next** line",
		"**** a":                         "**** a",
		"***both***":                     "***both***",
		"**a**b **c**":                   "**a**b c",
		"**never closed":                 "**never closed",
		"\xff**\xff** e\u0301**\u0301**": "\xff\xff e\u0301\u0301",
	} {
		if got := chunk.Unmarked(text); got != want {
			t.Errorf("Unmarked(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestIsDate(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-03-02": true, "2026-03-02 (Monday)": true, "Monday, 2 March 2026": true, "Mar 2, 2026": true, "2026年3月2日 星期一": true,
		"3月2日（周一）": true, "2026-03-02 10:32": true, "3/2/26": true,
		"": false, "Monday": false, "2026-03-02 Standup": false, "Release 1.2": false, "2026": false, "March": false, "10": false, "-": false,
		"2026-03-02 決定": false,
	} {
		if got := chunk.IsDate(text); got != want {
			t.Errorf("IsDate(%q) = %v, want %v", text, got, want)
		}
	}
}
