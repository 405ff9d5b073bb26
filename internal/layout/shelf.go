package layout

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// The types of entries, each of which has its shelf.
const (
	Preference  = "preference"
	Instruction = "instruction"
	Contact     = "contact"
	Project     = "project"
	Decision    = "decision"
	Learning    = "learning"
	Journal     = "journal"
)

// Types are all types of entries, in the order in which people are told of them.
func Types() []string {
	return []string{Preference, Instruction, Contact, Project, Decision, Learning, Journal}
}

// typeNames are the types' names in Chinese and Japanese.
var typeNames = map[string]string{
	"偏好": Preference, "好み": Preference,
	"指示": Instruction, "要求": Instruction,
	"联系人": Contact, "聯繫人": Contact, "聯絡人": Contact, "連絡先": Contact,
	"项目": Project, "項目": Project, "專案": Project, "プロジェクト": Project,
	"决定": Decision, "決定": Decision,
	"经验": Learning, "經驗": Learning, "心得": Learning, "学び": Learning,
	"日志": Journal, "日誌": Journal, "日记": Journal, "日記": Journal,
}

// TypeNamed returns the type that a word names in English, in any case, in Chinese or in
// Japanese. A word that names none is returned as it is.
func TypeNamed(word string) string {
	if typ, ok := typeNames[word]; ok {
		return typ
	}
	if typ := strings.ToLower(word); slices.Contains(Types(), typ) {
		return typ
	}
	return word
}

// Shelves are the files that entries are written to, by type: slash-separated
// paths below the root of the workspace. In that of [Journal], YYYY, MM and DD
// stand for the day. A type that is not there has its default shelf.
type Shelves map[string]string

// defaultShelves are where entries stand unless somebody says otherwise.
var defaultShelves = Shelves{
	Preference:  "memory/preferences.md",
	Instruction: "memory/instructions.md",
	Contact:     "memory/contacts.md",
	Project:     "memory/projects.md",
	Decision:    "memory/decisions.md",
	Learning:    "memory/learnings.md",
	Journal:     "memory/YYYY-MM-DD.md",
}

// DefaultShelves returns where entries stand unless somebody says otherwise.
func DefaultShelves() Shelves { return maps.Clone(defaultShelves) }

// File returns the shelf of a type, for the journal that of the day, as the
// time's own location counts days. "" is no type.
func (s Shelves) File(typ string, day time.Time) string {
	file := s.Pattern(typ)
	if typ == Journal {
		for _, part := range [][2]string{{"YYYY", "2006"}, {"MM", "01"}, {"DD", "02"}} {
			file = strings.ReplaceAll(file, part[0], day.Format(part[1]))
		}
	}
	return file
}

// Pattern returns the file of a type, in that of [Journal] with YYYY, MM and DD.
func (s Shelves) Pattern(typ string) string {
	if file := s[typ]; file != "" {
		return file
	}
	return defaultShelves[typ]
}

// Type returns the type whose shelf a file is, "" for any other file.
func (s Shelves) Type(file string) string {
	for _, typ := range Types() {
		if typ != Journal && s.Pattern(typ) == file {
			return typ
		}
	}
	if day, ok := Date(file); ok && s.File(Journal, day) == file {
		return Journal
	}
	return ""
}

// Check says what is wrong with shelves: a type that there is not, and what
// [Shelves.CheckType] says of each.
func (s Shelves) Check() error {
	types := Types()
	for typ := range s {
		if !slices.Contains(types, typ) {
			return fmt.Errorf("there is no type %q, only %s", typ, strings.Join(types, ", "))
		}
	}
	for _, typ := range types {
		if err := s.CheckType(typ); err != nil {
			return err
		}
	}
	return nil
}

// CheckType says what is wrong with the shelf of a type: a file that is no note of
// the workspace, one that another type or the agent's host has, a journal whose
// files do not name their day.
func (s Shelves) CheckType(typ string) error {
	file := s.Pattern(typ)
	switch ext := path.Ext(file); {
	case !fs.ValidPath(file) || strings.HasPrefix(file, ".") || strings.Contains(file, "/."):
		return fmt.Errorf("%s cannot be kept in %q: it is not a path below the workspace", typ, file)
	case !strings.EqualFold(ext, ".md"):
		return fmt.Errorf("%s cannot be kept in %q: its name does not end in .md", typ, file)
	case Conflict(file) != "":
		return fmt.Errorf("%s cannot be kept in %q: that is the name of a conflict copy", typ, file)
	case Obeyed(file):
		return fmt.Errorf("%s cannot be kept in %s: agents take that file for orders", typ, file)
	case file == Memory:
		return fmt.Errorf("%s cannot be kept in %s: that file is not for entries of a type", typ, file)
	}
	for _, other := range Types() {
		if other != typ && s.Pattern(other) == file {
			return fmt.Errorf("%s and %s cannot both be kept in %s", other, typ, file)
		}
	}
	if typ != Journal {
		return nil
	}
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	if named, ok := Date(s.File(Journal, day)); !ok || !named.Equal(day) {
		return fmt.Errorf("%s cannot be kept in %q: the name has to begin with the day, as in memory/YYYY-MM-DD.md", Journal, file)
	}
	return nil
}
