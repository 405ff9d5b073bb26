package hook

// gemini calls a prompt BeforeAgent, and takes only JSON
// (https://geminicli.com/docs/hooks/reference).
func gemini() agent {
	return agent{name: "gemini", answer: func(event, text string) string {
		switch event {
		case SessionStart:
			return asContext("SessionStart", text)
		case Prompt:
			return asContext("BeforeAgent", text)
		}
		return ""
	}}
}
