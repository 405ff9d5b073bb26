package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/memoir-ai/memoir"
)

// How long a check of an index may take before a run goes on with the index as
// it is. 1 GB takes some 3 s, and half a minute with its words.
const (
	checkTime = 3 * time.Second
	wholeTime = 30 * time.Second
)

// Heal implements [ability.Healer]. A sync begins with it, so it looks again at
// the path and at what other processes have noted. An index that only memoir
// has written to since the last check is checked again after a day. Damage that
// is met again after a check has found none is believed: SQLite does not look
// at everything, such as the kind of a table's page that is empty.
func (s *Store) Heal(ctx context.Context, thorough bool) error {
	s.looked.end()
	s.sought.end()
	s.refilled(ctx)
	_, marked := s.damaged()
	if !marked && !thorough {
		return nil
	}
	if err := s.hold(ctx, true); err != nil {
		return s.fault(ctx, "check the index", err)
	}
	file, writer := *s.file.Load(), s.writer
	s.mu.RUnlock()
	if writer == nil || !marked && s.lately(file) != nil {
		return nil
	}
	began := time.Now()
	if writer.failed.Load() == nil && !(marked && s.acquitted.Load()) {
		err := s.check(ctx, checkTime, checkTables)
		if err == nil && marked {
			err = s.check(ctx, wholeTime, checkAll)
		}
		switch {
		case ctx.Err() != nil:
			return s.fault(ctx, "check the index", ctx.Err())
		case err == nil:
			s.acquitted.Store(marked)
			s.sound()
			s.verify(began, file)
			return nil
		case !marked && !isDamage(ctx, err):
			return nil // busy, or too large to be checked in time
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault(ctx, "mend the index", s.startOver(ctx, file))
}

// startOver replaces the index, unless the file is another one by now. The
// caller holds the mutex.
func (s *Store) startOver(ctx context.Context, damaged fs.FileInfo) error {
	if s.closed {
		return errClosed
	}
	if known := s.file.Load(); known == nil || !os.SameFile(*known, damaged) {
		return nil // the next call opens what there is
	}
	_ = s.closePools() // the file is given up, so errors do not matter
	return s.open(ctx, damaged)
}

// Check reads the whole index: its pages, its tables, and whether the tables
// agree with each other. It returns [memoir.ErrCorrupt] when the index is
// damaged, and [context.DeadlineExceeded] when the check takes longer than half
// a minute. It changes nothing.
func (s *Store) Check(ctx context.Context) error {
	if err := s.hold(ctx, false); err != nil {
		return s.fault(ctx, "check the index", err)
	}
	defer s.mu.RUnlock()
	err := s.check(ctx, wholeTime, checkAll)
	s.note(ctx, err)
	return s.fault(ctx, "check the index", err)
}

// check runs a check within a time limit. It uses a connection of its own,
// which reads what is in the file now.
func (s *Store) check(ctx context.Context, within time.Duration, f func(context.Context, *conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	m := reading
	switch {
	case s.immutable:
		m = immutable
	case s.readOnly:
		m = readOnly
	}
	p, err := newPool(s.path, m, 1)
	if err != nil {
		return err
	}
	err = p.do(ctx, beginRead, func(c *conn) error { return f(ctx, c) })
	if ctx.Err() != nil {
		err = ctx.Err() // an interrupted statement may report anything
	}
	return errors.Join(err, p.close())
}

// checkAll checks everything. That includes whether indexes and tables hold the
// same, and the word index page by page.
func checkAll(ctx context.Context, c *conn) error {
	if err := c.passes(ctx, "PRAGMA integrity_check(1)"); err != nil {
		return err
	}
	return checkCounts(ctx, c)
}

// checkTables checks the pages of all tables and indexes. It checks the pages
// of the word index too, but not their content: that would take ten times as
// long.
func checkTables(ctx context.Context, c *conn) error {
	var tables []string
	if err := c.each(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'", nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		tables = append(tables, name)
		return err
	}); err != nil {
		return err
	}
	for _, name := range tables {
		if err := c.passes(ctx, "PRAGMA quick_check('"+name+"')"); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return checkCounts(ctx, c)
}

// passes runs a check of SQLite.
func (c *conn) passes(ctx context.Context, check string) (err error) {
	defer c.guard(&err)
	var report string
	if err := c.QueryRowContext(ctx, check).Scan(&report); err != nil {
		return err
	}
	if report != "ok" {
		return fmt.Errorf("%w: %s", memoir.ErrCorrupt, report)
	}
	return nil
}

// counts are queries that compare tables with each other. Each counts what is
// wrong.
var counts = []struct{ wrong, query string }{
	{"totals", `SELECT count(*) FROM (SELECT count(*) AS documents, coalesce(sum(chunks), 0) AS chunks, coalesce(sum(terms), 0) AS terms FROM files) f
		WHERE (SELECT value FROM meta WHERE key = 'documents') IS NOT f.documents
			OR (SELECT value FROM meta WHERE key = 'chunks') IS NOT f.chunks
			OR (SELECT value FROM meta WHERE key = 'terms') IS NOT f.terms
			OR (SELECT value FROM meta WHERE key = 'texts') IS NOT (SELECT count(DISTINCT text) FROM uses)
			OR (SELECT count(*) FROM chunks) <> f.chunks
			OR (SELECT count(*) FROM chunks_fts_docsize) <> f.chunks`},
	{"documents without what ranking has to know", "SELECT count(*) FROM files WHERE length(facts) < 24 * chunks OR (length(facts) - 24 * chunks) % 12 <> 0"},
	{"documents without their chunks", `SELECT count(*) FROM files f
		WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.id BETWEEN f.id << 20 AND f.id << 20 | 1048575)`},
	{"chunks without words", "SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunks_fts_docsize d WHERE d.id = c.id)"},
	// A page of words, other than of the bits above its number and of the tombstones, has
	// terms when its bytes 2 and 3 do not name its end. Each such page has a row.
	{"segments of words whose pages are not listed", `SELECT count(*) FROM (
			SELECT id >> 37 AS segid, sum(hex(substr(block, 3, 2)) <> printf('%04X', length(block))) AS leaves
			FROM chunks_fts_data WHERE id >= 1 << 37 AND id >> 37 < 1 << 16 AND id >> 31 & 63 = 0 GROUP BY 1) s
		WHERE s.leaves <> (SELECT count(*) FROM chunks_fts_idx i WHERE i.segid = s.segid)`},
	{"texts of no chunk, or chunks without their text", `SELECT count(*) FROM uses u
		WHERE NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = u.text) OR NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = u.chunk)`},
	{"chunks with labels that are not known", "SELECT count(*) FROM chunks c WHERE labels IS NOT NULL AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.id = c.labels)"},
	{"vectors of no text or no space", `SELECT count(*) FROM vectors v LEFT JOIN spaces s ON s.id = v.space
		WHERE length(v.vector) IS NOT 4 * s.dimensions OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = v.text)`},
}

// checkCounts checks what SQLite does not know about.
func checkCounts(ctx context.Context, c *conn) error {
	for _, x := range counts {
		var wrong int
		if err := c.one(ctx, x.query, nil, &wrong); err != nil {
			return err
		}
		if wrong > 0 {
			return fmt.Errorf("%w: %d %s", memoir.ErrCorrupt, wrong, x.wrong)
		}
	}
	return checkUses(ctx, c)
}

// checkUses compares which texts chunks use with what ranking knows of it. SQLite does not know
// what the bytes of a row say.
func checkUses(ctx context.Context, c *conn) error {
	known := map[int64]useSums{} // by files.id
	if err := readFiles(ctx, c, "1", nil, func(f changedFile) {
		if sums := sumsOf(f); sums != (useSums{}) {
			known[f.id] = sums
		}
	}); err != nil {
		return err
	}
	wrong := 0
	if err := c.each(ctx, `SELECT chunk >> 20, count(*), sum(chunk & 1048575), sum(text & 65535), sum((chunk & 1048575) * (text & 65535)), sum(text >> 16)
			FROM uses GROUP BY 1`, nil, func(scan func(...any) error) error {
		var file int64
		var sums useSums
		if err := scan(&file, &sums.uses, &sums.ordinals, &sums.low, &sums.mixed, &sums.high); err != nil {
			return err
		}
		if known[file] != sums {
			wrong++
		}
		delete(known, file)
		return nil
	}); err != nil {
		return err
	}
	if wrong += len(known); wrong > 0 {
		return fmt.Errorf("%w: %d documents whose texts are not those that ranking knows", memoir.ErrCorrupt, wrong)
	}
	return nil
}

// useSums are sums over the uses of the chunks of a document: how many there are, of the
// ordinals, of the parts of texts.id, and of ordinals multiplied by the lower part.
type useSums struct{ uses, ordinals, low, mixed, high int64 }

func sumsOf(f changedFile) (s useSums) {
	add := func(ordinal int, text int64) {
		n, low := int64(ordinal), text&65535
		s = useSums{s.uses + 1, s.ordinals + n, s.low + low, s.mixed + n*low, s.high + text>>16}
	}
	facts, more := f.facts[:f.chunks*factSize], f.facts[f.chunks*factSize:]
	for n := 0; len(facts) > 0; n, facts = n+1, facts[factSize:] {
		if text := int64(binary.LittleEndian.Uint64(facts[16:])); text != 0 {
			add(n, text)
		}
	}
	for ; len(more) > 0; more = more[moreSize:] {
		add(int(binary.LittleEndian.Uint32(more)), int64(binary.LittleEndian.Uint64(more[4:])))
	}
	return s
}
