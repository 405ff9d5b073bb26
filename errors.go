package memoir

import "errors"

// The sentinel errors that callers branch on; test for them with [errors.Is].
// Front ends map each of them once to an exit code, an HTTP status and a tool
// error.
var (
	// ErrInvalid reports an argument that fails however often it is tried: an
	// empty query, a line number below one, a path outside the workspace.
	ErrInvalid = errors.New("invalid argument")
	// ErrNotFound reports a document that its source does not have.
	ErrNotFound = errors.New("not found")
	// ErrConflict reports that somebody else has already changed what was to be
	// changed.
	ErrConflict = errors.New("changed by somebody else")
	// ErrUnavailable reports that a part cannot be used now, such as a store's
	// vectors or a provider. The engine answers without it.
	ErrUnavailable = errors.New("unavailable")
	// ErrCorrupt reports a damaged index. An index is derived data, so a rebuild
	// mends it.
	ErrCorrupt = errors.New("index is damaged")
	// ErrClosed reports a call of an engine that is closed or closing.
	ErrClosed = errors.New("the engine is closed")
	// ErrForeign reports a database that memoir did not make, or that a newer
	// memoir made. memoir leaves it as it is.
	ErrForeign = errors.New("not an index this memoir can use")
)

// hinted is an error with the next command a person can run.
type hinted struct {
	err  error  // what went wrong
	hint string // the next command or step, in one line
}

// Error returns the message without the hint.
func (h *hinted) Error() string { return h.err.Error() }

// Unwrap returns the error that the hint belongs to.
func (h *hinted) Unwrap() error { return h.err }

// WithHint adds the next command to an error; nil stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &hinted{err: err, hint: hint}
}

// Hint returns the hint of err, or of an error that err wraps. It returns ""
// when there is none.
func Hint(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}
