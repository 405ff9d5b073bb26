package cli

import "github.com/spf13/cobra"

// otherNames are commands by what other programs call them.
var otherNames = map[string]string{
	"ask": "search", "find": "search", "query": "search", "recall": "search", "lookup": "search", "grep": "search",
	"store": "remember", "put": "remember", "insert": "remember", "note": "remember", "tell": "remember", "learn": "remember", "memorize": "remember",
	"list": "entries", "ls": "entries", "all": "entries", "facts": "entries", "memories": "entries",
	"show": "get", "cat": "get", "read": "get", "view": "get",
	"edit": "open", "write": "open",
	"revert": "undo", "rollback": "undo", "restore": "undo",
	"log": "history", "changes": "history",
	"backup": "export", "dump": "export",
	"install": "setup", "connect": "setup", "uninstall": "setup",
	"check": "doctor", "health": "doctor", "diagnose": "doctor",
	"page": "ui", "web": "ui", "gui": "ui", "dashboard": "ui",
	"server": "serve", "start": "serve", "daemon": "serve",
	"reindex": "rebuild", "sync": "index", "upgrade": "update", "settings": "config", "workspaces": "where",
}

// orders are those of them with which nobody begins a question or the words of a search.
var orders = map[string]string{
	"add": "remember", "save": "remember",
	"delete": "forget", "del": "forget", "remove": "forget", "rm": "forget", "erase": "forget",
}

// nearest returns the command that a person may have meant by the only word, or the first of
// several words, that names none; "" when none is near.
func nearest(cmd *cobra.Command, name string, several bool) string {
	if !cmd.HasParent() {
		if meant := orders[name]; meant != "" {
			return meant
		}
		if meant := otherNames[name]; meant != "" && !several {
			return meant
		}
	}
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}
