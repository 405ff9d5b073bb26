package engine_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// TestTellerByName: a question that calls the one who tells by name is asked as that one
// would ask it, where the notes tell the name once and otherwise say "I".
func TestTellerByName(t *testing.T) {
	english := []string{
		"memory/2026-01-05.md", "# 2026-01-05\n\n**User:** Hey, I'm Sarah Chen. I build data pipelines in New York.\n\n**Assistant:** Nice to meet you, Sarah! I'm Claude.\n",
		"memory/2026-02-10.md", "# 2026-02-10\n\n**User:** Switched my editor, I use Neovim now.\n\n**Assistant:** A fine choice, Sarah.\n",
		"memory/2026-02-12.md", "# 2026-02-12\n\n**User:** The grammar book is on the shelf in the hall, next to the German one.\n\n**Assistant:** Noted.\n",
		"memory/languages.md", "# Languages\n\n- I'm German, and I live in Basel.\n",
	}
	chinese := []string{
		"memory/2026-01-05.md", "# 2026-01-05\n\n**User:** 我是孙婷，在南京教英语\n\n**Assistant:** 孙婷你好，我叫克劳德。\n",
		"memory/2026-02-10.md", "# 2026-02-10\n\n**User:** 最近换了手机，用的是华为\n\n**Assistant:** 不错的选择。\n",
		"memory/2026-02-12.md", "# 2026-02-12\n\n**User:** 我是程序员，喜欢爬山\n\n**Assistant:** 爬山很好。\n",
	}
	for _, test := range []struct {
		name        string
		notes       []string
		query, want string // want is what the first hit holds; "" where the query stays as it is
	}{
		{"in a talk", english, "Which editor does Sarah use?", "Neovim"},
		{"all of the name", english, "What is Sarah Chen's editor?", "Neovim"},
		{"in small letters", english, "sarah's editor", "Neovim"},
		{"with another apostrophe", english, "Sarah’s editor", "Neovim"},
		{"who that is", english, "Who is Sarah?", ""},
		{"in quotes the name is meant", english, `"Sarah" editor`, ""},
		{"no name", english, "Where is the German grammar book?", ""},
		{"the assistant's name", english, "What did Claude say of the editor?", ""},
		{"Chinese", chinese, "孙婷用什么手机？", "华为"},
		{"Chinese, what is whose", chinese, "孙婷的手机是什么", "华为"},
		{"Chinese, who that is", chinese, "孙婷是谁？", ""},
		{"Chinese, the assistant's name", chinese, "克劳德的手机", ""},
		{"an entry", []string{"memory/contacts.md", "- My name is Kwabena, a student in Bergen.\n", "memory/preferences.md", "- I do statistics in MATLAB.\n"}, "Which program does Kwabena use for statistics?", "MATLAB"},
		{"told of the user", []string{"memory/contacts.md", "- User's name is Jonas.\n", "memory/preferences.md", "- User prefers the Dvorak keyboard.\n"}, "What keyboard does Jonas prefer?", "Dvorak"},
		{"USER.md", []string{"USER.md", "# USER.md\n\n- **Name:** Peter Novak\n- **Timezone:** UTC\n", "MEMORY.md", "- My dentist is in Graz.\n"}, "Where is Peter's dentist?", "Graz"},
		{"another file with that field", []string{"memory/vendor.md", "# Vendor\n\n- Name: Peter Novak\n", "MEMORY.md", "- My dentist is in Graz.\n"}, "Where is Peter's dentist?", ""},
		{"German", []string{"memory/a.md", "- Ich heiße Jürgen und wohne in Köln.\n", "memory/b.md", "- Mein Zahnarzt ist in Bonn.\n"}, "Wo ist der Zahnarzt von Jürgen?", "Bonn"},
		{"Japanese", []string{"memory/a.md", "- はじめまして、田中と申します。\n", "memory/b.md", "- 私の歯医者は京都にある。\n"}, "田中さんの歯医者はどこ？", "京都"},
		{"somebody else, in prose", []string{"memory/mail.md", "The mail began: hi, I'm Sarah from Acme, about the invoice.\n", "memory/b.md", "- I use Neovim as my editor.\n"}, "Which editor does Sarah use?", ""},
		{"somebody else, who speaks", []string{"memory/call.md", "# Call\n\n**Sarah:** I'm Sarah, I lead growth.\n\n**Tom:** Hi all.\n\n**Sarah:** Let us begin.\n", "memory/b.md", "- I use Neovim as my editor.\n"}, "Which editor does Sarah use?", ""},
		{"somebody of that name", []string{"memory/a.md", "- I'm Sarah, I live in York.\n", "memory/b.md", "- My niece Sarah uses Emacs as her editor.\n", "memory/c.md", "- I use Neovim.\n"}, "Which editor does Sarah use?", ""},
		{"to call for food", []string{"memory/a.md", "# A\n\n**User:** 我叫外卖了，等会儿到\n\n**Assistant:** 好的。\n", "memory/b.md", "- 周末我自己做饭。\n"}, "外卖什么时候到？", ""},
		{"Chinese, called so", []string{"memory/a.md", "- 我叫林薇，住苏州\n", "memory/b.md", "- 我的牙医在园区\n"}, "林薇的牙医在哪里？", "园区"},
		{"letters of another length", []string{"memory/a.md", "- İ my name is Sarah\n", "memory/b.md", "- I use Neovim as my editor.\n"}, "Which editor does Sarah use?", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := newNotes(t, engine.Config{}, test.notes...)
			n.sync()
			res := n.search(memoir.Query{Text: test.query, Mode: memoir.ModeText, Explain: true})
			switch {
			case len(res.Hits) == 0 || res.Query != test.query:
				t.Fatalf("%s: %+v", res.Query, res.Hits)
			case test.want == "" && res.Understood.Text != test.query:
				t.Errorf("%s is asked as %s", test.query, res.Understood.Text)
			case test.want != "" && (res.Understood.Text == test.query || !strings.Contains(res.Hits[0].Chunk.Text, test.want)):
				t.Errorf("%s, asked as %s: %s", test.query, res.Understood.Text, res.Hits[0].Chunk.Text)
			}
		})
	}
}
