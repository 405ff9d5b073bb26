package sqlite

import "math/bits"

// textChunks finds the chunks of a text. It is a hash table of the first use of each text,
// with lists that lead from use to use. The use with the number of a chunk is that of the
// first text of the chunk; behind these come the uses of further texts.
type textChunks struct {
	texts   []int64 // by chunk, of the contents
	further []use   // of the contents
	slots   []int32 // 1 + the first use of a text, 0: none
	next    []int32 // by use: 1 + the next use of the same text, 0: none
	shift   int
}

// chunksByText returns the inverse of k.texts and k.further.
func (k *contents) chunksByText() *textChunks {
	k.inverting.Do(func() {
		uses := len(k.texts) + len(k.further)
		n := bits.Len(uint(2*uses + 1)) // at most half of the slots are taken
		t := &textChunks{texts: k.texts, further: k.further, slots: make([]int32, 1<<n), next: make([]int32, uses), shift: 64 - n}
		for i := uses - 1; i >= 0; i-- { // so that lists ascend
			if text, _ := t.use(i); text != 0 {
				slot := t.slot(text)
				t.next[i] = t.slots[slot]
				t.slots[slot] = int32(i + 1)
			}
		}
		k.byText = t
	})
	return k.byText
}

// use returns the text of a use, and the number of the chunk that uses it.
func (t *textChunks) use(i int) (text int64, number int) {
	if i < len(t.texts) {
		return t.texts[i], i
	}
	u := t.further[i-len(t.texts)]
	return u.text, int(u.number)
}

// slot returns the slot of a text, or the one where it would be.
func (t *textChunks) slot(text int64) int {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	i := int(uint64(text) * spread >> t.shift)
	for t.slots[i] != 0 {
		if at, _ := t.use(int(t.slots[i] - 1)); at == text {
			break
		}
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// of yields the numbers of the chunks of a text.
func (t *textChunks) of(text int64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := t.slots[t.slot(text)]; n != 0; n = t.next[n-1] {
			if _, number := t.use(int(n - 1)); !yield(number) {
				return
			}
		}
	}
}
