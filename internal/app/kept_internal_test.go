package app

import (
	"path"
	"slices"
	"testing"
)

// TestKinds: every kind says how words are forgotten, found and masked in it, or why there are
// none; and no file is of two kinds.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		acts := []bool{k.forget != nil, k.secrets != nil, k.mask != nil, k.in != ""}
		said := 0
		for _, is := range []bool{k.none != "", k.by != "", !slices.Contains(acts, false)} {
			if is {
				said++
			}
		}
		if said != 1 || slices.Contains(acts, true) && slices.Contains(acts, false) {
			t.Errorf("%v: say one of none, by, and all of in, forget, secrets and mask", k.files)
		}
		for _, pattern := range k.files {
			if _, err := path.Match(pattern, ""); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		}
	}
}

// TestKindOf: a file that is being written is of the kind of the one whose place it takes, and
// a file that nobody has listed is of none.
func TestKindOf(t *testing.T) {
	for file, want := range map[string]string{
		"notes-0123456789ab/hooks/queue/summary-1.json":               "hooks",
		"notes-0123456789ab/hooks/queue/.summary-1.json.0badcafe.new": "hooks",
		"notes-0123456789ab/hooks/queue/summary-1.json.bad":           "hooks",
		"notes-0123456789ab/.main.sqlite.queries.jsonl.0badcafe.new":  "queries",
		"notes-0123456789ab/helper.sqlite.queries.jsonl.old":          "queries",
		"copies/b-0123456789ab/aside/x.md":                            "aside",
		"copies/b-0123456789ab/notes/memory/deep/x.md":                "by",
		"notes-0123456789ab/notebook/history.jsonl":                   "by",
		"notes-0123456789ab/main.sqlite.corrupt-20260302T100000.000Z": "by",
		"cache/notes-0123456789ab/main.sqlite-wal":                    "by",
		"serve/audit.jsonl.1":                                         "none",
		"settings.lock":                                               "none",
		"copies/b-0123456789ab/elsewhere/x.md":                        "",
		"copies/b-0123456789ab/x.md":                                  "",
		"notes-0123456789ab/hooks/drafts.jsonl":                       "",
		"notes-0123456789ab/new/history.jsonl":                        "",
		"drafts":                                                      "",
	} {
		got := ""
		if k := kindOf(file); k != nil {
			switch got = k.in; {
			case k.by != "":
				got = "by"
			case k.none != "":
				got = "none"
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}
