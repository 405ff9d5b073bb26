package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

var _ ability.Purger = (*Store)(nil)

// Purge implements [ability.Purger]. What was removed stays in free pages, in
// segments of the word index that are not merged yet, in the log, and in the rows
// beside the index. So Purge writes all of these anew. It takes as long as copying
// the file, and needs room for a copy.
func (s *Store) Purge(ctx context.Context) error {
	const doing = "rewrite the index"
	if err := s.write(ctx, doing, func(c *conn) error {
		for _, q := range []string{
			"DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = vectors.text)",
			"DELETE FROM failed_texts WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = failed_texts.text)",
			"DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM uses u WHERE u.text = texts.id)",
			"DELETE FROM labels WHERE id NOT IN (SELECT labels FROM chunks WHERE labels IS NOT NULL) AND id < (SELECT max(id) FROM labels)",
			"INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')",
		} {
			if err := c.run(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.hold(ctx, true); err != nil {
		return s.fault(ctx, doing, err)
	}
	defer s.mu.RUnlock()
	return errors.Join(s.prune(0), s.purgeRows(), s.fault(ctx, doing, s.vacuum(ctx)))
}

// vacuum copies the content of the file to a new file in its place, and empties
// the log. It uses a connection of its own, because it must not run in a
// transaction.
func (s *Store) vacuum(ctx context.Context) (err error) {
	p, err := newPool(s.path, writing, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	sc, err := p.connect(ctx)
	if err != nil {
		return err
	}
	c := &conn{Conn: sc}
	defer func() { err = errors.Join(err, c.close()) }()
	defer c.guard(&err)
	if err := whileBusy(ctx, func() error {
		_, err := c.ExecContext(ctx, "VACUUM")
		return err
	}); err != nil {
		return err
	}
	// The log keeps old pages until no reader needs them.
	var busy, log, done int
	if _, err := c.ExecContext(ctx, "PRAGMA busy_timeout(2000)"); err != nil {
		return err
	}
	if err := c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("%s-wal keeps what was removed while another program reads the index: %w", s.path, memoir.ErrUnavailable)
	}
	return nil
}
