package eval

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unscoped is the folder of documents without a scope. They do not go to the
// root, because names such as MEMORY.md have a meaning there.
const unscoped = "notes"

// maxNameBytes leaves room for a date, a number and an ending in the 255 bytes
// that file systems allow.
const maxNameBytes = 160

// A Workspace says where the documents of a set were written.
type Workspace struct {
	IDs     map[string]string // document id by path: with slashes, below the folder, in normal form C
	Folders map[string]string // folder by scope, as a prefix of its paths and of no other: "conv-26/"
}

// WriteWorkspace writes each document as a Markdown file of its own into a
// folder. It makes the folder if need be. A file holds exactly the text, so line
// numbers stay true. A document with a date is named as a day log is. Slashes in
// an id become folders, so links between documents still work. WriteWorkspace
// never overwrites a file. After an error the files already written stay.
func (s *Set) WriteWorkspace(dir string) (*Workspace, error) {
	w := &Workspace{IDs: make(map[string]string, len(s.Documents)), Folders: map[string]string{}}
	folders, trees := uniqueNames{}, map[string]tree{}
	folderOf := func(scope string) string {
		folder, ok := w.Folders[scope]
		if !ok {
			name := unscoped
			if scope != "" {
				name = scope
			}
			folder = folders.take(safeName(name), "")
			w.Folders[scope] = folder + "/"
			trees[scope] = tree{uniqueNames{}, map[string]string{}}
			return folder
		}
		return strings.TrimSuffix(folder, "/")
	}
	for _, doc := range s.Documents {
		folder := folderOf(doc.Scope)
		p := path.Join(folder, trees[doc.Scope].place(doc))
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(p)), doc.Text); err != nil {
			return nil, fmt.Errorf("write document %q: %w", doc.ID, err)
		}
		w.IDs[p] = doc.ID
	}
	return w, nil
}

// tree is a scope's folder: the paths below it that are taken, and the
// spelling of each folder below it by its folded path.
type tree struct {
	taken   uniqueNames
	folders map[string]string
}

// maxDepth is the most parts that an id is split into at its slashes. An id with
// more becomes one name.
const maxDepth = 12

// place returns the path of a document. If its id starts with the folder of its
// scope, that folder is not repeated. No path leads upwards.
func (t tree) place(doc Document) string {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimPrefix(doc.ID, doc.Scope+"/"), "/") {
		if part != "" && part != "." && part != ".." {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 || len(parts) > maxDepth {
		parts = []string{doc.ID}
	}
	last := len(parts) - 1
	folder := ""
	for _, part := range parts[:last] {
		name := safeName(part)
		if strings.HasSuffix(fold(name), ".md") {
			name += "_" // it could be the name of a document
		}
		next := path.Join(folder, name)
		if t.folders[fold(next)] == "" {
			t.folders[fold(next)] = next
		}
		folder = t.folders[fold(next)]
	}
	name := safeName(parts[last])
	if doc.Date != "" {
		name = doc.Date + "-" + name
	}
	return t.taken.take(path.Join(folder, name), ".md")
}

func writeNew(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// safeName turns an id into a file name for every platform, without an ending:
// letters and digits of all scripts stay, anything else but "_" and "." within
// becomes a hyphen.
func safeName(id string) string {
	id = norm.NFC.String(strings.ToValidUTF8(id, "-"))
	var b strings.Builder
	for _, r := range id {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M), r == '_', r == '.':
		default:
			r = '-'
		}
		if b.Len()+utf8.RuneLen(r) > maxNameBytes {
			break
		}
		b.WriteRune(r)
	}
	name := strings.Trim(b.String(), ".-") // a leading dot hides a file, Windows drops a trailing one
	if name == "" || reserved(name) {
		name += "_"
	}
	return name
}

// reserved reports whether a name means a device on Windows, or a folder that
// holds no notes. Windows ignores what follows the first dot.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch stem {
	case "con", "prn", "aux", "nul", "node_modules", "venv", "__pycache__":
		return true
	}
	device, digit := stem[:min(3, len(stem))], stem[min(3, len(stem)):]
	return (device == "com" || device == "lpt") && utf8.RuneCountInString(digit) == 1 && strings.ContainsAny(digit, "0123456789¹²³")
}

// uniqueNames holds the names or paths that are taken in a folder, without
// regard to case.
type uniqueNames map[string]bool

// take returns the name with its ending, numbered if it is taken already.
func (u uniqueNames) take(name, ending string) string {
	full := name + ending
	for n := 2; u[fold(full)]; n++ {
		full = fmt.Sprintf("%s~%d%s", name, n, ending)
	}
	u[fold(full)] = true
	return full
}

// fold returns a key that is equal for all names that a case-insensitive file
// system takes for the same. Some other names may share it.
func fold(name string) string {
	return norm.NFKC.String(strings.ToLower(strings.ToUpper(name)))
}
