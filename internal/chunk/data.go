package chunk

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What counts as data, not text (docs/design/chunking.md).
const (
	dataBytes    = 256  // length of a run without blanks; hashes, keys and long addresses are shorter
	dataShown    = 64   // how much of it stays; no term is longer
	dataWord     = 128  // letters and digits in a row that are no word
	dataLines    = 8    // lines of a block
	dataLine     = 60   // bytes of each of them, at least
	packedBytes  = 2048 // of a line of packed code
	packedBlanks = 25   // at most one byte in that many is a blank
)

// embedded matches a file within an address.
var embedded = lazyregexp.New("data:[\\w.+-]{1,64}/[\\w.+-]{1,64}(?:;[\\w=.+-]{1,64}){0,4},([^\\s\"'()<>`\\]]{32,})")

// Shortened returns text without what is data rather than words: of files inside
// addresses (data:), long runs of letters, digits and marks, lines of packed
// code, blocks of Base64 and hex dumps the beginning stays, and "…" stands for the
// rest. The lines keep their numbers. Front matter stays as it is, to be parsed.
func Shortened(text string) string {
	_, _, body := blocks.Front(text)
	return shortened(text, body)
}

func shortened(text string, from int) string {
	s := shortener{text: text}
	for i := from; i < len(text); {
		line, next := blocks.Line(text, i)
		if len(line) < dataLine {
			i = next
			continue
		}
		if end := s.block(i, line); end > i {
			i = end
			continue
		}
		s.line(i, line)
		i = next
	}
	if s.from == 0 {
		return text
	}
	s.out.WriteString(text[s.from:])
	return s.out.String()
}

type shortener struct {
	text string
	from int // what comes before is in out
	out  strings.Builder
}

// replace writes mark for text[start:end], as far as that stands still.
func (s *shortener) replace(start, end int, mark string) {
	start = max(start, s.from)
	if end < start {
		return
	}
	s.out.WriteString(s.text[s.from:start])
	s.out.WriteString(mark)
	s.from = end
}

// shown returns how much stays of what is shortened.
func shown(data string) int {
	n := min(dataShown, len(data))
	for n > 0 && n < len(data) && !utf8.RuneStart(data[n]) {
		n--
	}
	return n
}

// line shortens what is data in the line at offset at.
func (s *shortener) line(at int, line string) {
	skip := 0
	if strings.Contains(line, "data:") {
		for _, m := range embedded().FindAllStringSubmatchIndex(line, -1) {
			s.part(at+skip, line[skip:m[2]])
			s.replace(at+m[2], at+m[3], "…")
			skip = m[3]
		}
	}
	s.part(at+skip, line[skip:])
}

// part shortens a line, or what stands beside files in it.
func (s *shortener) part(at int, line string) {
	switch {
	case packed(line):
		s.replace(at+shown(line), at+len(line), "…")
	case withoutBlanks(line):
		s.runs(at, line)
	}
}

// withoutBlanks reports whether a run of dataBytes without blanks is in line. It
// looks for a blank from the end of such a run, so that it reads few bytes of text.
func withoutBlanks(line string) bool {
	for from := 0; from+dataBytes <= len(line); {
		i := from + dataBytes - 1
		for i >= from && ' ' < line[i] && line[i] < 0x7f {
			i--
		}
		if i < from {
			return true
		}
		from = i + 1
	}
	return false
}

// runs shortens the runs without blanks in a line.
func (s *shortener) runs(at int, line string) {
	word, marks := 0, 0 // where a run of letters, digits and joints began, and one of marks
	for i := 0; i <= len(line); i++ {
		letter, joint, mark := false, false, false
		if i < len(line) {
			letter, joint, mark = sortOf(line[i])
		}
		if !letter && !joint {
			if run := line[word:i]; len(run) >= dataBytes && wordless(run) {
				s.replace(at+word+shown(run), at+i, "…")
			}
			word = i + 1
		}
		if !mark {
			if i-marks >= dataBytes {
				s.replace(at+marks+dataShown, at+i, "")
			}
			marks = i + 1
		}
	}
}

// sortOf says what a byte is: a letter or digit, a mark that data is joined by,
// a mark at all. What is beyond ASCII is none of it.
func sortOf(c byte) (letter, joint, mark bool) {
	switch {
	case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9':
		return true, false, false
	case c == '+', c == '/', c == '=', c == '_', c == '-', c == '%':
		return false, true, true
	}
	return false, false, ' ' < c && c < 0x7f
}

// wordless reports whether a run is not made of words: small letters, capitals
// and digits take turns as they do in Base64 and in hexadecimal digits, or there
// are too many in a row.
func wordless(run string) bool {
	turns, row := 0, 0
	last := byte(0)
	for i := range len(run) {
		kind := byte(0)
		switch c := run[i]; {
		case 'a' <= c && c <= 'z':
			kind = 'a'
		case 'A' <= c && c <= 'Z':
			kind = 'A'
		case '0' <= c && c <= '9':
			kind = '0'
		default:
			row = -1
		}
		if row++; row >= dataWord {
			return true
		}
		if kind != 0 && last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	return 5*turns >= len(run)
}

// packed reports whether a line is code without blanks and long names, as tools
// make it.
func packed(line string) bool {
	if len(line) < packedBytes || packedBlanks*strings.Count(line, " ") > len(line) {
		return false
	}
	names, short, size, wide := 0, 0, 0, 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) {
			if line[i] >= utf8.RuneSelf {
				wide++
			}
			if letter, _, _ := sortOf(line[i]); letter || line[i] == '_' {
				size++
				continue
			}
		}
		if size > 0 {
			names++
			if size <= 2 {
				short++
			}
		}
		size = 0
	}
	return 3*short > names && 20*wide < len(line)
}

// block shortens the block of data that begins with the line at offset at, and
// returns where it ends; at when there is none.
func (s *shortener) block(at int, line string) int {
	end := s.rows(at, line, base64Rows(line))
	if end == at {
		end = s.rows(at, line, hexRows(line))
	}
	if end == at {
		return at
	}
	s.replace(at+shown(line), at+len(line), "…")
	for i := at; i < end; { // line ends stay
		line, next := blocks.Line(s.text, i)
		if i > at {
			s.replace(i, i+len(line), "")
		}
		i = next
	}
	return end
}

// rows returns the end of the lines from at on that go on with a block, at when
// they are too few.
func (s *shortener) rows(at int, line string, goesOn func(line string) bool) int {
	if goesOn == nil {
		return at
	}
	_, end := blocks.Line(s.text, at)
	n := 1
	for end < len(s.text) {
		line, next := blocks.Line(s.text, end)
		if !goesOn(line) {
			break
		}
		end = next
		n++
	}
	if n < dataLines {
		return at
	}
	return end
}

// base64Rows tells the lines that go on with a block of Base64 from a first line
// that could be one; nil when it could not. All but the last are equally long.
// Rows of hashes are none, and rows that each end with "=" are several keys.
func base64Rows(first string) func(string) bool {
	data := strings.TrimLeft(first, " \t")
	if len(data) < dataLine || strings.ContainsAny(data, "=") || !base64(data) || !wordlessRow(data) {
		return nil
	}
	ended := false
	return func(line string) bool {
		row := strings.TrimLeft(line, " \t")
		if ended || row == "" || len(line) > len(first) || !base64(row) {
			return false
		}
		ended = len(line) < len(first) || strings.Contains(row, "=")
		return ended || !hash(row)
	}
}

func base64(row string) bool {
	for i := range len(row) {
		if letter, joint, _ := sortOf(row[i]); !letter && (!joint || row[i] == '%') {
			return false
		}
	}
	return true
}

// wordlessRow reports whether a row of Base64 is neither words nor a hash.
func wordlessRow(row string) bool { return wordless(row) && !hash(row) }

// hash reports whether a row is of hexadecimal digits and as long as a hash.
func hash(row string) bool {
	switch len(row) {
	case 64, 96, 128:
		return isHex(row)
	}
	return false
}

// hexRows tells the lines that go on with a hex dump from a first line that could
// be one; nil when it could not. Each begins with an offset that is greater by
// the bytes of a row.
func hexRows(first string) func(string) bool {
	at, held, ok := hexRow(first)
	if !ok {
		return nil
	}
	step := int64(0)
	return func(line string) bool {
		if strings.TrimSpace(line) == "*" { // rows like the one before
			return true
		}
		next, n, ok := hexRow(line)
		if step == 0 {
			step = next - at
		}
		if !ok || step < 8 || step > held || next < at+step || (next-at)%step != 0 {
			return false
		}
		at, held = next, max(held, n)
		return true
	}
}

// hexRow returns the offset that a row begins with and how many bytes follow in
// hexadecimal digits.
func hexRow(line string) (offset, held int64, ok bool) {
	first := true
	for field := range strings.FieldsSeq(line[:min(len(line), dataBytes)]) {
		if first {
			first = false
			field = strings.TrimPrefix(strings.TrimSuffix(field, ":"), "0x")
			if len(field) < 4 || !isHex(field) {
				return 0, 0, false
			}
			n, err := strconv.ParseInt(field, 16, 64)
			if err != nil {
				return 0, 0, false
			}
			offset = n
			continue
		}
		if len(field)%2 != 0 || len(field) > 16 || !isHex(field) {
			break
		}
		held += int64(len(field) / 2)
	}
	return offset, held, held >= 8
}

// isHex reports whether s has hexadecimal digits alone.
func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
