package wire

// Session is a session of an agent.
type Session struct {
	ID      string `json:"id"`      // as the agent calls it
	Agent   string `json:"agent"`   // as in the setting sessions.agents
	Path    string `json:"path"`    // of its transcript, as memoir search cites it
	Project string `json:"project"` // the folder in which the agent worked; empty when it is not known
	Title   string `json:"title"`   // the beginning of what the user said first
	Started string `json:"started"` // RFC 3339; empty when no time is known
	Ended   string `json:"ended"`   // the same
	Turns   int    `json:"turns"`   // how many there are
}

// Turns are what was said in a session.
type Turns struct {
	ID    string `json:"id"`    // as the agent calls it
	Turns []Turn `json:"turns"` // in order
}

// Turn is what one side said.
type Turn struct {
	Role string `json:"role"` // user, assistant, or summary for what an agent wrote when it compacted
	Text string `json:"text"` // without what is private, and with secrets masked
	Time string `json:"time"` // RFC 3339; empty when it is not known
	Line int    `json:"line"` // of the transcript
}
