package hook

// cursor takes context only at the start of a session
// (https://cursor.com/docs/agent/hooks). Plain text would be an error.
func cursor() agent {
	return agent{name: "cursor", answer: func(event, text string) string {
		if event != SessionStart {
			return ""
		}
		return line(struct {
			Context string `json:"additional_context"`
		}{text})
	}}
}
