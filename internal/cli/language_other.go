//go:build !windows

package cli

// systemLanguage is not asked: the variables say it.
func systemLanguage() string { return "" }
