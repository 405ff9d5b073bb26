// Package memorytool answers the commands of Anthropic's memory tool (memory_20250818):
// view, create, str_replace, insert, delete and rename, for files below /memories. Its
// answers have the texts of the reference implementation, the class
// BetaLocalFilesystemMemoryTool of the package @anthropic-ai/sdk 1.11.0, so a model that
// was trained with that tool reads what it expects. What the model writes are notes: they
// are searched, kept in the history and taken back like any others.
//
//	tool := memorytool.New(memorytool.Notes(e, workspace))
//	text, err := tool.Call(ctx, block.Input) // of a tool_use block named memory
//
// An error is the text of a tool_result with is_error set.
//
// The package differs from the reference where memoir must not do the same. It refuses a
// path with "..", in any encoding, even one that stays below /memories. It refuses names
// that some system cannot have. A file is a note, so its name ends in .md. It masks secrets in
// what the model writes, such as passwords and tokens, and says so; those that a note has
// already stay.
package memorytool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// Name is the name by which a model calls the tool.
const Name = "memory"

// A Folder is the folder behind /memories. Paths are relative to it, with slashes, and
// valid by [fs.ValidPath]; "." is the folder itself. A Folder is safe for concurrent use.
type Folder interface {
	// View calls f with the files as they are, and returns the error of f. It makes the
	// folder if there is none. f does not see what a link outside the folder leads to.
	View(f func(fs.FS) error) error
	// Edit makes one change of files as a whole, or none at all. why says in a few words
	// what the change is. Edit may call plan again when somebody else writes meanwhile,
	// and returns the error of plan unchanged. A path that cannot be a file gives
	// [memoir.ErrInvalid].
	Edit(ctx context.Context, why string, plan func(Draft) error) error
	// MakeFolder makes a folder and those above it. It is no error if it exists.
	MakeFolder(path string) error
	// RemoveFolder removes a folder that holds only folders, together with these.
	RemoveFolder(path string) error
}

// A Draft is a planned change of files.
type Draft interface {
	// Read returns the content of a file, and whether the file exists.
	Read(path string) (text string, exists bool, err error)
	// Write sets the content of a file. It makes the file if there is none.
	Write(path, text string) error
	// Remove deletes a file.
	Remove(path string) error
	// Regained returns the number of a line of text that was forgotten on purpose and that
	// the file has not, 0 for none.
	Regained(path, text string) (line int, err error)
}

// A Tool answers calls of the memory tool. It is safe for concurrent use.
type Tool struct{ folder Folder }

// New returns a tool that works on a folder.
func New(folder Folder) *Tool { return &Tool{folder} }

// command is the input of a call. A field that was not given is nil.
type command struct {
	Command    string  `json:"command"`
	Path       *string `json:"path"`
	ViewRange  []whole `json:"view_range"`
	FileText   *string `json:"file_text"`
	OldStr     *string `json:"old_str"`
	NewStr     *string `json:"new_str"`
	InsertLine *whole  `json:"insert_line"`
	InsertText *string `json:"insert_text"`
	OldPath    *string `json:"old_path"`
	NewPath    *string `json:"new_path"`
}

// Call answers one call. input is the JSON object that the model wrote. The error is for
// the model to read. A call that fails changes no file, but may have made folders.
func (t *Tool) Call(ctx context.Context, input json.RawMessage) (string, error) {
	var c command
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return "", wrong(err)
	}
	if d.More() {
		return "", failf("The input is more than one object")
	}
	need := func(given bool, name string) error {
		if !given {
			return failf("%s is required for %s", name, c.Command)
		}
		return nil
	}
	var err error
	switch c.Command {
	case "view", "create", "str_replace", "insert", "delete":
		err = need(c.Path != nil, "path")
	case "rename":
		err = errors.Join(need(c.OldPath != nil, "old_path"), need(c.NewPath != nil, "new_path"))
	default:
		err = failf("There is no command %q; there are: view, create, str_replace, insert, delete, rename", c.Command)
	}
	switch {
	case err != nil:
	case c.Command == "create":
		err = need(c.FileText != nil, "file_text")
	case c.Command == "str_replace":
		err = errors.Join(need(c.OldStr != nil, "old_str"), need(c.NewStr != nil, "new_str"))
	case c.Command == "insert":
		err = errors.Join(need(c.InsertLine != nil, "insert_line"), need(c.InsertText != nil, "insert_text"))
	case c.ViewRange != nil && (c.Command != "view" || len(c.ViewRange) != 2):
		err = failf("view_range is two numbers, the first and the last line to view")
	}
	if err != nil {
		return "", err
	}
	switch c.Command {
	case "view":
		return t.view(*c.Path, c.ViewRange)
	case "create":
		return t.create(ctx, *c.Path, *c.FileText)
	case "str_replace":
		return t.replace(ctx, *c.Path, *c.OldStr, *c.NewStr)
	case "insert":
		return t.insert(ctx, *c.Path, int(*c.InsertLine), *c.InsertText)
	case "delete":
		return t.remove(ctx, *c.Path)
	}
	return t.rename(ctx, *c.OldPath, *c.NewPath)
}

// failure is an error whose text is written for the model.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

// explain turns an error of the folder into one for the model.
func explain(asked string, err error) error {
	own := (*failure)(nil)
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, memoir.ErrInvalid):
		return failf("%s cannot be kept: a file here is a note, whose name ends in .md, such as %s/notes.md", asked, root)
	}
	return fmt.Errorf("%s: %w", asked, err)
}

func (t *Tool) create(ctx context.Context, asked, text string) (string, error) {
	at, err := locate(asked)
	if err != nil {
		return "", err
	}
	exists := failf("File %s already exists", asked)
	if kind, err := t.kind(at, asked); err != nil || kind != absent {
		return "", explain(asked, first(err, exists))
	}
	text, masked := engine.MaskNew("", text)
	err = t.folder.Edit(ctx, "create "+asked, func(d Draft) error {
		if _, there, err := d.Read(at); err != nil || there {
			return first(err, exists)
		}
		_, err := write(d, at, "", text)
		return err
	})
	if err != nil {
		return "", explain(asked, err)
	}
	return "File created successfully at: " + asked + telling(masked), nil
}

// write writes what the model sent in place of an older text, with the origins that a model may
// claim, unless it brings back what was forgotten. It returns what it wrote.
func write(d Draft, at, old, text string) (written string, err error) {
	written, line := engine.KeepOrigins(old, text)
	if line > 0 {
		return "", failf("Nothing was written: line %d of the new text says in the comment above it that it is not yours. Leave the origin out", line)
	}
	switch line, err := d.Regained(at, written); {
	case err != nil:
		return "", err
	case line > 0:
		return "", failf("Nothing was written: line %d of the new text was forgotten on purpose. Leave it out; the user alone can bring it back", line)
	}
	return written, d.Write(at, written)
}

// telling says that secrets were masked in what the model wrote, "" for none.
func telling(secrets int) string {
	if secrets == 0 {
		return ""
	}
	return fmt.Sprintf("\nSecrets in the text were masked, because memory keeps none: %d.", secrets)
}

// edit changes the text of an existing file. It masks the secrets that change brings into it,
// and returns these and the text that it wrote.
func (t *Tool) edit(ctx context.Context, verb, asked string, change func(content string) (changed string, err error)) (written string, masked int, err error) {
	at, err := locate(asked)
	if err != nil {
		return "", 0, err
	}
	missing := failf("The path %s does not exist. Please provide a valid path.", asked)
	switch kind, err := t.kind(at, asked); {
	case err != nil:
		return "", 0, explain(asked, err)
	case kind == absent:
		return "", 0, missing
	case kind != file:
		return "", 0, failf("The path %s is not a file.", asked)
	}
	err = t.folder.Edit(ctx, verb+" "+asked, func(d Draft) error {
		content, there, err := d.Read(at)
		if err != nil || !there {
			return first(err, missing)
		}
		changed, err := change(content)
		if err != nil {
			return err
		}
		written, masked = engine.MaskNew(content, changed)
		written, err = write(d, at, content, written)
		return err
	})
	return written, masked, explain(asked, err)
}

func (t *Tool) replace(ctx context.Context, asked, old, with string) (string, error) {
	at := 0
	written, masked, err := t.edit(ctx, "str_replace in", asked, func(content string) (string, error) {
		var matching []string
		at = 0
		for i, line := range strings.Split(content, "\n") {
			if strings.Contains(line, old) {
				if matching == nil {
					at = i
				}
				matching = append(matching, strconv.Itoa(i+1))
			}
		}
		switch {
		case len(matching) == 0:
			return "", failf("No replacement was performed, old_str `%s` did not appear verbatim in %s.", old, asked)
		case len(matching) > 1:
			return "", failf("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", old, strings.Join(matching, ", "))
		}
		return strings.Replace(content, old, with, 1), nil
	})
	if err != nil {
		return "", err
	}
	lines := strings.Split(written, "\n")
	from := max(0, at-2)
	return "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" +
		numbered(lines[from:min(len(lines), at+3)], from+1) + telling(masked), nil
}

func (t *Tool) insert(ctx context.Context, asked string, line int, text string) (string, error) {
	_, masked, err := t.edit(ctx, "insert into", asked, func(content string) (string, error) {
		lines := strings.Split(content, "\n")
		if line < 0 || line > len(lines) {
			return "", failf("Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, len(lines))
		}
		return strings.Join(slices.Insert(lines, line, strings.TrimSuffix(text, "\n")), "\n"), nil
	})
	if err != nil {
		return "", err
	}
	return "The file " + asked + " has been edited." + telling(masked), nil
}

func (t *Tool) remove(ctx context.Context, asked string) (string, error) {
	at, err := locate(asked)
	if err != nil {
		return "", err
	}
	if at == "." {
		return "", failf("Cannot delete the %s directory itself", root)
	}
	files, _, isFolder, err := t.inside(at, asked, failf("The path %s does not exist", asked))
	if err != nil {
		return "", explain(asked, err)
	}
	err = t.editAll(ctx, "delete "+asked, files, func(d Draft, name string) error { return d.Remove(name) })
	if err == nil && isFolder {
		err = t.folder.RemoveFolder(at)
	}
	if err != nil {
		return "", explain(asked, err)
	}
	return "Successfully deleted " + asked, nil
}

func (t *Tool) rename(ctx context.Context, from, to string) (string, error) {
	old, err := locate(from)
	if err != nil {
		return "", err
	}
	at, err := locate(to)
	if err != nil {
		return "", err
	}
	if old == "." {
		return "", failf("Cannot rename the %s directory itself", root)
	}
	if _, err := t.kind(old, from); err != nil {
		return "", explain(from, err)
	}
	if kind, err := t.kind(at, to); err != nil || kind != absent {
		return "", explain(to, first(err, failf("The destination %s already exists", to)))
	}
	if err := t.folder.MakeFolder(path.Dir(at)); err != nil {
		return "", explain(to, err)
	}
	files, folders, isFolder, err := t.inside(old, from, failf("The path %s does not exist", from))
	switch {
	case err != nil:
		return "", explain(from, err)
	case isFolder && strings.HasPrefix(at, old+"/"):
		return "", failf("%s is inside of %s", to, from)
	}
	moved := func(name string) string { return at + strings.TrimPrefix(name, old) }
	for _, name := range folders {
		if err := t.folder.MakeFolder(moved(name)); err != nil {
			return "", explain(to, err)
		}
	}
	err = t.editAll(ctx, "rename "+from+" to "+to, files, func(d Draft, name string) error {
		text, there, err := d.Read(name)
		if err != nil || !there {
			return first(err, failf("The path %s does not exist", from))
		}
		if _, there, err := d.Read(moved(name)); err != nil || there {
			return first(err, failf("The destination %s already exists", to))
		}
		return errors.Join(d.Write(moved(name), text), d.Remove(name))
	})
	if err == nil && isFolder {
		err = t.folder.RemoveFolder(old)
	}
	if err != nil {
		return "", explain(to, err)
	}
	return fmt.Sprintf("Successfully renamed %s to %s", from, to), nil
}

// editAll changes some files in one change.
func (t *Tool) editAll(ctx context.Context, why string, names []string, plan func(d Draft, name string) error) error {
	if len(names) == 0 {
		return nil
	}
	return t.folder.Edit(ctx, why, func(d Draft) error {
		for _, name := range names {
			if err := plan(d, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// The kinds of things that a path can name.
type kind int

const (
	absent kind = iota
	file
	folder
	other
)

// kind returns what a path names. It is an error if the path leads through a file,
// because nothing can be or be made there.
func (t *Tool) kind(at, asked string) (k kind, err error) {
	err = t.folder.View(func(files fs.FS) error {
		for above := path.Dir(at); above != "."; above = path.Dir(above) {
			if info, err := fs.Stat(files, above); err == nil && !info.IsDir() {
				return failf("The path %s does not exist. Please provide a valid path.", asked)
			}
		}
		switch info, err := fs.Stat(files, at); {
		case err != nil && dangling(files, at):
			k = other
		case err != nil:
		case info.IsDir():
			k = folder
		case info.Mode().IsRegular():
			k = file
		default:
			k = other
		}
		return nil
	})
	return k, err
}

// inside returns the files and folders at a path and below it. isFolder reports whether
// any of them is a folder. It returns missing if the path does not exist. A link is an
// error, and so is anything else that is neither file nor folder, because it would be
// left behind.
func (t *Tool) inside(at, asked string, missing error) (files, folders []string, isFolder bool, err error) {
	err = t.folder.View(func(all fs.FS) error {
		files, folders = nil, nil
		return fs.WalkDir(all, at, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil && name == at:
				return missing
			case err != nil:
				return err
			case entry.IsDir():
				folders, isFolder = append(folders, name), true
			case entry.Type().IsRegular():
				files = append(files, name)
			default:
				return failf("%s holds %s, which is no file", asked, name)
			}
			return nil
		})
	})
	return files, folders, isFolder, err
}

// first returns err, or other if err is nil.
func first(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
