package app

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/source/session"
)

// A Session is a conversation, as package session reads it.
type Session = session.Session

// OpenSessions opens the transcripts that the index of the settings' agent may
// hold. There are none unless sessions are enabled. An index named for a
// program holds that program's sessions, whether memoir knows the program or a
// mapping describes it. An index of one of OpenClaw's agents holds the sessions
// of that agent. The index of [config.Yours] is the user's own, and holds the
// sessions of all agents that the settings name.
func OpenSessions(settings *config.Loaded) (all []*session.Source, err error) {
	s := settings.Sessions
	if !s.Enabled {
		return nil, nil
	}
	own := settings.Agent == config.Yours
	program := slices.Contains(sessionAgents(settings), settings.Agent)
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
		src, err := session.Open(session.Options{Agent: name, Dir: s.Dirs[name], DatabaseDir: s.DatabaseDirs[name], Part: part, Forgotten: forgottenSessions(settings), DeltaBytes: int64(s.DeltaBytes), DeltaMessages: s.DeltaMessages})
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	for _, m := range s.Mappings {
		if !own && m.Name != settings.Agent {
			continue
		}
		mapping := &session.Mapping{Files: m.Files, Role: m.Role, Text: m.Text, Time: m.Time, Session: m.Session, User: m.User, Assistant: m.Assistant}
		src, err := session.Open(session.Options{Agent: m.Name, Dir: m.Folder, Mapping: mapping, Forgotten: forgottenSessions(settings), DeltaBytes: int64(s.DeltaBytes), DeltaMessages: s.DeltaMessages})
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	return all, nil
}

// forgottenSessions returns the folder in which is noted which sessions were forgotten. It
// is that of all workspaces, for each has the same sessions.
func forgottenSessions(settings *config.Loaded) string {
	if settings.StateDir == "" {
		return ""
	}
	return filepath.Join(settings.StateDir, "sessions")
}

// sessionAgents returns the names of all agents whose sessions an index may hold.
func sessionAgents(settings *config.Loaded) []string {
	agents := session.Agents()
	for _, m := range settings.Sessions.Mappings {
		agents = append(agents, m.Name)
	}
	return agents
}

// Hidden returns prefixes of ids: those of the sessions that a client of the
// index may not see. The client is known by the name that it gives to a server.
// An agent that memoir knows may not see the sessions of other agents. Any
// other client may see all that the index holds.
func Hidden(settings *config.Loaded, client string) (prefixes []string) {
	agents := sessionAgents(settings)
	own := slices.IndexFunc(agents, func(name string) bool {
		rest, ok := strings.CutPrefix(strings.ToLower(client), strings.ToLower(strings.TrimSuffix(name, "-code")))
		return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') // "pipeline" is not pi
	})
	for i, name := range agents {
		if own >= 0 && i != own {
			prefixes = append(prefixes, session.Prefix(name))
		}
	}
	return prefixes
}

// HiddenFrom does what [Hidden] does where clients need not give a name. From a
// client without one, all sessions are hidden.
func HiddenFrom(settings *config.Loaded, client string) (prefixes []string) {
	if client != "" {
		return Hidden(settings, client)
	}
	for _, name := range sessionAgents(settings) {
		prefixes = append(prefixes, session.Prefix(name))
	}
	return prefixes
}

// ForgottenSessions returns what reports whether a session of an agent was forgotten, by its
// id.
func ForgottenSessions(settings *config.Loaded) (func(agent, id string) bool, error) {
	return session.Forgotten(forgottenSessions(settings))
}
