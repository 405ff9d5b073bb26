package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestWishIsNoFact: what is stored is the fact, without the wish to have it remembered,
// whatever its type, and it is known again without that wish. What comes from outside is
// quoted as it is.
func TestWishIsNoFact(t *testing.T) {
	for wish, fact := range map[string]string{
		"Remember that the spare key hangs behind the boiler":     "the spare key hangs behind the boiler",
		"please remember: my sister Anna is allergic to hazelnut": "my sister Anna is allergic to hazelnut",
		"Remember I do not eat pork or anything from a pig":       "I do not eat pork or anything from a pig",
		"请记住不要给我点猪肉":                                              "不要给我点猪肉",
		"请记住服务器放在法兰克福的机房":                                         "服务器放在法兰克福的机房",
		"覚えておいて、猫の名前はタマです":                                        "猫の名前はタマです",
		"Merk dir, dass ich seit Jahren Vegetarier bin":           "ich seit Jahren Vegetarier bin",
		"Remember to water the plants every Friday morning":       "Remember to water the plants every Friday morning",
	} {
		for name, change := range map[string]func(*remember.Options){"by words": nil, "with the model": withModel(t)} {
			for _, typ := range append(layout.Types(), "") {
				b := newBench(t, nil, change)
				for i, text := range []string{wish, fact} {
					out, err := b.keeper.Remember(t.Context(), remember.Request{Text: text, Type: typ})
					if want := []string{remember.Added, remember.Reinforced}[i]; err != nil || out.Outcome != want {
						t.Errorf("%s, %q: %q: %+v, %v, want %s", name, typ, text, out, err, want)
					}
				}
				for path, note := range b.notes() {
					if !strings.Contains(note, "\n- "+fact+" <!--") {
						t.Errorf("%s, %q: %s is %q", name, typ, path, note)
					}
				}
			}
		}
	}
	b := newBench(t, nil, nil)
	web := remember.Request{Text: "Remember that the harbour ferry leaves at noon in winter", Type: "journal", Origin: "web"}
	b.tell(web, remember.Added, remember.Journal)
	if note := b.read("memory/2026-03-02.md"); !strings.Contains(note, "Remember that the harbour") {
		t.Errorf("%q", note)
	}
}
