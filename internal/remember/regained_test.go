package remember_test

import (
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestForgottenWords: neither punctuation nor markup makes a forgotten text a new one, and
// other words do.
func TestForgottenWords(t *testing.T) {
	for forgotten, x := range map[string]struct{ same, other []string }{
		"Otto owes me forty crowns for the kayak, since May 1.5 ago": {
			[]string{"Otto owes me forty crowns, for the **kayak** since May 1.5 ago!", "OTTO owes me `forty` crowns; for the ka**yak** (since May 1.5 ago)",
				"<b>Otto</b> owes me forty crowns for the ka<i>yak</i>, since May 1.5 ago", "[Otto owes me forty crowns](http://x.example/y) for the kayak, since May 1.5 ago",
				"Ott&#111; owes me forty crowns for the kayak, since May 1.5 ago", "![Otto owes me forty crowns for the kayak, since May 1.5 ago](p.png)"},
			[]string{"Otto owes me forty crowns for the kayak, since May 15 ago", "Otto owes me forty crowns for the canoe, since May 1.5 ago"},
		},
		"我喜欢红色皮划艇,真的":     {[]string{"我**喜欢**红色皮划艇。真的"}, []string{"我喜欢蓝色皮划艇,真的"}},
		"मेरी नाव लाल है": {[]string{"मेरी **नाव** लाल है।"}, []string{"मेरा नाव लाल है"}},
		"🦩🦩": {[]string{"🦩🦩"}, []string{"🦩"}},
	} {
		b := newBench(t, map[string]string{"memory/facts.md": "# Facts\n\n- " + forgotten + "\n"}, nil)
		if _, err := b.keeper.Forget(t.Context(), remember.Target{Ref: "memory/facts.md#L3"}, false); err != nil {
			t.Fatal(err)
		}
		regained := func(before, text string, want int) {
			t.Helper()
			if line, err := b.keeper.Regained(before, text); err != nil || line != want {
				t.Errorf("%q: line %d, %v; want %d", text, line, err, want)
			}
		}
		for _, text := range x.same {
			regained("", "# A\n\n- "+text+"\n", 3)
			regained("", "# A\n\nThe well is deep.\n"+text+"\r\n", 4)
			regained("", "## "+text, 1)
			regained("- "+forgotten+"\n", "# A\n\n- "+text+"\n", 0) // its owner has it again
			if left, err := remember.WithoutForgotten(b.state, "# A\n\n- "+text+"\n"); err != nil || left != "# A\n\n" && left != "# A\n" {
				t.Errorf("%q leaves %q, %v", text, left, err)
			}
		}
		for _, row := range []string{"| 1 | " + forgotten + " |", "[[x|" + forgotten + "]]", "well<br>" + forgotten} {
			regained("", row+"\n", 1)
		}
		for _, text := range x.other {
			regained("", "- "+text+"\n", 0)
		}
		b.tell(remember.Request{Text: x.same[0], Type: "project", Origin: remember.Agent}, remember.Refused, remember.Forgotten)
	}
}

// TestForgottenBefore: what an older version marked, by the digest of the text as texts are
// compared, stays forgotten.
func TestForgottenBefore(t *testing.T) {
	const text = "Otto owes me forty crowns, for the kayak"
	b := newBench(t, nil, nil)
	old := digest.Marks{File: filepath.Join(b.state, "forgotten"), Digests: &digest.Digests{Dir: b.state}}
	if err := old.Add([]string{judge.Normal(text)}); err != nil {
		t.Fatal(err)
	}
	b.tell(remember.Request{Text: text + ".", Origin: remember.Agent}, remember.Refused, remember.Forgotten)
}
