package analyze

import "github.com/kljensen/snowball/english"

// stem returns the Porter2 stem of a lower-case English word.
func stem(w string) string { return english.Stem(w, true) }
