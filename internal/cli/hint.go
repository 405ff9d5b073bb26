package cli

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/wire"
)

// location is where the commands of a hint must act: the flags that say so,
// each followed by its value. An empty location is where a command without
// flags acts.
type location []string

// location returns the flags of this run. Whoever pastes a hint into the same
// shell has the same variables and current folder.
func (s *session) location() location {
	return location{}.with("--workspace", s.workspace).with("--state-dir", s.stateDir).with("--agent", s.agent).with("--scope", s.scope)
}

// elsewhere returns the location of settings for another shell, which may have
// another folder and other variables.
func elsewhere(settings *config.Loaded) location {
	return location{"--workspace", settings.Place()}.beside(settings)
}

// everywhere returns the location of memories for programs that may run in any
// folder. That is the user's memory, unless the settings name one only for this
// command, and the memory of the project in which the program runs.
func everywhere(m *config.Memories) location {
	settings := m.First()
	// Other programs do not have this one's flags, and perhaps not its
	// variables.
	at := m.Places.User.Because.Layer
	pinned := at == config.LayerFlag || at == config.LayerEnv || at == config.LayerUser && os.Getenv("MEMOIR_CONFIG") != ""
	if pinned || m.User == nil {
		return elsewhere(settings)
	}
	p := location{}
	if by := settings.Origin("scope").Layer; by == config.LayerEnv || by == config.LayerFlag {
		p = p.with("--scope", settings.Scope)
	}
	return p.beside(settings)
}

// beside adds other settings that this command or its variables give.
func (p location) beside(settings *config.Loaded) location {
	for _, f := range []struct{ flag, setting, value string }{
		{"--state-dir", "stateDir", settings.StateDir}, {"--agent", "agent", settings.Agent},
	} {
		if layer := settings.Origin(f.setting).Layer; layer == config.LayerEnv || layer == config.LayerFlag {
			p = p.with(f.flag, f.value)
		}
	}
	return p
}

// completing returns a function that completes hints for another shell when
// there may be two memories. A hint names the memory that it is about, or else
// means the project's.
func completing(mine, users *config.Loaded, joined bool) func(hint string) string {
	main := elsewhere(mine)
	if !joined {
		return main.complete
	}
	user := elsewhere(users)
	return func(hint string) string {
		if rest, ok := strings.CutPrefix(hint, "memoir trust"); ok {
			return "memoir trust " + shellQuoted(mine.Workspace) + rest
		}
		if rest, ok := strings.CutPrefix(hint, "memoir --scope "+config.ScopeUser+" "); ok {
			return user.complete("memoir " + rest)
		}
		if rest, ok := strings.CutPrefix(hint, "memoir --scope "+config.ScopeProject+" "); ok {
			hint = "memoir " + rest
		}
		return main.complete(hint)
	}
}

func (p location) with(flag, value string) location {
	if value == "" {
		return p
	}
	return append(p, flag, value)
}

// command matches a command in a hint that depends on the location.
var command = lazyregexp.New(`\bmemoir (--scope (user|project) )?(browse|config|doctor|embed|entries|eval|forget|get|history|import|index|indexes|init|mcp|model|open|prime|rebuild|remember|scan|search|serve|sessions|setup|similar|status|tidy|token|ui|undo|where|why)\b`)

// complete adds the flags of the location to each command of a hint, so that it
// can be pasted.
func (p location) complete(hint string) string {
	if len(p) == 0 || !strings.Contains(hint, "memoir ") {
		return hint
	}
	quoted := make([]string, len(p))
	for i, word := range p {
		quoted[i] = shellQuoted(word)
	}
	flags := "memoir " + strings.Join(quoted, " ")
	return command().ReplaceAllStringFunc(hint, func(found string) string {
		return flags + strings.TrimPrefix(found, "memoir")
	})
}

// completeAll completes the hints of missing parts.
func (p location) completeAll(list []wire.Degraded) {
	for i := range list {
		list[i].Action = p.complete(list[i].Action)
	}
}

// bare reports whether a word needs no quotes in any shell.
func bare(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_./:@%+=,-", r)
	}) < 0
}

// shellQuoted writes a word for the shell of the platform.
func shellQuoted(word string) string {
	if runtime.GOOS == "windows" {
		return windowsQuoted(word)
	}
	return posixQuoted(word)
}

// windowsQuoted writes a word so that cmd and PowerShell read it alike: in double quotes,
// those within doubled, and so are the backslashes before one, which would take its
// meaning. Where no form is right for both, it is PowerShell's, which terminals open
// when they are not told otherwise: a double-quoted $ or ` says something to it.
func windowsQuoted(word string) string {
	switch plain := strings.ReplaceAll(word, `\`, "/"); {
	case bare(plain) && !strings.ContainsAny(plain, "%@,"):
		return word
	case strings.ContainsAny(word, "$`“”„"):
		return "'" + singleQuotes.Replace(word) + "'"
	}
	parts := strings.Split(word, `"`)
	for i, p := range parts {
		parts[i] = p + strings.Repeat(`\`, len(p)-len(strings.TrimRight(p, `\`)))
	}
	return `"` + strings.Join(parts, `""`) + `"`
}

// singleQuotes doubles the marks that end a text in single quotes in PowerShell.
var singleQuotes = strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")

// posixQuoted writes a word for sh, bash and zsh.
func posixQuoted(word string) string {
	if bare(word) {
		return word
	}
	if strings.ContainsFunc(word, hidden) || !utf8.ValidString(word) {
		return ansiQuoted(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ansiQuoted writes a word on one line, with what cannot be seen as its bytes, as POSIX has
// it since 2024.
func ansiQuoted(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i, r := range word {
		_, size := utf8.DecodeRuneInString(word[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case hidden(r), r == utf8.RuneError && size == 1:
			for _, c := range []byte(word[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}
