package secret

import "strings"

// A label may give two values, one in the place of the other: "from X to Y", "从 X 改成 Y".

// left returns the text between the label and a value, and the length of the word at its
// end that says that the value was left for another: "from".
func (w *walk) left(v *value) (gap string, length int) {
	if v.from < w.from || w.plural() {
		return "", 0
	}
	gap = strings.TrimRight(w.text[w.from:v.from], " \t")
	return gap, w.words["from"].ends(gap)
}

// successor returns where the value begins that takes the place of one, or 0 when the text
// names none.
func (w *walk) successor(v *value) int {
	end := v.end
	if v.quoted {
		end = v.next
	}
	after := window(w.text, end, 48)
	n := w.words["becomes"].starts(after)
	if n == 0 {
		if _, from := w.left(v); from > 0 {
			n = w.words["to"].starts(after)
		}
	}
	if n == 0 {
		return 0
	}
	return end + n
}

// old reports whether a value is one that another takes the place of, by "from" and "to".
func (w *walk) old(v *value, m mix) bool {
	gap, n := w.left(v)
	if n == 0 || m.length < 4 || product(m) {
		return false
	}
	at := w.successor(v)
	if at == 0 {
		return false
	}
	at += len(w.text[at:]) - len(strings.TrimLeft(w.text[at:], " \t\"'`“「"))
	if at >= len(w.text) {
		return false
	}
	next := w.value(at)
	x := mixture(w.text[next.start:next.end])
	switch {
	case m.number():
		// "failed logins from 1200 to 300" counts something.
		return x.number() && !(year(m.text) && year(x.text)) && strings.TrimSpace(gap[:len(gap)-n]) == ""
	case m.mixed():
		return m.strong > 0 || x.mixed()
	}
	return false
}
