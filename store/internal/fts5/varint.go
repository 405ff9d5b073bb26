package fts5

// reader reads numbers off the front of a record. Past the end it reads zeros,
// and data is nil.
type reader struct{ data []byte }

func (r *reader) varint() uint64 {
	v, n := varint(r.data)
	if n == 0 {
		r.data = nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// varint reads a number as SQLite writes it: 1 to 9 bytes, the most significant
// first, seven bits each and eight in the ninth. n is 0 where the data ends before.
func varint(b []byte) (v uint64, n int) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
