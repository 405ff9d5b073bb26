package wire

import (
	"time"

	"github.com/memoir-ai/memoir"
)

// Status is the state of an index.
type Status struct {
	Scope     string `json:"scope,omitempty"` // user or project, where two memories answer as one
	Workspace string `json:"workspace"`       // absolute path
	Index     string `json:"index"`           // absolute path of the file, in the cache
	Kept      string `json:"kept"`            // folder of what cannot be made again, absolute path
	// The user has not run memoir trust for the project on this machine: its notes are searched,
	// but no agent gets them unasked, and nothing is written there.
	Untrusted bool   `json:"untrusted,omitempty"`
	Documents int    `json:"documents"` // in the index
	Chunks    int    `json:"chunks"`    // in the index
	Bytes     int64  `json:"bytes"`     // that the index takes on disk
	Provider  string `json:"provider"`  // that is configured, empty without one
	Model     string `json:"model"`     // that is configured, empty without one
	// Why it is this provider: the end of a sentence that begins with "because".
	ProviderReason string `json:"providerReason,omitempty"`
	Kernels        string `json:"kernels"` // that the model inside runs on
	// Distinct texts that have a vector of the configured model.
	Vectors        int `json:"vectors"`
	PendingVectors int `json:"pendingVectors"` // distinct texts that have none yet
	FailedVectors  int `json:"failedVectors"`  // distinct texts that the provider could not take
	// A process computes the missing vectors now.
	Filling bool `json:"filling"`
	// The machine runs on its battery, so that more than a few missing vectors wait; see
	// the setting embed.onBattery. Absent when nothing waits.
	OnBattery bool `json:"onBattery,omitempty"`
	// The system tells memoir mcp of changed notes; else that looks for them every
	// sync.interval.
	Watched         bool   `json:"watched"`
	UnwatchedReason string `json:"unwatchedReason"` // why it is not told; empty when it is
	// What is watched, and by what it is limited; absent where nothing is known of it.
	Watch *Watch `json:"watch,omitempty"`
	// The notes and sessions that there are, beside the index.
	Files Files `json:"files"`
	// The last look at all of them; absent when none was noted.
	LastSync *LastSync `json:"lastSync,omitempty"`
	// The process that computes missing vectors now; absent when none does, or it did not say.
	Lease *Lease `json:"lease,omitempty"`
	// Agents whose sessions are indexed; absent without any.
	Sessions []AgentSessions `json:"sessions,omitempty"`
	// The model whose vectors answer searches: the one before the configured one
	// while that is not complete. Its fields are empty while there are no vectors.
	Answering Model     `json:"answering"`
	Rerank    *Reranker `json:"rerank,omitempty"` // absent when nothing reranks
	// What a language model took that writes summaries; absent when none may and none did.
	Summaries *SummaryBill `json:"summaries,omitempty"`
	// Notes by the type that their front matter or their shelf gives; absent when none has one.
	Types     map[string]int `json:"types,omitempty"`
	LastWrite string         `json:"lastWrite,omitempty"` // time of the last change, RFC 3339 in UTC
	Degraded  []Degraded     `json:"degraded"`            // what cannot take part in an answer now; empty when all can
	// The folders that are searched with the notes; absent without any.
	Collections []Collection `json:"collections,omitempty"`
	// The state of the project's memory, where two answer as one.
	Project *Status `json:"project,omitempty"`
}

// Watch says what the system tells of.
type Watch struct {
	FileSystem string `json:"fileSystem,omitempty"` // that the notes are on, as Linux calls it
	Folders    int    `json:"folders,omitempty"`    // that are watched; absent when they are looked at by the clock
	Limit      int    `json:"limit,omitempty"`      // how many folders all programs of this user may watch together
}

// Files say how what there is stands to the index.
type Files struct {
	Listed  int       `json:"listed"`         // notes and sessions that can be indexed
	New     int       `json:"new"`            // of those listed, that are not indexed yet
	Changed int       `json:"changed"`        // of those indexed, that were changed or removed since
	Skipped []Skipped `json:"skipped"`        // that are left out, 20 at most
	More    int       `json:"more,omitempty"` // further ones that are left out
}

// LastSync is what the last look at all notes did.
type LastSync struct {
	At      string `json:"at"`               // when it ended, RFC 3339 in UTC
	TookMs  int64  `json:"tookMs"`           // milliseconds
	Files   int    `json:"files"`            // that were compared with the index
	Added   int    `json:"added"`            // that were indexed for the first time
	Changed int    `json:"changed"`          // that were indexed again
	Removed int    `json:"removed"`          // that are gone
	Skipped int    `json:"skipped"`          // that were left out
	PID     int    `json:"pid"`              // number of the process
	Error   string `json:"error,omitempty"`  // the error with which it ended
	Action  string `json:"action,omitempty"` // what can be done about it; absent: look again
}

// Lease is the process that computes missing vectors.
type Lease struct {
	PID   int    `json:"pid"`   // its number
	Host  string `json:"host"`  // the machine or container on which that is its number
	Since string `json:"since"` // RFC 3339 in UTC
}

// AgentSessions are the sessions of one agent in the index.
type AgentSessions struct {
	Agent    string `json:"agent"`          // as in the setting sessions.agents
	Folder   string `json:"folder"`         // of its transcripts
	Sessions int    `json:"sessions"`       // in the index
	Last     string `json:"last,omitempty"` // when the last of them changed, RFC 3339 in UTC
}

// Collection is a folder that is searched with the notes and never written to.
type Collection struct {
	Name      string `json:"name"`                // in paths: collections/NAME/…
	Path      string `json:"path"`                // absolute
	Context   string `json:"context,omitempty"`   // what is in it
	Documents int    `json:"documents,omitempty"` // in the index; absent where there is none, or no index was looked at
	Problem   string `json:"problem,omitempty"`   // why it cannot be read now; what is indexed of it stays
}

// Model names an embedding model and who offers it.
type Model struct {
	Provider string `json:"provider"` // as in the setting provider
	Model    string `json:"model"`    // as the provider calls it
}

// SummaryBill says what summaries have taken.
type SummaryBill struct {
	Model       string `json:"model"`       // as the setting summaries.model has it; empty when it is the server's own
	Server      string `json:"server"`      // the address; empty when nobody is asked now
	Today       int    `json:"today"`       // tokens of this day, UTC
	DailyTokens int    `json:"dailyTokens"` // how many it may be
	Calls       int    `json:"calls"`       // requests of this day
	All         int    `json:"all"`         // tokens since the beginning
}

// Reranker says who orders the first passages of an answer anew.
type Reranker struct {
	Provider string `json:"provider"` // as in the setting rerank.provider
	Model    string `json:"model"`    // empty when it is the provider's own
	Top      int    `json:"top"`      // how many passages
}

// NewStatus returns the JSON form of a status. The caller adds what only the caller
// knows. Degraded is never nil.
func NewStatus(st memoir.Status) Status {
	s := Status{
		Documents: st.Documents, Chunks: st.Chunks, Types: st.Types, Provider: st.Space.Provider, Model: st.Space.Model,
		PendingVectors: st.Pending, FailedVectors: st.Failed, Degraded: []Degraded{},
		Answering: Model{st.Answering.Provider, st.Answering.Model},
	}
	if st.Space != (memoir.Space{}) {
		s.Vectors = st.Texts - st.Pending - st.Failed
	}
	if !st.Written.IsZero() {
		s.LastWrite = st.Written.Format(time.RFC3339)
	}
	for _, d := range st.Degraded {
		s.Degraded = append(s.Degraded, Degraded(d))
	}
	s.Files = Files{Listed: st.Listed, New: st.Unindexed, Changed: st.Changed, Skipped: []Skipped{}}
	for _, skipped := range st.Skipped[:min(len(st.Skipped), maxSkipped)] {
		s.Files.Skipped = append(s.Files.Skipped, Skipped{string(skipped.ID), skipped.Reason})
	}
	s.Files.More = len(st.Skipped) - len(s.Files.Skipped)
	return s
}

// maxSkipped is how many of the files that are left out a status names.
const maxSkipped = 20
