package setup

// Own returns what changes one file of memoir's own settings, and takes that back: as a
// whole, while nobody has changed the file since. Then [Agent.Undo] leaves it alone, and
// names the copy of what it was.
func Own(name, path string, want func([]byte) ([]byte, error)) Agent {
	as := func(data []byte) ([]byte, error) { return data, nil }
	return Agent{Name: name, files: func(Place, Command) []file { return []file{{path: path, want: want, strip: as}} }}
}
