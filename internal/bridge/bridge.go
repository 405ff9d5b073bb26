// Package bridge lets one process ask the memory that another process of the same user
// holds: memoir mcp that of a memoir serve. They speak over a socket of the file system
// in the folder of state, which nobody else can reach; there is no address that another
// program could take, and no token.
//
// What crosses are the calls of an engine and their answers, whole, so that who asks
// over the bridge says the same as who has the index open.
package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// A Memory is what is asked over a bridge. It must be safe for concurrent use.
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

// A Greeting is what a server says of the memory that it holds.
type Greeting struct {
	User, Project bool     // whose memories are open
	Collections   []string // folders that are searched with the notes
}

// Socket returns where the server of a workspace is reached, in a folder that nobody
// else can write to. The path is as short as the folder lets it be: systems take about a
// hundred bytes.
func Socket(dir, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])+".sock")
}

// A Gone is the error of a call that the server did not answer.
type Gone struct {
	Err  error
	Sent bool // the server may have done what it was asked
}

// Error says what happened.
func (g *Gone) Error() string { return "the server that runs does not answer: " + g.Err.Error() }

// Unwrap returns the cause.
func (g *Gone) Unwrap() error { return g.Err }

// The calls, as they stand in the address of a request.
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

// held is the header that names the memory that is meant.
const held = "Memoir-Held"

// The arguments of calls that have more than one.
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

// The answers of calls, with what the JSON of the commands leaves out.
type (
	outcomeAnswer struct {
		engine.Outcome
		Unshown struct {
			Written             []string
			Change, Told, Known string
			Repeated            bool
		}
	}
	forgettingAnswer struct {
		engine.Forgetting
		Unshown []string
	}
)

func packOutcome(out engine.Outcome) outcomeAnswer {
	x := outcomeAnswer{Outcome: out}
	x.Unshown.Written, x.Unshown.Change, x.Unshown.Told, x.Unshown.Known, x.Unshown.Repeated = out.Written, out.Change, out.Told, out.Known, out.Repeated
	return x
}

func (x *outcomeAnswer) outcome() engine.Outcome {
	out := x.Outcome
	out.Written, out.Change, out.Told, out.Known, out.Repeated = x.Unshown.Written, x.Unshown.Change, x.Unshown.Told, x.Unshown.Known, x.Unshown.Repeated
	return out
}

func packForgetting(out engine.Forgetting) forgettingAnswer {
	return forgettingAnswer{out, out.Written}
}

func (x *forgettingAnswer) forgetting() engine.Forgetting {
	out := x.Forgetting
	out.Written = x.Unshown
	return out
}

// failure is an error on its way.
type failure struct {
	Message string
	Hint    string            `json:",omitempty"`
	Kinds   []int             `json:",omitempty"` // of kinds, those that it wraps
	Skip    *memoir.SkipError `json:",omitempty"`
}

// kinds are the errors that callers branch on. Their order is what is sent.
var kinds = []error{
	memoir.ErrInvalid, memoir.ErrNotFound, memoir.ErrConflict, memoir.ErrUnavailable, memoir.ErrCorrupt, memoir.ErrClosed, memoir.ErrForeign,
	context.DeadlineExceeded, context.Canceled,
}

func pack(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Message: err.Error(), Hint: memoir.Hint(err)}
	for i, kind := range kinds {
		if errors.Is(err, kind) {
			f.Kinds = append(f.Kinds, i)
		}
	}
	_ = errors.As(err, &f.Skip) // nil where it is none
	return f
}

// error returns what came: an error that says, and is taken for, what it was.
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

// carried is an error of the other side.
type carried struct{ *failure }

// Error says what it said there.
func (c *carried) Error() string { return c.Message }

// Unwrap returns what it wraps of what callers branch on.
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

// answer is what a server sends.
type answer struct {
	Value   json.RawMessage `json:",omitempty"`
	Failure *failure        `json:",omitempty"`
}

// Digest names a memory by what makes its answers what they are, such as its settings
// and the version of the program: two that differ in any of it are not the same.
func Digest(of ...any) (string, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return "", fmt.Errorf("name a memory: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
