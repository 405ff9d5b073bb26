package secret

import "strings"

// fits reports whether a token looks like what the label's class wants, given the link
// between the two.
func (w *walk) fits(v *value, m mix) bool {
	if !m.number() && !m.mixed() && m.other == 0 && m.upper < 6 && !clauseEnds(w.text[v.end:]) {
		return false // a word within a sentence
	}
	l := w.linkOf(v)
	if l == linkNone && !w.passed && w.old(v, m) {
		l = linkStrong
	}
	strong := l == linkStrong
	switch w.label.class {
	case classKey, classToken, classBare:
		return w.key(v, m, l)
	case classWord, classShort, classPhrase:
		return l != linkNone && w.password(v, m, l)
	case classLook:
		return strong && w.next(v) && m.looks()
	case classCode:
		return l != linkNone && w.code(m, l)
	case classNeed:
		return l != linkNone && w.code(m, l) && (strong || m.digits >= 4) && w.placed(v)
	case classOpens:
		direct := strings.Trim(w.text[w.from:v.start], " \t\"'`“「") == ""
		return direct && (m.number() && m.digits <= 12 && !year(m.text) || m.mixed() && m.digits >= 2 && m.length >= 5 && !product(m))
	case classLock:
		return l != linkNone && m.number() && m.digits <= 8 && !year(m.text) || strong && m.mixed() && m.digits >= 2 && m.length >= 5
	case classLogin:
		return m.length >= 5 && !product(m) && w.signsIn(v, m, l)
	case classCookie:
		return strong && m.length >= 16 && m.digits > 0 && m.letters() > 0 && strings.HasSuffix(strings.TrimRight(w.text[w.from:v.start], "\"' "), "=")
	}
	return false
}

// key reports whether a value looks like a key or token that a program made. A random
// value needs no link, as long as it is not the digest of something.
func (w *walk) key(v *value, m mix, l link) bool {
	strong := l == linkStrong
	switch {
	case m.random() && uuids().MatchString(m.text):
		return strong
	case m.random():
		return strong || !w.words["digest"].lastOf(lineBefore(w.text, v.start, 30))
	case l == linkNone:
		return false
	case w.label.class == classBare:
		return strong && m.digits > 0 && m.letters() > 0 && m.length >= 8 && (m.upper > 0 && m.lower > 0 || m.length >= 16 || m.length >= 10 && m.turns() >= 5)
	case m.number():
		return w.label.class == classKey && m.digits >= 20
	case m.mixed() && m.digits > 0 && strong:
		return m.length >= 8
	}
	return m.mixed() && m.digits >= 2 && m.length >= 12
}

// password reports whether a linked value looks like a password.
func (w *walk) password(v *value, m mix, l link) bool {
	strong := l == linkStrong
	said := w.said(v)
	short := w.label.class == classShort
	if short && !w.next(v) {
		return false
	}
	switch {
	case m.random():
		return !uuids().MatchString(m.text)
	case m.number():
		if m.digits > 16 || short && m.digits < 6 {
			return false
		}
		return strong || m.digits >= 4 && (!year(m.text) || isCJK(lastRune(w.text[:w.from])))
	case m.mixed() && strong:
		return m.length >= 4
	case m.mixed():
		least := 5
		if m.digits == 0 {
			least = 6
		} else if !isAlnum(w.text[w.from-1]) {
			least = 4 // behind a label in Chinese or in quotes
		}
		return m.length >= least && (m.digits > 0 || m.strong > 0) && !product(m)
	case strong && w.label.class == classPhrase && m.other == m.length && m.length <= 8:
		return true
	}
	return (!short || said != "") && (strong || w.beside(v)) && w.plain(v, m)
}

// said returns what stands between the label and a value, without signs.
func (w *walk) said(v *value) string {
	return strings.Trim(w.text[w.from:v.start], " \t:=>\"'`*：“「『")
}

// next reports whether at most a word that gives the value stands before it.
func (w *walk) next(v *value) bool {
	said := w.said(v)
	return said == "" || w.words["connect"].has(said)
}

// signsIn reports whether a password follows a name: "ana / X", "as ana with X".
func (w *walk) signsIn(v *value, m mix, l link) bool {
	gap := strings.TrimRight(w.text[w.from:v.start], " \t\"'`“「")
	n := w.words["login connect"].ends(gap)
	switch {
	case l == linkWeak && strings.HasSuffix(gap, ","):
		return m.digits > 0 && m.strong > 0 && m.upper > 0 && m.lower > 0 && !strings.ContainsAny(m.text, "@*")
	case l != linkStrong || n == 0 || !m.mixed():
		return false
	case strings.HasSuffix(gap, "/"):
		return true
	}
	return m.digits > 0 && strings.TrimSpace(gap[:len(gap)-n]) != ""
}

// code reports whether a value looks like a code: only digits, or a few characters with
// digits among them.
func (w *walk) code(m mix, l link) bool {
	switch {
	case m.random():
		return !uuids().MatchString(m.text)
	case m.number():
		return m.digits >= 3 && (m.digits <= 10 || m.digits <= 60 && m.signs > 0)
	case w.label.kind == PIN || w.label.kind == CardCode || strings.ContainsAny(m.text, "=()[]{}<>/\\_"):
		return false
	case m.mixed():
		return m.digits > 0 && m.length >= 4 && m.length <= 60 && (l == linkStrong || m.length >= 5 && !product(m))
	}
	// Codes of letters alone: "HJKW-PLQM", or the four letters of a shared folder.
	upper := m.upper >= 6 && m.lower == 0 && strings.Contains(m.text, "-")
	return l == linkStrong && (upper || m.length == 4 && m.lower == 4 && !isLetter(w.text[w.from-1]) && isCJK(lastRune(w.text[:w.from])))
}
