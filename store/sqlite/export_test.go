package sqlite

// ScanAll makes searches by vectors use the rows of 8 bits however few there are.
func (s *Store) ScanAll() *Store {
	s.fewRows = 0
	return s
}
