package unigram_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	tok := open(t, vocabulary("▁the", "▁", "cat", "s", "▁大", "阪", "A", "fi"))
	for _, test := range []struct {
		text  string
		limit int
		want  []string
	}{
		{"the cats", 9, []string{"▁the", "▁", "cat", "s"}},
		{"the cats", 3, []string{"▁the", "▁", "cat"}},
		{"the cats", 0, nil},
		{"  大阪　Ａﬁ", 9, []string{"▁大", "阪", "▁", "A", "fi"}},
		{"xycatz zz", 9, []string{"▁", "xy", "cat", "z", "▁", "zz"}},
		{"", 9, nil},
	} {
		var got []string
		for _, token := range tok.Tokens(test.text, test.limit) {
			got = append(got, token.Text)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q, at most %d (-want +got):\n%s", test.text, test.limit, diff)
		}
	}
}

// Tokens have the ids of Encode, and each stands for a part of the text.
func FuzzTokens(f *testing.F) {
	tok := open(f, vocabulary("▁", "a", "ab", "b", "ba", "▁b", "大", "大阪"))
	f.Add("abba 大阪 xx", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		tokens := tok.Tokens(text, limit)
		ids := tok.Encode(nil, text, 0)
		ids = ids[1 : len(ids)-1]
		if want := max(0, min(len(ids), limit)); len(tokens) != want {
			t.Fatalf("got %d tokens, want %d", len(tokens), want)
		}
		for i, token := range tokens {
			if token.ID != ids[i] || token.Text == "" {
				t.Fatalf("token %d: got %+v, want the id %d", i, token, ids[i])
			}
		}
	})
}
