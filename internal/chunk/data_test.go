package chunk_test

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// noise returns bytes that are the same at every run.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

// wrapped returns data in Base64, so many characters to a line.
func wrapped(n, width int) string {
	var b strings.Builder
	for row := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(noise(n))), width) {
		b.Write(row)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestShortened(t *testing.T) {
	long := base64.RawURLEncoding.EncodeToString(noise(1000))
	rows := wrapped(2000, 76)
	dump := strings.TrimSpace(hex.Dump(noise(400)))
	rest := strings.Repeat("\n", strings.Count(rows, "\n")-1)
	tests := []struct{ name, text, want string }{
		{"image in an address", "a ![x](data:image/png;base64," + long + ") b\r\nc", "a ![x](data:image/png;base64,…) b\r\nc"},
		{"image that looks like packed code", "![](data:image/png;base64," + strings.Repeat("iVBORw0KGgo/Hi+ab/", 200) + ")", "![](data:image/png;base64,…)"},
		{"two images", "data:image/gif;base64," + long + " data:a/b," + long, "data:image/gif;base64,… data:a/b,…"},
		{"image beside a run", "data:image/gif;base64," + long + " " + long, "data:image/gif;base64,… " + long[:64] + "…"},
		{"run", "key " + long + " is here", "key " + long[:64] + "… is here"},
		{"run round characters", "用" + long + "用", "用" + long[:64] + "…用"},
		{"hexadecimal digits", hex.EncodeToString(noise(500)), hex.EncodeToString(noise(500))[:64] + "…"},
		{"one letter", strings.Repeat("a", 300), strings.Repeat("a", 64) + "…"},
		{"marks", "# a\n" + strings.Repeat("=", 300) + "\n", "# a\n" + strings.Repeat("=", 64) + "\n"},
		{"run before marks", long + strings.Repeat("=", 300), long[:64] + "…"},
		{"table of many columns", strings.Repeat("|", 5000), strings.Repeat("|", 64)},
		{"block of Base64", "a\n\n" + rows + "\nb", "a\n\n" + rows[:64] + "…\n" + rest + "\nb"},
		{"hex dump", "a\n" + dump + "\nb", "a\n" + dump[:64] + "…" + strings.Repeat("\n", strings.Count(dump, "\n")) + "\nb"},
		{"packed code", strings.Repeat("var n=q(e.length,t,i.size+1);n.push(r[o]);", 60) + "\nb", strings.Repeat("var n=q(e.length,t,i.size+1);n.push(r[o]);", 60)[:64] + "…\nb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(chunk.Shortened(tt.text), tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// What people look for stays, and so do words however they are joined.
func TestNotShortened(t *testing.T) {
	sum := sha512.Sum512([]byte("a"))
	var hashes, keys, years strings.Builder
	for i := range 20 {
		fmt.Fprintf(&hashes, "%x\n", sha512.Sum512_256([]byte{byte(i)}))
		fmt.Fprintf(&keys, "%s\n", base64.StdEncoding.EncodeToString(noise(50 + 20*i)[20*i:]))
		fmt.Fprintf(&years, "%d 12 14 15 18 22 31 40 55 61\n", 2000+i)
	}
	for name, text := range map[string]string{
		"UUID":              "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"commit":            "04cb80601374fa9e35b4e544b2dbd23286ca7763",
		"SHA-512":           hex.EncodeToString(sum[:]),
		"npm integrity":     "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		"token in three":    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + base64.RawURLEncoding.EncodeToString(noise(120)) + "." + base64.RawURLEncoding.EncodeToString(noise(32)),
		"names and slashes": strings.Repeat("active/list/show/add-type/remove-alias/", 20),
		"address":           "https://example.org/2026/03/" + strings.Repeat("a-very-long-title-of-a-page-", 9) + "?utm_source=mail&utm_campaign=spring",
		"rows of hashes":    hashes.String(),
		"rows of keys":      keys.String(),
		"rows of numbers":   years.String(),
		"a short image":     "data:image/png;base64,iVBORw0KGgo=",
		"prose":             strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds. ", 100),
		"Chinese":           strings.Repeat("今天我们决定把会话存储从迁移到数据库", 100),
		"JSON in a line":    "[" + strings.Repeat(`{"name": "Ann Brown", "city": "Lisbon"}, `, 100) + "]",
		"table":             strings.Repeat("| Ann | Lisbon | 2026-03-02 |\n", 100),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(chunk.Shortened(text), text); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func FuzzShortened(f *testing.F) {
	f.Add("a data:image/png;base64,", "iVBORw0KGgo", 40)
	f.Add("用", "=aB1", 100)
	f.Add("", "00000000: 8950 4e47 0d0a 1a0a 0000 000d 4948 4452\n00000010", 9)
	f.Add("", "iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAB/HSuDAAAQAElEQVR4Aez9\n", 9)
	f.Fuzz(func(t *testing.T, before, repeated string, times int) {
		text := before + strings.Repeat(repeated, max(times, 0)%500) + before
		got := chunk.Shortened(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") || utf8.ValidString(text) && !utf8.ValidString(got) || len(got) > len(text)+len("…") {
			t.Errorf("%q gives %q", text, got)
		}
	})
}
