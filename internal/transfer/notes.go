package transfer

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/layout"
)

// noteAt makes a piece of a file that goes below a folder of the workspace.
func noteAt(into string, f file) piece {
	if f.skip != "" {
		return piece{name: f.name, skip: f.skip}
	}
	return piece{name: f.name, note: &engine.Incoming{Path: path.Join(into, f.name), Text: f.text}}
}

// folderOf yields the Markdown files of a folder. The function each makes a piece
// of a file.
func folderOf(in *input, dir string, each func(file) piece) pieces {
	return func(yield func(piece, error) bool) {
		err := asFolder(dir)
		if err == nil {
			err = apart(dir, in.workspace)
		}
		stopped := false
		if err == nil {
			err = walk(dir, isMarkdown, func(f file) bool {
				stopped = !yield(each(f), nil)
				return !stopped
			})
		}
		if err != nil && !stopped {
			yield(piece{}, err)
		}
	}
}

// readOpenClaw reads a workspace of OpenClaw as version 2026.9.6 has it: USER.md,
// MEMORY.md and all Markdown below memory/ and beside it, to the same paths. Files
// that tell the agent how to behave are none of its memory.
func readOpenClaw(in *input) pieces {
	dir := in.path
	if !exists(dir, layout.Memory) && !exists(dir, layout.Folder) {
		dir = below(dir, "workspace")
	}
	return folderOf(in, dir, func(f file) piece {
		if layout.Obeyed(f.name) {
			f.skip = "not memory but a file of the agent's host"
		}
		return noteAt(in.into, f)
	})
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// readNamedFolder reads a folder of Markdown, to below a folder of its name: a
// vault, or a project of basic-memory, whose notes are Markdown with front matter,
// observations "- [category] text #tag (context)" and relations "- type [[Note]]"
// (its docs/NOTE-FORMAT.md of August 2026).
func readNamedFolder(in *input) pieces {
	into := in.into
	if abs, err := filepath.Abs(in.path); err == nil {
		into = path.Join(into, folderName(filepath.Base(abs)))
	}
	return folderOf(in, in.path, func(f file) piece { return noteAt(into, f) })
}

// folderName is a name under which the notes of a folder stand: one that hides
// nothing. A folder without a name gives "".
func folderName(name string) string {
	name = strings.Trim(strings.ToValidUTF8(name, ""), ". ")
	if nameProblem(name) != "" || strings.ContainsAny(name, `/\:`) {
		return ""
	}
	return name
}

// readCodex reads the memories of Codex as its memory writing agent of August 2026
// lays them out: MEMORY.md, memory_summary.md, rollout_summaries/ and skills/. It
// leaves out that agent's working files.
func readCodex(in *input) pieces {
	return folderOf(in, below(in.path, "memories"), func(f file) piece {
		if f.name == "raw_memories.md" || f.name == "phase2_workspace_diff.md" {
			f.skip = "a working file of Codex; what counts of it is in its MEMORY.md"
		}
		return noteAt(in.into, f)
	})
}

// readClaudeCode reads the memory that Claude Code (2.1) writes by itself, MEMORY.md
// and a file a topic, for each project in a folder memory below projects/. What it
// is told in CLAUDE.md is the project's.
func readClaudeCode(in *input) pieces {
	return func(yield func(piece, error) bool) {
		if err := asFolder(in.path); err != nil {
			yield(piece{}, err)
			return
		}
		folders, err := memoryFolders(in.path)
		if err == nil && len(folders) == 0 {
			err = memoir.WithHint(fmt.Errorf("there is no memory of Claude Code in %s: %w", in.path, memoir.ErrNotFound), "name ~/.claude, or a folder memory below its projects")
		}
		if err != nil {
			yield(piece{}, err)
			return
		}
		for _, dir := range folders {
			into, shown := path.Join(in.into, projectOf(dir)), ""
			if len(folders) > 1 {
				shown = projectOf(dir)
			}
			for p, err := range folderOf(in, dir, func(f file) piece { return noteAt(into, f) }) {
				p.name = path.Join(shown, p.name)
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// memoryFolders returns the folders of Claude Code's memory at a path: those of all
// projects, that of one, or the path itself.
func memoryFolders(dir string) ([]string, error) {
	projects := filepath.Join(dir, "projects")
	entries, err := os.ReadDir(projects)
	if err != nil { // it is no such folder
		if memory := filepath.Join(dir, "memory"); exists(memory, layout.Memory) {
			dir = memory
		}
		if exists(dir, layout.Memory) || filepath.Base(dir) == "memory" {
			return []string{dir}, nil
		}
		return nil, nil
	}
	var folders []string
	for _, e := range entries {
		memory := filepath.Join(projects, e.Name(), "memory")
		if info, err := os.Lstat(memory); err == nil && info.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			folders = append(folders, memory)
		}
	}
	return folders, nil
}

// projectOf is the name of the project that a folder of memory belongs to.
func projectOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := filepath.Base(dir)
	if name == "memory" {
		name = filepath.Base(filepath.Dir(dir))
	}
	return folderName(name)
}
