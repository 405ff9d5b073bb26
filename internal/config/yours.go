package config

import (
	"fmt"
	"path/filepath"
)

// yours says which values of a setting only the user may choose. A workspace
// may come from anywhere. Its file may say how its notes are cut, found and
// ranked, but it must never make memoir reach further, keep more or send
// anything.
type yours struct {
	what string // for a workspace's own file: "cannot set it"
	is   func(now *Settings, value any) bool
}

var (
	never = &yours{"cannot set it", func(*Settings, any) bool { return true }}
	// notTrue is for what anybody may forbid, but only the user may allow.
	notTrue = &yours{"can only turn it off", func(_ *Settings, value any) bool { return value == true }}
	// notPath is for models: an installed model was already chosen by the user.
	notPath = &yours{"can only name an installed model, not a path", func(_ *Settings, value any) bool {
		name, _ := value.(string)
		return filepath.IsAbs(name) || isPath(name)
	}}
	notRaised = &yours{"can only lower it", func(now *Settings, value any) bool {
		n, _ := value.(int64)
		return n > now.MaxFileBytes
	}}
)

// refuse keeps a workspace's own file from setting what only the user may
// choose. now holds the settings of the layers below. userFile is the file in
// which the setting may stand.
func refuse(path string, a assignment, now *Settings, userFile string) error {
	if a.key.yours == nil || !a.key.yours.is(now, a.value) {
		return nil
	}
	hint := "remove the line, and set it in " + a.key.Env()
	switch {
	case a.key.Name == "workspace":
		hint = "remove the line: the folder that holds the file is the workspace"
	case userFile != "":
		hint += " or in " + userFile
	}
	return a.key.refused(path, a.line, hint)
}

func (k Key) refused(path string, line int, hint string) error {
	return &Error{File: path, Line: line, Message: fmt.Sprintf("%s: a workspace's own file, which may come from anywhere, %s", k.Name, k.yours.what), Hint: hint}
}
