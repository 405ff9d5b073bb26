package remember

import (
	"context"
	"sync"

	"github.com/memoir-ai/memoir/internal/judge"
)

// maxSides is how many tokens the texts have at most whose readings are held: some 6 MB.
const maxSides = 4 << 10

// sides are texts as the model has read them last. A text that was kept a moment ago is what
// the texts after it are compared with. They are safe for concurrent use.
type sides struct {
	mu     sync.Mutex // guards the rest
	of     map[string]judge.Side
	order  []string // the one that was read first stands first
	tokens int
}

// reading returns what reads texts as read does, and does not read again what is held.
func (s *sides) reading(read func(context.Context, []string) ([]judge.Side, error)) func(context.Context, []string) ([]judge.Side, error) {
	if read == nil {
		return nil
	}
	return func(ctx context.Context, texts []string) ([]judge.Side, error) {
		all, missing, at := s.held(texts)
		if len(missing) == 0 {
			return all, nil
		}
		fresh, err := read(ctx, missing)
		if err != nil || len(fresh) != len(missing) {
			return nil, err
		}
		for i, side := range fresh {
			all[at[i]] = side
			s.hold(missing[i], side)
		}
		return all, nil
	}
}

// held returns the readings of texts that are held, and the other texts with their places.
func (s *sides) held(texts []string) (all []judge.Side, missing []string, at []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = make([]judge.Side, len(texts))
	for i, text := range texts {
		side, ok := s.of[text]
		if !ok {
			missing, at = append(missing, text), append(at, i)
		}
		all[i] = side
	}
	return all, missing, at
}

func (s *sides) hold(text string, side judge.Side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.of[text]; ok {
		return
	}
	if s.of == nil {
		s.of = map[string]judge.Side{}
	}
	s.of[text], s.order, s.tokens = side, append(s.order, text), s.tokens+len(side.Tokens)
	for s.tokens > maxSides {
		s.tokens -= len(s.of[s.order[0]].Tokens)
		delete(s.of, s.order[0])
		s.order = s.order[1:]
	}
}

// drop lets go of all that is held, because something in it may be forgotten.
func (s *sides) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of, s.order, s.tokens = nil, nil, 0
}
