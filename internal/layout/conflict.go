package layout

import (
	"path"
	"regexp"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// conflictMarks are what programs that keep a folder the same on several machines put
// into the name of the copy that they could not merge, before its ending.
var conflictMarks = []func() *regexp.Regexp{
	lazyregexp.New(`^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?$`),                // Syncthing
	lazyregexp.New(`(?i)^(.+?) ?\([^()]*\bconflict(?:ed|ing) copy\b.*\)$`),            // Dropbox, Nextcloud, Tresorit
	lazyregexp.New(`^(.+?) ?[(（][^()（）]*(?:冲突副本|衝突複本|有冲突的副本|競合コピー).*[)）]$`),           // Dropbox in other languages
	lazyregexp.New(`^(.+)_conflict-\d{8}-\d{6}$`),                                     // ownCloud
	lazyregexp.New(`(?i)^(.+?)_[^_]+_\w{3}-\d\d-\d{6}-\d{4}_conflict(?: ?\(\d+\))?$`), // Synology
	lazyregexp.New(`^(.+?) \(SFConflict .+\)$`),                                       // Seafile
	lazyregexp.New(`(?i)^(.+)\.conflict\d*$`),                                         // Resilio
}

// Conflict returns the path of the note that a file is a conflict copy of, by the names
// that programs give which keep a folder the same on several machines, and "" for any
// other file. Names that a person may well choose, such as "a 2.md" and "a (1).md", are
// none.
func Conflict(file string) string {
	dir, name := path.Split(file)
	// Every file is asked about, and hardly one is a copy.
	if !strings.Contains(strings.ToLower(name), "conflict") && !strings.ContainsAny(name, "突競") {
		return ""
	}
	ext := path.Ext(name)
	for _, mark := range conflictMarks {
		if found := mark().FindStringSubmatch(strings.TrimSuffix(name, ext)); found != nil {
			return dir + found[1] + ext
		}
	}
	return ""
}
