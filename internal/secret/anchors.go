package secret

// anchors finds where terms begin in a text. At every position it looks up only the first
// three bytes, in a table of bits. The table fits into the processor's nearest cache, so
// a text without any term is passed quickly.
type anchors struct {
	bits  bitmap
	terms map[uint32][]term // by their first three bytes, longest first
}

// A term is a word or the beginning of a shape, folded.
type term struct {
	text   string
	length int // how many bytes of text are the term; the rest of text must follow it
	rule   int32
}

// folded maps letters to lower case, and what joins the words of a name to a blank.
var folded = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	t['_'], t['-'] = ' ', ' '
	return t
}()

// bitmap is a set of numbers, kept by their hash. It may report a number that was never
// put in.
type bitmap [1 << 16 / 64]uint64

func (b *bitmap) add(w uint32) { h := hash(w); b[h/64] |= 1 << (h % 64) }

func (b *bitmap) has(w uint32) bool { h := hash(w); return b[h/64]&(1<<(h%64)) != 0 }

func hash(w uint32) uint32 { return w * 0x9e3779b1 >> 16 }

const prefixMask = 1<<24 - 1

func (a *anchors) add(t term) {
	w := uint32(t.text[0])<<16 | uint32(t.text[1])<<8 | uint32(t.text[2])
	a.bits.add(w)
	list := append(a.terms[w], t)
	for i := len(list) - 1; i > 0 && len(list[i].text) > len(list[i-1].text); i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	a.terms[w] = list
}

// next returns the first position at or after from where a term may begin, and the terms
// that share the three bytes there. It returns len(text) when there is no such position.
func (a *anchors) next(text string, from int) (int, []term) {
	w := uint32(0)
	for i := from; i < len(text); i++ {
		w = (w<<8 | uint32(folded[text[i]])) & prefixMask
		if a.bits.has(w) && i-from >= 2 {
			if list := a.terms[w]; list != nil {
				return i - 2, list
			}
		}
	}
	return len(text), nil
}

// begins reports whether the term stands at a position of the text.
func (t *term) begins(text string, at int) bool {
	if len(text)-at < len(t.text) {
		return false
	}
	for i := range len(t.text) {
		if folded[text[at+i]] != t.text[i] {
			return false
		}
	}
	return true
}
