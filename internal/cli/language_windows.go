package cli

import "golang.org/x/sys/windows"

// systemLanguage returns the language in which Windows shows itself to the user, such as zh-CN.
func systemLanguage() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
