package analyze

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text in the form in which terms are compared.
type folded struct {
	text string
	// camel holds the offsets in text where a capital began a new word inside
	// a word (memory|Search, HTTP|Server), ascending.
	camel []int
}

// folder writes folded text and remembers where words of camel case began.
type folder struct {
	buf   []byte
	camel []int
	// The last two letters were capitals (or not); the last was a small letter.
	upper, upper2, lower bool
	last                 int  // offset of the last letter in buf
	bare                 bool // the last base letter's script is written without accents here
}

// fold applies NFKC, lower case, accent and width folding. Separators of any
// kind may come out as they were or as a blank; format characters vanish.
func fold(text string) folded {
	if !ascii(text) {
		text = norm.NFKC.String(text)
	}
	f := folder{buf: make([]byte, 0, len(text))}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			f.ascii(text, i)
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(text[i:])
		f.rune(r)
		i += w
	}
	return folded{text: string(f.buf), camel: f.camel}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (f *folder) ascii(text string, i int) {
	c := text[i]
	switch {
	case 'a' <= c && c <= 'z':
		f.letter(false)
	case 'A' <= c && c <= 'Z':
		c += 'a' - 'A'
		f.letter(true)
	case c == '\\':
		// Markdown escapes punctuation (DB\_PASSWORD); elsewhere a backslash
		// is Windows' slash.
		if i+1 < len(text) && escapable(text[i+1]) {
			return
		}
		c = '/'
		f.other()
	default:
		f.other()
	}
	f.bare = true
	f.buf = append(f.buf, c)
}

func escapable(c byte) bool {
	return c < utf8.RuneSelf && c > ' ' && !alnum(c) && c != 0x7f
}

// letter notes case before the letter is appended.
func (f *folder) letter(upper bool) {
	switch {
	case upper && f.lower:
		f.camel = append(f.camel, len(f.buf))
	case !upper && f.upper && f.upper2:
		f.camel = append(f.camel, f.last)
	}
	f.upper2, f.upper, f.lower = f.upper, upper, !upper
	f.last = len(f.buf)
}

func (f *folder) other() { f.upper, f.upper2, f.lower = false, false, false }

func (f *folder) rune(r rune) {
	switch {
	case spaceless(r):
		f.other()
		f.bare = false
	case r == utf8.RuneError || r == '\u200b':
		f.other()
		r = ' '
	case unicode.IsLetter(r):
		f.letter(unicode.IsUpper(r))
		f.bare = r < 0x0530 || 0x1e00 <= r && r < 0x2000
		if s := foldLetter(r); s != "" {
			f.buf = append(f.buf, s...)
			return
		}
		r = unicode.ToLower(r)
	case unicode.Is(unicode.Mn, r):
		if f.bare || optionalMark(r) {
			return
		}
	case unicode.Is(unicode.Cf, r) || r == '\u0640': // the tatweel only stretches Arabic words
		return
	case r == '\u2019' || r == '\u02bc':
		r = '\''
	case r == '\u2010' || r == '\u2212':
		r = '-'
	default:
		f.other()
	}
	f.buf = utf8.AppendRune(f.buf, r)
}

// foldLetter returns what a letter of the Latin, Greek or Cyrillic script is
// without its accents, or "" to keep it. Letters that carry no accent and are
// nevertheless typed as others (ß, ø, ł) follow the common habit. Of Cyrillic,
// ё alone is folded: й and ї are letters of their own.
func foldLetter(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'æ', 'Æ':
		return "ae"
	case 'œ', 'Œ':
		return "oe"
	case 'ø', 'Ø':
		return "o"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'ł', 'Ł':
		return "l"
	case 'þ', 'Þ':
		return "th"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	case 'ё', 'Ё':
		return "е"
	}
	if r >= 0x0400 && r < 0x1e00 || r >= 0x2000 {
		return ""
	}
	var enc [utf8.UTFMax]byte
	n := utf8.EncodeRune(enc[:], r)
	d := norm.NFD.Properties(enc[:n]).Decomposition()
	if d == nil {
		return ""
	}
	// A decomposition may itself begin with a composed letter.
	for {
		base, w := utf8.DecodeRune(d)
		next := norm.NFD.Properties(d[:w]).Decomposition()
		if next == nil {
			return string(unicode.ToLower(base))
		}
		d = next
	}
}

// optionalMark reports whether a mark is one that writers of Hebrew and Arabic
// usually leave out: points and short vowels.
func optionalMark(r rune) bool {
	return 0x0591 <= r && r <= 0x05c7 || 0x064b <= r && r <= 0x065f || r == 0x0670
}
