package feature

import "strings"

// OfTeller reports whether the text speaks of who tells it: it says "I" or "my", but of no
// other person ("my boss") and of no group ("we"). Where the language leaves "I" out, it
// says what one says of oneself (出身です), and nobody stands there of whom it may be said.
func (t *Text) OfTeller() bool {
	for _, h := range t.hits {
		switch cues().lists[cues().cues[h.cue].list] {
		case "self":
			if !t.ofOther(h) {
				return true
			}
		case "oneself":
			if !t.ofOther(h) && t.unnamed(h) {
				return true
			}
		}
	}
	return false
}

// ofOther reports whether a cue is of a group, or belongs to a person whom the text names
// right there by the role.
func (t *Text) ofOther(h hit) bool {
	for _, other := range t.hits {
		list := cues().lists[cues().cues[other.cue].list]
		switch {
		case list == "we":
			if other.at == h.at {
				return true
			}
		case strings.HasPrefix(list, "role ") && other.at >= h.at:
			if other.at <= h.end || strings.Trim(t.folded[h.end:other.at], " 的の") == "" {
				return true
			}
		}
	}
	return false
}

// unnamed reports whether nobody stands before a cue of whom it may be said. What names a
// matter (誕生日は, 老家在) has to be the first; before what ends a sentence may stand
// where and what, but no topic and no title.
func (t *Text) unnamed(h hit) bool {
	before, said := t.folded[:h.at], t.folded[h.at:h.end]
	if !strings.ContainsFunc(before, letter) {
		return true
	}
	if language(t.folded) != "ja" || strings.HasSuffix(said, "は") || strings.HasSuffix(said, "が") {
		return false
	}
	for _, mark := range []string{"は", "が", "も", "さん", "氏", "様", "君", "くん", "ちゃん", "先生"} {
		if strings.Contains(before, mark) {
			return false
		}
	}
	return true
}
