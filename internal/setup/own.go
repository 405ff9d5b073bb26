package setup

// Own returns an agent that stands for one of memoir's own settings files.
// While nobody has changed the file since, [Agent.Undo] restores it as a whole.
// Otherwise Undo leaves it alone, and names the copy of the original.
func Own(name, path string, want func([]byte) ([]byte, error)) Agent {
	as := func(data []byte, _ bool, _ []byte) ([]byte, error) { return data, nil }
	return Agent{Name: name, files: func(Place, Command) []file { return []file{{path: path, want: want, strip: as}} }}
}
