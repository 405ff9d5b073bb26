//go:build unix

package remember_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// Secrets are masked in ordinary notes alone, with every other byte left as it is;
// what is left out is named, and nothing is kept of what was masked.
func TestMask(t *testing.T) {
	const pem = "-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\r\n-----END PRIVATE KEY-----\r\n"
	b := newBench(t, map[string]string{
		"MEMORY.md":        "\ufeff# Memory\r\n\r\n- The Wi-Fi password is Herring!Fjord8 \r\n- Cafe\u0301 🐟\r\n",
		"memory/日记.md":     "门禁密码改成了 4471# ，记一下",
		"keys.md":          "A key:\r\n" + pem + "end\r\n",
		"plain.md":         "The password policy asks for 12 characters.\n",
		"latin.md":         "caf\xe9: the password is Trout!Fell55\n",
		"outside.txt":      "the password is Trout!Fell55\n",
		"memory/learn.md":  "- one\n- the password is Trout!Fell55\n",
		"memory/learn2.md": "- Trout!Fell55 works at the gate\n- the password is Trout!Fell55\n",
	}, withModel(t))
	at := func(name string) string { return filepath.Join(b.root, name) }
	for _, err := range []error{os.Symlink(at("outside.txt"), at("link.md")), syscall.Mkfifo(at("pipe.md"), 0o600), os.Mkdir(at("folder.md"), 0o700), os.Chmod(at("keys.md"), 0o640)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.tell(remember.Request{Text: "The gate at the pier opens at seven in the morning", Type: "learning"}, remember.Added, remember.New)
	if err := b.keeper.Prepare(t.Context()); err != nil { // the vector of the note with the password
		t.Fatal(err)
	}
	before, err := filepath.Glob(filepath.Join(b.state, "*.vec"))
	if err != nil || len(before) != 1 {
		t.Fatalf("vectors: %q, %v", before, err)
	}
	size := func() int64 {
		info, err := os.Stat(before[0])
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	was := size()
	done, err := b.keeper.Mask(t.Context(), []string{"MEMORY.md", "memory/日记.md", "keys.md", "plain.md", "latin.md", "outside.txt",
		"link.md", "pipe.md", "folder.md", "../up.md", ".git/config.md", "gone.md", "memory/learn2.md"})
	if err != nil {
		t.Fatal(err)
	}
	const other = "it is no ordinary file, or in no ordinary folder"
	want := remember.Masking{Notes: []string{"MEMORY.md", "memory/日记.md", "keys.md", "memory/learn2.md"}, Change: done.Change, Skipped: []memoir.Skipped{
		{ID: "plain.md", Reason: "it was changed meanwhile, and holds no secret any more"},
		{ID: "latin.md", Reason: "it is no note that may be changed"},
		{ID: "outside.txt", Reason: "it is no Markdown note"},
		{ID: "link.md", Reason: other}, {ID: "pipe.md", Reason: other}, {ID: "folder.md", Reason: other},
		{ID: "../up.md", Reason: "it is no note that may be changed"}, {ID: ".git/config.md", Reason: "it is no note that may be changed"},
		{ID: "gone.md", Reason: "it is not there any more"},
	}}
	if diff := cmp.Diff(want, done); diff != "" || done.Change == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"MEMORY.md":        "\ufeff# Memory\r\n\r\n- The Wi-Fi password is [secret: password] \r\n- Cafe\u0301 🐟\r\n",
		"memory/日记.md":     "门禁密码改成了 [secret: password] ，记一下",
		"keys.md":          "A key:\r\n[secret: private-key]\r\n[secret: private-key]\r\n[secret: private-key]\r\nend\r\n",
		"outside.txt":      "the password is Trout!Fell55\n",
		"memory/learn2.md": "- [secret: password] works at the gate\n- the password is [secret: password]\n",
	} {
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != text {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, text)
		}
	}
	if info, err := os.Stat(at("keys.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions: %v, %v", info, err)
	}
	history, err := os.ReadFile(filepath.Join(b.state, "history.jsonl"))
	if err != nil || bytes.Contains(history, []byte("Fjord8")) || bytes.Contains(history, []byte("4471#")) || bytes.Contains(history, []byte("MIIE")) {
		t.Errorf("history: %v, %s", err, history)
	}
	if size() >= was {
		t.Errorf("the vectors have %d bytes, had %d", size(), was)
	}
	if found, err := b.keeper.Secrets(); err != nil || len(found) > 0 {
		t.Errorf("secrets of the history: %v, %v", found, err)
	}
	if strings.Contains(strings.Join(done.Notes, " "), "link") {
		t.Error("a link was followed")
	}
}

// What is no ordinary file is neither followed nor waited for; a note that cannot be
// written to is skipped with the reason, and the others are done.
func TestTidyHostileFiles(t *testing.T) {
	const twice = "- Ann lives in Oslo\n- Ann lives in Oslo\n"
	b := newBench(t, map[string]string{"outside.txt": twice + "the password is Trout!Fell55\n", "memory/contacts.md": twice, "memory/learnings.md": "- tea\n- tea\n", "latin.md": "caf\xe9\n- [x](y.md)\n"}, nil)
	at := func(name string) string { return filepath.Join(b.root, name) }
	for _, err := range []error{os.Symlink(at("outside.txt"), at("MEMORY.md")), os.Symlink(at("outside.txt"), at("link.md")), syscall.Mkfifo(at("USER.md"), 0o600), syscall.Mkfifo(at("pipe.md"), 0o600), os.Mkdir(at("folder.md"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	done := b.tidy(remember.TidyOptions{Kinds: []string{remember.Duplicate, remember.SecretKept}, Apply: true, Mask: true})
	if len(done.Findings) != 2 || len(done.Applied) != 2 || len(done.Skipped) != 0 {
		t.Errorf("got %+v", done)
	}
	if text, err := os.ReadFile(at("outside.txt")); err != nil || !strings.HasPrefix(string(text), twice) {
		t.Errorf("a link was followed: %q, %v", text, err)
	}
	if os.Getuid() == 0 {
		return // to whom everything can be written to
	}
	b.put("memory/contacts.md", twice)
	b.put("memory/learnings.md", "- tea\n- tea\n")
	if err := os.Chmod(at("memory/contacts.md"), 0o400); err != nil {
		t.Fatal(err)
	}
	done = b.tidy(remember.TidyOptions{Apply: true})
	if len(done.Applied) != 1 || len(done.Skipped) != 1 || !strings.Contains(done.Skipped[0].Reason, "cannot be written") {
		t.Errorf("got %+v", done)
	}
}
