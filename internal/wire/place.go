package wire

import "time"

// IndexEntry is the JSON of an index in the folder of state.
type IndexEntry struct {
	Path      string    `json:"path"`                // of the database
	Workspace string    `json:"workspace,omitempty"` // folder of the notes; absent when that is not known
	Agent     string    `json:"agent"`               // whose index it is
	Bytes     int64     `json:"bytes"`               // of all files that can be made again
	Written   time.Time `json:"written"`             // when it was written last
	Notes     string    `json:"notes"`               // there, gone, or unknown
}

// PruneAnswer is the JSON of indexes prune.
type PruneAnswer struct {
	DryRun  bool         `json:"dryRun"`  // nothing was removed
	Removed []IndexEntry `json:"removed"` // what was, or would be
	Bytes   int64        `json:"bytes"`   // of those
	Kept    []KeptIndex  `json:"kept"`    // what was to be removed, and could not be
}

// KeptIndex is an index that could not be removed.
type KeptIndex struct {
	Path string `json:"path"` // of the database
	Why  string `json:"why"`  // it stays
}

// InitAnswer is the JSON of init.
type InitAnswer struct {
	Workspace string   `json:"workspace"` // absolute path
	Created   []string `json:"created"`   // files and folders that were made, below the workspace
	Kept      []string `json:"kept"`      // those that were there and are as they were
}

// OpenAnswer is the JSON of open.
type OpenAnswer struct {
	Scope   string   `json:"scope,omitempty"` // user or project, where the memories of both answer as one
	Path    string   `json:"path"`            // path of the note, relative to its workspace
	File    string   `json:"file"`            // absolute path of its file
	Line    int      `json:"line,omitempty"`  // line to open it at, counted from 1; absent where none is named
	Command []string `json:"command"`         // program and arguments that would open it
}

// WhereAnswer is the JSON of where.
type WhereAnswer struct {
	Joined   bool          `json:"joined"`   // the user's and the project's memory answer as one
	Because  string        `json:"because"`  // why it is these
	Memories []WhereMemory `json:"memories"` // those that are meant, the user's first
	Others   []WherePlace  `json:"others"`   // those that are there and are not meant
	// The repository that one stands in; absent when it is none.
	Repository *WhereRepository `json:"repository,omitempty"`
}

// TrustAnswer is the JSON of trust.
type TrustAnswer struct {
	Workspace string `json:"workspace"` // absolute path of the folder of notes
	Trusted   bool   `json:"trusted"`   // its notes are given to agents and written to
	Changed   bool   `json:"changed"`   // that was not so before
}

// TrustList is the JSON of trust --list.
type TrustList struct {
	Trusted []string `json:"trusted"` // real paths of all folders that are trusted on this machine, sorted
}

// WherePlace is a workspace, and why it is one.
type WherePlace struct {
	Scope     string `json:"scope"`     // user or project
	Workspace string `json:"workspace"` // absolute path
	Because   string `json:"because"`   // what names it: a flag, a variable, a file
	Exists    bool   `json:"exists"`    // the folder is there
	Trusted   bool   `json:"trusted"`   // its notes are given to agents and written to; a project's once the user has agreed on this machine
}

// WhereMemory is a workspace with what belongs to it.
type WhereMemory struct {
	WherePlace
	Agent           string   `json:"agent"`           // whose index it is
	AgentBecause    string   `json:"agentBecause"`    // what names the agent
	StateDir        string   `json:"stateDir"`        // folder of state, absolute path
	StateDirBecause string   `json:"stateDirBecause"` // what names that folder
	Kept            string   `json:"kept"`            // folder in it of what cannot be made again, absolute path
	Index           string   `json:"index"`           // in the cache, absolute path
	IndexExists     bool     `json:"indexExists"`     // it is there
	Files           []string `json:"files"`           // settings files that were read, lowest layer first
	// The folders that are searched with its notes; absent without any.
	Collections []Collection `json:"collections,omitempty"`
	Error       string       `json:"error,omitempty"` // why its settings cannot be read; what follows the workspace is empty then
}

// WhereRepository is a repository, as git's files tell it.
type WhereRepository struct {
	Root string `json:"root"`           // absolute path
	Main string `json:"main,omitempty"` // root of the main worktree, when one stands in another
}
