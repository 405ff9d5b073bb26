package cli

import (
	"cmp"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

// whereAnswer is the JSON of where.
type whereAnswer struct {
	Joined   bool          `json:"joined"`   // the user's and the project's memory answer as one
	Because  string        `json:"because"`  // why it is these
	Memories []whereMemory `json:"memories"` // those that are meant, the user's first
	Others   []wherePlace  `json:"others"`   // those that are there and are not meant
	// The repository that one stands in; absent when it is none.
	Repository *whereRepository `json:"repository,omitempty"`
}

// wherePlace is a workspace, and why it is one.
type wherePlace struct {
	Scope     string `json:"scope"`     // user or project
	Workspace string `json:"workspace"` // absolute path
	Because   string `json:"because"`   // what names it: a flag, a variable, a file
	Exists    bool   `json:"exists"`    // the folder is there
}

// whereMemory is a workspace with what belongs to it.
type whereMemory struct {
	wherePlace
	Agent           string   `json:"agent"`           // whose index it is
	AgentBecause    string   `json:"agentBecause"`    // what names the agent
	StateDir        string   `json:"stateDir"`        // folder of indexes, absolute path
	StateDirBecause string   `json:"stateDirBecause"` // what names that folder
	Index           string   `json:"index"`           // absolute path
	IndexExists     bool     `json:"indexExists"`     // it is there
	Files           []string `json:"files"`           // settings files that were read, lowest layer first
	// The folders that are searched with its notes; absent without any.
	Collections []wire.Collection `json:"collections,omitempty"`
	Error       string            `json:"error,omitempty"` // why its settings cannot be read; what follows the workspace is empty then
}

// whereRepository is a repository, as git's files tell it.
type whereRepository struct {
	Root string `json:"root"`           // absolute path
	Main string `json:"main,omitempty"` // root of the main worktree, when one stands in another
}

func (s *session) whereCommand() *cobra.Command {
	return &cobra.Command{
		Use: "where", Short: "Say which memories are meant here, and why",
		Long: "Where names the workspaces, the agents, the folders of state and the indexes that\ncommands work with here, each with the flag, variable, file or folder that made it\n" +
			"so. It reads no note and writes nothing.\n\nThe user's memory is ~/.memoir/workspace, or what the setting workspace names. The\nproject's is the nearest folder upwards with .memoir.toml or MEMORY.md, or the folder\n" +
			".memoir at the root of the repository, which all its worktrees share. Where both are\nthere, search, get, remember, forget, entries, prime, mcp, serve, hook and status\nwork with both; other commands with the project's. --scope chooses.",
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

func whereOf(m *config.Memories) whereAnswer {
	a := whereAnswer{Joined: m.Joined(), Because: m.Because, Memories: []whereMemory{}, Others: []wherePlace{}}
	meant := map[string]bool{}
	for _, p := range m.Chosen {
		meant[p.Workspace] = true
		x := whereMemory{wherePlace: placeOfScope(p), Files: []string{}}
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
		x.Index = loaded.IndexPath()
		_, err := os.Lstat(x.Index)
		x.IndexExists = err == nil
		x.Files = append(x.Files, loaded.Files...)
		if collections, err := app.OpenCollections(loaded); err == nil { // else who opens them says why
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
		a.Repository = &whereRepository{r.Root, r.Main}
	}
	return a
}

func placeOfScope(p config.Place) wherePlace {
	info, err := os.Stat(p.Workspace)
	return wherePlace{Scope: p.Scope, Workspace: p.Workspace, Because: p.Because.String(), Exists: err == nil && info.IsDir()}
}

func (s *session) printWhere(a whereAnswer) error {
	st := s.style()
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	row := func(name, value, because string) {
		if because != "" {
			because = "  " + st.text(unbroken(because))
		}
		fmt.Fprintf(w, "%s\t%s%s\n", name, unbroken(st.text(value)), because)
	}
	there := func(path string, exists bool) string {
		if exists {
			return path
		}
		return path + " (not there yet)"
	}
	for _, m := range a.Memories {
		row(m.Scope, there(m.Workspace, m.Exists), m.Because)
		if m.Error != "" {
			row("  settings", "cannot be read", m.Error)
			continue
		}
		row("  agent", m.Agent, m.AgentBecause)
		row("  state", m.StateDir, m.StateDirBecause)
		row("  index", there(m.Index, m.IndexExists), "")
		for _, file := range m.Files {
			row("  settings", file, "")
		}
		for _, c := range m.Collections {
			row("  collection", collectionLine(c), "")
		}
	}
	for _, o := range a.Others {
		row("not meant", there(o.Workspace, o.Exists), o.Scope+", "+o.Because)
	}
	if r := a.Repository; r != nil {
		because := ""
		if r.Main != "" {
			because = "a worktree of " + r.Main
		}
		row("repository", r.Root, because)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	joined := "one memory"
	if a.Joined {
		joined = "both as one"
	}
	_, err := fmt.Fprintf(s.out, "%s: %s\n", joined, st.text(unbroken(cmp.Or(a.Because, "there is no other"))))
	return err
}
