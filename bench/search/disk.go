package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// disk tells what an index takes beside the text of its chunks.
func (b *bench) disk(ctx context.Context) error {
	t := table{
		Title:   "Disk: what the index takes",
		About:   "The database with all files beside it after a checkpoint, vectors of 384 dimensions; text is what the chunks hold, overlaps and all. The largest tables stand behind, in bytes a chunk.",
		Columns: []string{"chunks", "MB", "text, MB", "beside the text, bytes a chunk", "largest tables"},
	}
	for _, n := range b.hybridSizes {
		ix, err := b.index(ctx, n)
		if err != nil {
			return fmt.Errorf("%d chunks: %w", n, err)
		}
		all, err := fileBytes(ix.file)
		if err != nil {
			return err
		}
		text, largest, err := contents(ctx, ix.file, ix.chunks)
		if err != nil {
			return err
		}
		beside := float64(all-text) / float64(ix.chunks)
		t.Rows = append(t.Rows, []string{fmt.Sprint(ix.chunks), megabytes(all), megabytes(text), digits(beside), largest})
		b.report.point(chartDisk, "index, 384 dimensions", float64(ix.chunks), float64(all)/1e6)
		b.report.point(chartDisk, "text in it", float64(ix.chunks), float64(text)/1e6)
	}
	b.report.add(b.out, t)
	return nil
}

// contents returns the bytes of all chunks' text and the sizes of the largest
// tables and indexes, in words.
func contents(ctx context.Context, index string, chunks int) (text int64, largest string, err error) {
	base, err := openBaseline(ctx, index)
	if err != nil {
		return 0, "", err
	}
	defer base.close()
	if err := base.db.QueryRowContext(ctx, "SELECT sum(length(CAST(text AS BLOB))) FROM chunks").Scan(&text); err != nil {
		return 0, "", err
	}
	rows, err := base.db.QueryContext(ctx, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 5")
	if err != nil {
		return text, "–", nil // this build of SQLite has no dbstat
	}
	defer rows.Close()
	var parts []string
	for rows.Next() {
		var name string
		var size sql.NullInt64
		if err := rows.Scan(&name, &size); err != nil {
			return 0, "", err
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, size.Int64/int64(max(chunks, 1))))
	}
	return text, strings.Join(parts, ", "), rows.Err()
}
