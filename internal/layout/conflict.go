package layout

import (
	"path"
	"regexp"
	"strings"
)

// conflictMarks are what programs that keep a folder the same on several machines put
// into the name of the copy that they could not merge, before its ending.
var conflictMarks = []*regexp.Regexp{
	regexp.MustCompile(`^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?$`),                // Syncthing
	regexp.MustCompile(`(?i)^(.+?) ?\([^()]*\bconflict(?:ed|ing) copy\b.*\)$`),            // Dropbox, Nextcloud, Tresorit
	regexp.MustCompile(`^(.+?) ?[(（][^()（）]*(?:冲突副本|衝突複本|有冲突的副本|競合コピー).*[)）]$`),           // Dropbox in other languages
	regexp.MustCompile(`^(.+)_conflict-\d{8}-\d{6}$`),                                     // ownCloud
	regexp.MustCompile(`(?i)^(.+?)_[^_]+_\w{3}-\d\d-\d{6}-\d{4}_conflict(?: ?\(\d+\))?$`), // Synology
	regexp.MustCompile(`^(.+?) \(SFConflict .+\)$`),                                       // Seafile
	regexp.MustCompile(`(?i)^(.+)\.conflict\d*$`),                                         // Resilio
}

// Conflict returns the path of the note that a file is a conflict copy of, by the names
// that programs give which keep a folder the same on several machines, and "" for any
// other file. Names that a person may well choose, such as "a 2.md" and "a (1).md", are
// none.
func Conflict(file string) string {
	dir, name := path.Split(file)
	ext := path.Ext(name)
	for _, mark := range conflictMarks {
		if found := mark.FindStringSubmatch(strings.TrimSuffix(name, ext)); found != nil {
			return dir + found[1] + ext
		}
	}
	return ""
}
