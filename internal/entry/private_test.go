package entry

import (
	"slices"
	"strings"
	"testing"
)

// TestHasPrivate: a comment or a heading makes a note private, in letters of either case.
// The word elsewhere does not.
func TestHasPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"- Ann fears spiders <!-- private: true -->\n":          true,
		"- Ann fears spiders <!-- scope: PRIVATE -->\n":         true,
		"# pRiVaTe\n\n- Ann fears spiders\n":                    true,
		"vvv\n\n## Private\n\n- 安妮怕蜘蛛\n":                        true,
		"- Ann fears spiders <!-- private: yes -->\n":           true,
		"- Ann fears spiders <!-- private: 1 -->\n":             true,
		"- Ann fears spiders <!-- id: a | Private: On -->\n":    true,
		"- Ann fears spiders <!-- visibility: private -->\n":    true,
		"- 安妮怕蜘蛛 <!-- private: 是 -->\n":                         true,
		"## 私密\n\n- 安妮怕蜘蛛\n":                                    true,
		"---\nprivate: true\n---\n- Ann fears spiders\n":        true,
		"---\ntags: [a]\nPrivate: \"Yes\" # mine\n---\n# Ann\n": true,
		"---\r\nvisibility: private\r\n---\r\nAnn\r\n":          true,
		"\ufeff+++\nprivate = true\n+++\n\nAnn\n":               true,
		"- The private beach is closed\n":                       false,
		"- Ann likes tea <!-- private: false -->\n":             false,
		"- Ann likes tea <!-- private: no -->\n":                false,
		"- Ann likes tea <!-- visibility: 1 -->\n":              false,
		"---\nprivate: false\n---\n- Ann likes tea\n":           false,
		"---\nnested:\n  private: true\n---\n- Ann\n":           false,
		"---\n# private: true\n---\n- Ann likes tea\n":          false,
		"---\nprivate: true\n- it does not end\n":               true,
		"---\n\nThe private beach: it is closed\n":              false,
		"---\nThe private beach is closed.\n---\nMore.\n":       false,
		"priv": false, "rivate": false, "": false, "v": false, "private": false,
	} {
		if got := HasPrivate(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPrivateNote: the front matter of a note makes all of its entries private, also those
// that are added later.
func TestPrivateNote(t *testing.T) {
	const note = "---\nprivate: yes\n---\n\n# Ann\n\n- one\n- two\n"
	first := (*Reading)(nil).Next(note)
	for _, e := range append(slices.Concat(first.Entries, first.Next(note+"- three\n").Entries), Parse(note+"\ntext\n")...) {
		if !e.Private {
			t.Errorf("%q is not private", e.Text)
		}
	}
}

// TestPrivateFrontMatter: whatever YAML and TOML call private: true is that, and front
// matter that cannot be read is private when it has the word.
func TestPrivateFrontMatter(t *testing.T) {
	long := strings.Repeat("tag: none\n", 7000)
	for _, front := range []string{
		"---\n{private: true, title: Ann}\n---\n",
		"---\n\"private\": true\n---\n",
		"---\n'Private' : yes\n---\n",
		"---\n  private: true\n  title: Ann\n---\n",
		"---\nprivate:\n  true\n---\n",
		"---\nprivate: !!bool \"true\"\n---\n",
		"---\nother: &x true\nprivate: *x\n---\n",
		"---\nbase: &x {private: true}\n<<: *x\n---\n",
		"---\n? private\n: true\n---\n",
		"---\nprivate:\n---\n",
		"---\nprivate: ja\n---\n",
		"---\nprivate: [true]\n---\n",
		"---\n私密: 是\n---\n",
		"---\nvisibility: [private]\n---\n",
		"---\nprivate：true\n---\n",
		"---\nprivate: true\n...\n",
		"+++\n\"private\" = true\n+++\n",
		"+++\nprivate = 1\n+++\n",
		// front matter that cannot be read
		"---\nprivate: false\nprivate: true\n---\n",
		"---\ntitle: [Ann\nprivate: true\n---\n",
		"---\n{private: true\n---\n",
		"---\n\tprivate: true\n---\n",
		"---\n- private: true\n---\n",
		"+++\nprivate = yes\n+++\n",
		"---\nprivate: true\n" + long + "---\n",
		"---\n" + long + "private: true\n---\n",
		"---\ndeep: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\nprivate: true\n---\n",
	} {
		note := front + "\n- Ann fears spiders\n"
		if !HasPrivate(note) {
			t.Errorf("%.80q is not private", note)
		}
		for _, e := range Parse(note) {
			if !e.Private {
				t.Errorf("%.80q: its entry %q is not private", note, e.Text)
			}
		}
	}
	for _, front := range []string{
		"---\nprivate: no\n---\n", "---\n{private: off}\n---\n", "---\nprivate: 0\n---\n", "+++\nprivate = false\n+++\n",
		"---\ntitle: [Ann\n---\n", "---\ntags: [private]\n---\n", "---\n" + long + "---\n",
	} {
		if note := front + "\n- Ann fears spiders\n"; HasPrivate(note) {
			t.Errorf("%.80q is private", note)
		}
	}
}

// TestPrivateHeading: a heading that begins with the word makes everything below it
// private, whatever it is, up to the next heading of its level.
func TestPrivateHeading(t *testing.T) {
	for _, heading := range []string{
		"# Private", "# **Private**", "# Private:", "# 🔒 Private", "# Private {#id}", "## PRIVATE notes", "# _private_", "# [Private](x)",
		"# 1. Private", "# :lock: Private", "# <b>Private</b>", "# Private (Ann)", "# Private #", "Private\n===", "# 私密", "# 私密的事", "#\tPrivate",
		"# Ann <!-- private: true -->", "# Ｐｒｉｖａｔｅ", "# &#80;rivate", "# P\u00adrivate", "# P&shy;rivate", "# P**rivate**", "# **_P_**rivate",
		"# P[rivate](x)", "# P<b>riv</b>ate", "# Private_notes", "# Private\u200bNotes", "# 𝐏𝐫𝐢𝐯𝐚𝐭𝐞", "# 私\u200b密", "# a. Private", "# A1 Private",
		"# IV Private", "# (b) Private", "# 一、私密", "a. P\u00adrivate\n===", "<h1>Private</h1>", "<H1 class=x>\n&#80;rivate</H1>",
		"<div>\n<h1>A1 Private</h1>\n</div>",
	} {
		for _, below := range []string{
			"- Ann fears spiders", "Ann fears spiders", "> Ann fears spiders", "| who | fears |\n|---|---|\n| Ann | spiders |", "```\nAnn\n```",
			"    code", "<p>Ann</p>", "### Ann\n\n- spiders", "[x]: http://example.org",
		} {
			note := "# Open\n\n- tea\n\n" + heading + "\n\n" + below + "\n\n# Open\n\n- cups\n"
			if !HasPrivate(note) {
				t.Errorf("%q is not private", note)
			}
			for _, e := range Parse(note) {
				if open := e.Text == "tea" || e.Text == "cups"; open == e.Private && !strings.HasPrefix(heading, "##") {
					t.Errorf("%q: %q is private: %v", note, e.Text, e.Private)
				}
			}
		}
	}
	for _, heading := range []string{"# Privately held", "# On private beaches", "# Privateer", "#Private", "# Ann", "# Ｐｒｉｖａｔｅｅｒ", "# My private life", "<h1>Ann</h1>\n\nprivate", "<p>Private</p>"} {
		if note := heading + "\n\n- Ann fears spiders\n"; HasPrivate(note) {
			t.Errorf("%q is private", note)
		}
	}
}

// TestPrivateComment: a comment makes private the entry in which it stands, the note when it
// stands alone, and for who may see nothing private the note in any case.
func TestPrivateComment(t *testing.T) {
	for note, private := range map[string]string{
		"- Ann <!-- id: x\n private: true -->\n- Bo\n":                                   "Ann",
		"- Ann\n  <!-- id: x | private:\n  true -->\n- Bo\n":                             "Ann",
		"- Ann <!-- private --> fears spiders\n- Bo\n":                                   "Ann",
		"- Ann <!-- private=true -->\n- Bo\n":                                            "Ann",
		"- Ann <!-- private：是 -->\n- Bo\n":                                               "Ann",
		"- Ann <!-- private: \"true\" -->\n- Bo\n":                                       "Ann",
		"- Ann <!-- private: true\n- Bo\n":                                               "Ann",
		"- Ann <!-- a <!-- private: true -->\n- Bo\n":                                    "Ann",
		"- Ann\n  - spiders <!-- private: true -->\n- Bo\n":                              "Ann",
		"- Ann\n\n  # Private\n\n  spiders\n- Bo\n":                                      "Ann",
		"> Ann\n> # Private\n> spiders\n\n- Bo\n":                                        "Ann",
		"- Ann\n\n  # P&#114;ivate\n\n  spiders\n- Bo\n":                                 "Ann",
		"- Ann\n\n  <h2>Private</h2>\n\n  spiders\n- Bo\n":                               "Ann",
		"# Bo\n\n<h3>Private</h3>\n\n- Ann\n\n<h4>x</h4>\n\nAnn\n\n<h3>y</h3>\n\n- Bo\n": "Ann",
		"| Ann | x | <!-- private: true -->\n\n- Bo\n":                                   "| Ann",
		"| a | b |\n|---|---|\n| Ann | x | <!-- private: true -->\n\n- Bo\n":             "",
		"```\nAnn <!-- private: true -->\n```\n\n- Bo\n":                                 "",
		"<!-- observed: 2026-01-01 | private: true -->\n- Ann\n- Bo\n":                   "Ann",
		"- Ann\n<!-- private: true -->\n- Bo\n":                                          "*",
		"# Ann\n\n<!-- private: true -->\n\n- Ann\n\nBo\n":                               "*",
		"[x]: http://example.org <!-- private: true -->\n\n- Bo\n":                       "",
		"- Ann <!-- id: a | visibility: Private | count: 2 -->\n- Bo\n":                  "Ann",
		"- Ann <!-- private: true --> <!-- importance: 3 -->\r\n- Bo\r\n":                "Ann",
		"Setext\n---\n\n- Ann <!-- trigger: tea\nprivate: on -->\n- Bo\n":                "Ann",
		"- Ann <!-- origin: user | private: true | note: a -- b -->\n- Bo\n":             "Ann",
		"+ Ann <!-- private: true -->\n+ Bo\n":                                           "Ann",
		"1. Ann <!-- private: true -->\n2. Bo\n":                                         "Ann",
	} {
		if !HasPrivate(note) {
			t.Errorf("%q is not private", note)
		}
		for _, e := range Parse(note) {
			if want := private == "*" || private != "" && strings.HasPrefix(strings.TrimLeft(e.Text, "> "), private); e.Private != want {
				t.Errorf("%q: %q is private: %v", note, e.Text, e.Private)
			}
		}
	}
	for _, note := range []string{"- Ann <!-- the private beach -->\n", "- Ann <!-- private: off -->\n", "- Ann <!-- id: private -->\n"} {
		if HasPrivate(note) {
			t.Errorf("%q is private", note)
		}
	}
}

// TestTwoLineFields: a comment over two lines says what each line says.
func TestTwoLineFields(t *testing.T) {
	e := Parse("- Ann <!-- id: x\n  count: 2 | trigger: green\n  tea -->\n")[0]
	if e.Fields.Get(ID) != "x" || e.Fields.Get(Count) != "2" || e.Fields.Get(Trigger) != "green tea" {
		t.Errorf("%+v", e.Fields)
	}
}

// FuzzPrivate: a note with a private entry is private, and reading it in two steps finds
// the same as reading it at once.
func FuzzPrivate(f *testing.F) {
	f.Add("---\nprivate: true\n---\n", "- a <!-- private: true -->\n")
	f.Add("# Private\n\n- a\n", "# Open\n\n- b\n")
	f.Add("- a\n", "<!-- private -->\n")
	for _, heading := range []string{
		"## Ｐｒｉｖａｔｅ", "## &#80;rivate", "## P\u00adrivate", "## P**rivate**", "<h2>Private</h2>", "## a. Private", "## A1 Private", "P&shy;ri\nvate\n---",
	} {
		f.Add(heading+"\n\n- a\n", "- b\n")
	}
	f.Fuzz(func(t *testing.T, start, end string) {
		all := Parse(start + end)
		private := func(e Entry) bool { return e.Private }
		if slices.ContainsFunc(all, private) && !HasPrivate(start+end) {
			t.Fatal("the note of a private entry is not private")
		}
		first := (*Reading)(nil).Next(start)
		then := first.Next(start + end)
		read := append(slices.Clone(first.Entries[:min(then.Kept, len(first.Entries))]), then.Entries...)
		if len(read) != len(all) {
			t.Fatalf("%d entries, and %d in two steps", len(all), len(read))
		}
		for i := range all {
			if all[i].Private != read[i].Private {
				t.Fatalf("%q is private: %v, and in two steps %v", all[i].Text, all[i].Private, read[i].Private)
			}
		}
	})
}
