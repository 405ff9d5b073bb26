package wire

import "time"

// TokenAnswer is the JSON of a token that was made.
type TokenAnswer struct {
	Name        string   `json:"name"`                 // as memoir token revoke takes it
	Token       string   `json:"token"`                // to be sent as Authorization: Bearer TOKEN; not shown again
	Permissions []string `json:"permissions"`          // what it allows: read, write, private
	Workspaces  []string `json:"workspaces,omitempty"` // that it is for, by their names; absent: all
}

// TokenEntry is the JSON of a token in a list.
type TokenEntry struct {
	Name        string    `json:"name"`                 // as memoir token revoke takes it
	Permissions []string  `json:"permissions"`          // what it allows: read, write, private
	Workspaces  []string  `json:"workspaces,omitempty"` // that it is for, by their names; absent: all
	Created     time.Time `json:"created"`              // when it was made
}
