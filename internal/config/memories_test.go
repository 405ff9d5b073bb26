package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/config"
)

// grounds are folders to stand in, with a home beside them.
type grounds struct {
	root, home string
	vars       map[string]string
}

func newGrounds(t *testing.T) grounds {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := grounds{root, filepath.Join(root, "home"), map[string]string{}}
	g.vars["HOME"], g.vars["USERPROFILE"] = g.home, g.home
	g.write(t, "home/.memoir/workspace/MEMORY.md", "")
	return g
}

func (g grounds) path(name string) string { return filepath.Join(g.root, filepath.FromSlash(name)) }

// write makes a file, or a folder where the name ends with a slash.
func (g grounds) write(t *testing.T, name, text string) {
	t.Helper()
	path := g.path(name)
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(g.root))), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (g grounds) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(g.path(to), g.path(name)); err != nil {
		t.Skip(err)
	}
}

func (g grounds) env(dir string) config.Environment {
	return config.Environment{Lookup: func(n string) (string, bool) { v, ok := g.vars[n]; return v, ok }, Dir: g.path(dir), OS: "linux"}
}

// chosen names the workspaces that are meant, below the root.
func (g grounds) chosen(t *testing.T, m *config.Memories) string {
	t.Helper()
	var all []string
	for _, p := range m.Chosen {
		rel, err := filepath.Rel(g.root, p.Workspace)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.Scope+" "+filepath.ToSlash(rel))
	}
	return strings.Join(all, ", ")
}

// worktree makes a repository with another worktree, as git does.
func (g grounds) worktree(t *testing.T, repo, tree string) {
	g.write(t, repo+"/.git/HEAD", "ref: refs/heads/main\n")
	g.write(t, repo+"/.git/worktrees/w/gitdir", "ROOT/"+tree+"/.git\n")
	g.write(t, repo+"/.git/worktrees/w/commondir", "../..\n")
	g.write(t, tree+"/.git", "gitdir: ROOT/"+repo+"/.git/worktrees/w\n")
}

func TestProject(t *testing.T) {
	const user = "user home/.memoir/workspace"
	for _, tt := range []struct {
		name string
		make func(t *testing.T, g grounds)
		dir  string
		want string
	}{
		{"none", func(t *testing.T, g grounds) { g.write(t, "repo/.git/HEAD", "") }, "repo", user},
		{"nearest", func(t *testing.T, g grounds) { g.write(t, "repo/a/MEMORY.md", ""); g.write(t, "repo/a/b/", "") }, "repo/a/b", user + ", project repo/a"},
		{"folder at the root", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "repo/a/b/", "")
		}, "repo/a/b", user + ", project repo/.memoir"},
		{"a nearer workspace", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "repo/a/.memoir.toml", "")
		}, "repo/a", user + ", project repo/a"},
		{"a workspace at the root", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "repo/MEMORY.md", "")
		}, "repo", user + ", project repo"},
		{"the folder without git", func(t *testing.T, g grounds) { g.write(t, "dir/.memoir/", "") }, "dir", user},
		{"the folder is a file", func(t *testing.T, g grounds) { g.write(t, "repo/.git/HEAD", ""); g.write(t, "repo/.memoir", "") }, "repo", user},
		{"the folder is a link", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "secrets/", "")
			g.link(t, "secrets", "repo/.memoir")
		}, "repo", user},
		{"above a submodule", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/modules/sub/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "repo/sub/.git", "gitdir: ../.git/modules/sub\n")
		}, "repo/sub", user + ", project repo/.memoir"},
		{"the home folder is a repository", func(t *testing.T, g grounds) { g.write(t, "home/.git/HEAD", ""); g.write(t, "home/a/", "") }, "home/a", user},
		{"in the user's memory", func(t *testing.T, g grounds) { g.write(t, "home/.memoir/workspace/memory/", "") }, "home/.memoir/workspace/memory", user},
		{"inside the user's memory", func(t *testing.T, g grounds) { g.write(t, "home/.memoir/workspace/p/MEMORY.md", "") }, "home/.memoir/workspace/p", "project home/.memoir/workspace/p"},
		{"round the user's memory", func(t *testing.T, g grounds) { g.write(t, "home/MEMORY.md", ""); g.write(t, "home/a/", "") }, "home/a", "project home"},

		{"worktree", func(t *testing.T, g grounds) {
			g.worktree(t, "repo", "tree")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "tree/src/", "")
		}, "tree/src", user + ", project repo/.memoir"},
		{"worktree of a workspace", func(t *testing.T, g grounds) { g.worktree(t, "repo", "tree"); g.write(t, "repo/MEMORY.md", "") }, "tree", user + ", project repo"},
		{"worktree with a folder of its own", func(t *testing.T, g grounds) { g.worktree(t, "repo", "tree"); g.write(t, "tree/.memoir/", "") }, "tree", user + ", project tree/.memoir"},
		{"worktree with a workspace of its own", func(t *testing.T, g grounds) {
			g.worktree(t, "repo", "tree")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "tree/MEMORY.md", "")
		}, "tree", user + ", project tree"},
		{"relative worktree", func(t *testing.T, g grounds) {
			g.worktree(t, "repo", "tree")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "tree/.git", "gitdir: ../repo/.git/worktrees/w\r\n")
			g.write(t, "repo/.git/worktrees/w/gitdir", "../../../../tree/.git")
		}, "tree", user + ", project repo/.memoir"},

		// What a stranger's files say leads nowhere: the repository knows of no such worktree.
		{"a worktree of nobody", func(t *testing.T, g grounds) {
			g.worktree(t, "repo", "tree")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "evil/.git", "gitdir: ROOT/repo/.git/worktrees/w\n")
		}, "evil", user},
		{"a repository elsewhere", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "evil/.git", "gitdir: ROOT/repo/.git\n")
		}, "evil", user},
		{"a common folder elsewhere", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.worktree(t, "evil/fake", "evil")
			g.write(t, "evil/fake/.git/worktrees/w/commondir", "ROOT/repo/.git\n")
		}, "evil", user},
		{"a link to a repository", func(t *testing.T, g grounds) {
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "evil/x/", "")
			g.link(t, "repo/.git", "evil/.git")
		}, "evil/x", user},
		{"worktrees as a link into it", func(t *testing.T, g grounds) {
			g.worktree(t, "evil/fake", "evil")
			g.write(t, "repo/.git/HEAD", "")
			g.write(t, "repo/.memoir/", "")
			g.link(t, "evil/fake/.git/worktrees", "repo/.git/worktrees") // which nobody else can make
			g.write(t, "evil/.git", "gitdir: ROOT/repo/.git/worktrees/w\n")
		}, "evil", user},
		{"back to a link", func(t *testing.T, g grounds) {
			g.worktree(t, "repo", "tree")
			g.write(t, "repo/.memoir/", "")
			g.write(t, "evil/.git", "gitdir: ROOT/repo/.git/worktrees/w\n")
			if err := os.Remove(g.path("tree/.git")); err != nil {
				t.Fatal(err)
			}
			g.link(t, "evil/.git", "tree/.git")
		}, "evil", user},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGrounds(t)
			tt.make(t, g)
			m, err := config.LoadMemories(g.env(tt.dir), nil)
			if err == nil && m.Places.Project != nil {
				err = g.env(tt.dir).Trust(m.Places.Project.Workspace)
			}
			if err != nil {
				t.Fatal(err)
			}
			if m, err = config.LoadMemories(g.env(tt.dir), nil); err != nil {
				t.Fatal(err)
			}
			if got := g.chosen(t, m); got != tt.want {
				t.Errorf("got %s\nwant %s (%s)", got, tt.want, m.Because)
			}
		})
	}
}

// What names a workspace for one process means exactly that one; the setting of the
// user's own file names the user's.
func TestScope(t *testing.T) {
	for _, tt := range []struct {
		name, flag, variable, file, scope, scopeVariable, want, mistake string
	}{
		{name: "default", want: "user home/.memoir/workspace, project repo"},
		{name: "user", scope: "user", want: "user home/.memoir/workspace"},
		{name: "project", scope: "project", want: "project repo"},
		{name: "own file", file: `workspace = "~/mine"`, want: "user home/mine, project repo"},
		{name: "own file says scope", file: `scope = "user"`, want: "user home/.memoir/workspace"},
		{name: "flag over file", file: `scope = "user"`, scope: "all", want: "user home/.memoir/workspace, project repo"},
		{name: "flag of a workspace", flag: "other", want: "user repo/other"},
		{name: "flag with a scope", flag: "other", scope: "all", mistake: "--scope"},
		{name: "flag with a scope of the file", flag: "other", file: `scope = "project"`, want: "user repo/other"},
		{name: "variable", variable: "other", want: "user repo/other"},
		{name: "variable with a scope of the file", variable: "other", file: `scope = "project"`, want: "user repo/other"},
		{name: "variable with a scope", variable: "../mine", scope: "all", want: "user mine, project repo"},
		{name: "both variables", variable: "../mine", scopeVariable: "all", want: "user mine, project repo"},
		{name: "no such scope", scope: "team", mistake: "all, user, project"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGrounds(t)
			g.write(t, "repo/MEMORY.md", "")
			g.write(t, "repo/other/", "")
			g.write(t, "home/mine/", "")
			g.write(t, "mine/", "")
			if err := g.env("repo").Trust(g.path("repo")); err != nil {
				t.Fatal(err)
			}
			g.write(t, "home/.config/memoir/config.toml", tt.file)
			g.vars["MEMOIR_WORKSPACE"], g.vars["MEMOIR_SCOPE"] = tt.variable, tt.scopeVariable
			flags := config.Flags{}
			for name, value := range map[string]string{"workspace": tt.flag, "scope": tt.scope} {
				if value != "" {
					flags[name] = value
				}
			}
			m, err := config.LoadMemories(g.env("repo"), flags)
			var mistake *config.Error
			if tt.mistake != "" {
				if !errors.As(err, &mistake) || !strings.Contains(err.Error(), tt.mistake) {
					t.Fatalf("got %v, want a mistake that names %s", err, tt.mistake)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := g.chosen(t, m); got != tt.want {
				t.Errorf("got %s\nwant %s (%s)", got, tt.want, m.Because)
			}
			if one, err := config.Load(g.env("repo"), flags); err != nil || one.Workspace != m.Main().Workspace {
				t.Errorf("a command that takes one takes %v, %v; want %s", one, err, m.Main().Workspace)
			}
		})
	}
}

func TestOnlyOne(t *testing.T) {
	g := newGrounds(t)
	g.write(t, "repo/MEMORY.md", "")
	g.write(t, "empty/", "")
	if err := os.RemoveAll(g.path("home/.memoir")); err != nil {
		t.Fatal(err)
	}
	if m, err := config.LoadMemories(g.env("repo"), nil); err != nil || g.chosen(t, m) != "project repo" || m.User != nil {
		t.Errorf("without the user's: %+v, %v", m, err)
	}
	if m, err := config.LoadMemories(g.env("empty"), nil); err != nil || g.chosen(t, m) != "user home/.memoir/workspace" || m.Project != nil {
		t.Errorf("without both: %+v, %v", m, err)
	}
	g.write(t, "tool/.git/HEAD", "")
	g.write(t, "tool/.memoir/", "")
	if m, err := config.LoadMemories(g.env("tool"), nil); err != nil || g.chosen(t, m) != "user home/.memoir/workspace, project tool/.memoir" {
		t.Errorf("a project's folder without the user's: %+v, %v", m, err)
	}
	var mistake *config.Error
	if _, err := config.LoadMemories(g.env("empty"), config.Flags{"scope": "project"}); !errors.As(err, &mistake) || mistake.Hint == "" {
		t.Errorf("a project that is not there: %v", err)
	}
}

// A project may come from anywhere: what its own settings say wrong does not keep the
// user from the user's memory, and what they say counts for the project alone.
func TestProjectSettings(t *testing.T) {
	g := newGrounds(t)
	g.write(t, "repo/.memoir.toml", "query.maxResults = 3\n")
	m, err := config.LoadMemories(g.env("repo"), nil)
	if err != nil || m.Project.Query.MaxResults != 3 || m.User.Query.MaxResults != 6 {
		t.Fatalf("got %+v, %v", m, err)
	}
	for _, bad := range []string{"scope = \"all\"\n", "workspace = \"/\"\n", "=\n", "allowRemote = true\n"} {
		g.write(t, "repo/.memoir.toml", bad)
		if m, err := config.LoadMemories(g.env("repo"), nil); err != nil || m.User == nil || m.Project != nil || m.ProjectErr == nil {
			t.Errorf("%q: got %+v, %v; want the user's memory alone, and why", bad, m, err)
		}
		if _, err := config.LoadMemories(g.env("repo"), config.Flags{"scope": "project"}); err == nil {
			t.Errorf("%q: the project alone has no mistake", bad)
		}
	}
}

// FuzzGitFile: whatever a .git file says, it leads to no repository that does not
// know of it.
func FuzzGitFile(f *testing.F) {
	for _, s := range []string{"", "gitdir: ", "gitdir: ROOT/repo/.git/worktrees/w", "gitdir: ../repo/.git/worktrees/w\n", "gitdir: /", "gitdir:\x00", "gitdir: ../repo/.git/worktrees/../worktrees/w", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := newGrounds(t)
		g.worktree(t, "repo", "tree")
		g.write(t, "repo/.memoir/", "")
		g.write(t, "evil/.git", text)
		m, err := config.LoadMemories(g.env("evil"), nil)
		if err != nil || m.Project != nil || m.Repository == nil || m.Repository.Main != "" {
			t.Errorf("%q leads to %+v, %v", text, m, err)
		}
	})
}
