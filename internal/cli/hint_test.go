package cli

import "testing"

// TestPosixQuoted: a shell reads back every byte of a word, and a terminal shows none that steers it.
func TestPosixQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a.md":            "a.md",
		"it's":            `'it'\''s'`,
		"a\x1b'b\\.md":    `$'a\x1b\'b\\.md'`,
		"数\u202e.md":      `$'数\xe2\x80\xae.md'`,
		"a\xff\ufffd.md":  `$'a\xff` + "\ufffd" + `.md'`,
		"a\xffb\n\x1b.md": `$'a\xffb\x0a\x1b.md'`,
	} {
		if got := posixQuoted(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}

// TestWindowsQuoted: cmd and PowerShell give a program the word, and where they differ PowerShell does.
func TestWindowsQuoted(t *testing.T) {
	for word, want := range map[string]string{
		`notes\a.md`:         `notes\a.md`,
		"":                   `""`,
		`my notes`:           `"my notes"`,
		`C:\my notes\`:       `"C:\my notes\\"`,
		`tea "green" tea`:    `"tea ""green"" tea"`,
		`a\"b c`:             `"a\\""b c"`,
		"a,b":                `"a,b"`, // two words to PowerShell
		"100%":               `"100%"`,
		"it's":               `"it's"`,
		"the $HOME of Ann’s": "'the $HOME of Ann’’s'",
		"“blue” it's":        "'“blue” it''s'",
		"日记/三月.md":           "日记/三月.md",
	} {
		if got := windowsQuoted(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
