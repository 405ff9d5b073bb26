package layout

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// devices are names that Windows has taken, with whatever ending
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
var devices = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}

// Reserved says why Windows cannot have a file or folder of a name, which it keeps for
// something else, shortens or does not take; "" when it can, as far as that goes. Notes are carried
// from one system to another, so that no system makes such ones.
func Reserved(name string) string {
	switch {
	case strings.HasSuffix(name, "."):
		return "the name ends in a dot, which Windows drops"
	case strings.HasSuffix(name, " "):
		return "the name ends in a blank, which Windows drops"
	case strings.Contains(name, `\`):
		return "the name has a backslash, which Windows takes for the end of a folder's name"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "the name has a control character, which Windows does not take"
	}
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToLower(strings.TrimRight(stem, " "))
	taken := devices[stem]
	for _, prefix := range []string{"com", "lpt"} {
		n, ok := strings.CutPrefix(stem, prefix)
		taken = taken || ok && utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n)
	}
	if taken {
		return fmt.Sprintf("Windows keeps the name %s for a device", strings.ToUpper(stem))
	}
	return ""
}
