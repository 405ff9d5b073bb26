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

// ReadOnly reports whether documents of this kind belong to somebody else.
// memoir finds and reads them, but never changes them or turns them into notes.
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
// ModTime and Stamp are cheap to learn. Hash decides.
type DocumentMeta struct {
	ID      DocID
	Kind    Kind
	Size    int64     // bytes
	ModTime time.Time // of the file, as its file system reports it
	// Stamp combines in one number what else the file system says of the file.
	// It changes when the file is written or replaced, even if size and time
	// stay the same. The stamps that two machines give one file cannot be
	// compared. 0 means that there is none.
	Stamp uint64
	Hash  Hash // of the content; "" when the document was scanned but not read
	// Recipe says how the document was cut and analysed for the index. When the
	// engine would now do it otherwise, a sync indexes the document again.
	// Sources leave it empty.
	Recipe string
}

// IndexedDocument is a document with all its chunks, as a store takes it.
type IndexedDocument struct {
	DocumentMeta
	Title    string   // may be ""
	Date     string   // the day that the document is about, "2026-03-02", or ""
	Salience Salience // the weight that its front matter gives it
	// Names are what links and filters may call the document, in the form in
	// which the engine compares them. To a store they are plain strings. A name
	// may occur twice, and other documents may bear it too.
	Names []string
	// Chunks are in order, with ordinals from 0. They take kind, title, date and
	// salience from the document; a store ignores what the chunks themselves say
	// of these.
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
	// Title and Date are what the source knows besides the text, "" if nothing.
	// They take precedence over what the text itself says. A source that sets
	// them includes them in Hash.
	Title, Date string
	// Session is what the agent calls a session, where the ID does not hold that; "" is
	// nothing.
	Session string
}

// ChunkID names a chunk within one state of the index.
type ChunkID struct {
	Doc     DocID
	Ordinal int // position among the document's chunks, from 0
	// Scope says whose memory the document belongs to when several memories are
	// searched as one. It is "" when there is only one. A store knows nothing of
	// scopes.
	Scope Scope
}

// Compare orders chunk ids by document, then by position, then by scope. Chunks
// with equal scores come in this order.
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
	Date     string   // of the document, "2026-03-02", or ""; of a hit that holds what was told on a day, that day
	Salience Salience // of the document
	Labels   Labels
	// Digest is equal for chunks with the same words, whatever their case,
	// punctuation and spaces. For other chunks it is almost certainly different.
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
	Text      string   // the lines themselves; data inside them, such as a picture, is shortened to its beginning and "…"
}

// EmbedText returns the text of the chunk that an embedder is given: title and
// heading path for context, then the lines. It leaves out the document's date,
// and a title that is only a date, because dates help the search by words and
// harm vectors. It leaves out the marks of strong emphasis too, because a model
// reads them as words.
func (c *Chunk) EmbedText() string {
	var b strings.Builder
	if c.Title != "" && !chunk.IsDate(c.Title) {
		b.WriteString(c.Title)
		b.WriteByte('\n')
	}
	if len(c.Heading) > 0 {
		b.WriteString(strings.Join(c.Heading, headingSeparator))
		b.WriteByte('\n')
	}
	b.WriteString(chunk.Unmarked(c.Text))
	return b.String()
}

// EmbedTexts returns the texts of the chunk that have vectors, of which the
// nearest counts. Of a list of entries ([LabelEntries]) each entry is one, behind
// the heading above it, and so is what else the chunk says. Any other chunk has
// one, EmbedText. Each text is there once.
func (c *Chunk) EmbedTexts() []string { return c.embedTexts(func(_, _ string) bool { return false }) }

// HashEmbedTexts returns the hashes of EmbedTexts, in their order. Of a list of
// entries it leaves out those that are empty below the heading that they have in
// the chunk, and what else the chunk says if that is.
func (c *Chunk) HashEmbedTexts(empty func(heading, text string) bool) []Hash {
	texts := c.embedTexts(empty)
	hashes := make([]Hash, len(texts))
	for i, text := range texts {
		hashes[i] = HashText(text)
	}
	return hashes
}

func (c *Chunk) embedTexts(empty func(heading, text string) bool) (texts []string) {
	if !c.Labels.Has(LabelEntries) {
		return []string{c.EmbedText()}
	}
	entries, rest := chunk.Entries(c.Text, strings.Join(c.Heading, headingSeparator))
	seen := map[string]bool{}
	for _, e := range entries {
		if text := chunk.Unmarked(e.String()); !seen[text] && !empty(e.Heading, e.Text) {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if rest != "" && !empty(c.Title, rest) {
		other := Chunk{Title: c.Title, Heading: c.Heading, Text: rest}
		if text := other.EmbedText(); !seen[text] {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return []string{c.EmbedText()}
	}
	return texts
}

// EmbedTextOf returns the one of EmbedTexts that has a hash, EmbedText if none has.
func (c *Chunk) EmbedTextOf(hash Hash) string {
	for _, text := range c.EmbedTexts() {
		if HashText(text) == hash {
			return text
		}
	}
	return c.EmbedText()
}

// headingSeparator stands between the headings of a path in what is embedded.
const headingSeparator = " > "

// Citation returns where the chunk stands, as "path#L3-L9" or "path#L3". When
// several memories are searched as one, the path is the one that [Scope.Name]
// gives.
func (c *Chunk) Citation() string {
	name := c.Scope.Name(c.Doc)
	if c.EndLine <= c.StartLine {
		return fmt.Sprintf("%s#L%d", name, c.StartLine)
	}
	return fmt.Sprintf("%s#L%d-L%d", name, c.StartLine, c.EndLine)
}

// Field is a part of a chunk whose terms are counted separately.
type Field int

// The fields of a chunk, in the order of [IndexedChunk.Terms] and of the
// weights that ranking gives them. A store may keep them in any order.
const (
	FieldTitle   Field = iota // document title, aliases, tags, file name
	FieldHeading              // heading path
	FieldDate                 // the date spelled out
	FieldBody                 // the chunk's own lines
	NumFields
)

// IndexedChunk is a chunk as a store takes it: with its analysed terms, in
// order, and the hashes of those of [Chunk.EmbedTexts] that say something, under
// which its vectors are kept. A chunk that says too little to have a vector has
// none.
type IndexedChunk struct {
	Chunk
	EmbedHashes []Hash // each once
	Terms       [NumFields][]string
}

// A Term is one searchable token of a query.
type Term struct {
	Text   string
	Weight float64 // > 0; 1 is an ordinary word
	// Supports says that the term finds nothing by itself. It only adds to the
	// score of a chunk that holds a term which does.
	Supports bool
	// Light says that the term counts only where it tells chunks apart. It does
	// not count when more than one chunk in eight holds it.
	Light bool
	// Alternative says that the term stands for others of the query, as sitemap
	// does for site map. A chunk that holds it scores higher. A chunk that does
	// not scores as if the term had not been asked for.
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

// Space identifies an embedding space. Only vectors of one space can be
// compared. The zero value means that there is no space.
type Space struct {
	Provider   string // "local", "openai", …
	Model      string // "multilingual-e5-small"
	Version    string // anything else that changes the vectors: file hash, prefixes
	Dimensions int
}

// Key returns the space as one string, under which its vectors are stored.
func (s Space) Key() string {
	return fmt.Sprintf("%s/%s@%s:%d", s.Provider, s.Model, s.Version, s.Dimensions)
}

// Check refuses a vector that would poison an index: one whose length is not
// the space's dimensions, or that holds a value which is not finite.
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

// Task says what a text is embedded for. Some models treat queries and
// documents differently.
type Task int

// The tasks.
const (
	TaskDocument Task = iota // what is found
	TaskQuery                // what is asked
)

// PendingText is a text that has no vector yet.
type PendingText struct {
	Hash     Hash // of Text
	Text     string
	Attempts int // failed attempts so far
}

// FailedText is a text that could not be embedded.
type FailedText struct {
	Hash     Hash
	Attempts int       // failed attempts so far, from 1
	Reason   string    // of the last attempt, for people
	NextTry  time.Time // when it may be tried again, to the second
}

// A Match is a chunk at its place in one ranked list.
type Match struct {
	ChunkMeta
	Score float64 // higher is better; see the method that returned it
	Reach float64 // by words, the highest BM25 that the query could reach, of which Score is a share; 0 by vectors
}

// Salience is the weight that front matter gives a document, independent of
// what the document is about. The zero value says nothing.
type Salience struct {
	Importance float64 // field importance, above 0 and up to 10; 0: not given
	Reinforced int     // field reinforced: how often the note was confirmed
	Accessed   int     // field accessed: how often the note was useful
}

// MaxImportance is the highest importance that front matter can give.
const MaxImportance = 10

// A Label is a fact about a chunk that a filter or a signal can name. It is a
// word, "code", or a key with a value, "type:decision". To a store labels are
// plain strings, so a new label needs no change there.
type Label string

// The labels that the engine gives a chunk for what it holds.
const (
	// LabelCode says that the lines of the chunk are source code.
	LabelCode Label = "code"
	// LabelAssistant says that the chunk holds only what an assistant or its
	// tools said in a talk with a user.
	LabelAssistant Label = "assistant"
	// LabelEntries says that the chunk lists entries that have nothing in common but
	// their place: facts of a shelf, or of a day. Each has a vector of its own.
	LabelEntries Label = "entries"
	// LabelScrap says that the chunk says nothing: it holds placeholders such as
	// TODO, or a heading of a few words, and no other text.
	LabelScrap Label = "scrap"
	// LabelSuperseded says that the chunk's statement no longer holds, and that
	// another one holds in its place.
	LabelSuperseded Label = "superseded"
	// LabelStanding says that the chunk's statement holds from a known day on
	// ([KeyFrom]) until it is changed, whatever the date of its document.
	LabelStanding Label = "standing"
	// LabelPrivate marks a chunk for private sessions only: the name of its note is
	// private, or the note has a mark of privacy.
	LabelPrivate Label = "private"
)

// The keys of the labels that have a value ([KeyLabel]).
const (
	KeyType    = "type"    // type of the note, from its front matter or its shelf, folded
	KeyEntry   = "entry"   // the id of an entry that replaced another
	KeyUpdates = "updates" // the check of an entry or a line that an entry of the chunk may update
	KeyBy      = "by"      // the id of the entry that holds in the place of a superseded one
	KeyFrom    = "from"    // the first day on which part of the chunk held, "2026-03-02"
	KeyUntil   = "until"   // the day on which it was superseded
	// A script of the letters in the chunk or in a heading above it, named as in package
	// unicode. Kana count as "Han", and "Latin" takes a fifth of the letters.
	KeyScript = "script"
	// A day on which an entry of the chunk was told, and the entry's lines in the chunk,
	// counted from 0: "2026-03-02:0-1".
	KeyTold = "told"
)

// KeyLabel returns the label of a key with its value.
func KeyLabel(key, value string) Label { return Label(key + ":" + value) }

// Value returns the value that the label gives to a key. When the label is not
// one of that key, ok is false.
func (l Label) Value(key string) (value string, ok bool) {
	rest, ok := strings.CutPrefix(string(l), key)
	if !ok || len(rest) < 2 || rest[0] != ':' {
		return "", false
	}
	return rest[1:], true
}

// Labels are the labels of a chunk, in order and each once. They must not be
// changed.
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
