package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Summary returns the path of the note that holds the summaries of a session of a day. Its
// name has a mark of the session, which is the agent's own name for it.
func Summary(day time.Time, agent, session string) string {
	return path.Join(Folder, day.Format(time.DateOnly)+"-"+agent+"-"+SummaryMark(session)+".md")
}

// SummaryTitle returns the first line of such a note.
func SummaryTitle(day time.Time, agent string) string {
	return "# Session with " + agent + ", " + day.Format(time.DateOnly)
}

// SummaryMark returns the mark of a session in names of notes.
func SummaryMark(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:4])
}

var (
	summaryName  = lazyregexp.New(`^` + Folder + `/\d{4}-\d\d-\d\d-(.+)-([0-9a-f]{8})\.md$`)
	summaryTitle = lazyregexp.New(`(?m)^# Session with (\S+), \d{4}-\d\d-\d\d\r?$`)
)

// SummaryOf returns the agent and the mark that the name of a note of summaries has, also
// that of its conflict copy; ok is false for any other note.
func SummaryOf(file string) (agent, mark string, ok bool) {
	if of := Conflict(file); of != "" {
		file = of
	}
	return pair(summaryName().FindStringSubmatch(file))
}

// Summarized returns the agents of whose sessions a note has summaries, by the titles
// within it.
func Summarized(text string) (agents []string) {
	for _, found := range summaryTitle().FindAllStringSubmatch(text, -1) {
		agents = append(agents, found[1])
	}
	return agents
}

func pair(found []string) (first, second string, ok bool) {
	if found == nil {
		return "", "", false
	}
	return found[1], found[2], true
}
