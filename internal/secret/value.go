package secret

import (
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// mix counts what a value is made of.
type mix struct {
	text                        string
	length                      int // in characters
	digits, lower, upper, other int // other letters
	signs                       int // everything that is neither letter nor digit
	strong                      int // signs that do not join words
	hex                         bool
}

func mixture(v string) mix {
	m := mix{text: v, hex: true}
	ends := 0 // strong signs at the ends
	for i, r := range v {
		m.length++
		switch {
		case '0' <= r && r <= '9' || '０' <= r && r <= '９':
			m.digits++
		case 'a' <= r && r <= 'z':
			m.lower++
			m.hex = m.hex && r <= 'f'
		case 'A' <= r && r <= 'Z':
			m.upper++
			m.hex = m.hex && r <= 'F'
		case unicode.IsLetter(r):
			m.other++
			m.hex = false
		default:
			m.signs++
			m.hex = false
			if !strings.ContainsRune(".,-_/:;'’()·&", r) {
				m.strong++
				if i == 0 || i == len(v)-utf8.RuneLen(r) {
					ends++
				}
			}
		}
	}
	if m.digits == 0 {
		m.strong -= ends // marks of Markdown, patterns, the end of a sentence
	}
	return m
}

func (m mix) letters() int { return m.lower + m.upper + m.other }

// mixed reports whether a value has what a word does not have: signs, or digits among its
// letters.
func (m mix) mixed() bool {
	return m.digits > 0 && m.letters() > 0 || m.strong > 0 && m.letters()+m.digits >= 3 || m.inner()
}

// looks reports whether a value looks like a password even behind a word that also means
// other things, such as paths and devices.
func (m mix) looks() bool {
	return m.length >= 6 && m.digits > 0 && m.letters() > 0 && (m.strong > 0 || m.digits >= 3 && m.upper > 0 && m.lower > 0) && !strings.ContainsAny(m.text, `/\`)
}

// inner reports whether a sign stands between capitals and small letters in a way that
// prose does not have, as in "tulip&Vase".
func (m mix) inner() bool {
	return m.signs > 0 && strings.Contains(m.text, "&") && m.upper > 0 && m.lower > 0
}

// number reports whether a value is only digits, with signs between or behind them.
func (m mix) number() bool {
	return m.digits >= 3 && m.letters() == 0 && !strings.ContainsAny(m.text, "/:.,%$€£¥+=") && strings.Trim(m.text, "0123456789０１２３４５６７８９ -#*") == ""
}

// random reports whether a value looks like a key that a program made.
func (m mix) random() bool {
	if m.length < 16 || m.other > 0 || m.strong > 3 || strings.ContainsAny(m.text, " ") {
		return false
	}
	switch e := entropy(m.text); {
	case m.hex:
		return m.length >= 32 && m.digits >= 4 && m.letters() >= 3 && e > 2.8
	case m.digits > 0 && m.lower > 0 && m.upper > 0:
		return e > 3.4 && m.turns() >= 5
	case m.upper > 0 && m.lower == 0 && m.digits > 0:
		return e > 3 && m.turns() >= 4
	case m.lower > 0 && m.digits*6 >= m.length:
		return m.length >= 20 && e > 3.2 && m.turns() >= 6
	}
	return false
}

// turns counts how often the sort of character changes. Names change it seldom.
func (m mix) turns() int {
	n, last := 0, 0
	for i := range len(m.text) {
		sort := 0
		switch c := m.text[i]; {
		case isDigit(c):
			sort = 1
		case isLower(c):
			sort = 2
		case isUpper(c):
			sort = 3
		}
		if sort != last && i > 0 {
			n++
		}
		last = sort
	}
	return n
}

// entropy returns the bits per byte, by how often each byte occurs in the text itself.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// placeholder reports whether a value is to be filled in by a reader or a program: a
// variable, a call, "your-key", "xxxxx".
func (r *rules) placeholder(v string) bool {
	if v == "" {
		return true
	}
	low := strings.ToLower(v)
	for _, t := range r.words["placeholder start"].other {
		if strings.HasPrefix(low, t) {
			return true
		}
	}
	for _, t := range r.words["placeholder"].other {
		if strings.Contains(low, t) {
			return true
		}
	}
	name := 0 // the length of the name that v starts with
	for name < len(v) && (isAlnum(v[name]) || v[name] == '_' || v[name] == '.') {
		name++
	}
	switch {
	case v[0] == '$' && len(v) > 1 && (isLetter(v[1]) || strings.IndexByte("_{(", v[1]) >= 0), v[0] == '%' && v[len(v)-1] == '%':
		return true
	case name > 0 && name < len(v) && (v[name] == '(' || v[name] == '['):
		return true // a call, or an element of HTML
	case name == len(v):
		for _, t := range r.words["placeholder end"].other {
			if strings.HasSuffix(low, t) {
				return true
			}
		}
	}
	first, n := utf8.DecodeRuneInString(v)
	return utf8.RuneCountInString(v) >= 3 && !unicode.IsDigit(first) && strings.Trim(v, v[:n]) == ""
}

var ordinaries = lazyregexp.New(`(?i)^v?\d+(\.\d+){2,}([-+.][\w.]+)?$|^v\d+(\.\d+)*$|^\d+\.\d+$|^[#~]?\d{1,3}(,\d{3})+(\.\d+)?$` + // versions, numbers
	`|^(19|20)\d\d[-/.]\d{1,2}([-/.]\d{1,2})?([t_].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.](19|20)\d\d$|^\d{1,2}[/.]\d{1,2}[/.]\d\d$|^\d{1,2}:\d\d(:\d\d)?([ap]m)?$` + // dates, times
	`|^\d+(st|nd|rd|th|x|k|m|kb|mb|gb|tb|kib|mib|gib|ms|s|h|d|w|y|min|mins|hrs?|km|cm|mm|kg|px|pt|am|pm|bit|eur|usd|%)$|^[~<>≥≤]?\d{1,3}[–-]\d{1,2}[a-z]{0,2}$|^[~<>≥≤]\d+[–-]\d+$|^q[1-4]$` +
	`|^[\w.+-]+@[\w-]+(\.[\w-]+)+$|^[a-z][a-z0-9+.-]*://|^www\.|^(\d{1,3}\.){3}\d{1,3}(:\d+|/\d+)?$` + // addresses
	`|^[\w-]+\.(md|txt|go|py|js|ts|json|ya?ml|toml|pdf|png|jpe?g|csv|html?|sh|env|conf|ini|zip|log|sql|docx?|xlsx?|rs|java|c|h|cpp|rb|php|css|svg|kdbx)(:\d+)?$` + // files
	`|^(sha(1|256|384|512)|md5|h1|urn|uuid)[-:]|^0x[0-9a-f]{1,8}$|^[a-z]:\\|^(gpt|claude|llama|gemini|qwen)-?\d|^[[:punct:]]+$|^[a-z_][\w.-]*=[^=]|^[~\\]*[$€£¥]\d|^(ctrl|cmd|alt|shift|fn)[+-]`)

// paths are ordinary, unless one of their parts is random.
var paths = lazyregexp.New(`^[\w~.:@*-]*/[\w./:@*-]*$`)

// dotted are names of settings and variables: max_usd_per_source_24h.
var dotted = lazyregexp.New(`^[a-z]+([_.][a-z0-9]+){2,}$|^([a-z0-9]+[_.])+[a-z]{4,}([_.][a-z0-9]+)*$|^[A-Z]+(_[A-Z0-9]+)+$|^[a-z]+([A-Z][a-z]+){2,}\d?$`)

var domain = lazyregexp.New(`^([a-z0-9-]+\.)+[a-z]{2,7}(:\d+)?$`)

var uuids = lazyregexp.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// ordinary reports whether a value is something that prose and code also hold: a word for
// the value itself, a version, a date, a size, an address, a file, or the name of a
// program.
func (r *rules) ordinary(v string) bool {
	return r.words["ordinary"].has(v) || ordinaries().MatchString(v) || domain().MatchString(v)
}

// shapeFits checks what the expression of a shape cannot check.
func shapeFits(s *shape, v string) bool {
	switch {
	case s.kind == Password:
		return len(v) >= 3
	case strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2:
		return jsonWebToken(v)
	case checksummed(v):
		return true
	}
	return len(v) < 12 || entropy(v) > 2.5
}

// jsonWebToken reports whether a value has the header of RFC 7519.
func jsonWebToken(v string) bool {
	head, _, _ := strings.Cut(v, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil {
		return false
	}
	var fields struct{ Alg, Typ, Enc string }
	return json.Unmarshal(decoded, &fields) == nil && fields.Alg+fields.Typ+fields.Enc != ""
}

// checksummed reports whether a value ends with the checksum that GitHub and npm append:
// CRC-32 of the 30 characters before it, in base 62.
func checksummed(v string) bool {
	const body, sum = 30, 6
	if len(v) != 4+body+sum {
		return false
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	want := crc32.ChecksumIEEE([]byte(v[4 : 4+body]))
	for i := len(v) - 1; i >= 4+body; i-- {
		if v[i] != digits[want%62] {
			return false
		}
		want /= 62
	}
	return true
}
