// Package hook answers agents at the events of a session: its start, a prompt,
// a compaction, its end. It never calls a model, and prints only what the
// agent's schema allows. An error is for the caller to record; nobody is kept
// waiting by it (docs/design/agents.md).
package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/tag"
)

// The events, as in memoir hook AGENT EVENT.
const (
	SessionStart = "session-start"
	Prompt       = "prompt"
	PreCompact   = "pre-compact"
	PostCompact  = "post-compact"
	Stop         = "stop"
	SessionEnd   = "session-end"
)

// Events returns all events in the order of a session.
func Events() []string {
	return []string{SessionStart, Prompt, PreCompact, PostCompact, Stop, SessionEnd}
}

// How much is read.
const (
	maxInput   = 8 << 20  // of what an agent sends
	maxDrained = 64 << 20 // read and discarded beyond that, so that the agent can finish writing
	maxMessage = 2000     // characters of a prompt that count
	maxSummary = 256 << 10
)

// A Memory answers from the notes. *engine.Engine implements it, except for
// Close.
type Memory interface {
	Prime(context.Context, engine.PrimeOptions) (engine.Primed, error)
	Recall(context.Context, engine.RecallOptions) (engine.Primed, error)
	Close() error
}

// Options are what a hook needs.
type Options struct {
	// Dir is the workspace's folder for the queue, and for the record of what
	// sessions were given.
	Dir string
	// Open opens the notes; with words it opens their index, too.
	Open func(ctx context.Context, words bool) (Memory, error)
	// SearchTime bounds the search for a prompt. A hook takes little longer, whatever
	// happens.
	SearchTime time.Duration
	Now        func() time.Time
}

// Dir returns the folder of hooks in the folder of what is kept of a workspace.
func Dir(kept string) string { return filepath.Join(kept, "hooks") }

// Answer reads what an agent sends at an event and writes what the agent is
// given. The output is complete and valid even with an error, which says what
// else went wrong. Answer returns in time even if something does not respond,
// and leaves that running: the caller should end the process.
func Answer(ctx context.Context, name, event string, in io.Reader, out io.Writer, opts Options) error {
	a, ok := find(name)
	switch {
	case !ok:
		return memoir.WithHint(fmt.Errorf("there is no agent %q: %w", name, memoir.ErrInvalid), "one of "+strings.Join(Agents(), ", "))
	case !slices.Contains(Events(), event):
		return memoir.WithHint(fmt.Errorf("there is no event %q: %w", event, memoir.ErrInvalid), "one of "+strings.Join(Events(), ", "))
	}
	limit := opts.limit(event)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := handler{Options: opts, agent: a}
	var text string
	var err, failed error
	if !within(ctx, func() {
		h.in, err = readInput(in)
		text, failed = h.answer(ctx, event)
	}) {
		return memoir.WithHint(fmt.Errorf("it was given up after %v, for the notes, their index or what the agent sends did not come", limit),
			fmt.Sprintf("memoir config set hook.searchTime %v, which gives it longer, when that happens often", max(500*time.Millisecond, 2*opts.SearchTime)))
	}
	if text != "" {
		_, writing := io.WriteString(out, a.answer(event, text))
		failed = errors.Join(failed, writing)
	}
	if failed == nil { // what was not printed was not given
		var saved error
		if !within(ctx, func() { saved = h.remember() }) {
			saved = errors.New("what the session was given could not be noted in time, and may be given again")
		}
		failed = saved
	}
	return errors.Join(err, failed)
}

// How long a hook may take in addition to a search. Nobody waits for most
// hooks, and what they record must not be lost because a machine is busy.
// Agents allow at least 1.5 s, and the one that tells a summary, which nobody
// tells again, ten.
const (
	restOfPrompt  = 120 * time.Millisecond
	restOfOthers  = 920 * time.Millisecond
	restOfSummary = 4920 * time.Millisecond
)

// limit is the longest time that a hook may take at an event.
func (o Options) limit(event string) time.Duration {
	switch event {
	case Prompt:
		return o.SearchTime + restOfPrompt
	case PostCompact:
		return o.SearchTime + restOfSummary
	}
	return o.SearchTime + restOfOthers
}

// within calls do and reports whether it ended before ctx did. If not, do keeps
// running, because nothing can interrupt a read from a disk that does not
// respond. It ends with the process. The caller must not look at what it
// changes.
func within(ctx context.Context, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done: // both ended at the same moment
		return true
	default:
		return false
	}
}

type handler struct {
	Options
	agent agent
	in    input
	given *given // nil when nothing was given
}

// answer returns what an agent is to be given, "" for nothing.
func (h *handler) answer(ctx context.Context, event string) (string, error) {
	switch event {
	case SessionStart:
		return h.start(ctx)
	case Prompt:
		return h.prompt(ctx)
	case PreCompact:
		if h.agent.takesSummaryPrompt {
			return summaryPrompt, nil
		}
	case PostCompact:
		if text := told(h.in.text("compact_summary", "compactSummary", "summary")); text != "" {
			return "", Queue(h.Dir).add(h.item(kindSummary, event, text))
		}
	case Stop, SessionEnd:
		return "", Queue(h.Dir).add(h.item(kindSession, event, ""))
	}
	return "", nil
}

// summaryPrompt is for the model that summarises a session.
const summaryPrompt = "In the summary, keep word for word what later sessions need: decisions with their reasons, facts about the user and their preferences, names, dates, numbers, paths, and what is open. Leave out what stands between <memory and </memory>; it is kept already."

// start gives a session its notes. A session that continues has them already.
func (h *handler) start(ctx context.Context) (string, error) {
	m, err := h.Open(ctx, false)
	if err != nil {
		return "", err
	}
	defer m.Close() // of what was only read
	p, err := m.Prime(ctx, engine.PrimeOptions{})
	if err != nil {
		return "", err
	}
	lines := p.Lines()
	if h.in.text("source") == "resume" {
		before := openGiven(h.Dir, h.agent.name, h.session())
		if before.hasAll(lines) {
			return "", nil
		}
	}
	h.given = newGiven(h.Dir, h.agent.name, h.session())
	h.given.add(&p, SessionStart, h.Now())
	return p.Text, nil
}

// prompt gives what a message calls for, without what the session was given
// before.
func (h *handler) prompt(ctx context.Context) (string, error) {
	message := strings.TrimSpace(h.in.text("prompt", "user_prompt", "message"))
	if message == "" {
		return "", nil
	}
	runes := []rune(message[:min(len(message), maxMessage*utf8.UTFMax)])
	message = string(runes[:min(len(runes), maxMessage)])
	before := openGiven(h.Dir, h.agent.name, h.session())
	opts := engine.RecallOptions{Message: message, Given: before.has}
	p, err := h.search(ctx, opts)
	if p.Text != "" {
		h.given = before
		h.given.add(&p, Prompt, h.Now())
	}
	return p.Text, err
}

// search asks the notes and their index. If the index is missing or does not
// respond, it uses the notes alone.
func (h *handler) search(ctx context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	searching, cancel := context.WithTimeout(ctx, h.SearchTime)
	defer cancel()
	waiting, leave := context.WithTimeout(ctx, h.SearchTime+restOfPrompt/3)
	defer leave()
	var found struct {
		engine.Primed
		memory             Memory
		opening, searching error
	}
	came := within(waiting, func() {
		if found.memory, found.opening = h.Open(searching, true); found.opening == nil {
			found.Primed, found.searching = found.memory.Recall(searching, opts)
		}
	})
	if came && found.opening == nil {
		within(waiting, func() { _ = found.memory.Close() }) // of what was only read; a vector that is late keeps it open
	}
	failed := memoir.WithHint(fmt.Errorf("the notes were not searched within %v", h.SearchTime), "memoir index, or raise hook.searchTime")
	if came {
		switch {
		case found.opening != nil:
			failed = found.opening
		case errors.Is(found.searching, context.DeadlineExceeded):
			return found.Primed, failed
		default:
			return found.Primed, found.searching
		}
	}
	m, err := h.Open(ctx, false)
	if err != nil {
		return engine.Primed{}, failed
	}
	defer m.Close()             // of what was only read
	p, _ := m.Recall(ctx, opts) // the reason why nothing was searched is known already
	return p, failed
}

// remember records what the session was given.
func (h *handler) remember() error {
	if h.given == nil {
		return nil
	}
	return h.given.save()
}

func (h *handler) session() string {
	return h.in.text("session_id", "sessionId", "sessionID", "conversation_id")
}

func (h *handler) item(kind, event, text string) Item {
	return Item{Kind: kind, Agent: h.agent.name, Event: event, Session: maskedID(h.session()), At: h.Now(), Text: text}
}

// maskedID masks the secrets in the id of a session. It adds a digest when it masks one, so
// that sessions whose ids differ only in a secret stay apart.
func maskedID(session string) string {
	masked, spans := secret.Mask(session)
	if len(spans) == 0 {
		return session
	}
	return masked + "-" + short(session)
}

// told returns of a summary what may wait in a file: without the model's draft and what is
// marked as private, with its secrets masked, and not too long. It masks before it cuts, so
// that it sees a secret at the end as a whole.
func told(summary string) string {
	const behind = 16 << 10
	text, _ := secret.Mask(cut(withoutDraft(tag.WithoutPrivate(summary)), maxSummary+behind))
	return strings.TrimSpace(cut(text, maxSummary))
}

// withoutDraft returns the summary in what a model was told to answer with: a draft between
// <analysis> tags, and then the summary between <summary> tags. Claude Code hands both over as
// they came. Only tags that frame the text count: those in a summary are its own. Where tags are
// not closed, or nothing else is there, the text stays as it is.
func withoutDraft(whole string) string {
	text, framed := whole, false
	if before, _, after, ok := tag.Cut(text, "analysis"); ok && strings.TrimSpace(before+after) != "" {
		lead, _, _, follows := tag.Cut(after, "summary")
		if framed = strings.TrimSpace(before) == "" || follows && strings.TrimSpace(lead) == ""; framed {
			text = before + after
		}
	}
	before, summary, after, ok := tag.Cut(text, "summary")
	switch {
	case !ok, !framed && strings.TrimSpace(before) != "":
		return text
	case strings.TrimSpace(before+summary+after) == "":
		return whole
	}
	return before + summary + after
}

// cut returns the beginning of a text, of so many bytes at most.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// input is the object that an agent sends. Only some members are known.
type input map[string]json.RawMessage

// text returns the first of the given members that is a string, or "".
func (in input) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(in[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// byteOrderMark is what some shells put before a text that they pass on.
const byteOrderMark = "\ufeff"

// readInput reads an object. Empty input is an empty object. With an error,
// what was read must be ignored.
func readInput(in io.Reader) (input, error) {
	if in == nil {
		return nil, nil
	}
	limited := &io.LimitedReader{R: in, N: maxInput}
	text := bufio.NewReader(limited)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark)) // which is there
	}
	var x input
	err := json.NewDecoder(text).Decode(&x)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case limited.N <= 0:
		_, _ = io.Copy(io.Discard, io.LimitReader(in, maxDrained)) // discard what is too much
		return nil, fmt.Errorf("the agent sent more than %d MB", maxInput>>20)
	case err != nil:
		return nil, fmt.Errorf("the agent sent no object of JSON: %w", err)
	}
	return x, nil
}

// folder makes a folder in the one of hooks.
func folder(dir string) error {
	if err := trusted(dir); err != nil {
		return err
	}
	return statedir.Make(filepath.Join(dir, "x"))
}

// trusted refuses a folder in the one of hooks when a link stands in its place, or in
// that of the folder of hooks or the index.
func trusted(dir string) error {
	for _, file := range []string{filepath.Dir(dir), dir, filepath.Join(dir, "x")} {
		if err := statedir.Check(file); err != nil {
			return err
		}
	}
	return nil
}
