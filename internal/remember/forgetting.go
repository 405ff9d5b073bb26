package remember

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/judge"
)

// A Forgetting says what was forgotten, or would be.
type Forgetting struct {
	Entries []Entry `json:"entries"` // the entries that were removed
	// Also are entries that stay though they have all words of the question, because another
	// entry or none is certain. With All they are among Entries.
	Also []Entry `json:"also,omitzero"`
	// Some are entries that stay, also with All, and have one of these words that is a name
	// or a number.
	Some []Entry `json:"some,omitzero"`
	// Near are entries that stay, also with All, and lack words of the question. First come
	// those that replaced an entry with the words or were replaced by it, then those about
	// something similar, the likeliest first.
	Near []Entry `json:"near,omitzero"`
	// InHistory are entries that stood in no note any more, and were removed from the
	// history. In which lines they stood is not known.
	InHistory []Entry `json:"inHistory,omitzero"`
	// Recorded are entries that stand in the history alone, and stay there. They share with
	// what is forgotten a name or a number, or two other words, that no other entry of the
	// notes has: an older wording, say. Of each memory there are at most twenty. They
	// include entries that have all words of a question, but are not certain.
	Recorded []Entry  `json:"recorded,omitzero"`
	Notes    []string `json:"notes"` // paths of the notes that were removed as a whole
	// Sessions are the transcripts that are not indexed any more. Their files stay as
	// they are.
	Sessions []ForgottenSession `json:"sessions,omitzero"`
	// StillSaid are transcripts that stay in the index and have all words of an entry in one
	// place, where searches find it; or that begin with the first turn of a session that is
	// forgotten, because it was forked. There are a few at most.
	StillSaid []ForgottenSession `json:"stillSaid,omitzero"`
	DryRun    bool               `json:"dryRun"` // nothing was removed
	// Unmarked are paths of notes that stay and may hold a summary of the session, for they
	// do not say of which session it is, or hold something of others, too.
	Unmarked []string `json:"unmarked,omitzero"`
	// Elsewhere is what is forgotten of a session in other workspaces and agents.
	Elsewhere []Elsewhere `json:"elsewhere,omitzero"`
	// Cleaned is what else had something of it, beside the notes, their history and the
	// indexes.
	Cleaned []Cleaned `json:"cleaned,omitzero"`
	// Unread are paths of files that could not be looked into: those beside the notes that a
	// killed process left, and those in the folder of state that memoir cannot read. They may
	// hold what was forgotten.
	Unread []string `json:"unread,omitzero"`
	// InIndex is true when the files of the index may still hold what was forgotten,
	// although no search finds it: another program reads them, or the disk is full.
	InIndex bool `json:"inIndex,omitzero"`
	// Written are the notes that changed, for the index.
	Written []string `json:"-"`
	// Of is the target, with all names of the session that it means.
	Of Target `json:"-"`
}

// Cleaned counts things of one kind that had something of what was forgotten, until memoir
// changed or removed them.
type Cleaned struct {
	// "hooks": summaries that waited to be kept; "queries": questions of the query log;
	// "aside": files that were moved out of the copy of a bucket.
	In    string `json:"in"`
	Items int    `json:"items"` // how many were changed or removed
}

// Elsewhere is what is forgotten of a session in another workspace, or what may be left in
// the index of another agent.
type Elsewhere struct {
	Workspace string   `json:"workspace"`          // its folder; empty when it is not known
	Agent     string   `json:"agent"`              // whose index it is
	Entries   []Entry  `json:"entries,omitzero"`   // the entries that were removed there
	InHistory []Entry  `json:"inHistory,omitzero"` // those that stood in no note any more
	Notes     []string `json:"notes,omitzero"`     // paths of the notes that were removed as a whole
	Unmarked  []string `json:"unmarked,omitzero"`  // paths of notes that stay and may hold a summary of the session
	Unread    []string `json:"unread,omitzero"`    // files that were left over and could not be looked into
	InIndex   bool     `json:"inIndex,omitzero"`   // the files of this index may still hold it, although no search finds it
	Problem   string   `json:"problem,omitempty"`  // why the notes may still hold something of the session
}

// A ForgottenSession is the transcript of a session, which is another program's.
type ForgottenSession struct {
	Path string `json:"path"`           // that searches cited
	File string `json:"file,omitempty"` // where the transcript stays; left out when it is gone
}

// Exact reports whether an entry has exactly the words of the question.
func (f *Forgetting) Exact() bool {
	normal := judge.Normal(plain(f.Of.Query))
	is := func(e Entry) bool { return judge.Normal(e.Text) == normal }
	return slices.ContainsFunc(f.Entries, is) || slices.ContainsFunc(f.InHistory, is)
}

// Doubt moves the entries that a question means to those that stay. It is for a question whose
// words another memory has, too.
func (f *Forgetting) Doubt() {
	f.Also, f.Entries = append(f.Entries, f.Also...), []Entry{}
	f.Recorded, f.InHistory = append(f.InHistory, f.Recorded...), nil
}
