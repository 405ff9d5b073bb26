// Package hub brings the files of a published model onto this machine, from
// the plain file addresses of the Hugging Face hub or of a server that has
// them in the same places:
//
//	BASE/OWNER/NAME/resolve/REVISION/FILE
//
// A file is written to FILE.part and renamed when it is complete. Its length
// must be the one that the server announced. Its SHA-256 must be the one that
// the hub gives for large files (the header X-Linked-ETag), and the one that
// the caller knows. An interrupted download continues where it stopped, if the
// server still has the same file (RFC 9110: Range with If-Range).
//
// Redirects are followed, because the hub sends large files from elsewhere, but
// never from https to http. The token goes only to the base address.
package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// DefaultBaseURL is the hub.
const DefaultBaseURL = "https://huggingface.co"

// The errors that callers branch on. Errors of this package say in one line
// what happened, without addresses, which could hold a secret.
var (
	// ErrInvalid reports a malformed name or address.
	ErrInvalid = errors.New("not the name of a model")
	// ErrNotFound reports a model, revision or file that the server does not have.
	ErrNotFound = errors.New("the server does not have it")
	// ErrDenied reports a model that needs a token, or another one. The hub
	// gives the same answer for a model that does not exist.
	ErrDenied = errors.New("it does not exist or needs a token")
	// ErrBusy reports a server that refuses for now: too many requests.
	ErrBusy = errors.New("the server asks to wait")
	// ErrDamaged reports a file that is not the published one; it was removed.
	ErrDamaged = errors.New("the file is not what was published")
	// ErrTooLarge reports a file above the limit.
	ErrTooLarge = errors.New("the file is too large")
	// ErrInterrupted reports a connection that failed or broke. What has arrived
	// is kept.
	ErrInterrupted = errors.New("the connection failed")
	// ErrAnswer reports a response that is not a file, such as the page of a
	// proxy.
	ErrAnswer = errors.New("the answer is not the file")
)

// Options say where files come from. The zero value is the hub, without a token.
type Options struct {
	BaseURL string // without a slash at its end; "" means [DefaultBaseURL]
	Token   string // sent to the base address, over https or to this machine only; "" is none
	// MaxBytes is the most bytes of one file; 0 means 4 GiB.
	MaxBytes int64
	// Tries is how many attempts may bring nothing; 0 means 4.
	Tries int
	// RetryWait is the first pause before another attempt. Each further pause is
	// twice as long. 0 means 1 s.
	RetryWait time.Duration
	// Stall is how long a server may send nothing; 0 means 30 s.
	Stall time.Duration
}

// A Client downloads files. It is safe for concurrent use, except for two
// downloads of the same file to one folder.
type Client struct {
	opts Options
	base *url.URL
	http *http.Client
}

// New returns a client. A malformed base address gives [ErrInvalid].
func New(opts Options) (*Client, error) {
	if opts.BaseURL == "" {
		opts.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(strings.TrimRight(opts.BaseURL, "/"))
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Hostname() == "" {
		return nil, fmt.Errorf("the base address is not one of https:// or http://: %w", ErrInvalid)
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 4 << 30
	}
	if opts.Tries == 0 {
		opts.Tries = 4
	}
	if opts.RetryWait == 0 {
		opts.RetryWait = time.Second
	}
	if opts.Stall == 0 {
		opts.Stall = 30 * time.Second
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = opts.Stall
	// Lengths and ranges must be those of the file, not of a compressed form.
	transport.DisableCompression = true
	return &Client{opts: opts, base: base, http: &http.Client{
		Transport: transport,
		// The client follows redirects in one place, by its own rules.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// A Ref names a published model at one moment of its history.
type Ref struct {
	Owner, Name string
	Revision    string // a branch, a tag or a commit of 40 hexadecimal digits
}

// String returns OWNER/NAME.
func (r Ref) String() string { return r.Owner + "/" + r.Name }

// Pinned reports whether the revision is a commit, which never changes.
func (r Ref) Pinned() bool { return commit().MatchString(r.Revision) }

var (
	part   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
	commit = lazyregexp.New(`^[0-9a-f]{40}$`)
)

// ParseRef reads OWNER/NAME, OWNER/NAME@REVISION, or the address of a model's
// page below base, with or without /tree/REVISION. Without a revision it is
// main. Anything else gives [ErrInvalid].
func ParseRef(text, base string) (Ref, error) {
	r := Ref{Revision: "main"}
	rest, isAddress := strings.CutPrefix(text, strings.TrimRight(base, "/")+"/")
	if !isAddress && strings.Contains(text, "://") {
		return Ref{}, fmt.Errorf("the address is not below %s, where models come from: %w", base, ErrInvalid)
	}
	rest, revision, hasRevision := strings.Cut(strings.TrimSuffix(rest, "/"), "@")
	parts := strings.Split(rest, "/")
	if isAddress && len(parts) == 4 && parts[2] == "tree" && !hasRevision {
		revision, hasRevision, parts = parts[3], true, parts[:2]
	}
	if hasRevision {
		r.Revision = revision
	}
	if len(parts) == 2 {
		r.Owner, r.Name = parts[0], parts[1]
	}
	for _, p := range []string{r.Owner, r.Name, r.Revision} {
		if !part().MatchString(p) || strings.Contains(p, "..") {
			return Ref{}, fmt.Errorf("%q is not OWNER/NAME or OWNER/NAME@REVISION: %w", text, ErrInvalid)
		}
	}
	return r, nil
}

// A File is a file to download.
type File struct {
	Path     string // within the model, with slashes
	Optional bool   // the server need not have it
	SHA256   string // expected, in hexadecimal; "" when unknown
}

// Progress is told how many bytes of a file have arrived, and how many it has,
// -1 while that is unknown.
type Progress func(file string, done, total int64)

// Resolve returns the ref with the commit that its revision stands for now, so
// that all files are of the same commit. If the server does not tell, the ref
// stays as it is.
func (c *Client) Resolve(ctx context.Context, ref Ref) (Ref, error) {
	if ref.Pinned() {
		return ref, nil
	}
	err := c.retry(ctx, func() (bool, error) {
		a, err := c.open(ctx, ref, "config.json", http.MethodHead, resumption{})
		if err != nil {
			return false, err
		}
		a.close()
		if commit().MatchString(a.commit) {
			ref.Revision = a.commit
		}
		return true, nil
	})
	if err != nil {
		return ref, fmt.Errorf("%s: %w", ref, err)
	}
	return ref, nil
}

// Download downloads a file to its path below a folder, and reports whether the
// server has it. A file that exists already is not requested again. When the
// context ends, what has arrived is kept for the next time. Anything but an
// ordinary file in its place, such as a symbolic link, gives [regular.ErrKind]
// and stays.
func (c *Client) Download(ctx context.Context, ref Ref, file File, dir string, progress Progress) (bool, error) {
	if !filepath.IsLocal(file.Path) {
		return false, fmt.Errorf("file %q: %w", file.Path, ErrInvalid)
	}
	d := &download{client: c, ref: ref, file: file, path: filepath.Join(dir, filepath.FromSlash(file.Path)), progress: progress}
	err := d.run(ctx)
	if errors.Is(err, ErrNotFound) && file.Optional {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s of %s: %w", file.Path, ref, err)
	}
	return true, nil
}
