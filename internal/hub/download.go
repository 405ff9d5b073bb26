package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// maxWait is the longest pause between two attempts. If a server asks for more,
// the download fails, and a person decides when to try again.
const maxWait = time.Minute

// download is one file that is being downloaded.
type download struct {
	client   *Client
	ref      Ref
	file     File
	path     string
	progress Progress
}

// state is what is known of a partial download. It tells the next run whether
// it can continue.
type state struct {
	Revision string `json:"revision"`
	ETag     string `json:"etag"`             // strong; "" when the server gave none
	SHA256   string `json:"sha256,omitempty"` // of the whole file, as the hub says
}

func (d *download) part() string  { return d.path + ".part" }
func (d *download) state() string { return d.path + ".part.json" }

// run tries until the file is complete, or an attempt brings nothing more often
// than allowed. Attempts that bring something do not count.
func (d *download) run(ctx context.Context) error {
	if err := regular.Check(d.path); err != nil {
		return err
	}
	if _, err := os.Lstat(d.path); err == nil {
		return nil
	}
	folder := filepath.Dir(d.path)
	if err := errors.Join(regular.Folder(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return err
	}
	return d.client.retry(ctx, func() (bool, error) {
		before := d.size()
		err := d.try(ctx)
		return d.size() > before, err
	})
}

// retry repeats what may succeed later. An attempt that got further does not
// count.
func (c *Client) retry(ctx context.Context, try func() (further bool, err error)) error {
	wait := c.opts.RetryWait
	for tries := 1; ; tries++ {
		further, err := try()
		if err == nil {
			return nil
		}
		var refused *statusError
		worthIt := errors.As(err, &refused) && refused.again || errors.Is(err, ErrInterrupted)
		if further {
			tries, wait = 0, c.opts.RetryWait
		}
		pause := wait
		if refused != nil && refused.wait > 0 {
			pause = refused.wait
		}
		if ctx.Err() != nil || !worthIt || tries >= c.opts.Tries || pause > maxWait {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		wait = min(2*wait, maxWait/2)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// size returns how many bytes of the file have arrived.
func (d *download) size() int64 {
	info, err := os.Lstat(d.part())
	if err != nil {
		return 0
	}
	return info.Size()
}

// try makes one request and stores what it brings.
func (d *download) try(ctx context.Context) (err error) {
	from, known := d.resume()
	a, err := d.client.open(ctx, d.ref, d.file.Path, http.MethodGet, from)
	if err != nil {
		return err
	}
	defer a.close()
	if a.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		// The part is as long as the file or longer, so it is wrong.
		return errors.Join(d.forget(), &statusError{err: fmt.Errorf("the part of before does not fit: %w", ErrInterrupted), again: true})
	}
	at, total, err := extent(a, from)
	if err != nil {
		return err
	}
	if at > 0 && known.SHA256 != a.sha256 {
		return errors.Join(d.forget(), &statusError{err: fmt.Errorf("the file changed meanwhile: %w", ErrInterrupted), again: true})
	}
	if total > d.client.opts.MaxBytes {
		return fmt.Errorf("%d bytes, and %d are the most: %w", total, d.client.opts.MaxBytes, ErrTooLarge)
	}
	f, sum, err := d.open(at, state{Revision: d.ref.Revision, ETag: strong(a.Header), SHA256: a.sha256})
	if err != nil {
		return err
	}
	n, err := d.receive(ctx, a, io.MultiWriter(f, sum), at, total)
	if err = errors.Join(err, f.Close()); err != nil {
		if errors.Is(err, ErrTooLarge) {
			return errors.Join(err, d.forget())
		}
		return err
	}
	return d.finish(n, total, a.sha256, sum)
}

// resume returns what to request: the rest of a part whose origin is known, or
// else everything.
func (d *download) resume() (resumption, state) {
	var s state
	data, err := regular.ReadFile(d.state())
	if err != nil || json.Unmarshal(data, &s) != nil || s.ETag == "" || s.Revision != d.ref.Revision {
		return resumption{}, state{}
	}
	return resumption{offset: d.size(), etag: s.ETag}, s
}

// strong returns an ETag that stands for the same bytes (RFC 9110, 8.8.1).
func strong(h http.Header) string {
	etag := h.Get("ETag")
	if strings.HasPrefix(etag, "W/") || !strings.HasPrefix(etag, `"`) {
		return ""
	}
	return etag
}

// extent returns where a response begins in the file, and the length of the
// file, -1 when unknown.
func extent(a *answer, from resumption) (at, total int64, err error) {
	if a.StatusCode == http.StatusOK {
		if a.ContentLength < 0 {
			return 0, a.size, nil
		}
		return 0, a.ContentLength, nil
	}
	var end int64
	span, size, ok := strings.Cut(a.Header.Get("Content-Range"), "/")
	if _, err := fmt.Sscanf(span, "bytes %d-%d", &at, &end); !ok || err != nil || at != from.offset || end < at || from.offset == 0 {
		return 0, 0, fmt.Errorf("the server sends another range than was asked for: %w", ErrAnswer)
	}
	if total, err = strconv.ParseInt(size, 10, 64); err != nil || total <= end {
		return 0, 0, fmt.Errorf("the server sends a range of no file: %w", ErrAnswer)
	}
	return at, total, nil
}

// open opens the part for writing at a place, with the hash of what stands
// before it, and records where it comes from.
func (d *download) open(at int64, s state) (*os.File, hash.Hash, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, nil, err
	}
	f, err := regular.OpenFile(d.part(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	err = f.Truncate(at)
	if err == nil {
		_, err = io.Copy(sum, f) // which leaves the place at the end
	}
	if err == nil {
		err = atomicfile.Write(d.state(), 0o600, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, sum, nil
}

// errStalled ends a request that brings nothing any more.
var errStalled = fmt.Errorf("%w: the server sends nothing any more", ErrInterrupted)

// receive copies the body and returns how many bytes of the file have arrived.
func (d *download) receive(ctx context.Context, a *answer, to io.Writer, at, total int64) (int64, error) {
	stall := time.AfterFunc(d.client.opts.Stall, func() { a.cancel(errStalled) })
	defer stall.Stop()
	buf := make([]byte, 256<<10)
	for {
		n, err := a.Body.Read(buf)
		stall.Reset(d.client.opts.Stall)
		if _, err := to.Write(buf[:n]); err != nil {
			return at, err
		}
		at += int64(n)
		switch {
		case at > d.client.opts.MaxBytes:
			return at, fmt.Errorf("more than %d bytes: %w", d.client.opts.MaxBytes, ErrTooLarge)
		case total >= 0 && at > total:
			return at, fmt.Errorf("more bytes than the %d announced: %w", total, ErrAnswer)
		}
		if d.progress != nil {
			d.progress(d.file.Path, at, total)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil {
				return at, context.Cause(ctx)
			}
			if cause := context.Cause(a.Request.Context()); cause != nil {
				return at, cause
			}
			return at, fmt.Errorf("%w after %d bytes", ErrInterrupted, at)
		}
	}
	if total >= 0 && at < total {
		return at, fmt.Errorf("%w after %d of %d bytes", ErrInterrupted, at, total)
	}
	return at, nil
}

// finish checks a complete file and renames it.
func (d *download) finish(n, total int64, linked string, sum hash.Hash) error {
	got := hex.EncodeToString(sum.Sum(nil))
	for _, want := range []string{linked, strings.ToLower(d.file.SHA256)} {
		if want != "" && got != want {
			return errors.Join(fmt.Errorf("its SHA-256 is %s instead of %s: %w", got, want, ErrDamaged), d.forget())
		}
	}
	if total >= 0 && n != total {
		return errors.Join(fmt.Errorf("%d bytes instead of %d: %w", n, total, ErrDamaged), d.forget())
	}
	if err := os.Rename(d.part(), d.path); err != nil {
		return err
	}
	return remove(d.state())
}

// forget removes a part that no attempt can use.
func (d *download) forget() error { return errors.Join(remove(d.part()), remove(d.state())) }

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
