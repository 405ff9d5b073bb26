package session

import "strings"

// isPi: PROJECT/TIME_SESSION.jsonl. What stands there are the records of which those of
// OpenClaw came, so one parser reads both; version 1 has no ids, and no branches.
func isPi(file string) bool {
	return strings.Count(file, "/") == 1 && strings.HasSuffix(file, ".jsonl")
}
