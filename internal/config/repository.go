package config

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
)

// A Repository is where a folder is kept under version control, as far as git's own
// files tell it. No program is asked.
type Repository struct {
	Root string // the folder with .git
	// Main is the root of the main worktree, where the folder is another worktree of
	// it; "" where it is the main one itself, or of none that has files.
	Main string
}

// gitName is the name of git's folder, or of the file that names it.
const gitName = ".git"

// repositoryAt returns the repository whose root a folder is; ok is false where it is
// none.
//
// What came with a stranger's files must not lead memoir to other notes, so that a
// .git file is believed in one case alone: it names the folder of a worktree within
// a repository, and that folder names the file in turn, which git writes there and
// nobody can who may not write into that repository. Links are not followed, nor are
// core.worktree, GIT_DIR and the like read.
func repositoryAt(dir string) (Repository, bool) {
	path := filepath.Join(dir, gitName)
	info, err := os.Lstat(path)
	if err != nil {
		return Repository{}, false
	}
	r := Repository{Root: dir}
	if info.Mode().IsRegular() {
		r.Main = mainWorktree(path, info)
	}
	return r, info.IsDir() || info.Mode().IsRegular()
}

// mainWorktree returns the root of the main worktree of the worktree whose .git file
// is given, or "".
func mainWorktree(file string, info os.FileInfo) string {
	named, ok := strings.CutPrefix(firstLine(file), "gitdir:")
	if !ok {
		return ""
	}
	own, err := filepath.EvalSymlinks(besides(strings.TrimSpace(named), filepath.Dir(file)))
	if err != nil {
		return ""
	}
	// .git/worktrees/NAME of the repository, which git calls the common folder.
	common := filepath.Dir(filepath.Dir(own))
	if filepath.Base(filepath.Dir(own)) != "worktrees" || filepath.Base(common) != gitName {
		return "" // of a submodule, say, or of a repository without files
	}
	if back, err := os.Lstat(besides(firstLine(filepath.Join(own, "gitdir")), own)); err != nil || !os.SameFile(back, info) {
		return ""
	}
	if head, err := os.Lstat(filepath.Join(common, "HEAD")); err != nil || !head.Mode().IsRegular() {
		return ""
	}
	return filepath.Dir(common)
}

// besides returns a path as git writes it into a file, relative to a folder.
func besides(path, dir string) string {
	path = filepath.FromSlash(path)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// maxGitFile bounds what is read of git's small files, in bytes.
const maxGitFile = 8 << 10

// firstLine returns the first line of a small file, "" when it cannot be read.
func firstLine(path string) string {
	f, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}
