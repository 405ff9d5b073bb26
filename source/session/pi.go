package session

import "strings"

// isPi reports whether a file is PROJECT/TIME_SESSION.jsonl. OpenClaw's records
// derive from Pi's, so one parser reads both. Version 1 has no ids and no
// branches.
func isPi(file string) bool {
	return strings.Count(file, "/") == 1 && strings.HasSuffix(file, ".jsonl")
}
