// Package sentinel gives an error the meaning of a sentinel without its text, for
// messages that say it in words of their own.
package sentinel

// As returns an error with the text of err that matches what err matches, and kind.
// Neither may be nil.
func As(err, kind error) error { return &marked{err, kind} }

type marked struct{ err, kind error }

func (m *marked) Error() string   { return m.err.Error() }
func (m *marked) Unwrap() []error { return []error{m.err, m.kind} }
