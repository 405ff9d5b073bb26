package mcpserver

// Cleaned returns lines of a note as a model is given them.
func Cleaned(text string) string { return cleaned(text) }
