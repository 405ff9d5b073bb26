package sqlite_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/memoir-ai/memoir/store/sqlite"
)

// FuzzHeading: a heading path is read as encoding/json reads it, and what that refuses is
// refused.
func FuzzHeading(f *testing.F) {
	for _, path := range [][]string{{}, {""}, {"Trips", "2026"}, {"", ""}, {`a","b`, `c\d`}, {"日本語", "e\u0301", "🙂"}, {"a\nb\tc\x01"}, {"<b>&</b>"}, {"\u2028", "\ufffd"}} {
		text, err := json.Marshal(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{"", "[", `["`, `["]`, `["a"`, `["a""b"]`, `["a","]`, `["a",]`, `["a", "b"]`, `["a","b",3]`, "[\"a\n\"]", "[\"\xff\"]", `null`, `["a"]]`, `["\u0061"]`, ` ["a"]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		wanted := json.Unmarshal([]byte(text), &want)
		got, err := sqlite.HeadingOf(text)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%q: %v, want %v", text, err, wanted)
		}
		if err == nil && len(want)+len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
