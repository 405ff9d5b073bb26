package hook

// claudeCode takes context in an object, and what is printed before a
// compaction as instructions for the summary
// (https://code.claude.com/docs/en/hooks). VS Code runs the same hooks, and
// reads the members of the object that it knows.
func claudeCode() agent {
	return agent{name: "claude-code", takesSummaryPrompt: true, answer: func(event, text string) string {
		switch event {
		case SessionStart:
			return asContext("SessionStart", text)
		case Prompt:
			return asContext("UserPromptSubmit", text)
		case PreCompact:
			return text + "\n"
		}
		return ""
	}}
}
