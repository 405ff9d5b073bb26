package analyze

import "testing"

// The pairs are from the vocabulary published with the algorithm.
func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"consign": "consign", "consigned": "consign", "consistency": "consist", "consolations": "consol",
		"consolingly": "consol", "conspicuously": "conspicu", "conspiracies": "conspiraci", "constables": "constabl",
		"knackeries": "knackeri", "knavish": "knavish", "kneeling": "kneel", "knightly": "knight", "knots": "knot",
		"caresses": "caress", "ties": "tie", "cries": "cri", "gas": "gas", "this": "this", "gaps": "gap", "kiwis": "kiwi",
		"agreed": "agre", "feed": "feed", "hopping": "hop", "hoped": "hope", "luxuriated": "luxuri", "sized": "size",
		"by": "by", "say": "say", "cry": "cri", "youth": "youth", "boyish": "boyish", "flying": "fli",
		"conditional": "condit", "possibly": "possibl", "generalization": "general", "apology": "apolog",
		"quickly": "quick", "hopefulness": "hope", "effective": "effect", "electricity": "electr",
		"formative": "format", "adoption": "adopt", "opinion": "opinion", "replacement": "replac", "controlled": "control",
		"communication": "communic", "generate": "generat", "arsenal": "arsenal", "skis": "ski", "dying": "die",
		"news": "news", "innings": "inning", "succeeded": "succeed", "sky": "sky", "bed": "bed", "shredded": "shred",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzStem(f *testing.F) {
	f.Add("running")
	f.Fuzz(func(t *testing.T, word string) {
		if !letters(word) || len(word) == 0 || len(word) > MaxTermRunes {
			return
		}
		if got := stem(word); !letters(got) || got == "" || len(got) > len(word)+1 {
			t.Errorf("stem(%q) = %q", word, got)
		}
	})
}
