package locale

import "golang.org/x/sys/windows"

// systemLanguage returns the language in which Windows speaks to its user, "" if
// it does not say so.
func systemLanguage() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
