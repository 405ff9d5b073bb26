package memoir

// Mode says which lists a search uses.
type Mode string

// The modes. Hybrid is the default.
const (
	ModeHybrid Mode = "hybrid" // words and vectors
	ModeText   Mode = "text"   // words only
	ModeVector Mode = "vector" // vectors only
)

// A Query is what a caller asks. Any text is allowed but none at all.
type Query struct {
	// Text is words, phrases in quotes, must and minus words, filters and dates
	// (docs/query-language.md). What is none of these is words.
	Text    string
	Literal bool // Text is words alone, such as a message that nobody wrote as a query
	// Limit is how many notes hits are wanted of; 0 means 6, or what a budget holds; at
	// most 1000. The answer has the best passages until they are of so many, and no more
	// than PassagesPerNote times as many: a larger limit appends hits.
	Limit    int
	Mode     Mode    // "" means ModeHybrid
	MinScore float64 // hits below are left out, by their score before reranking; 0 leaves none out
	// Path narrows the answer as the filter path: in Text does, to notes with this in their
	// path; "" does not.
	Path    string
	Filter  Filter
	Explain bool // fill Hit.Explain, Results.Terms and Results.Understood
	// MaxTokens and MaxChars bound the snippets of an answer together, in
	// estimated tokens of a multilingual model and in characters; 0 is no bound.
	// Hits are shown by score; the last is cut round its match. A larger bound
	// appends hits or lengthens the last snippet. With a bound, Limit 0 means as many hits as
	// fit, of at most 50 notes; lines that a better hit shows are not shown again, and a
	// small passage is shown with its neighbours of the same section.
	MaxTokens, MaxChars int
	// Brief is for an answer without a bound that somebody reads, or pays for by the
	// character: passages are shown whole until they have 1,500 characters, and behind
	// them the best passage of each note that was not shown yet, in a line or two. When no
	// hit is confident there are three at most.
	Brief bool
	// NoSync answers from the index as it is.
	NoSync bool
}

// What bounds an answer.
const (
	DefaultLimit       = 6    // notes, when a query does not say
	DefaultBudgetLimit = 50   // notes at most, when it bounds its answer by MaxTokens or MaxChars and not by Limit
	MaxLimit           = 1000 // notes that it may ask for
	PassagesPerNote    = 2    // hits at most for each note that is asked for (docs/design/answers.md)
	MaxInside          = 2048 // chunks that are looked through for the text of a phrase
)
