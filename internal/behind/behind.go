// Package behind does small work behind an answer: who asked waits for nothing.
package behind

// A Queue does its work one piece after the other, in a goroutine of its own. It
// is safe for concurrent use, but for [Queue.Close].
type Queue[T any] struct {
	pieces chan T
	done   chan struct{}
}

// New returns a queue in which size pieces may wait. [Queue.Close] ends it.
func New[T any](size int, work func(T)) *Queue[T] {
	q := &Queue[T]{make(chan T, size), make(chan struct{})}
	go func() {
		defer close(q.done)
		for piece := range q.pieces {
			work(piece)
		}
	}()
	return q
}

// Add hands a piece over and does not wait. It reports false, and the piece is
// dropped, when more come than can be done.
func (q *Queue[T]) Add(piece T) bool {
	select {
	case q.pieces <- piece:
		return true
	default:
		return false
	}
}

// Close does what waits, and returns then. Nothing may be added afterwards.
func (q *Queue[T]) Close() {
	close(q.pieces)
	<-q.done
}
