package hook

// opencode is asked by the plugin that memoir setup writes, which takes plain text.
func opencode() agent {
	return agent{name: "opencode", takesSummaryPrompt: true, answer: func(event, text string) string {
		switch event {
		case SessionStart, Prompt, PreCompact:
			return text
		}
		return ""
	}}
}
