package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
)

// A process that starts has to know every document, and reading a row for each
// takes five microseconds. So each row of the table listing, a page, holds what
// is known of many documents and their chunks: all documents whose ids are in
// one range.
//
// A page begins with a checksum and three numbers: how many documents it has,
// and how long its first two parts are. Then come three parts: the numbers of
// each document, the strings, and the facts about the chunks.
const (
	pageBits = 6 // low bits of an id; documents whose other bits agree share a page
	// unlisted is how many pages may be missing. So many documents can be read
	// from their own rows in a few milliseconds.
	unlisted = 16
	// pagesTogether are written in one transaction.
	pagesTogether = 256
)

func pageOf(file int64) int64 { return file >> pageBits }

// page is a row of the listing.
type page struct {
	number int64
	files  []changedFile
}

// readPages returns the pages of the listing in ascending order. It leaves out
// a damaged page; the documents on it have rows of their own.
func readPages(ctx context.Context, c *conn) (pages []page, err error) {
	err = c.each(ctx, "SELECT page, data FROM listing ORDER BY page", nil, func(scan func(...any) error) error {
		var number int64
		var data sql.RawBytes
		if err := scan(&number, &data); err != nil {
			return err
		}
		if files, ok := decodePage(number, data); ok {
			pages = append(pages, page{number, files})
		}
		return nil
	})
	return pages, err
}

// settleListing writes the pages that the listing lacks, if there are many.
func (s *Store) settleListing(ctx context.Context) error {
	enough := unlisted
	for missing := []int64{}; ; {
		look := func(c *conn) (err error) {
			missing, err = s.missingPages(ctx, c)
			return err
		}
		if err := s.read(ctx, "look at the listing", look); err != nil || len(missing) < enough {
			return err
		}
		enough = 1 // finish what was begun
		err := s.write(ctx, "list the documents", func(c *conn) error {
			if err := look(c); err != nil {
				return err
			}
			k, err := s.contents(ctx, c)
			if err != nil {
				return err
			}
			for _, number := range missing[:min(len(missing), pagesTogether)] {
				if err := c.run(ctx, "INSERT OR REPLACE INTO listing (page, data) VALUES (?, ?)", number, k.encodePage(number)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// missingPages returns which pages the listing lacks, ascending.
func (s *Store) missingPages(ctx context.Context, c *conn) (missing []int64, err error) {
	var highest int64
	if err := c.one(ctx, "SELECT coalesce(max(id), 0) FROM files", nil, &highest); err != nil || pageOf(highest) < unlisted {
		return nil, err
	}
	k, err := s.documents(ctx, c)
	if err != nil || len(k.files) < unlisted {
		return nil, err
	}
	listed := map[int64]bool{}
	err = c.each(ctx, "SELECT page FROM listing", nil, func(scan func(...any) error) error {
		var number int64
		err := scan(&number)
		listed[number] = true
		return err
	})
	for i := range k.files {
		if number := pageOf(k.files[i].id); !listed[number] {
			missing = append(missing, number)
			listed[number] = true
		}
	}
	return missing, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodePage encodes what the contents know of the documents of a page.
func (k *contents) encodePage(number int64) []byte {
	from, _ := k.file(number << pageBits)
	to, _ := k.file((number + 1) << pageBits)
	var numbers, facts []byte
	var text strings.Builder
	for i := from; i < to; i++ {
		f := &k.files[i]
		numbers = binary.AppendUvarint(numbers, uint64(f.id&(1<<pageBits-1)))
		numbers = binary.AppendUvarint(numbers, uint64(f.chunks))
		numbers = binary.AppendVarint(numbers, f.meta.Size)
		numbers = binary.AppendVarint(numbers, f.meta.ModTime.Unix())
		numbers = binary.AppendUvarint(numbers, uint64(f.meta.ModTime.Nanosecond()))
		numbers = binary.AppendUvarint(numbers, f.meta.Stamp)
		numbers = binary.AppendUvarint(numbers, math.Float64bits(f.salience.Importance))
		numbers = binary.AppendVarint(numbers, int64(f.salience.Reinforced))
		numbers = binary.AppendVarint(numbers, int64(f.salience.Accessed))
		for _, s := range []string{string(f.meta.ID), string(f.meta.Kind), string(f.meta.Hash), f.meta.Recipe, f.date} {
			numbers = binary.AppendUvarint(numbers, uint64(len(s)))
			text.WriteString(s)
		}
		for n := f.first; n < f.first+f.chunks; n++ {
			facts = appendFact(facts, k.bodies[n], k.digests[n], k.texts[n])
		}
		more := k.furtherOf(f.first, f.first+f.chunks)
		for _, u := range more {
			facts = appendMore(facts, int(u.number)-f.first, u.text)
		}
		numbers = binary.AppendUvarint(numbers, uint64(len(more)))
	}
	data := make([]byte, 4, 16+len(numbers)+text.Len()+len(facts))
	for _, n := range []int{to - from, len(numbers), text.Len()} {
		data = binary.AppendUvarint(data, uint64(n))
	}
	data = slices.Concat(data, numbers, []byte(text.String()), facts)
	binary.LittleEndian.PutUint32(data, crc32.Checksum(data[4:], castagnoli))
	return data
}

// decodePage decodes a page. ok is false when the page is damaged. The
// documents share the memory of one string.
func decodePage(number int64, data []byte) (files []changedFile, ok bool) {
	if len(data) < 4 || binary.LittleEndian.Uint32(data) != crc32.Checksum(data[4:], castagnoli) {
		return nil, false
	}
	all := decoder{rest: data[4:]}
	count, long, wide := all.uvarint(), all.uvarint(), all.uvarint()
	numbers := decoder{rest: all.take(long)}
	text := string(all.take(wide))
	facts := decoder{rest: slices.Clone(all.rest)}
	next := func() string {
		n := numbers.uvarint()
		if n > uint64(len(text)) {
			numbers.bad = true
			return ""
		}
		s := text[:n]
		text = text[n:]
		return s
	}
	if all.bad || count > 1<<pageBits {
		return nil, false
	}
	files = make([]changedFile, count)
	rows := make([]fileRow, count)
	for i := range files {
		f := &files[i]
		f.fileRow = &rows[i]
		f.id = number<<pageBits | int64(numbers.uvarint())
		f.chunks = int(numbers.uvarint())
		f.meta.Size = numbers.varint()
		f.meta.ModTime = time.Unix(numbers.varint(), int64(numbers.uvarint())).UTC()
		f.meta.Stamp = numbers.uvarint()
		f.salience.Importance = math.Float64frombits(numbers.uvarint())
		f.salience.Reinforced, f.salience.Accessed = int(numbers.varint()), int(numbers.varint())
		f.meta.ID, f.meta.Kind, f.meta.Hash = memoir.DocID(next()), memoir.Kind(next()), memoir.Hash(next())
		f.meta.Recipe, f.date = next(), next()
		more := numbers.uvarint()
		if f.chunks < 0 || f.chunks > maxChunks || more > uint64(len(facts.rest)) {
			return nil, false
		}
		f.facts = facts.take(uint64(f.chunks)*factSize + more*moreSize)
		if facts.bad || !ascend(f.facts[f.chunks*factSize:], f.chunks) {
			return nil, false
		}
	}
	return files, !numbers.bad && !facts.bad
}

// decoder reads numbers and bytes, and records when it runs out of them.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	return number(d, v, n)
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	return number(d, v, n)
}

// number goes on behind a number of so many bytes.
func number[T any](d *decoder, v T, n int) T {
	if n <= 0 {
		d.bad, n = true, 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.bad, n = true, 0
	}
	part := d.rest[:n]
	d.rest = d.rest[n:]
	return part
}
