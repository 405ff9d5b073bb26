package sqlite

import "math/bits"

// textChunks finds the chunks of a text. It is a hash table of the first chunk
// of each text, with lists that lead from chunk to chunk.
type textChunks struct {
	texts []int64 // by chunk, of the contents
	slots []int32 // 1 + the first chunk of a text, 0: none
	next  []int32 // by chunk: 1 + the next chunk of the same text, 0: none
	shift int
}

// chunksByText returns the inverse of k.texts.
func (k *contents) chunksByText() *textChunks {
	k.inverting.Do(func() {
		n := bits.Len(uint(2*len(k.texts) + 1)) // at most half of the slots are taken
		t := &textChunks{texts: k.texts, slots: make([]int32, 1<<n), next: make([]int32, len(k.texts)), shift: 64 - n}
		for i := len(k.texts) - 1; i >= 0; i-- { // so that lists ascend
			if k.texts[i] != 0 {
				slot := t.slot(k.texts[i])
				t.next[i] = t.slots[slot]
				t.slots[slot] = int32(i + 1)
			}
		}
		k.byText = t
	})
	return k.byText
}

// slot returns the slot of a text, or the one where it would be.
func (t *textChunks) slot(text int64) int {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	i := int(uint64(text) * spread >> t.shift)
	for t.slots[i] != 0 && t.texts[t.slots[i]-1] != text {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// of yields the numbers of the chunks of a text, ascending.
func (t *textChunks) of(text int64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := t.slots[t.slot(text)]; n != 0; n = t.next[n-1] {
			if !yield(int(n - 1)) {
				return
			}
		}
	}
}
