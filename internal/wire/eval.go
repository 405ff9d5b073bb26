package wire

// ReplayAnswer is the JSON of a replay: what was found then beside what is
// found now or, with other settings, now beside with those.
type ReplayAnswer struct {
	Questions int     `json:"questions"` // how many were asked again
	Damaged   int     `json:"damaged"`   // lines of the log that could not be read
	SameFirst float64 `json:"sameFirst"` // share of the questions whose first note is the same, 0 to 1
	// Share of the first five notes before that are among the first five after, 0
	// to 1, over the questions that found some before.
	Overlap   float64        `json:"overlap@5"`
	LatencyMs EvalLatency    `json:"latencyMs"`         // of the searches now
	Compare   *ReplayCompare `json:"compare,omitempty"` // only with --compare
	Changed   []ReplayChange `json:"changed"`           // questions whose first five notes have changed
}

// ReplayCompare is the result of other settings.
type ReplayCompare struct {
	Settings  string      `json:"settings"`  // as --compare has them
	LatencyMs EvalLatency `json:"latencyMs"` // of the searches with them
}

// ReplayChange is a question whose first notes have changed.
type ReplayChange struct {
	Query  string   `json:"query"`  // as it was asked
	Mode   string   `json:"mode"`   // that was asked for, one of [memoir.Mode]
	Before []string `json:"before"` // paths of the first notes, five at most
	After  []string `json:"after"`  // paths of the first notes, five at most
}

// EvalAnswer is the JSON of one set.
type EvalAnswer struct {
	Set       string `json:"set"`       // name of the folder, or of the file of --queries
	Documents int    `json:"documents"` // that were searched
	Questions int    `json:"questions"` // that were asked
	EvalMeasures
	PerQuestion []EvalQuestion `json:"perQuestion"`       // in the order in which they were asked
	Compare     *EvalCompare   `json:"compare,omitempty"` // only with --compare
}

// EvalMeasures is the result of one configuration.
type EvalMeasures struct {
	Metrics      map[string]float64  `json:"metrics"`      // means over the questions, each 0 to 1
	Intervals    Intervals           `json:"intervals"`    // lower and upper end of each mean, in 95 of 100 draws of the questions
	LatencyMs    EvalLatency         `json:"latencyMs"`    // of a search
	IndexSeconds float64             `json:"indexSeconds"` // to read and embed what was missing
	Degraded     int                 `json:"degraded"`     // questions that were answered with a part missing
	Kinds        map[string]EvalKind `json:"kinds"`        // by the kind that the questions say
}

// EvalKind is how the questions of one kind were answered.
type EvalKind struct {
	Questions int                `json:"questions"` // of the kind
	Metrics   map[string]float64 `json:"metrics"`   // means over them, each 0 to 1
}

// EvalLatency is how long searches took, in milliseconds.
type EvalLatency struct {
	P50 float64 `json:"p50"` // half of them were not slower
	P95 float64 `json:"p95"` // 95 of 100 were not slower
}

// EvalCompare is the result of other settings, and the difference that they
// made.
type EvalCompare struct {
	Settings string `json:"settings"` // as --compare has them
	EvalMeasures
	Difference          map[string]float64 `json:"difference"`          // of the means, -1 to 1; above 0 the other settings are better
	DifferenceIntervals Intervals          `json:"differenceIntervals"` // lower and upper end of each difference, in 95 of 100 draws of the questions
	Changed             []EvalChange       `json:"changed"`             // questions whose answer has another rank
}

// EvalChange is a question whose answer has another rank; 0 means not found.
type EvalChange struct {
	ID     string  `json:"id"`     // of the question
	Text   string  `json:"text"`   // of the question
	Before int     `json:"before"` // rank with the settings in effect, from 1
	After  int     `json:"after"`  // rank with the others, from 1
	Gain   float64 `json:"gain"`   // of the reciprocal rank, -1 to 1
}

// EvalQuestion is how one question was answered, and a line of the file of
// --per-question.
type EvalQuestion struct {
	Set       string             `json:"set,omitempty"`   // only in the file of --per-question
	ID        string             `json:"id"`              // of the question
	Kind      string             `json:"kind"`            // of the question; empty when it says none
	Text      string             `json:"text"`            // of the question
	Rank      int                `json:"rank"`            // of the first right document, from 1; 0 is not found
	Metrics   map[string]float64 `json:"metrics"`         // each 0 to 1
	LatencyMs float64            `json:"latencyMs"`       // milliseconds that the search took
	Found     []EvalFound        `json:"found,omitempty"` // the first 20 passages; only in the file of --per-question
}

// EvalFound is a passage that was found.
type EvalFound struct {
	Document  string `json:"document"`  // id in the set; for your own notes, the expected place or else the path
	StartLine int    `json:"startLine"` // first line, counted from 1
	EndLine   int    `json:"endLine"`   // last line, inclusive
}

// Intervals are lower and upper ends by metric.
type Intervals map[string][2]float64
