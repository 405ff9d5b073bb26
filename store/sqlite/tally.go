package sqlite

import (
	"context"
	"slices"
)

// A tally keeps the counts of texts right while chunks, vectors or failures of
// some texts change. What those texts count is subtracted before the change and
// added after it.
type tally struct {
	texts []int64 // each once, ascending
	fresh int     // texts that this write adds and that chunks use afterwards
}

// newTally subtracts what the texts count. Their ids may be repeated.
func newTally(ctx context.Context, c *conn, texts []int64, fresh int) (tally, error) {
	slices.Sort(texts)
	t := tally{slices.Compact(texts), fresh}
	return t, t.add(ctx, c, -1)
}

// done adds what the texts count after the change.
func (t tally) done(ctx context.Context, c *conn) error {
	if t.fresh > 0 {
		if err := c.run(ctx, "UPDATE meta SET value = value + ? WHERE key = 'texts'", t.fresh); err != nil {
			return err
		}
		if err := c.run(ctx, "UPDATE spaces SET pending = pending + ?", t.fresh); err != nil {
			return err
		}
	}
	return t.add(ctx, c, 1)
}

func (t tally) add(ctx context.Context, c *conn, sign int) error {
	if len(t.texts) == 0 {
		return nil
	}
	list := jsonArray(t.texts)
	if err := c.run(ctx, `UPDATE meta SET value = value + ?2 * (SELECT count(*) FROM json_each(?1) j
			WHERE EXISTS (SELECT 1 FROM uses u WHERE u.text = j.value))
		WHERE key = 'texts'`, list, sign); err != nil {
		return err
	}
	const lacking = `(SELECT count(*) FROM json_each(?1) j WHERE EXISTS (SELECT 1 FROM uses u WHERE u.text = j.value)
		AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = spaces.id AND v.text = j.value)
		AND `
	const failed = "EXISTS (SELECT 1 FROM failed_texts x WHERE x.space = spaces.id AND x.text = j.value))"
	return c.run(ctx, "UPDATE spaces SET pending = pending + ?2 * "+lacking+"NOT "+failed+", failed = failed + ?2 * "+lacking+failed, list, sign)
}

// recount counts the texts of the spaces that meet a condition.
func recount(ctx context.Context, c *conn, where string, args ...any) error {
	if err := c.run(ctx, `UPDATE spaces SET failed = (SELECT count(*) FROM failed_texts x WHERE x.space = spaces.id
			AND EXISTS (SELECT 1 FROM uses u WHERE u.text = x.text)
			AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = spaces.id AND v.text = x.text))
		WHERE `+where, args...); err != nil {
		return err
	}
	return c.run(ctx, `UPDATE spaces SET pending = (SELECT value FROM meta WHERE key = 'texts') - failed
			- (SELECT count(*) FROM vectors v WHERE v.space = spaces.id AND EXISTS (SELECT 1 FROM uses u WHERE u.text = v.text))
		WHERE `+where, args...)
}
