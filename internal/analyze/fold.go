package analyze

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:generate go run ./hangen

// firstHan and lastHan bound the Han characters that the table simplified covers.
const (
	firstHan = 0x4e00
	lastHan  = 0x9fff
)

// folded is a text in the form in which terms are compared.
type folded struct {
	text string
	// camel holds the places inside words where a capital began a new word
	// (memory|Search, HTTP|Server), ascending.
	camel []hump
}

// A hump is a place where a new word begins inside a word of camel case.
type hump struct {
	at      int  // offset in the folded text
	capital bool // the word that holds it begins with a capital, too (Git|Hub)
}

// folder writes folded text and records where the words of camel case began.
type folder struct {
	buf   []byte
	camel []hump
	// The last two letters were capitals (or not); the last was a small letter.
	upper, upper2, lower bool
	capital              bool // the letters since the last character that is no letter begin with a capital
	last                 int  // offset of the last letter in buf
	bare                 bool // the script of the last base letter is written without accents here
}

// fold applies NFKC, lower case, accent and width folding, and turns traditional Chinese
// characters into simplified ones. It may keep a separator or make it a blank. It drops
// invisible characters.
func fold(text string) folded {
	f := folder{buf: make([]byte, 0, len(text))}
	for len(text) > 0 {
		plain, mixed := settledPrefix(text)
		f.write(text[:plain])
		f.write(norm.NFKC.String(text[plain:mixed]))
		text = text[mixed:]
	}
	return folded{text: string(f.buf), camel: f.camel}
}

// settledPrefix returns two ends. Up to plain, the text is in NFKC already, apart from
// full-width ASCII. From plain to mixed it may not be.
func settledPrefix(text string) (plain, mixed int) {
	last, i := 0, 0
	for i < len(text) {
		r, w := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRuneInString(text[i:])
		}
		if !settled(r) {
			break
		}
		last = i
		i += w
		if r == utf8.RuneError {
			last = i // package norm loses its place after bytes that are not UTF-8
		}
	}
	if i == len(text) {
		return i, i
	}
	// A mark may follow that composes with the last character.
	plain = last
	for i < len(text) {
		r, w := utf8.DecodeRuneInString(text[i:])
		if settled(r) {
			break
		}
		i += w
	}
	return plain, i
}

// settled reports whether r needs no normalisation: it is its own NFKC form or is folded
// here, and composes with nothing before it. It knows only common characters.
func settled(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return true
	case r < 0x0300:
		return r >= 0x00c0 && r < 0x0132
	case r < 0x2000:
		return r >= 0x0391 && r < 0x03cf || r >= 0x0400 && r < 0x0460
	case r < 0x3001:
		return r == '\u2014' || r >= 0x2018 && r < 0x201e
	case r < 0x3400:
		return r < 0x3004 || r >= 0x3008 && r < 0x3012 || r >= 0x3041 && r < 0x3097 || r >= 0x30a1 && r < 0x30ff
	}
	return r >= 0x4e00 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 || wide(r) || r == utf8.RuneError
}

// wide reports whether r is the full-width form of an ASCII character.
func wide(r rune) bool { return r >= 0xff01 && r <= 0xff5e }

// write folds text that is in NFKC, apart from full-width ASCII.
func (f *folder) write(text string) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			f.ascii(c, c == '\\' && i+1 < len(text) && escapable(text[i+1]))
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(text[i:])
		switch {
		case firstHan <= r && r <= lastHan:
			f.other()
			f.bare = false
			if s := simplified[r-firstHan]; s != 0 {
				f.buf = utf8.AppendRune(f.buf, rune(s))
			} else {
				f.buf = append(f.buf, text[i], text[i+1], text[i+2])
			}
		case filler(r):
		case spaceless(r):
			f.other()
			f.bare = false
			f.buf = append(f.buf, text[i:i+w]...)
		case wide(r):
			f.ascii(byte(r-0xff01+'!'), false)
		default:
			f.rune(r)
		}
		i += w
	}
}

// ascii folds an ASCII character. A backslash with which Markdown escapes punctuation
// (DB\_PASSWORD) is dropped. Any other backslash is a path separator of Windows and
// becomes a slash.
func (f *folder) ascii(c byte, escape bool) {
	switch {
	case 'a' <= c && c <= 'z':
		f.letter(false)
	case 'A' <= c && c <= 'Z':
		c += 'a' - 'A'
		f.letter(true)
	case escape:
		return
	default:
		if c == '\\' {
			c = '/'
		}
		f.other()
	}
	f.bare = true
	f.buf = append(f.buf, c)
}

func escapable(c byte) bool {
	return c < utf8.RuneSelf && c > ' ' && !alnum(c) && c != 0x7f
}

// letter records the case of a letter before the letter is appended.
func (f *folder) letter(upper bool) {
	if !f.upper && !f.lower {
		f.capital = upper
	}
	switch {
	case upper && f.lower:
		f.camel = append(f.camel, hump{len(f.buf), f.capital})
	case !upper && f.upper && f.upper2:
		f.camel = append(f.camel, hump{f.last, f.capital})
	}
	f.upper2, f.upper, f.lower = f.upper, upper, !upper
	f.last = len(f.buf)
}

func (f *folder) other() { f.upper, f.upper2, f.lower = false, false, false }

func (f *folder) rune(r rune) {
	switch {
	case r == utf8.RuneError:
		f.other()
		r = ' '
	case r == '\u0640', unicode.Is(unicode.Variation_Selector, r): // the tatweel only stretches Arabic words, a variation selector only chooses a glyph
		return
	case unicode.IsLetter(r):
		f.letter(unicode.IsUpper(r))
		f.bare = r < 0x0530 || 0x1e00 <= r && r < 0x2000
		if s := foldLetter(r); s != "" {
			f.buf = append(f.buf, s...)
			return
		}
		r = unicode.ToLower(r)
	case invisible(r):
		return
	case unicode.Is(unicode.Mn, r):
		if f.bare || optionalMark(r) {
			return
		}
	case r == '\u2019' || r == '\u02bc':
		r = '\''
	case r == '\u2010' || r == '\u2212':
		r = '-'
	default:
		f.other()
	}
	f.buf = utf8.AppendRune(f.buf, r)
}

// invisible reports whether a character cannot be seen. Those are the characters with
// Unicode's property Default_Ignorable_Code_Point, and marks of format: zero-width spaces
// and word joiners, soft hyphens, marks of direction, variation selectors. Readers and
// writers do not know that they are there, so they do not count. In Persian and the
// scripts of India, joiners and non-joiners choose between two looks of the same word. In
// an emoji they join parts, and the parts are terms.
func invisible(r rune) bool {
	if 0x3000 <= r && r < 0x3040 {
		return false // these stand visibly between words of Chinese and Japanese
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// filler reports whether a letter of a script without spaces is invisible: a Hangul
// letter that only fills a place, or a Khmer vowel that is spoken anyway.
func filler(r rune) bool {
	return r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5
}

// foldLetter returns a Latin, Greek or Cyrillic letter without its accents, or "" to keep
// the letter as it is. Letters without an accent that people usually type in another way
// (ß, ø, ł) become that. In Cyrillic only ё is folded: й and ї are letters of their own.
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
	// A decomposition may begin with a composed letter.
	for {
		base, w := utf8.DecodeRune(d)
		next := norm.NFD.Properties(d[:w]).Decomposition()
		if next == nil {
			return string(unicode.ToLower(base))
		}
		d = next
	}
}

// optionalMark reports whether a mark is one that writers of Hebrew and Arabic usually
// leave out: a point or a short vowel.
func optionalMark(r rune) bool {
	return 0x0591 <= r && r <= 0x05c7 || 0x064b <= r && r <= 0x065f || r == 0x0670
}
