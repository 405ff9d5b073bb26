package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// maxNormal is the length up to which a text has a normal form of its own.
const maxNormal = 1 << 16

// Normal returns a text in the form in which texts are compared: without case, width,
// variants of characters, blanks at its ends and the last stop. It is "" for a text that has
// no letter or digit. A text of more than 64 kB is its own normal form.
func Normal(text string) string {
	if len(text) > maxNormal {
		return text
	}
	return strings.TrimRight(analyze.Fold(text), " .。!！…~")
}

// drawn are endings of English words that are drawn together, with what they are short for.
var drawn = strings.NewReplacer("can't ", "can not ", "cannot ", "can not ", "won't ", "will not ", "shan't ", "shall not ",
	"n't ", " not ", "i'm ", "i am ", "'re ", " are ", "'ve ", " have ", "'ll ", " will ")

// Equal reports whether two texts are the same in their normal form, with English words that
// are drawn together ("don't") spelled out.
func Equal(a, b string) bool {
	a, b = Normal(a), Normal(b)
	return a != "" && (a == b || drawn.Replace(a+" ") == drawn.Replace(b+" "))
}

// Check returns a short digest of a text in normal form ([Normal]): 32 bits in hexadecimal.
func Check(normal string) string {
	sum := sha256.Sum256([]byte(normal))
	return hex.EncodeToString(sum[:4])
}

// A pattern is a regular expression with words of which a text that it matches has one.
type pattern struct {
	expr  func() *regexp.Regexp
	words []string
}

// find returns where the pattern matches a text with its group, or nil. low is the text in
// lower case.
func (p pattern) find(text, low string) []int {
	for _, w := range p.words {
		if strings.Contains(low, w) {
			return p.expr().FindStringSubmatchIndex(text)
		}
	}
	return nil
}

// firstOf returns where the first pattern that matches does so, with its group, or nil.
func firstOf(patterns []pattern, text string) []int {
	low := strings.ToLower(text)
	for _, p := range patterns {
		if at := p.find(text, low); at != nil {
			return at
		}
	}
	return nil
}

// maxShape is how long a text is at most that is a path or an address.
const maxShape = 1000

var (
	onePath = lazyregexp.New(`^(?:[A-Za-z]:\\|[~.]{0,2}/)?(?:[\w.@\p{L}-]+[\\/])+[\w.@\p{L}-]*(?::\d+)*$|` +
		`^[\w.-]+\.(?:go|py|js|ts|tsx|jsx|java|c|h|cpp|rs|rb|php|md|txt|json|ya?ml|toml|sql|sh|html|css|csv|log|lock|xml|ini|cfg|png|jpg|pdf)(?::\d+)*$`)
	oneAddress = lazyregexp.New(`^(?:https?|ftp|ssh|git)://\S+$|^www\.\S+$|^git@\S+:\S+$`)
)

// bare returns why a text is no sentence of any language, or "": it has no letter and no
// digit, or it is an address, a path, a value of JSON or a single word. Scripts that write no
// blanks between words say something in three characters.
func bare(text string) Code {
	text = strings.TrimSpace(text)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return TooShort
	}
	if len(text) <= maxShape && (onePath().MatchString(text) || oneAddress().MatchString(text)) {
		return NoStatement
	}
	if first, last := text[0], text[len(text)-1]; (first == '{' && last == '}' || first == '[' && last == ']') && json.Valid([]byte(text)) {
		return NoStatement
	}
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return ""
	}
	wide := 0
	for _, r := range text {
		if unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			wide++
		}
	}
	if wide < 3 {
		return TooShort
	}
	return ""
}

// firstPerson matches a text that begins with who tells it, or with the user whom an agent
// speaks of, by the pronouns of the language.
var firstPerson = lazyregexp.New(`(?i)^(?:(?:i|my|the user|user|ich|mein\p{L}*|je|mon|ma|mes|yo|mi|mis|io|il mio|la mia|eu|meu|minha|я|мой|моя|моё)(?:['’]\p{L}+)?[ ,]|` +
	`j['’]|我|本人|用户|用戶|使用者|私|僕|俺|わたし|自分|ユーザー|나는|내 |저는|제 )`)

// OfUser reports whether a text begins by speaking of the user: "I live in Oslo",
// 我住在余杭区, "The user's name is Lin".
func OfUser(text string) bool { return firstPerson().MatchString(strings.TrimSpace(text)) }
