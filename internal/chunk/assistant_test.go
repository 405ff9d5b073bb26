package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// voices returns the pieces of a note, "3-7 [path]" each, with " assistant" where
// nobody else speaks.
func voices(text string) []string {
	var out []string
	for _, p := range chunk.Markdown(text, chunk.Options{MaxTokens: 40, OverlapTokens: 8}).Pieces {
		line := fmt.Sprintf("%d-%d %v", p.StartLine, p.EndLine, p.Heading)
		if p.Assistant {
			line += " assistant"
		}
		out = append(out, line)
	}
	return out
}

func TestTalkWithAssistant(t *testing.T) {
	long := strings.Repeat("word ", 24) // 30 of 40 tokens
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{
			"an answer of several pieces", "User: " + long + "\n\nAssistant: " + long + "\n\n" + long + "\n\nUser: " + long + "\n",
			[]string{"1-1 []", "3-3 [] assistant", "5-5 [] assistant", "7-7 []"},
		},
		{
			"headings in answers", "# T\n\n## Talk\n\nUser: a\n\nAssistant: b\n\n### One\n\nc\n\n# Users\n\nd\n\n## Two\n\nUser: e\nAssistant: f\n\n### Model\n\ng\n\nUser: h\n\n## Groceries\n\n- milk\n",
			[]string{"1-7 [Talk]", "9-11 [Talk One] assistant", "13-15 [Users]", "17-20 [Users Two]", "22-24 [Users Two Model] assistant", "26-26 [Users Two]", "28-30 [Users Groceries]"},
		},
		{
			"a turn within a paragraph ends them", "User: a\nAssistant: b\n\n## One\n\nc\nUser: d\nAssistant: e\n",
			[]string{"1-2 []", "4-6 [One] assistant", "7-8 []"},
		},
		{
			"roles as headings", "# T\n\n## 🧑 User\n\na\n\n## Assistant:\n\nb\n\n## Steps\n\nc\n\n### Note\n\nd\n\n## User\n\ne\n\n## Assistant\n\nf\n\n## Groceries\n\n- milk\n",
			[]string{
				"1-5 [🧑 User]", "7-9 [Assistant:] assistant", "11-13 [Steps] assistant", "15-17 [Steps Note] assistant",
				"19-21 [User]", "23-25 [Assistant] assistant", "27-29 [Groceries]",
			},
		},
		{
			"an answer of one piece", "User: " + long + "\n\nAssistant: " + long + "\n\nUser: a\n\nAssistant: b\n\nUser: c\n\nAssistant: d\n",
			[]string{"1-1 []", "3-3 [] assistant", "5-11 []"},
		},
		{
			"a greeting", "Assistant: Hello!\n\nUser: a\n\nAssistant: b\n",
			[]string{"1-1 [] assistant", "3-5 []"},
		},
		{
			"notes in answers", "User: a\n\nAssistant: " + long + "\n\nNote: " + long + "\n\nTip: " + long + "\n\nUser: b\n\nAssistant: c\n",
			[]string{"1-3 []", "5-5 [] assistant", "7-7 [] assistant", "9-11 []"},
		},
		{
			"a tool's result", "User: a\n\nAssistant: " + long + "\n\nTool: " + long + "\n",
			[]string{"1-3 []", "5-5 [] assistant"},
		},
		{
			"a user with a name", "Lisa: " + long + "\n\nAssistant: " + long + "\n\nNote: " + long + "\n\nLisa: b\n",
			[]string{"1-1 []", "3-3 [] assistant", "5-5 [] assistant", "7-7 []"},
		},
		{
			"several users with names", "Ann: a\n\nLisa: " + long + "\n\nAI: " + long + "\n\nAnn: " + long + "\n\nAI: " + long + "\n\n" + long + "\n",
			[]string{"1-3 []", "5-5 [] assistant", "7-7 []", "9-9 [] assistant", "11-11 [] assistant"},
		},
		{
			"Chinese, CRLF", "用户：" + strings.Repeat("数据", 15) + "\r\n\r\n**助手：** " + strings.Repeat("好的", 15) + "\r\n\r\n" + strings.Repeat("备份", 15) + "\r\n",
			[]string{"1-1 []", "3-3 [] assistant", "5-5 [] assistant"},
		},
		{
			"copied from a web page", "You said:\n\n" + long + "\n\nChatGPT said:\n\n" + long + "\n",
			[]string{"1-3 []", "5-7 [] assistant"},
		},
		{
			"an answer without a question", "Assistant: " + long + "\n\n" + long + "\n",
			[]string{"1-1 []", "3-3 []"},
		},
		{
			"fields", "- User: root\n- System: Linux\n- Model: " + long + "\n- Agent: " + long + "\n",
			[]string{"1-3 []", "4-4 []"},
		},
		{
			"a field before an assistant's", "Status: " + long + "\n\nAI: " + long + "\n\nOwner: " + long + "\n",
			[]string{"1-1 []", "3-3 []", "5-5 []"},
		},
		{
			"roles that are headings of a note", "# T\n\n## User\n\na\n\n## System\n\nb\n\n## Model\n\nc\n",
			[]string{"1-5 [User]", "7-9 [System]", "11-13 [Model]"},
		},
		{
			"in code", "```\nUser: a\nAssistant: " + long + "\n```\n\n" + long + "\n",
			[]string{"1-4 []", "6-6 []"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(voices(tt.text), tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			checkFile(t, "a.md", tt.text, chunk.Options{MaxTokens: 8, OverlapTokens: 4})
		})
	}
}
