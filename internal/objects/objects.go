// Package objects reads and writes the objects of a bucket whose server speaks the S3
// protocol: Amazon's, MinIO, R2, Ceph, Garage and others. It knows the four requests that
// notes need, and sends them over plain HTTP.
//
// Every write has a condition: the object is still the one that was read, or there is
// none yet. So two writers never overwrite each other. [Bucket.Conditional] finds out
// whether a server honours conditions.
package objects

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
)

// ErrChanged reports that somebody else changed the object that a write was meant for.
var ErrChanged = errors.New("the object was changed meanwhile")

// ErrLarge reports that an object is larger than the caller allows.
var ErrLarge = errors.New("the object is too large")

// DefaultTimeout is how long one request may take.
const DefaultTimeout = 30 * time.Second

// Options say where a bucket is and with which keys to ask.
type Options struct {
	URL      string // s3://bucket or s3://bucket/prefix
	Endpoint string // the address of the server; "" is Amazon's in the region
	Region   string // "" is us-east-1
	Key      string // the access key; "" asks anonymously
	Secret   string
	Token    string // of a session; may be ""
	Timeout  time.Duration
	Wait     time.Duration // before the second attempt; 0 is 200 ms
}

// A Bucket is a bucket, or the part of it below a prefix. It is safe for concurrent use.
type Bucket struct {
	base   *url.URL // the address of the bucket
	prefix string   // before every name; "" or ends in a slash
	opts   Options
	http   *http.Client
	skew   atomic.Int64 // how far the clock of the server is ahead, in nanoseconds
	now    func() time.Time
}

// Parse splits the address of a bucket. Any other text gives [memoir.ErrInvalid].
func Parse(address string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(address, "s3://")
	bucket, prefix, _ = strings.Cut(rest, "/")
	prefix = strings.Trim(prefix, "/")
	bad := func(r rune) bool {
		return r < '-' || r > 'z' || strings.ContainsRune("/:;<=>?@[\\]^_`", r) || unicode.IsUpper(r)
	}
	switch {
	case !ok || len(bucket) < 3 || len(bucket) > 63 || strings.ContainsFunc(bucket, bad) || strings.Contains(bucket, "..") ||
		strings.Trim(bucket, "-.") != bucket:
		return "", "", memoir.WithHint(fmt.Errorf("%q is not the address of a bucket: %w", address, memoir.ErrInvalid), "write it as s3://bucket/folder")
	case prefix != "" && !fs.ValidPath(prefix) || strings.ContainsFunc(prefix, unicode.IsControl):
		return "", "", memoir.WithHint(fmt.Errorf("%q has a folder that cannot be one: %w", address, memoir.ErrInvalid), "write it as s3://bucket/folder")
	}
	return bucket, prefix, nil
}

// Open returns the bucket of an address. It sends no request.
func Open(opts Options) (*Bucket, error) {
	name, prefix, err := Parse(opts.URL)
	if err != nil {
		return nil, err
	}
	opts.Region = cmp.Or(opts.Region, "us-east-1")
	opts.Timeout = cmp.Or(opts.Timeout, DefaultTimeout)
	opts.Wait = cmp.Or(opts.Wait, 200*time.Millisecond)
	if strings.Trim(opts.Region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil, memoir.WithHint(fmt.Errorf("%q is not the name of a region: %w", opts.Region, memoir.ErrInvalid), "check bucket.region")
	}
	if (opts.Key == "") != (opts.Secret == "") {
		return nil, memoir.WithHint(fmt.Errorf("of the keys of the bucket one is missing: %w", memoir.ErrInvalid), "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or bucket.accessKey and bucket.secretKey")
	}
	if strings.ContainsFunc(opts.Key+opts.Secret+opts.Token, func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' }) {
		return nil, memoir.WithHint(fmt.Errorf("a key of the bucket has a character that no key has: %w", memoir.ErrInvalid), "check bucket.accessKey and bucket.secretKey")
	}
	base, err := address(opts, name)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		prefix += "/"
	}
	b := &Bucket{base: base, prefix: prefix, opts: opts, now: time.Now, http: &http.Client{
		// A redirect would send the notes to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = transport.Clone()
		transport.MaxIdleConnsPerHost = Parallel
		transport.DisableCompression = true // an ETag belongs to the bytes as they are
		b.http.Transport = transport
	}
	return b, nil
}

// Parallel is how many requests one process may have under way at once.
const Parallel = 16

// address returns the address of a bucket. Amazon wants the bucket's name before the
// host. Other servers take it as the first part of the path.
func address(opts Options, bucket string) (*url.URL, error) {
	if opts.Endpoint == "" {
		if strings.Contains(bucket, ".") { // no certificate covers such a host
			return &url.URL{Scheme: "https", Host: "s3." + opts.Region + ".amazonaws.com", Path: "/" + bucket + "/"}, nil
		}
		return &url.URL{Scheme: "https", Host: bucket + ".s3." + opts.Region + ".amazonaws.com", Path: "/"}, nil
	}
	u, err := url.Parse(opts.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, memoir.WithHint(fmt.Errorf("the address of the server of the bucket has to start with https:// or http://: %w", memoir.ErrInvalid), "check bucket.endpoint")
	}
	if u.User != nil {
		return nil, memoir.WithHint(fmt.Errorf("the address of the server of the bucket holds a user: %w", memoir.ErrInvalid), "put the keys into bucket.accessKey and bucket.secretKey")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/" + bucket + "/"}, nil
}

// An Object is an object as a listing shows it.
type Object struct {
	Name     string // below the prefix
	ETag     string // changes whenever the content does
	Size     int64
	Modified time.Time
}

// List yields all objects below the prefix. It sends one request for each thousand of
// them. A server whose listings lag may leave out what was just written.
func (b *Bucket) List(ctx context.Context) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		token, seen, empty := "", map[string]bool{}, 0
		for {
			query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {b.prefix}}
			if token != "" {
				query.Set("continuation-token", token)
			}
			resp, err := b.send(ctx, request{method: http.MethodGet, query: query, most: maxPage})
			if err != nil {
				yield(Object{}, fmt.Errorf("list the bucket: %w", err))
				return
			}
			page, err := parsePage(resp.body)
			if err != nil {
				yield(Object{}, b.unusable(err))
				return
			}
			for _, o := range page.objects {
				name, ok := strings.CutPrefix(o.Name, b.prefix)
				if !ok {
					yield(Object{}, b.unusable(errors.New("it lists what was not asked for")))
					return
				}
				if o.Name = name; !yield(o, nil) {
					return
				}
			}
			if page.next == "" {
				return
			}
			if empty++; len(page.objects) > 0 {
				empty = 0
			}
			if seen[page.next] || empty == maxEmpty {
				yield(Object{}, b.unusable(errors.New("its pages go in a circle")))
				return
			}
			token, seen[page.next] = page.next, true
		}
	}
}

// maxEmpty is how many pages without an object may follow each other. A server may send
// empty pages after many deletions.
const maxEmpty = 100

// Get reads an object of at most most bytes, and returns its ETag. An object that does
// not exist gives [fs.ErrNotExist].
func (b *Bucket) Get(ctx context.Context, name string, most int64) (data []byte, etag string, err error) {
	resp, err := b.send(ctx, request{method: http.MethodGet, name: name, most: most})
	if err != nil {
		return nil, "", fmt.Errorf("read %q of the bucket: %w", name, err)
	}
	etag = quoted(resp.header.Get("ETag"))
	switch {
	case resp.status != http.StatusOK:
		return nil, "", b.unusable(fmt.Errorf("status %d for an object", resp.status))
	case etag == "":
		return nil, "", b.unusable(errors.New("an object without an ETag"))
	}
	return resp.body, etag, nil
}

// Put writes an object if its ETag is still was, or if there is no object and was is "".
// It returns the new ETag, or [ErrChanged] if the condition does not hold. When an
// attempt got no answer, Put looks whether it was carried out. If it was, and somebody
// else has added to the object since, the ETag is "", because nobody knows which one the
// write got.
func (b *Bucket) Put(ctx context.Context, name string, data []byte, was string) (etag string, err error) {
	header := http.Header{"If-None-Match": {"*"}}
	if was != "" {
		header = http.Header{"If-Match": {was}}
	}
	header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := b.send(ctx, request{method: http.MethodPut, name: name, body: data, header: header, most: maxError})
	if resp.again && changed(err) {
		// The earlier attempt may have been carried out.
		now, etag, getErr := b.Get(ctx, name, int64(len(data))+maxPage)
		switch {
		case getErr != nil:
		case bytes.Equal(now, data):
			return etag, nil
		case len(data) > 0 && bytes.HasPrefix(now, data):
			return "", nil
		}
	}
	switch {
	case changed(err):
		return "", ErrChanged
	case err != nil:
		return "", fmt.Errorf("write %q to the bucket: %w", name, err)
	}
	if etag = quoted(resp.header.Get("ETag")); etag == "" {
		return "", b.unusable(errors.New("no ETag of what was written"))
	}
	return etag, nil
}

// quoted writes an ETag in the one form in which memoir compares and sends it. Servers
// quote ETags in headers but not in listings, and proxies mark them as weak.
func quoted(etag string) string {
	etag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(etag), "W/"), `"`)
	if etag == "" || strings.ContainsFunc(etag, unicode.IsControl) {
		return ""
	}
	return `"` + etag + `"`
}

// Delete deletes an object if its ETag is still was. It is no error if the object is
// already gone.
func (b *Bucket) Delete(ctx context.Context, name, was string) error {
	_, err := b.send(ctx, request{method: http.MethodDelete, name: name, header: http.Header{"If-Match": {was}}, most: maxError})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case changed(err):
		return ErrChanged
	case err != nil:
		return fmt.Errorf("delete %q from the bucket: %w", name, err)
	}
	return nil
}

// changed reports whether an answer says that a condition does not hold. An object that
// is gone counts as changed.
func changed(err error) bool {
	var e *statusError
	return errors.As(err, &e) && (e.status == http.StatusPreconditionFailed || e.status == http.StatusConflict && e.code != "OperationAborted" ||
		e.status == http.StatusNotFound && e.code != "NoSuchBucket")
}

// Conditional finds out whether the server honours the conditions of writes. It writes an
// object of its own and deletes it again. A server that ignores conditions gives
// [memoir.ErrInvalid], because two machines would overwrite each other's notes. deletes
// reports whether the server honours conditions of deletions, too.
func (b *Bucket) Conditional(ctx context.Context) (deletes bool, err error) {
	name := ".memoir/try-" + strings.ToLower(rand.Text()[:12])
	first, err := b.Put(ctx, name, []byte("one"), "")
	if err != nil {
		return false, err
	}
	none := `"` + hex.EncodeToString(make([]byte, md5.Size)) + `"`
	_, created := b.Put(ctx, name, []byte("two"), "")
	_, replaced := b.Put(ctx, name, []byte("three"), none)
	deletes = errors.Is(b.Delete(ctx, name, none), ErrChanged)
	if err := b.Delete(ctx, name, first); deletes && err != nil && !errors.Is(err, ErrChanged) {
		return false, err
	}
	if errors.Is(created, ErrChanged) && errors.Is(replaced, ErrChanged) {
		return deletes, nil
	}
	for _, err := range []error{created, replaced} {
		if err != nil && !errors.Is(err, ErrChanged) {
			return false, err
		}
	}
	return false, memoir.WithHint(fmt.Errorf("the server of the bucket overwrites what it was told not to: it has no conditional writes, without which two machines undo what the other wrote: %w", memoir.ErrInvalid),
		"take a server that has them (Amazon S3, MinIO, Cloudflare R2), or read only")
}
