// Package archive puts what people said in sessions that have ended into the log of
// the day on which they said it (docs/design/sessions.md).
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
)

// Rest is how long a session has not changed for when it has ended, unless its agent
// says so before.
const Rest = time.Hour

// The bounds of what comes of a session.
const (
	mostSentences = 200  // that are judged, the last ones
	mostSummary   = 1500 // characters of a summary; the rest is left out
	maxState      = 16 << 20
)

// A Session is what an archive is told of one.
type Session struct {
	Doc     memoir.DocID
	Name    string // of its own, which stays when its document has another place
	Changed time.Time
	// Called reports whether the agent calls it so.
	Called func(id string) bool
	// Read returns what was said, the last of it first, without what is secret or private.
	Read func(context.Context) iter.Seq2[Said, error]
}

// Said is what somebody said at a line of the transcript: the user, or the agent in a
// summary of what was before.
type Said struct {
	Text    string
	Summary bool
	Line    int
	At      time.Time // zero: nobody knows
}

// An Archive remembers which sessions are in the day logs. It is for one goroutine.
type Archive struct {
	// File holds what is archived already; it is made when it is needed. Sessions that
	// ended before the day on which that was are left as they are.
	File string
	Now  func() time.Time
	// Keep keeps the first of some statements of a session, as [engine.Engine.RememberSome]
	// does.
	Keep func(context.Context, []engine.Statement) ([]engine.Outcome, error)
}

// state is what stands in the file.
type state struct {
	Since time.Time            `json:"since"`
	Done  map[string]time.Time `json:"done"` // when the session had changed last, by its document
}

// Run archives the sessions that have ended, and returns how many entries were added.
// ended holds the ids of those whose agents said so. What cannot be read now is tried
// again at the next run, and so is what cannot be written.
func (a *Archive) Run(ctx context.Context, sessions []Session, ended map[string]bool) (added int, err error) {
	st, err := a.load()
	if err != nil {
		return 0, err
	}
	first := st.Since.IsZero() || st.Since.After(a.Now()) // by a clock that was wrong
	if first {
		y, m, d := a.Now().Date()
		st.Since = time.Date(y, m, d, 0, 0, 0, 0, a.Now().Location())
	}
	there, changed := map[string]bool{}, first
	var failed []error
	for _, x := range sessions {
		doc := string(x.Doc)
		there[doc] = true
		over := named(x, ended) || a.Now().Sub(x.Changed).Abs() >= Rest // or a clock was wrong
		if !over || x.Changed.Before(st.Since) || st.Done[doc].Equal(x.Changed) {
			continue
		}
		n, err := a.session(ctx, x)
		if added += n; err != nil {
			if ctx.Err() != nil {
				break
			}
			failed = append(failed, fmt.Errorf("archive %s: %w", doc, err))
			continue
		}
		st.Done[doc], changed = x.Changed, true
	}
	for doc := range st.Done {
		if !there[doc] && ctx.Err() == nil {
			delete(st.Done, doc)
			changed = true
		}
	}
	if changed {
		failed = append(failed, a.save(st))
	}
	return added, errors.Join(append(failed, ctx.Err())...)
}

// named reports whether a session is one of the ids.
func named(x Session, ids map[string]bool) bool {
	for id := range ids {
		if x.Called(id) {
			return true
		}
	}
	return false
}

// session archives one session.
func (a *Archive) session(ctx context.Context, x Session) (added int, err error) {
	all, err := a.statements(ctx, x)
	if err != nil {
		return 0, err
	}
	for rest := all; len(rest) > 0; {
		kept, err := a.Keep(ctx, rest)
		for _, out := range kept {
			if out.Outcome == engine.Added && !out.Repeated {
				added++
			}
		}
		if err != nil || len(kept) == 0 {
			return added, err
		}
		rest = rest[len(kept):]
	}
	return added, nil
}

// statements returns what is told of a session: its last sentences, in order.
func (a *Archive) statements(ctx context.Context, x Session) (all []engine.Statement, err error) {
	for s, err := range x.Read(ctx) {
		if err != nil {
			return nil, err
		}
		at := s.At
		if at.IsZero() {
			at = x.Changed
		}
		if now := a.Now(); at.After(now) {
			at = now
		}
		texts := Sentences(s.Text)
		if s.Summary {
			texts = []string{opening(strings.Join(strings.Fields(s.Text), " "), mostSummary)}
		}
		for _, text := range slices.Backward(texts) {
			all = append(all, engine.Statement{
				Text: text, Type: layout.Journal, Origin: "import", At: at.In(a.Now().Location()), Session: fmt.Sprintf("%s#L%d", x.Doc, s.Line), Aside: true,
				Key: "archive " + x.Name + " " + text,
			})
			if len(all) == mostSentences {
				slices.Reverse(all)
				return all, nil
			}
		}
	}
	slices.Reverse(all)
	return all, nil
}

func (a *Archive) load() (state, error) {
	st := state{Done: map[string]time.Time{}}
	f, err := regular.Open(a.File)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, err
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxState))
	if err != nil {
		return st, err
	}
	if json.Unmarshal(data, &st) != nil || st.Done == nil {
		// Nothing comes twice, for the day logs know it: only since when is lost.
		return state{Done: map[string]time.Time{}}, nil
	}
	return st, nil
}

func (a *Archive) save(st state) error {
	err := atomicfile.Write(a.File, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(st) })
	if err != nil {
		return fmt.Errorf("note which sessions are archived: %w", err)
	}
	return nil
}

// Sentences cuts a text at the ends of its lines and sentences. A quotation, as of a
// message that is answered, and what stands in fences is left out.
func Sentences(text string) (all []string) {
	var fenced blocks.Code
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		line = strings.TrimSpace(line)
		if code, edge := fenced.Next(line); code || edge || strings.HasPrefix(line, ">") {
			continue
		}
		from := 0
		for i, r := range line {
			end := i + utf8.RuneLen(r)
			next, _ := utf8.DecodeRuneInString(line[end:])
			wide := strings.ContainsRune("。！？", r)
			if wide && !strings.ContainsRune("。！？”」』）", next) || strings.ContainsRune(".!?…", r) && unicode.IsSpace(next) {
				all = append(all, strings.TrimSpace(line[from:end]))
				from = end
			}
		}
		all = append(all, strings.TrimSpace(line[from:]))
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// opening returns the first characters of a text, and a sign that there were more.
func opening(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most])) + "…"
	}
	return text
}
