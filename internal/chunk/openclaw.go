package chunk

import "strings"

// IsSessionHeader reports whether a piece is only what OpenClaw's hook
// session-memory writes above a conversation: the title "Session: …" and the
// session's key, id and source.
func IsSessionHeader(text string) bool {
	title, fields := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "# Session: ") && !title:
			title = true
		case strings.HasPrefix(line, "- **Session Key**:"), strings.HasPrefix(line, "- **Session ID**:"), strings.HasPrefix(line, "- **Source**:"):
			fields++
		default:
			return false
		}
	}
	return title && fields > 0
}
