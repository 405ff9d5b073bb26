package weaviate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/memoir-ai/memoir"
)

// A tally says how many documents and chunks hold each term: of documents that
// were added, less those that were removed, so that a number can be below zero.
// All tallies that a state names add up to the numbers of the tenant. A tally
// never changes, so that a write adds one with what it changes.
//
// Weaviate could count. It would need a second index of the terms of chunks and
// one of those of documents, it would be asked twice for each term of a question,
// and it would also count what no state names (docs/design/scale.md).
type tally struct {
	keys    []uint64 // of terms, ascending, each once
	holders []memoir.Holders
}

func plus(a, b memoir.Holders) memoir.Holders {
	return memoir.Holders{Chunks: a.Chunks + b.Chunks, Documents: a.Documents + b.Documents}
}

// keyBits is the length of a key. Among the 200,000 terms of a large tenant, one
// of a million other terms has the key of one of them with a chance of a fifth,
// and is then taken for as frequent.
const keyBits = 40

// keyOf returns what stands for a term in a tally: the first bits of its SHA-256.
func keyOf(term string) uint64 {
	sum := sha256.Sum256([]byte(term))
	return binary.BigEndian.Uint64(sum[:]) >> (64 - keyBits)
}

// tallyOf returns the tally of one document.
func tallyOf(f *forward) tally {
	chunks := make([]int, len(f.Terms)) // that hold each term
	last := make([]int, len(f.Terms))   // of them, from 1 on
	for ordinal, fields := range f.Chunks {
		for _, list := range fields {
			for _, t := range list {
				if last[t] <= ordinal {
					chunks[t], last[t] = chunks[t]+1, ordinal+1
				}
			}
		}
	}
	type counted struct {
		key    uint64
		chunks int
	}
	all := make([]counted, len(f.Terms))
	for i, term := range f.Terms {
		all[i] = counted{keyOf(term), chunks[i]}
	}
	slices.SortFunc(all, func(a, b counted) int { return cmp.Compare(a.key, b.key) })
	t := tally{keys: make([]uint64, 0, len(all)), holders: make([]memoir.Holders, 0, len(all))}
	for _, c := range all {
		h := memoir.Holders{Chunks: c.chunks, Documents: 1}
		if n := len(t.keys); n > 0 && t.keys[n-1] == c.key { // of two terms
			t.holders[n-1] = plus(t.holders[n-1], h)
		} else {
			t.keys, t.holders = append(t.keys, c.key), append(t.holders, h)
		}
	}
	return t
}

// minus returns a tally with all numbers below zero that were above it.
func (t tally) minus() tally {
	holders := make([]memoir.Holders, len(t.holders))
	for i, h := range t.holders {
		holders[i] = memoir.Holders{Chunks: -h.Chunks, Documents: -h.Documents}
	}
	return tally{t.keys, holders}
}

// total returns the sum of tallies. It adds halves, so that each number is copied a few
// times however many there are.
func total(all []tally) tally {
	switch n := len(all); n {
	case 0:
		return tally{}
	case 1:
		return all[0]
	default:
		return total(all[:n/2]).plus(total(all[n/2:]))
	}
}

// plus returns the sum of two tallies.
func (t tally) plus(other tally) tally {
	n := len(t.keys) + len(other.keys)
	sum := tally{make([]uint64, 0, n), make([]memoir.Holders, 0, n)}
	add := func(key uint64, h memoir.Holders) {
		if h != (memoir.Holders{}) {
			sum.keys, sum.holders = append(sum.keys, key), append(sum.holders, h)
		}
	}
	i, j := 0, 0
	for i < len(t.keys) && j < len(other.keys) {
		switch a, b := t.keys[i], other.keys[j]; {
		case a < b:
			add(a, t.holders[i])
			i++
		case b < a:
			add(b, other.holders[j])
			j++
		default:
			add(a, plus(t.holders[i], other.holders[j]))
			i, j = i+1, j+1
		}
	}
	sum.keys, sum.holders = append(sum.keys, t.keys[i:]...), append(sum.holders, t.holders[i:]...)
	sum.keys, sum.holders = append(sum.keys, other.keys[j:]...), append(sum.holders, other.holders[j:]...)
	return sum
}

// of returns the numbers of a key.
func (t tally) of(key uint64) memoir.Holders {
	if at, ok := slices.BinarySearch(t.keys, key); ok {
		return t.holders[at]
	}
	return memoir.Holders{}
}

// MarshalText implements [encoding.TextMarshaler]. It writes the number of keys,
// the distance of each from the one before it, the numbers of documents and then
// those of chunks, as varints.
func (t tally) MarshalText() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(t.keys)))
	last := uint64(0)
	for _, key := range t.keys {
		b, last = binary.AppendUvarint(b, key-last), key
	}
	for _, h := range t.holders {
		b = binary.AppendVarint(b, int64(h.Documents))
	}
	for _, h := range t.holders {
		b = binary.AppendVarint(b, int64(h.Chunks))
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errTally = errors.New("a tally that memoir did not write")

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *tally) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	r := varints{b: b}
	n := r.unsigned()
	if n > uint64(len(b)/3) { // a key and its numbers take as many bytes or more
		return errTally
	}
	*t = tally{make([]uint64, n), make([]memoir.Holders, n)}
	last := uint64(0)
	for i := range t.keys {
		distance := r.unsigned()
		if distance == 0 && i > 0 || distance >= 1<<keyBits-last {
			return errTally
		}
		last += distance
		t.keys[i] = last
	}
	for i := range t.holders {
		t.holders[i].Documents = r.number()
	}
	for i := range t.holders {
		t.holders[i].Chunks = r.number()
	}
	if r.broken || len(r.b) > 0 {
		return errTally
	}
	return nil
}

// varints reads numbers. Past the end, and of a number that is too large, it
// returns 0.
type varints struct {
	b      []byte
	broken bool
}

func (r *varints) unsigned() uint64 {
	x, n := binary.Uvarint(r.b)
	return read(r, x, n)
}

// number returns a number of documents or chunks.
func (r *varints) number() int {
	const most = 1 << 31
	x, n := binary.Varint(r.b)
	if x < -most || x > most {
		n = 0
	}
	return int(read(r, x, n))
}

func read[T uint64 | int64](r *varints, x T, n int) T {
	if n <= 0 {
		r.b, r.broken = nil, true
		return 0
	}
	r.b = r.b[n:]
	return x
}

// counts returns how many documents and chunks hold some terms.
func (k *contents) counts(terms []memoir.Term) memoir.WordCounts {
	counts := memoir.WordCounts{Documents: len(k.records), Chunks: len(k.chunks), Words: k.words, Holders: make(map[string]memoir.Holders, len(terms))}
	for _, t := range terms {
		if _, known := counts.Holders[t.Text]; known || t.Text == "" {
			continue
		}
		var sum memoir.Holders
		key := keyOf(t.Text)
		for _, id := range k.Tallies {
			sum = plus(sum, k.pages[id].Terms.of(key))
		}
		counts.Holders[t.Text] = memoir.Holders{Documents: between(sum.Documents, len(k.records)), Chunks: between(sum.Chunks, len(k.chunks))}
	}
	return counts
}

func between(n, most int) int { return min(max(n, 0), most) }

// count adds what a write changes: documents that get a new revision, or that are
// removed (nil). When the terms of one that goes are gone, those that stay are
// counted again.
func (d *draft) count(ctx context.Context, s *Store, k *contents, next map[memoir.DocID]*record, added map[uuid]tally) error {
	var gone, stay []*record
	for _, old := range k.records {
		if r, changed := next[old.ID]; changed && (r == nil || r.Revision != old.Revision) {
			gone = append(gone, old)
		} else {
			stay = append(stay, old)
		}
	}
	before, complete, err := s.tallyOfAll(ctx, gone)
	change := before.minus()
	if err == nil && !complete {
		d.Tallies = nil
		change, _, err = s.tallyOfAll(ctx, stay)
	}
	if err != nil {
		return err
	}
	var fresh []tally
	for _, r := range next {
		if r != nil {
			fresh = append(fresh, added[r.Revision])
		}
	}
	return d.addTally(s, change.plus(total(fresh)))
}

// tallyOfAll returns the tally of documents. It is not complete when the terms of one of
// them are gone.
func (s *Store) tallyOfAll(ctx context.Context, records []*record) (t tally, complete bool, err error) {
	var parts []tally
	found := 0
	for some := range slices.Chunk(records, forwardsAtOnce) {
		forwards, err := s.forwards(ctx, some)
		if err != nil {
			return tally{}, false, err
		}
		var each []tally
		for _, f := range forwards {
			each = append(each, tallyOf(f))
		}
		parts, found = append(parts, total(each)), found+len(forwards)
	}
	return total(parts), found == len(records), nil
}

// maxKeys is how many terms a tally has at most, unless one write brings more.
const maxKeys = 1 << 18

// addTally names a tally. It takes the place of those before it that are not twice as
// large, so that a tenant has few of them, and each number is written a few times.
func (d *draft) addTally(s *Store, t tally) error {
	for n := len(d.Tallies); n > 0; n-- {
		last := d.pages[d.Tallies[n-1]].Terms
		if len(last.keys) > 2*len(t.keys) || len(last.keys)+len(t.keys) > maxKeys {
			break
		}
		t = last.plus(t)
		d.Tallies = d.Tallies[:n-1]
	}
	if len(t.keys) == 0 {
		return nil
	}
	id, err := d.addPage(s, page{Terms: t})
	d.Tallies = append(d.Tallies, id)
	return err
}
