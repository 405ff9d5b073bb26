package memoir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/chunk"

	"github.com/memoir-ai/memoir/internal/rank"
)

// Kind says what a document is.
type Kind string

// The kinds of documents.
const (
	KindNote    Kind = "note"    // a Markdown file
	KindSession Kind = "session" // a conversation's transcript
	// KindCollection is a Markdown file of another folder than the workspace.
	KindCollection Kind = "collection"
)

// Origin is the name that answers give a kind ("source" in JSON, as OpenClaw
// calls it): "memory" for notes, "sessions" for sessions, "collections" for collections.
func (k Kind) Origin() string {
	switch k {
	case KindSession:
		return "sessions"
	case KindCollection:
		return "collections"
	}
	return "memory"
}

// ReadOnly reports whether documents of a kind are somebody else's: they are found and
// read, and no note is made of them or changed.
func (k Kind) ReadOnly() bool { return k == KindSession || k == KindCollection }

// DocID names a document: its path below the root of its source, with
// slashes on every platform, in Unicode normalisation form C.
type DocID string

// A Hash is a SHA-256 in hexadecimal.
type Hash string

// HashText returns the hash of a text.
func HashText(s string) Hash {
	sum := sha256.Sum256([]byte(s))
	return Hash(hex.EncodeToString(sum[:]))
}

// DocumentMeta is what Sync compares to see whether a document changed. Size,
// ModTime and Stamp are cheap to learn, Hash is decisive.
type DocumentMeta struct {
	ID      DocID
	Kind    Kind
	Size    int64     // bytes
	ModTime time.Time // of the file, as its file system tells it
	// Stamp is what else the file system tells of the file, in one number: a
	// file that was written, or replaced by another, has a new one although its
	// size and time are those of before. Stamps of one file on two machines have
	// nothing in common. 0 is none.
	Stamp uint64
	Hash  Hash // of the content; "" when only a scan saw it
	// Recipe says how the document was cut and analysed for the index; a sync
	// indexes it again when the engine would do it otherwise. Sources leave it empty.
	Recipe string
}

// IndexedDocument is a document as a store takes it, with all its chunks.
type IndexedDocument struct {
	DocumentMeta
	Title    string   // may be ""
	Date     string   // the day that it is about, "2026-03-02", or ""
	Salience Salience // what its front matter says of its weight
	// Names are those by which links and filters call it, in the form in which
	// the engine compares them. To a store they are plain strings; one may repeat
	// another, or be a name of other documents.
	Names []string
	// Chunks are in order, with ordinals from 0. Their kind, title, date and
	// salience are those of the document, whatever they say themselves.
	Chunks []IndexedChunk
}

// LinkedDocument is a document that bears a name.
type LinkedDocument struct {
	Scope  Scope // as [ChunkID] has it
	ID     DocID
	Chunks int // their ordinals are 0 to Chunks-1
}

// A Document is a text as its source has it now.
type Document struct {
	DocumentMeta
	Text string // valid UTF-8
	// Title and Date are what the source knows beside the text, and count before what
	// the text says of itself; "" is nothing. A source that has them makes them part
	// of Hash.
	Title, Date string
}

// ChunkID names a chunk within one state of the index.
type ChunkID struct {
	Doc     DocID
	Ordinal int // position among the document's chunks, from 0
	// Scope says whose memory the document is of, where several are searched as one.
	// It is "" in one alone: a store knows nothing of it.
	Scope Scope
}

// Compare orders chunk ids by document, then by position, then by memory; it is the
// order of chunks with equal scores.
func (id ChunkID) Compare(other ChunkID) int {
	if c := strings.Compare(string(id.Doc), string(other.Doc)); c != 0 {
		return c
	}
	if id.Ordinal != other.Ordinal {
		return id.Ordinal - other.Ordinal
	}
	return strings.Compare(string(id.Scope), string(other.Scope))
}

// A ChunkMeta is a chunk without its text: what ranking needs to know of it.
type ChunkMeta struct {
	ChunkID
	Kind     Kind
	Date     string   // of the document, "2026-03-02", or ""
	Salience Salience // of the document
	Labels   Labels
	// Digest is the same for passages with the same words, whatever their case,
	// marks and spaces, and almost surely another for others.
	Digest uint64
}

// A Chunk is the unit that is indexed, embedded and found: some lines of a
// document with what a reader needs to know about where they stand.
type Chunk struct {
	ChunkMeta
	StartLine int      // 1-based
	EndLine   int      // 1-based, inclusive
	Title     string   // of the document; may be ""
	Heading   []string // heading path from the top down, without the title
	Text      string   // the lines themselves; of data inside them, a picture say, the beginning and "…"
}

// EmbedText returns the text that an embedder is given for the chunk: title
// and heading path for context, then the lines. Dates are left out on purpose,
// the document's own and a title that is nothing else: they help words and harm
// vectors. So are the marks of strong emphasis, which a model reads as words.
func (c *Chunk) EmbedText() string {
	var b strings.Builder
	if c.Title != "" && !chunk.IsDate(c.Title) {
		b.WriteString(c.Title)
		b.WriteByte('\n')
	}
	if len(c.Heading) > 0 {
		b.WriteString(strings.Join(c.Heading, " > "))
		b.WriteByte('\n')
	}
	b.WriteString(chunk.Unmarked(c.Text))
	return b.String()
}

// Citation returns where the chunk stands, as "path#L3-L9" or "path#L3". Where
// several memories are searched as one, the path is as [Scope.Name] has it.
func (c *Chunk) Citation() string {
	name := c.Scope.Name(c.Doc)
	if c.EndLine <= c.StartLine {
		return fmt.Sprintf("%s#L%d", name, c.StartLine)
	}
	return fmt.Sprintf("%s#L%d-L%d", name, c.StartLine, c.EndLine)
}

// Field is a part of a chunk whose terms are counted apart.
type Field int

// The fields of a chunk, in the order of [IndexedChunk.Terms] and of the weights
// that ranking gives them. In what order a store keeps them is its own affair.
const (
	FieldTitle   Field = iota // document title, aliases, tags, file name
	FieldHeading              // heading path
	FieldDate                 // the date spelled out
	FieldBody                 // the chunk's own lines
	NumFields
)

// IndexedChunk is a chunk as a store takes it: with its terms, analysed and in
// order, and the hash of [Chunk.EmbedText] that its vector hangs on, "" for one
// that says too little to have a vector.
type IndexedChunk struct {
	Chunk
	EmbedHash Hash
	Terms     [NumFields][]string
}

// A Term is one searchable token of a query.
type Term struct {
	Text   string
	Weight float64 // > 0; 1 is an ordinary word
	// Supports says that the term finds nothing by itself: it adds to the score
	// of a chunk that holds a term which does.
	Supports bool
	// Light says that the term counts only where it tells chunks apart: not at
	// all when more than one in eight holds it.
	Light bool
	// Alternative says that the term stands for others of the query, as sitemap does for
	// site map: what holds it gains, and the score of what does not is as without it.
	Alternative bool
}

// Role returns how the term takes part in a ranking.
func (t *Term) Role() rank.Role {
	switch {
	case t.Supports:
		return rank.Supports
	case t.Alternative:
		return rank.Alternative
	}
	return rank.Finds
}

// Space identifies an embedding space: vectors are comparable only within one.
// The zero value means that there is none.
type Space struct {
	Provider   string // "local", "openai", …
	Model      string // "multilingual-e5-small"
	Version    string // whatever else changes the vectors: file hash, prefixes
	Dimensions int
}

// Key returns the space as one string, the key of stored vectors.
func (s Space) Key() string {
	return fmt.Sprintf("%s/%s@%s:%d", s.Provider, s.Model, s.Version, s.Dimensions)
}

// Check refuses a vector that would poison an index: of other dimensions than the
// space has, or with a value that is not finite.
func (s Space) Check(v []float32) error {
	if len(v) != s.Dimensions {
		return fmt.Errorf("%s gave a vector of %d dimensions, not %d", s.Provider, len(v), s.Dimensions)
	}
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s gave a vector with a value that is not finite", s.Provider)
		}
	}
	return nil
}

// Task says what a text is embedded for: some models treat them differently.
type Task int

// The tasks.
const (
	TaskDocument Task = iota
	TaskQuery
)

// PendingText is a text that has no vector yet.
type PendingText struct {
	Hash     Hash // of Text
	Text     string
	Attempts int // that failed so far
}

// FailedText is a text that could not be embedded.
type FailedText struct {
	Hash     Hash
	Attempts int       // so far, from 1
	Reason   string    // of the last attempt, for people
	NextTry  time.Time // to the second
}

// A Match is a chunk at its place in one ranked list.
type Match struct {
	ChunkMeta
	Score float64 // higher is better; see the method that returned it
}

// Salience is what the front matter of a document says of its weight beside
// what it is about. The zero value says nothing.
type Salience struct {
	Importance float64 // field importance, above 0 to 10; 0: not said
	Reinforced int     // field reinforced: how often the note was confirmed
	Accessed   int     // field accessed: how often the note was of use
}

// MaxImportance is the highest importance that front matter can give.
const MaxImportance = 10

// A Label is a fact about a chunk that a filter and a signal can name. A word is
// one, "code", and so is a key with a value, "type:decision". To a store labels
// are plain strings: a new one asks nothing of it.
type Label string

// The labels that the engine gives by what a chunk holds.
const (
	// LabelCode says that its lines are source code.
	LabelCode Label = "code"
	// LabelAssistant says that it holds nothing but what an assistant said in a
	// talk with a user, or its tools.
	LabelAssistant Label = "assistant"
	// LabelSuperseded says that what it says held before, and something else holds
	// in its place.
	LabelSuperseded Label = "superseded"
	// LabelStanding says that what it says holds from a known day on ([KeyFrom])
	// until it is changed, whatever the date of its document.
	LabelStanding Label = "standing"
	// LabelPrivate says that its note has an entry that is for private sessions alone.
	LabelPrivate Label = "private"
)

// The keys of the labels that say more than one word ([KeyLabel]).
const (
	KeyType  = "type"  // of the note, by its front matter or its shelf, folded
	KeyEntry = "entry" // the id of an entry that replaced another
	KeyBy    = "by"    // the id of the entry that holds in the place of a superseded one
	KeyFrom  = "from"  // the first day on which something of it held, "2026-03-02"
	KeyUntil = "until" // the day on which it was superseded
)

// KeyLabel returns the label of a key with its value.
func KeyLabel(key, value string) Label { return Label(key + ":" + value) }

// Value returns the value that a label gives a key; ok is false for other labels.
func (l Label) Value(key string) (value string, ok bool) {
	rest, ok := strings.CutPrefix(string(l), key)
	if !ok || len(rest) < 2 || rest[0] != ':' {
		return "", false
	}
	return rest[1:], true
}

// Labels are what a chunk bears: in order, each once, and not to be changed.
type Labels []Label

// Has reports whether a label is among them.
func (l Labels) Has(label Label) bool { return slices.Contains(l, label) }

// Value returns the value that the first of the labels gives a key, "" when none does.
func (l Labels) Value(key string) string {
	for _, label := range l {
		if value, ok := label.Value(key); ok {
			return value
		}
	}
	return ""
}

// LabelCount says how many chunks bear a label, and of how many documents.
type LabelCount struct{ Chunks, Documents int }
