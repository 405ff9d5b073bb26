// Package layout knows what the files of a workspace are: which holds what stays
// true, which is the log of a day, which belongs to the agent's host. The names
// are OpenClaw's (https://docs.openclaw.ai/concepts/memory), so that its
// workspaces mean the same here.
//
// Paths are slash-separated and below the root of the workspace. Letters count as
// they are: memory.md is not MEMORY.md. [Obeyed] and [Private] are the exceptions.
package layout

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The names that mean something in the root of a workspace.
const (
	Memory      = "MEMORY.md" // what stays true
	User        = "USER.md"   // whom the agent works for
	Soul        = "SOUL.md"   // the agent's character
	OlderMemory = "memory.md" // what [Memory] was called
	Folder      = "memory"    // of day logs and of all other notes
)

// Curated reports whether each entry of a file stands for itself and holds until
// it is changed, as in [Memory] and [User].
func Curated(file string) bool { return file == Memory || file == User }

// Host reports whether a file tells the agent how to behave, or is kept for
// review, instead of being its memory.
func Host(file string) bool {
	switch file {
	case "AGENTS.md", Soul, "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "DREAMS.md":
		return true
	}
	return false
}

// orders are the files that agents take for orders wherever they stand: those of Claude
// Code, Codex, Gemini CLI, Qwen Code, Copilot, Crush, Warp and OpenClaw, and of skills.
var orders = []string{
	"AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "CRUSH.md",
	"WARP.md", "copilot-instructions.md", "SKILL.md", Soul,
}

// Obeyed reports whether agents take a file for orders, at whatever depth it stands, or as
// [Host] says in the root. Case does not count, nor what cannot be seen in a name, for some
// file systems ignore them. memoir remembers nothing in such a file.
func Obeyed(file string) bool {
	file = visible(file)
	ext := path.Ext(file)
	if strings.EqualFold(ext, ".md") && Host(strings.ToUpper(strings.TrimSuffix(file, ext))+".md") {
		return true
	}
	return slices.ContainsFunc(orders, func(name string) bool { return strings.EqualFold(name, path.Base(file)) })
}

// Private reports whether a file is for private sessions only by its name, whatever it says.
// That holds for [Memory], [OlderMemory], [User] and their conflict copies ([Conflict]). Case
// and invisible characters do not count, because some file systems ignore them.
func Private(file string) bool {
	for file = visible(file); file != ""; file = Conflict(file) {
		if strings.EqualFold(file, Memory) || strings.EqualFold(file, User) {
			return true
		}
	}
	return false
}

// visible returns a name without its invisible characters.
func visible(file string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, file)
}

// Expected reports whether a path is one whose notes every workspace of OpenClaw
// has in its memory: that it is left out has to be told.
func Expected(file string) bool { return Curated(file) || file == Folder }

// Log returns the path of the log of a day, as the time's own location counts days.
func Log(day time.Time) string { return path.Join(Folder, day.Format(time.DateOnly)+".md") }
