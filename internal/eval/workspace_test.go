package eval_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/eval"
)

func TestWriteWorkspace(t *testing.T) {
	long := strings.Repeat("é", 300)
	set := &eval.Set{Documents: []eval.Document{
		{ID: "conv-26/session_01", Scope: "conv-26", Date: "2023-05-08", Text: "a\r\nb"},
		{ID: "conv-26/session 01", Scope: "conv-26", Date: "2023-05-08", Text: "c\n"},
		{ID: "qmd/CHANGELOG.md#0"},
		{ID: "QMD/changelog.md?0"},
		{ID: "../../etc/passwd", Scope: ".."},
		{ID: ".hidden", Scope: "notes"},
		{ID: "cafe\u0301", Scope: "node_modules"},
		{ID: "NUL.txt"},
		{ID: "com1"},
		{ID: "com¹"},
		{ID: "com10"},
		{ID: "日记/三月"},
		{ID: "///"},
		{ID: "\x00\n\xff"},
		{ID: long},
		{ID: long + "x"},
		{ID: "MEMORY"},
		{ID: "a.md"},
		{ID: "a.md/./b", Date: "2026-03-02"},
		{ID: "a"},
		{ID: strings.Repeat("x/", 12) + "y"},
		{ID: "nul/.git/c"},
	}}
	want := map[string]string{
		"conv-26/2023-05-08-session_01.md":           "conv-26/session_01",
		"conv-26/2023-05-08-session-01.md":           "conv-26/session 01",
		"notes/qmd/CHANGELOG.md-0.md":                "qmd/CHANGELOG.md#0",
		"notes/qmd/changelog.md-0~2.md":              "QMD/changelog.md?0",
		"_/etc/passwd.md":                            "../../etc/passwd",
		"notes~2/hidden.md":                          ".hidden",
		"node_modules_/caf\u00e9.md":                 "cafe\u0301",
		"notes/NUL.txt_.md":                          "NUL.txt",
		"notes/com1_.md":                             "com1",
		"notes/com¹_~2.md":                           "com¹",
		"notes/com10.md":                             "com10",
		"notes/日记/三月.md":                             "日记/三月",
		"notes/_.md":                                 "///",
		"notes/_~2.md":                               "\x00\n\xff",
		"notes/" + strings.Repeat("é", 80) + ".md":   long,
		"notes/" + strings.Repeat("é", 80) + "~2.md": long + "x",
		"notes/MEMORY.md":                            "MEMORY",
		"notes/a.md.md":                              "a.md",
		"notes/a.md_/2026-03-02-b.md":                "a.md/./b",
		"notes/a.md":                                 "a",
		"notes/x-x-x-x-x-x-x-x-x-x-x-x-y.md":         strings.Repeat("x/", 12) + "y",
		"notes/nul_/git/c.md":                        "nul/.git/c",
	}
	dir := t.TempDir()
	w, err := set.WriteWorkspace(filepath.Join(dir, "w"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, w.IDs); diff != "" {
		t.Errorf("paths: want -, got +:\n%s", diff)
	}
	folders := map[string]string{"": "notes/", "conv-26": "conv-26/", "..": "_/", "notes": "notes~2/", "node_modules": "node_modules_/"}
	if diff := cmp.Diff(folders, w.Folders); diff != "" {
		t.Errorf("folders: want -, got +:\n%s", diff)
	}

	var written []string
	texts := map[string]string{}
	for _, doc := range set.Documents {
		texts[doc.ID] = doc.Text
	}
	err = fs.WalkDir(os.DirFS(filepath.Join(dir, "w")), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		written = append(written, p)
		data, err := os.ReadFile(filepath.Join(dir, "w", filepath.FromSlash(p)))
		if string(data) != texts[w.IDs[p]] {
			t.Errorf("%s: got %q, want %q", p, data, texts[w.IDs[p]])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(written)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), written); diff != "" {
		t.Errorf("files: want -, got +:\n%s", diff)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder got %d neighbours", len(entries)-1)
	}

	if _, err := set.WriteWorkspace(filepath.Join(dir, "w")); err == nil {
		t.Error("a second time: files were overwritten")
	}
}
