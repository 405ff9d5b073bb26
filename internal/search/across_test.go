package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
)

func TestTongueOf(t *testing.T) {
	for text, want := range map[string]string{
		"Where do I keep the spare key?":                   "en",
		"Wer hat den Ersatzschlüssel?":                     "de",
		"Quel métier exerce mon frère ?":                   "fr",
		"¿A qué se dedica mi hermano?":                     "es",
		"Dove sono le chiavi di casa, e chi le ha?":        "it",
		"Onde está a chave e quem a tem?":                  "pt",
		"Waar is de sleutel en wie heeft hem?":             "nl",
		"Gdzie jest klucz i kto go ma?":                    "pl",
		"Var är nyckeln och vem har den?":                  "sv",
		"Yedek anahtar nerede ve kim için?":                "tr",
		"备用钥匙在谁那里？":                                        "zh",
		"合鍵は誰が持っていますか":                                     "ja",
		"열쇠는 누가 가지고 있어요?":                                  "Hangul",
		"У кого запасной ключ?":                            "Cyrillic",
		"电话":                                               "", // may be Japanese
		"Postgres 17.2":                                    "",
		"PgBouncer 端口":                                     "",
		"":                                                 "",
		"12:30":                                            "",
		"Kubernetes deployment rollback checklist (draft)": "",
	} {
		if got := tongueOf(text); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
}

func TestOtherTongue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Wer hat den Ersatzschlüssel?", "The spare key is with the neighbour.", true},
		{"合鍵は誰が持っていますか", "备用钥匙放在楼下便利店老周那里。", true},
		{"Who has the spare key?", "The spare key is with the neighbour.", false},
		{"spare key", "Der Schlüssel ist bei der Nachbarin.", false},
		{"Wer hat den Ersatzschlüssel?", "spare key: flat 12", false},
	} {
		if got := otherTongue(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// Of lists of any length the mean and the nearest of a crowd are found, by the places
// from the second to the eighth alone.
func TestCrowd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 8, 40, 500, 20000} {
		s := &search{calibration: memoir.Calibration{Unrelated: .75}}
		mean, top, nearest := 0.0, 0.0, 0.0
		const draws = 200
		for range draws {
			list := make([]memoir.Match, n)
			for i := range list {
				list[i].Score = .74 + .025*random.NormFloat64()
			}
			slices.SortFunc(list, func(a, b memoir.Match) int {
				if a.Score > b.Score {
					return -1
				}
				return 1
			})
			c := s.crowdOf(list[:min(n, 32)], n)
			mean, top, nearest = mean+c.mean/draws, top+c.top/draws, nearest+list[0].Score/draws
		}
		if math.Abs(mean-.74) > .003 || math.Abs(top-nearest) > .003 {
			t.Errorf("of %d: mean %.4f, want .74; the nearest %.4f, want %.4f", n, mean, top, nearest)
		}
	}
	s := &search{}
	if c := s.crowdOf(make([]memoir.Match, 1), 100); c != (crowd{}) {
		t.Errorf("one passage tells of no crowd: %v", c)
	}
}
