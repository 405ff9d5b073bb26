package setup

import (
	"maps"
	"slices"
	"strings"
)

// located are the flags that select the notes. Each has a value.
var located = []string{"--workspace", "--state-dir", "--agent", "--scope"}

// own are the members of a server's entry that memoir setup writes itself, in
// the spellings of all agents, and those that go with an address.
var own = []string{"command", "args", "enabled", "disabled", "url", "httpUrl", "headers", "http_headers", "bearer_token_env_var"}

// Entry returns how the agent's own settings start memoir's server, or reach
// it. Plugins do not count. ok is false where there is no such entry, or where
// the settings cannot be read.
func (a Agent) Entry(p Place) (s Start, ok bool) {
	w, all := a.wired(p)[0], Wiring{}
	if now, err := read(w.path); err != nil || !now.there || w.read(now.data, a.Name, &all) != nil || len(all.Servers) == 0 {
		return Start{}, false
	}
	return all.Servers[0], true
}

// Ours reports whether it starts memoir mcp, whoever has written the settings.
func (s Start) Ours() bool {
	if len(s.Words) < 2 || !strings.Contains(s.Words[0], "memoir") {
		return false
	}
	rest, _ := parted(s.Words[1:])
	return slices.Contains(rest, "mcp")
}

// Flag returns the value of one of the flags that select the notes, or of its
// variable, or "".
func (s Start) Flag(name string) string {
	flags, value := s.location(), ""
	for i := 0; i < len(flags); i += 2 {
		if flags[i] == name {
			value = flags[i+1] // of several the last counts
		}
	}
	return value
}

// location returns the flags that select the notes. Variables count where there
// is no flag.
func (s Start) location() []string {
	if len(s.Words) == 0 {
		return nil
	}
	_, flags := parted(s.Words[1:])
	given := slices.Clone(flags)
	for _, name := range located {
		if value := s.Env[variable(name)]; value != "" && !replaced(name, given) {
			flags = append(flags, name, value)
		}
	}
	return flags
}

// startsMemoir reports whether the entry of a server starts memoir mcp.
func startsMemoir(entry map[string]any) bool { return startOf(entry).Ours() }

// parted parts the arguments of a command from those flags among them that
// select the notes, which it returns as flag and value in turn.
func parted(args []string) (rest, flags []string) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case !slices.Contains(located, name):
			rest = append(rest, args[i])
		case joined:
			flags = append(flags, name, value)
		case i+1 < len(args):
			flags = append(flags, name, args[i+1])
			i++
		}
	}
	return rest, flags
}

// Keeping returns a command that starts what s starts, with the program of c:
// with the same flags, and the same variables and the like beside them. over are
// flags that select the notes, each followed by its value, in the place of those
// that s has. A workspace or a scope takes the place of both.
func (c Command) Keeping(s Start, over []string) Command {
	if plain, ok := s.Plain(); ok {
		s = plain
	}
	if !s.Ours() {
		return c
	}
	args := slices.Clone(s.Words[1:])
	rest, flags := parted(args)
	if len(over) > 0 {
		args = slices.Concat(rest, without(flags, over), over)
	}
	next := Command{Program: c.Program, Location: slices.Concat(without(s.location(), over), over), server: args, more: maps.Clone(s.entry)}
	for _, name := range own {
		delete(next.more, name)
	}
	for _, name := range []string{"env", "environment"} {
		if vars, ok := next.more[name].(map[string]any); ok {
			vars = maps.Clone(vars)
			maps.DeleteFunc(vars, func(v string, _ any) bool {
				return slices.ContainsFunc(located, func(flag string) bool { return variable(flag) == v && replaced(flag, over) })
			})
			next.more[name] = vars
		}
	}
	return next
}

// variable returns the variable of the environment that says the same as a flag.
func variable(flag string) string {
	return "MEMOIR_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))
}

// without returns the flags whose place those of over do not take.
func without(flags, over []string) []string {
	var kept []string
	for i := 0; i < len(flags); i += 2 {
		if !replaced(flags[i], over) {
			kept = append(kept, flags[i], flags[i+1])
		}
	}
	return kept
}

// replaced reports whether one of the flags of over takes the place of a flag.
func replaced(flag string, over []string) bool {
	for i := 0; i < len(over); i += 2 {
		if notes := []string{"--workspace", "--scope"}; over[i] == flag || slices.Contains(notes, over[i]) && slices.Contains(notes, flag) {
			return true
		}
	}
	return false
}
