// Package bridge lets one process use the memory that another process of the
// same user has open: memoir mcp uses that of a memoir serve. They talk over a
// Unix socket in the state folder, which nobody else can reach. So there is no
// address that another program could take, and no token.
//
// Calls of an engine cross the bridge whole, and so do their answers. A process
// that asks over the bridge therefore gives the same answers as the one that
// has the index open.
package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"syscall"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Memory is what can be asked over a bridge. It must be safe for concurrent
// use.
type Memory interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	Stats(ctx context.Context) (memoir.StoreStats, error)
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
	// Tool answers a call of Anthropic's memory tool.
	Tool(ctx context.Context, input json.RawMessage) (string, error)
}

// A Greeting is how a server describes the memory that it has open.
type Greeting struct {
	User, Project bool     // whose memories are open
	Collections   []string // folders that are searched with the notes
}

// Socket returns the path of a workspace's socket, in a folder that nobody else
// can write to. The path is kept as short as possible, because systems allow
// about a hundred bytes.
func Socket(dir, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])+".sock")
}

// A Gone is the error of a call that the server did not answer.
type Gone struct {
	Err  error
	Sent bool // the server may have carried out the call
}

// Error says what happened.
func (g *Gone) Error() string { return "the server that runs does not answer: " + g.Err.Error() }

// Unwrap returns the cause.
func (g *Gone) Unwrap() error { return g.Err }

// The calls, as they occur in the path of a request.
const (
	hello     = "hello"
	search    = "search"
	get       = "get"
	documents = "documents"
	stats     = "stats"
	remember  = "remember"
	prime     = "prime"
	forget    = "forget"
	tool      = "tool"
)

// held is the header that names the wanted memory.
const held = "Memoir-Held"

// The arguments of calls with more than one.
type (
	getArguments struct {
		ID       memoir.DocID
		From, To int
	}
	forgetArguments struct {
		Target engine.Target
		DryRun bool
	}
)

// The answers of calls, with what the commands' JSON leaves out.
type (
	outcomeAnswer struct {
		engine.Outcome
		Unshown struct {
			Written      []string
			Change, Told string
			Repeated     bool
			More         []outcomeAnswer
		}
	}
	forgettingAnswer struct {
		engine.Forgetting
		Unshown []string
		Meant   engine.Target
	}
)

func packOutcome(out engine.Outcome) outcomeAnswer {
	x := outcomeAnswer{Outcome: out}
	x.Unshown.Written, x.Unshown.Change, x.Unshown.Told, x.Unshown.Repeated = out.Written, out.Change, out.Told, out.Repeated
	for _, more := range out.More {
		x.Unshown.More = append(x.Unshown.More, packOutcome(more))
	}
	return x
}

func (x *outcomeAnswer) outcome() engine.Outcome {
	out := x.Outcome
	out.Written, out.Change, out.Told, out.Repeated = x.Unshown.Written, x.Unshown.Change, x.Unshown.Told, x.Unshown.Repeated
	for i := range x.Unshown.More {
		out.More[i] = x.Unshown.More[i].outcome()
	}
	return out
}

func packForgetting(out engine.Forgetting) forgettingAnswer {
	return forgettingAnswer{out, out.Written, out.Of}
}

func (x *forgettingAnswer) forgetting() engine.Forgetting {
	out := x.Forgetting
	out.Written, out.Of = x.Unshown, x.Meant
	return out
}

// failure is an error as it crosses the bridge.
type failure struct {
	Message string
	Hint    string            `json:",omitempty"`
	Kinds   []int             `json:",omitempty"` // indexes in kinds of the errors that it wraps
	Skip    *memoir.SkipError `json:",omitempty"`
}

// kinds are the errors that callers branch on. Their order is part of the
// protocol.
var kinds = []error{
	memoir.ErrInvalid, memoir.ErrNotFound, memoir.ErrConflict, memoir.ErrUnavailable, memoir.ErrCorrupt, memoir.ErrClosed, memoir.ErrForeign,
	context.DeadlineExceeded, context.Canceled, syscall.ENOSPC, fs.ErrPermission,
}

// is reports whether an error is of a kind. What full and read-only disks say has several
// forms.
func is(err, kind error) bool {
	switch kind {
	case syscall.ENOSPC:
		return syserr.DiskFull(err)
	case fs.ErrPermission:
		return syserr.Refused(err)
	}
	return errors.Is(err, kind)
}

func pack(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Message: err.Error(), Hint: memoir.Hint(err)}
	for i, kind := range kinds {
		if is(err, kind) {
			f.Kinds = append(f.Kinds, i)
		}
	}
	_ = errors.As(err, &f.Skip) // it stays nil if there is none
	return f
}

// error returns an error with the text of the original, which matches the same
// sentinels.
func (f *failure) error() error {
	if f == nil {
		return nil
	}
	var err error = &carried{f}
	if f.Hint != "" {
		err = memoir.WithHint(err, f.Hint)
	}
	return err
}

// carried is an error of the other process.
type carried struct{ *failure }

// Error returns the text of the original error.
func (c *carried) Error() string { return c.Message }

// Unwrap returns the sentinels that the original wraps.
func (c *carried) Unwrap() []error {
	var all []error
	for _, i := range c.Kinds {
		if i >= 0 && i < len(kinds) {
			all = append(all, kinds[i])
		}
	}
	if c.Skip != nil {
		all = append(all, c.Skip)
	}
	return all
}

// answer is the response of a server.
type answer struct {
	Value   json.RawMessage `json:",omitempty"`
	Failure *failure        `json:",omitempty"`
}

// Digest identifies a memory by everything that its answers depend on, such as
// its settings and the version of the program. Memories that differ in any of
// it have different digests.
func Digest(of ...any) (string, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return "", fmt.Errorf("name a memory: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
