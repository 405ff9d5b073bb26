package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// How often a request is sent, and how long a server may ask to wait. A query
// has somebody waiting, who is answered by words meanwhile.
const (
	documentTries = 5
	queryTries    = 2
	maxWait       = time.Minute
	maxElapsed    = 5 * time.Minute
)

// Ask is [Client.Call] for somebody who waits: a limit (429), a failure of the
// server (5xx) or a broken connection is tried once more, after a wait or the
// one that the server asks for, and all of it takes one timeout at most. A
// server that cannot be reached is not tried again.
func (c *Client) Ask(ctx context.Context, r Request, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.retry(ctx, queryTries, false, func() error { return c.Call(ctx, r, answer) })
}

// retry makes attempts until one is answered, refused, or not worth another.
// What can be divided is not sent again as it is to a server that was silent.
func (c *Client) retry(ctx context.Context, tries int, divisible bool, once func() error) error {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = c.wait
	waits.Multiplier = 2
	waits.MaxInterval = maxWait / 2
	start := time.Now()
	for try := 1; ; try++ {
		err := once()
		switch f := failureOf(err); {
		case err == nil:
			return nil
		case ctx.Err() != nil && (f == nil || f.kind == timedOut || f.kind == broken):
			return c.ended(ctx, err)
		case f == nil || !f.again() || try == tries || f.kind == timedOut && divisible:
			return err
		default:
			wait := max(waits.NextBackOff(), f.wait)
			// No use in a wait that cannot end; the server's error says more than the deadline's.
			if time.Since(start)+wait > maxElapsed || endsBefore(ctx, wait) {
				return err
			}
			if sleep(ctx, wait) != nil {
				return c.ended(ctx, err)
			}
		}
	}
}

// ended says that the caller's patience ended, not the server's.
func (c *Client) ended(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == context.DeadlineExceeded { // which is the server's doing
		return fmt.Errorf("ask %s: no answer in time: %w", c.base.Host, &failure{text: err.Error(), kind: timedOut, cause: cause})
	}
	return fmt.Errorf("ask %s: %w", c.base.Host, cause)
}
