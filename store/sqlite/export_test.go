package sqlite

import "time"

// ScanAll makes searches by vectors use the rows of 8 bits however few there are.
func (s *Store) ScanAll() *Store {
	s.fewRows = 0
	return s
}

// Later ends all pauses and times: what is tried again after a pause is tried
// with the next call, and what is reported for a while is not reported any
// more.
func (s *Store) Later() {
	for _, p := range []*pause{&s.looked, &s.tried, &s.sought, &s.told} {
		p.end()
	}
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	s.rows.again = time.Time{}
}

// Readers returns how many connections for reading are open.
func (s *Store) Readers() int { return s.reader.db.Stats().OpenConnections }

// Loaded reports whether what searches know of the chunks is in memory.
func (s *Store) Loaded() bool { return s.current.Load() != nil }

// HeadingOf reads the heading path of a chunk.
var HeadingOf = headingOf
