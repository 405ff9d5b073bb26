package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSpellings is how many words of a query are spelled otherwise, and how many ways of
// one word are.
const maxSpellings = 16

// spellings adds the words of a query as they are spelled with other letters.
func (v *variants) spellings(query string) {
	if len(query) > maxSpelled {
		query = query[:maxSpelled]
	}
	words := 0
	query = norm.NFC.String(query)
	serbian := strings.ContainsAny(query, "čćžšđČĆŽŠĐ")
	for w := range strings.FieldsFuncSeq(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if words == maxSpellings {
			return
		}
		before := len(v.Terms)
		switch r, _ := utf8.DecodeRuneInString(w); {
		case unicode.Is(unicode.Latin, r):
			v.umlauts(w)
			if serbian {
				v.cyrillic(w)
			}
		case unicode.Is(unicode.Cyrillic, r):
			v.latin(w)
		case unicode.Is(unicode.Arabic, r):
			v.arabic(fold(w).text)
		}
		if len(v.Terms) > before {
			words++
		}
	}
}

// maxSpelled is how much of a query is looked through for words that are spelled otherwise.
const maxSpelled = 1024

// Umlauts as they are typed without them. å is written aa in the same way.
var (
	umlauts    = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa", "Ä", "ae", "Ö", "oe", "Ü", "ue", "Ø", "oe", "Å", "aa")
	notUmlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u", "aa", "a")
)

// fewestLetters is how long a word is at least that is looked up with an umlaut: Joe and
// due are none.
const fewestLetters = 4

// umlauts adds a word with ae for ä and the other way round. Indexed words have lost the
// dots of an umlaut, so that Mueller is looked up as muller.
func (v *variants) umlauts(w string) {
	if _, spelled := look(w); !spelled {
		return
	}
	plain := fold(w).text
	if spelled := fold(umlauts.Replace(w)).text; spelled != plain {
		v.word(spelled, true)
	}
	if dotted := notUmlauts.Replace(plain); dotted != plain && len(plain) >= fewestLetters && letters(plain) && !stopWord(plain) && stem(dotted) != stem(plain) {
		v.word(dotted, true)
	}
}

// cyrillic adds a Serbian word in Latin letters as it is written in Cyrillic ones.
func (v *variants) cyrillic(w string) {
	w = strings.ToLower(w)
	if c := fold(toCyrillic.Replace(w)).text; !strings.ContainsFunc(c, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
		v.word(c, false)
	}
}

// latin adds a word in Cyrillic letters as it is written in Serbian Latin ones, without
// their marks, which indexed words have lost. đ is kept by some as dj.
func (v *variants) latin(w string) {
	l := fold(toLatin.Replace(strings.ToLower(w))).text
	if letters(l) {
		v.word(l, true)
		if dj := strings.ReplaceAll(strings.ToLower(w), "ђ", "dj"); dj != strings.ToLower(w) {
			v.word(fold(toLatin.Replace(dj)).text, true)
		}
	}
}

// Serbian in its two alphabets, of which each letter is one of the other.
var (
	toCyrillic = strings.NewReplacer("lj", "љ", "nj", "њ", "dž", "џ", "dj", "ђ", "a", "а", "b", "б", "c", "ц", "č", "ч", "ć", "ћ", "d", "д", "đ", "ђ", "e", "е", "f", "ф", "g", "г", "h", "х", "i", "и", "j", "ј", "k", "к", "l", "л",
		"m", "м", "n", "н", "o", "о", "p", "п", "r", "р", "s", "с", "š", "ш", "t", "т", "u", "у", "v", "в", "z", "з", "ž", "ж")
	toLatin = strings.NewReplacer("љ", "lj", "њ", "nj", "џ", "dž", "ђ", "đ", "а", "a", "б", "b", "ц", "c", "ч", "č", "ћ", "ć", "д", "d", "е", "e", "ё", "e", "ф", "f", "г", "g", "х", "h", "и", "i", "ј", "j", "й", "j", "к", "k", "л", "l",
		"м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "ш", "š", "т", "t", "у", "u", "в", "v", "з", "z", "ж", "ž")
)

// plainArabic makes of the letters with a hamza, of ة and of ى what is typed for them in
// haste.
var plainArabic = strings.NewReplacer("أ", "ا", "إ", "ا", "آ", "ا", "ؤ", "و", "ئ", "ي", "ة", "ه", "ى", "ي")

// arabic adds an Arabic word without hamza, and as it may be spelled in full: an alef at
// its beginning or behind the article with hamza, ة for ه and ى for ي at its end.
func (v *variants) arabic(w string) {
	plain := plainArabic.Replace(w)
	if plain != w {
		v.word(plain, false)
	}
	bare := withoutArticle(plain)
	article := plain[:len(plain)-len(bare)]
	bodies := []string{bare}
	if rest, ok := strings.CutPrefix(bare, "ا"); ok {
		bodies = append(bodies, "أ"+rest, "إ"+rest, "آ"+rest)
	}
	for _, b := range bodies {
		ends := []string{b}
		if rest, ok := strings.CutSuffix(b, "ه"); ok {
			ends = append(ends, rest+"ة")
		}
		if rest, ok := strings.CutSuffix(b, "ي"); ok {
			ends = append(ends, rest+"ى")
		}
		for _, e := range ends {
			if article+e != w {
				v.word(article+e, false)
			}
		}
	}
}
