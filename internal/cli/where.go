package cli

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) whereCommand() *cobra.Command {
	return &cobra.Command{
		Use: "where", Short: "Say which memories are meant here, and why",
		Long: "Where names the workspaces, the agents, the folders of state and the indexes that\ncommands work with here, each with the flag, variable, file or folder that made it\n" +
			"so. It reads no note and writes nothing.\n\nThe user's memory is ~/.memoir/workspace, or what the setting workspace names. The\nproject's is the nearest folder upwards with .memoir.toml or MEMORY.md, or the folder\n" +
			".memoir at the root of the repository, which all its worktrees share. Where both are\nthere, search, get, remember, forget, entries, prime, mcp, serve, hook and status\nwork with both; other commands with the project's. --scope chooses. A project's notes\nare given to agents and written to once you have agreed: memoir help trust.",
		Example: "  memoir where\n  memoir --scope user where --json",
		Args:    positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			m, err := s.memories()
			if err != nil {
				return err
			}
			answer := whereOf(m)
			if s.json {
				return writeJSON(s.out, answer)
			}
			return s.printWhere(answer)
		},
	}
}

func whereOf(m *config.Memories) wire.WhereAnswer {
	a := wire.WhereAnswer{Joined: m.Joined(), Because: m.Because, Memories: []wire.WhereMemory{}, Others: []wire.WherePlace{}}
	meant := map[string]bool{}
	for _, p := range m.Chosen {
		meant[p.Workspace] = true
		x := wire.WhereMemory{WherePlace: placeOfScope(p), Files: []string{}}
		loaded := m.User
		if p.Scope == config.ScopeProject {
			loaded = m.Project
		}
		if loaded == nil {
			x.Error = m.ProjectErr.Error()
			a.Memories = append(a.Memories, x)
			continue
		}
		x.Agent, x.AgentBecause = loaded.Agent, loaded.Origin("agent").String()
		x.StateDir, x.StateDirBecause = loaded.StateDir, loaded.Origin("stateDir").String()
		x.Kept, x.Index = loaded.KeptDir(), loaded.IndexPath()
		x.IndexExists = app.HasIndex(loaded)
		x.Files = append(x.Files, loaded.Files...)
		if collections, err := app.OpenCollections(loaded); err == nil { // whoever opens them reports the error
			x.Collections = collectionsOf(collections, nil)
		}
		a.Memories = append(a.Memories, x)
	}
	others := []config.Place{m.Places.User}
	if p := m.Places.Project; p != nil {
		others = append(others, *p)
	}
	for _, p := range others {
		if p.Workspace != "" && !meant[p.Workspace] {
			a.Others = append(a.Others, placeOfScope(p))
		}
	}
	if r := m.Repository; r != nil {
		a.Repository = &wire.WhereRepository{Root: r.Root, Main: r.Main}
	}
	return a
}

func placeOfScope(p config.Place) wire.WherePlace {
	info, err := os.Stat(p.Workspace)
	return wire.WherePlace{
		Scope: p.Scope, Workspace: p.Workspace, Because: p.Because.String(), Trusted: p.Trusted,
		Exists: config.IsBucket(p.Workspace) || err == nil && info.IsDir(),
	}
}

func (s *session) printWhere(a wire.WhereAnswer) error {
	st := s.style()
	var t table
	row := func(name, value, because string) {
		if because != "" {
			because = "  " + st.text(s.language.Say(because))
		}
		t.row(s.language.Say(name), st.text(value)+because)
	}
	there := func(path string, exists bool) string {
		if exists {
			return path
		}
		return s.said("%s (not there yet)", path)
	}
	for _, m := range a.Memories {
		row(m.Scope, there(m.Workspace, m.Exists), m.Because)
		if m.Error != "" {
			row("  settings", s.language.Say("cannot be read"), m.Error)
			continue
		}
		if !m.Trusted {
			row("  trusted", s.language.Say("no"), "searched, but given to no agent unasked and not written to; try: memoir trust")
		}
		row("  agent", m.Agent, m.AgentBecause)
		row("  state", m.StateDir, m.StateDirBecause)
		row("  kept", m.Kept, "")
		row("  index", there(m.Index, m.IndexExists), "")
		for _, file := range m.Files {
			row("  settings", file, "")
		}
		for _, c := range m.Collections {
			row("  collection", s.collectionLine(c), "")
		}
	}
	for _, o := range a.Others {
		row("not meant", there(o.Workspace, o.Exists), s.language.Join([]string{s.language.Say(o.Scope), s.language.Say(o.Because)}))
	}
	if r := a.Repository; r != nil {
		because := ""
		if r.Main != "" {
			because = "a worktree of " + r.Main
		}
		row("repository", r.Root, because)
	}
	if err := t.write(s.out); err != nil {
		return err
	}
	joined := "one memory"
	if a.Joined {
		joined = "both as one"
	}
	_, err := s.say(s.out, "%s: %s\n", s.language.Say(joined), st.text(s.language.Say(cmp.Or(a.Because, "there is no other"))))
	return err
}
