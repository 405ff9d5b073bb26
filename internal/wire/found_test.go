package wire_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// A heading stands once in what a model reads: in the title, and not again above the
// lines. A passage that is nothing else keeps it.
func TestHeadingsOnce(t *testing.T) {
	path := []string{"Decisions", "Queue ##"}
	for snippet, want := range map[string]string{
		"# 2026-03-02\n\n## Decisions\n\n### Queue ## ###\nWe took Redis.\n": "We took Redis.",
		"# Orders\n\n## Decisions\n\nWe took Redis.\n\n## Decisions\nB.":     "We took Redis.\n\n## Decisions\nB.",
		"## Decisions\n":                    "## Decisions",
		"## Decided\nWe took Redis.":        "## Decided\nWe took Redis.",
		"Decisions\nWe took Redis.":         "Decisions\nWe took Redis.",
		"##Decisions\nWe took Redis.":       "##Decisions\nWe took Redis.",
		"\n## Decisions ##\r\n\r\nRedis.":   "Redis.",
		"####### Decisions\nWe took Redis.": "####### Decisions\nWe took Redis.",
	} {
		h := memoir.Hit{Chunk: memoir.Chunk{Title: "Orders", Heading: path}, Snippet: snippet}
		if strings.HasPrefix(snippet, "# 2026") {
			h.Title = "2026-03-02"
		}
		if got := wire.NewFound(memoir.Results{Hits: []memoir.Hit{h}}).Results[0].Snippet; got != want {
			t.Errorf("%q: got %q, want %q", snippet, got, want)
		}
	}
	long := memoir.Hit{Chunk: memoir.Chunk{Heading: []string{strings.Repeat("long ", 60) + "end"}}, Snippet: "# " + strings.Repeat("long ", 60) + "end\nB."}
	if got := wire.NewFound(memoir.Results{Hits: []memoir.Hit{long}}).Results[0].Snippet; got != long.Snippet {
		t.Errorf("a heading that the title has no room for is left out: %q", got)
	}
}

// A model sees where a snippet begins or ends inside a sentence, so that it does not take
// a part for the whole.
func TestCutSnippet(t *testing.T) {
	const text = "## Queue\n\nWe took Redis, not Kafka, for the queue. It is fast.\nIt is small and safe\n\n我们用了红色的车。它很快，也很小。\n他说：“好。”我们走了。"
	for snippet, want := range map[string]string{
		"We took Redis, not Kafka, for the queue.": "We took Redis, not Kafka, for the queue.",
		"## Queue\n\nWe took Redis, not Kafka,":    "We took Redis, not Kafka,…",
		"not Kafka, for the queue. It is fast.\n":  "…not Kafka, for the queue. It is fast.",
		" for the queue":           "…for the queue…",
		"It is fast.\nIt is small": "It is fast.\nIt is small…",
		"It is small and safe":     "It is small and safe",
		"它很快，":                     "它很快，…",
		"我们用了红色的车。":                "我们用了红色的车。",
		"我们走了。":                    "我们走了。",
		"We took Redis, and this is of the passage below it.": "We took Redis, and this is of the passage below it.",
		text: strings.TrimPrefix(text, "## Queue\n\n"),
	} {
		h := memoir.Hit{Chunk: memoir.Chunk{Heading: []string{"Queue"}, Text: text}, Snippet: snippet}
		if got := wire.NewFound(memoir.Results{Hits: []memoir.Hit{h}}).Results[0].Snippet; got != want {
			t.Errorf("%q: got %q, want %q", snippet, got, want)
		}
	}
}

// A day is named once.
func TestDayOnce(t *testing.T) {
	if got := wire.DayOf("2026-03-02", "memory/2026-03-02.md#L1", ""); got != "" {
		t.Errorf("the path says %s already", got)
	}
	if got := wire.DayOf("2026-03-02", "memory/a.md#L1", "Orders"); got != "2026-03-02" {
		t.Errorf("got %q", got)
	}
}

// The day of a note that is called by its day alone is said beside its place, when the
// heading that says it is left out of the snippet.
func TestDayOfTitle(t *testing.T) {
	for title, want := range map[string]string{"2026-03-02": "2026-03-02", "Meeting of 2026-03-02": ""} {
		h := memoir.Hit{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "memory/queue.md"}, Date: "2026-03-02"}, Title: title}, Snippet: "# " + title + "\n\nWe took Kafka.\n"}
		got := wire.NewFound(memoir.Results{Hits: []memoir.Hit{h}}).Results[0]
		if got.Date != want || got.Snippet != "We took Kafka." {
			t.Errorf("%q: got %+v", title, got)
		}
	}
}
