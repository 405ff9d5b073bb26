//go:build !windows

package locale

// systemLanguage returns "": here the variables say the language.
func systemLanguage() string { return "" }
