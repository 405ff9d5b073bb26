package layout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/layout"
)

func TestShelves(t *testing.T) {
	tokyo := time.FixedZone("Tokyo", 9*60*60)
	day := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC).In(tokyo)
	moved := layout.Shelves{layout.Preference: "USER.md", layout.Journal: "log/YYYY/MM/DD.md"}
	want := map[string][2]string{ // by default, moved
		layout.Preference:  {"memory/preferences.md", "USER.md"},
		layout.Instruction: {"memory/instructions.md", "memory/instructions.md"},
		layout.Contact:     {"memory/contacts.md", "memory/contacts.md"},
		layout.Project:     {"memory/projects.md", "memory/projects.md"},
		layout.Decision:    {"memory/decisions.md", "memory/decisions.md"},
		layout.Learning:    {"memory/learnings.md", "memory/learnings.md"},
		layout.Journal:     {"memory/2026-03-02.md", "log/2026/03/02.md"},
		"nonsense":         {"", ""},
	}
	got := map[string][2]string{}
	for typ := range want {
		got[typ] = [2]string{layout.Shelves(nil).File(typ, day), moved.File(typ, day)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for typ, files := range want {
		if typ == "nonsense" {
			continue
		}
		if got := layout.Shelves(nil).Type(files[0]); got != typ {
			t.Errorf("the type of %s is %q, want %q", files[0], got, typ)
		}
		if got := moved.Type(files[1]); got != typ {
			t.Errorf("moved: the type of %s is %q, want %q", files[1], got, typ)
		}
	}
	for _, file := range []string{"", "MEMORY.md", "preferences.md", "memory/2026-13-01.md", "memory/2026-03-02-talk.md", "memory/YYYY-MM-DD.md"} {
		if got := layout.Shelves(nil).Type(file); got != "" {
			t.Errorf("the type of %q is %q, want none", file, got)
		}
	}
	if diff := cmp.Diff(layout.Types(), []string{"preference", "instruction", "contact", "project", "decision", "learning", "journal"}); diff != "" {
		t.Error(diff)
	}
}

func TestTypeNamed(t *testing.T) {
	for want, words := range map[string][]string{
		layout.Preference: {"preference", "Preference", "偏好", "好み"}, layout.Instruction: {"指示", "要求"}, layout.Contact: {"联系人", "聯絡人", "聯繫人", "連絡先"},
		layout.Project: {"项目", "項目", "專案", "プロジェクト"}, layout.Decision: {"决定", "決定", "DECISION"}, layout.Learning: {"经验", "經驗", "心得", "学び"}, layout.Journal: {"日志", "日誌", "日记", "日記"},
		"": {""}, "day log": {"day log"}, "决定书": {"决定书"},
	} {
		for _, word := range words {
			if got := layout.TypeNamed(word); got != want {
				t.Errorf("%q names %q, want %q", word, got, want)
			}
		}
	}
	for _, typ := range layout.Types() {
		if got := layout.TypeNamed(typ); got != typ {
			t.Errorf("%q names %q", typ, got)
		}
	}
}

func TestShelvesCheck(t *testing.T) {
	for _, shelves := range []layout.Shelves{nil, layout.DefaultShelves(), {layout.Preference: "USER.md"}, {layout.Journal: "YYYY_MM_DD.md"}, {layout.Journal: "日记/YYYY-MM-DD 日.MD"}} {
		if err := shelves.Check(); err != nil {
			t.Errorf("%v: %v", shelves, err)
		}
	}
	for _, shelves := range []layout.Shelves{
		{"opinion": "memory/opinions.md"}, {layout.Preference: "/etc/a.md"}, {layout.Preference: "../a.md"}, {layout.Preference: ".hidden/a.md"}, {layout.Preference: "a/.b.md"},
		{layout.Preference: "preferences.txt"}, {layout.Preference: "AGENTS.md"}, {layout.Preference: "MEMORY.md"}, {layout.Preference: "memory/contacts.md"},
		{layout.Journal: "journal.md"}, {layout.Journal: "memory/DD-MM-YYYY.md"},
	} {
		if shelves.Check() == nil {
			t.Errorf("%v: nothing is said to be wrong", shelves)
		}
	}
}
