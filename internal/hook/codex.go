package hook

// codex refuses objects with members that its schema does not have
// (https://developers.openai.com/codex/hooks), and takes no text before a
// compaction.
func codex() agent {
	return agent{name: "codex", answer: func(event, text string) string {
		switch event {
		case SessionStart:
			return asContext("SessionStart", text)
		case Prompt:
			return asContext("UserPromptSubmit", text)
		}
		return ""
	}}
}
