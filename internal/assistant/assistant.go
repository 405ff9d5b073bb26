// Package assistant knows what assistants are called, in transcripts and in
// questions about what one of them said.
package assistant

// Names are those of assistants that people talk to, in small letters. They are
// the products whose transcripts memoir has met.
var Names = []string{"chatgpt", "gpt", "claude", "codex", "copilot", "deepseek", "gemini", "openclaw"}
