package secret

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// finder is one look through a text.
type finder struct {
	*rules
	text  string
	found []Span
	marks []Span // secrets that are masked already
}

// scan looks through a text once.
func (r *rules) scan(text string) []Span {
	plain, changes := plainly(text)
	return original(changes, r.scanPlain(plain))
}

func (r *rules) scanPlain(text string) []Span {
	f := finder{rules: r, text: text}
	f.anchored()
	f.cards()
	f.seedPhrases()
	found := merge(f.found)
	marks := f.marks
	return slices.DeleteFunc(found, func(s Span) bool {
		for len(marks) > 0 && marks[0].End <= s.Start {
			marks = marks[1:]
		}
		return len(marks) > 0 && marks[0].Start < s.End || f.ofEntry(s)
	})
}

var (
	field = lazyregexp.New(`<!-- (?:[^<>]*\| )?(?:id|by|replaces|key|of|session|observed|until|last|count): [^|<>]*$`)
	given = lazyregexp.New(`^(?:[a-z2-7]{8}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d|\d{1,4})$`)
)

// longestComment bounds how far before a value the comment begins that it stands in.
const longestComment = 1000

// ofEntry reports whether a span is what memoir itself wrote into the comment of an entry:
// an id, a digest, a day, a count. A label in the words of the entry does not mean it.
func (f *finder) ofEntry(s Span) bool {
	return given().MatchString(f.text[s.Start:s.End]) && field().MatchString(lineBefore(f.text, s.Start, longestComment))
}

// anchored goes through the known terms from left to right and tries the rule of each. It
// skips what lies inside a secret or a mark.
func (f *finder) anchored() {
	labelled := 0 // the end of the last label
	for at := 0; at < len(f.text); {
		pos, terms := f.anchors.next(f.text, at)
		at = pos + 1
		for i := range terms {
			t := &terms[i]
			if !t.begins(f.text, pos) {
				continue
			}
			switch {
			case t.rule == ruleMark:
				at = max(at, f.marked(pos))
			case t.rule == rulePEM:
				at = max(at, f.pem(pos))
			case t.rule == ruleURL:
				at = max(at, f.credentials(pos))
			case t.rule == rulePair:
				at = max(at, f.pair(pos))
			case t.rule < 0:
				at = max(at, f.shaped(&f.shapes[-t.rule-1], pos))
			case pos >= labelled && f.labelled(t, pos):
				labelled = pos + t.length
			}
		}
	}
}

// add records a secret and returns its end.
func (f *finder) add(start, end int, k Kind) int {
	f.found = append(f.found, Span{start, end, k})
	return end
}

// taken reports whether a position lies in a secret that was just found.
func (f *finder) taken(at int) bool {
	for i := len(f.found) - 1; i >= 0 && i >= len(f.found)-8; i-- {
		if f.found[i].Start <= at && at < f.found[i].End {
			return true
		}
	}
	return false
}

// marked skips a secret that is masked already.
func (f *finder) marked(at int) int {
	rest := f.text[at+len(markStart):]
	end := strings.IndexByte(rest[:min(len(rest), 20)], markEnd[0])
	if end < 0 || !strings.HasPrefix(f.text[at:], markStart) {
		return at
	}
	switch Kind(rest[:end]) {
	case Password, Passphrase, PIN, Code, Key, Token, PrivateKey, Cookie, Card, CardCode, SeedPhrase:
	default:
		return at
	}
	end += at + len(markStart) + len(markEnd)
	f.marks = append(f.marks, Span{Start: at, End: end})
	return end
}

// longestShape bounds how many bytes an expression looks at. A match that reaches the
// bound is extended as long as characters of a token follow.
const longestShape = 600

// shaped looks for a secret that begins with an anchor, and returns its end.
func (f *finder) shaped(s *shape, at int) int {
	own := isAlnum(s.anchor[0]) // the anchor is the start of the secret itself
	if own && at > 0 && (isAlnum(f.text[at-1]) || f.text[at-1] == '_') || f.taken(at) {
		return at
	}
	if s.anchor[0] == '-' && at > 0 && isAlnum(f.text[at-1]) {
		return at
	}
	m := s.match(window(f.text, at, longestShape))
	if m == nil {
		return at
	}
	start, end := at+m[0], at+m[1]
	if len(m) > 2 && m[2] >= 0 {
		start, end = at+m[2], at+m[3]
	}
	if m[1] >= longestShape-utf8.UTFMax {
		for end < len(f.text) && isTokenByte(f.text[end]) {
			end++
		}
	}
	if s.anchor[0] == ':' || s.anchor[0] == '.' {
		for start > 0 && isAlnum(f.text[start-1]) {
			start--
		}
		if at-start < 8 {
			return at
		}
	}
	if s.kind == Cookie {
		return f.cookies(start, end)
	}
	v := f.text[start:end]
	if f.placeholder(v) || f.words["ordinary"].has(v) || !shapeFits(s, v) {
		return at
	}
	return f.add(start, end, s.kind)
}

// window returns the text from a position on: at most size bytes, all of one line, and
// only whole characters.
func window(text string, at, size int) string {
	end := min(len(text), at+size)
	for end > at && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	text = text[at:end]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return text
}

// cookies adds those values of a cookie header that look random.
func (f *finder) cookies(start, end int) int {
	last := start
	for at := start; at < end; {
		stop := at + len(f.text[at:end])
		if i := strings.IndexByte(f.text[at:end], ';'); i >= 0 {
			stop = at + i
		}
		if i := strings.IndexByte(f.text[at:stop], '='); i >= 0 {
			v := strings.TrimRight(f.text[at+i+1:stop], " \t\r\"'.,")
			if len(v) >= 16 && mixture(v).random() && !f.placeholder(v) {
				last = f.add(at+i+1, at+i+1+len(v), Cookie)
			}
		}
		at = stop + 1
	}
	return last
}

// credentials looks for a password in the address that has "://" at a position.
func (f *finder) credentials(at int) int {
	start := at + len("://")
	rest := f.text[start:min(len(f.text), start+300)]
	if i := strings.IndexAny(rest, " \t\r\n\"'<>`/\\"); i >= 0 {
		rest = rest[:i]
	}
	i := strings.LastIndexByte(rest, '@')
	if i < 0 || at == 0 || !isAlnum(f.text[at-1]) {
		return at
	}
	_, password, ok := strings.Cut(rest[:i], ":")
	if !ok {
		if m := mixture(rest[:i]); m.length >= 20 && m.random() {
			return f.add(start, start+i, Token)
		}
		return at
	}
	if len(password) < 3 || f.placeholder(password) || f.words["ordinary"].has(password) || !utf8.ValidString(password) {
		return at
	}
	return f.add(start+i-len(password), start+i, Password)
}

// pem returns the end of the private key whose first line begins at a position.
func (f *finder) pem(at int) int {
	const longest = 32 << 10
	block := f.text[at:min(len(f.text), at+longest)]
	title, body, ok := strings.Cut(block[len("-----BEGIN "):], "-----")
	if !ok || len(title) > 40 || !strings.Contains(title, "PRIVATE KEY") {
		return at
	}
	end := at + len(block) - len(body)
	if i := strings.Index(body, "-----"); i >= 0 && strings.HasPrefix(body[i:], "-----END ") {
		end += i + len("-----END ")
		body, title = body[:i], body[i+len("-----END "):]
		if j := strings.Index(title[:min(len(title), 60)], "-----"); j >= 0 {
			end += j + 5
		}
	} else {
		if i >= 0 {
			body = body[:i]
		}
		body = body[:bodyLength(body)]
		end += len(body)
	}
	coded := 0
	for i := range len(body) {
		if isAlnum(body[i]) {
			coded++
		}
	}
	if coded < 40 || strings.Contains(body, "...") && coded < 200 {
		return at
	}
	return f.add(at, end, PrivateKey)
}

// bodyLength returns how much of a text is the body of a PEM block that has no end: lines
// of base 64, headers, and "\n" as JSON writes it.
func bodyLength(text string) int {
	end := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if bare != "" && (len(bare) < 4 || strings.ContainsAny(bare, " .,") && !strings.Contains(bare, ": ")) {
			break
		}
		end += len(line)
	}
	return len(strings.TrimRight(text[:end], " \t\r\n"))
}

func isTokenByte(c byte) bool {
	return isAlnum(c) || strings.IndexByte("_-+/=.~%", c) >= 0
}
