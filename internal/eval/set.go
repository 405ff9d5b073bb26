// Package eval measures retrieval: it reads sets of documents and questions with
// known answers, writes the documents out as a workspace, asks the questions of an
// engine, and scores the passages that it ranks against the answers. Scores are
// pure functions of ranked lists.
package eval

// A Set is a corpus with questions whose answers are known.
type Set struct {
	Name      string     // the folder's name
	Documents []Document // in the order of the file; ids are unique
	Questions []Question // in the order of the file; ids are unique
}

// A Document is one text of a corpus.
type Document struct {
	ID    string
	Text  string
	Scope string // questions of a scope search its documents only; may be ""
	Date  string // "2026-03-02", or "" when the set tells none
	Turns []Turn // of a conversation, by which evidence is known; may be nil
}

// A Turn is a part of a document with a name that is unique in its scope.
type Turn struct {
	ID   string
	Line int // 1-based
	End  int // 1-based, inclusive; never before Line
}

// A Question is a query with its answers.
type Question struct {
	ID       string
	Text     string             // may be ""
	Kind     string             // the group it is counted in; may be ""
	Scope    string             // "" searches every document
	Relevant []string           // ids of documents that answer it: at least one, no duplicates
	Grades   map[string]float64 // above 0 for each relevant document; nil means 1 for each
	Evidence []Evidence         // where in them the answer stands; nil when not known
}

// Evidence is a range of lines that a good result shows.
type Evidence struct {
	Document  string
	Line, End int    // 1-based, inclusive
	Text      string // the lines, or "" if unknown; if known, a passage must show them whole
}
