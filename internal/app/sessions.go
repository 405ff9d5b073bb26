package app

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/source/session"
)

// A Session is a conversation, as package session reads it.
type Session = session.Session

// OpenSessions opens the transcripts that the index of the settings' agent may hold:
// none unless they are enabled; those of a program in the index of its name; those of
// one of OpenClaw's agents in the index of that agent. The index of [config.Yours]
// is the user's own, and holds those of all agents that the settings name.
func OpenSessions(settings *config.Loaded) (all []*session.Source, err error) {
	s := settings.Sessions
	if !s.Enabled {
		return nil, nil
	}
	own := settings.Agent == config.Yours
	program := slices.Contains(session.Agents(), settings.Agent)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Agents))) {
		part := ""
		switch {
		case own || name == settings.Agent:
		case !program && name == "openclaw":
			part = settings.Agent
		default:
			continue
		}
		if s.Dirs[name] == "" {
			continue
		}
		src, err := session.Open(session.Options{Agent: name, Dir: s.Dirs[name], Part: part, DeltaBytes: int64(s.DeltaBytes), DeltaMessages: s.DeltaMessages})
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	return all, nil
}

// Sees says what of the sessions a client of the index may see, by how it calls
// itself to a server: an agent that memoir knows sees its own alone. Anybody else
// sees what the index holds.
func Sees(client string) (prefix string, all bool) {
	for _, name := range session.Agents() {
		if strings.HasPrefix(strings.ToLower(client), strings.TrimSuffix(name, "-code")) {
			return session.Prefix(name), false
		}
	}
	return "", true
}
