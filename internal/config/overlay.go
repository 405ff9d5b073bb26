package config

import (
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// assignmentStart matches the beginning of a setting in a list. A comma
// followed by anything else belongs to a value.
var assignmentStart = lazyregexp.New(`(?:^|,)\s*([\pL][\pL\pN_.-]*)=`)

// ParseOverlay reads settings such as "query.fusion=rrf,query.textWeight=0.3",
// which [Load] puts over all others. Paths and secrets cannot be set in this
// way. Mistakes are *[Error]; Load reports values that a setting does not take.
func ParseOverlay(text string) (Flags, error) {
	flags := Flags{}
	starts := assignmentStart().FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		return nil, &Error{Message: fmt.Sprintf("%q is no list of settings", text), Hint: "write it as query.fusion=rrf,query.textWeight=0.3"}
	}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name, value := text[at[2]:at[3]], strings.TrimSpace(text[at[1]:end])
		if err := overlays(name); err != nil {
			return nil, err
		}
		if _, twice := flags[name]; twice {
			return nil, &Error{Message: name + " is set twice", Hint: "name each setting once"}
		}
		flags[name] = value
	}
	return flags, nil
}

// overlays returns why a setting cannot be in an overlay, or nil.
func overlays(name string) error {
	for _, k := range Keys() {
		if k.Name != name {
			continue
		}
		if k.Secret || name == "workspace" || name == "stateDir" || name == "modelsDir" || name == "agent" || name == "collections" {
			return &Error{Message: name + " cannot be part of a comparison", Hint: "set it for both: memoir config shows where"}
		}
		return nil
	}
	return unknownKey("", 0, name)
}
