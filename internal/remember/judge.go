package remember

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/tag"
)

// told is a request that is being handled.
type told struct {
	Request
	text     string // cleaned, with its secrets masked, and without the wish that it be remembered
	wish     string // the same with that wish
	said     int    // how many words it has besides its secrets
	redacted bool
	apart    bool         // it is about something else than every entry that has not its very words
	withheld bool         // something in it was marked as private, and is left out
	vector   []float32    // as a query; nil: unknown
	read     *reader.Text // what the text is worth; nil: not read
	code     string       // New or Journal: the reason why it is kept as it is
	quote    bool         // it is kept as a quotation
	event    bool         // it is certainly something that happened
	unsure   bool         // it may not be worth a note
	hinted   bool         // the caller has given its type
	updates  []string     // checks of what it may update, the likeliest first
	stays    *known       // the entry that the caller names and that the text may not replace

	norm      string // see normal
	normQuote bool   // norm is that of the quotation
	dated     bool   // the request says when it was told
	path      string // where it is written, unless it stands beside what it replaces
	diverted  bool   // to the log of the day, because the caller may not see the note of its type
	id        string // of the entry that it becomes, when that is known; see [ahead]
}

// How long a text may be. A longer one is a note, not an entry.
const (
	maxText  = 64 << 10
	maxLines = 500
)

// take checks a request and cleans its text.
func (k *Keeper) take(req Request) (*told, error) {
	if req.Origin == "" {
		req.Origin = User
	}
	dated := !req.At.IsZero()
	if !dated {
		req.At = k.opts.Now()
	} else if req.At.Year() < 1900 || req.At.Year() > 9999 {
		return nil, fmt.Errorf("the year %d is not between 1900 and 9999: %w", req.At.Year(), memoir.ErrInvalid)
	}
	req.Type = layout.TypeNamed(req.Type)
	switch types := layout.Types(); {
	case req.Type != "" && !slices.Contains(types, req.Type):
		return nil, memoir.WithHint(fmt.Errorf("there is no type %q: %w", req.Type, memoir.ErrInvalid), "give one of "+strings.Join(types, ", "))
	case !slices.Contains([]string{User, Agent, Tool, Web, Import}, req.Origin):
		return nil, memoir.WithHint(fmt.Errorf("there is no origin %q: %w", req.Origin, memoir.ErrInvalid), "give one of user, agent, tool, web, import")
	case req.Importance < 0 || req.Importance > 5:
		return nil, fmt.Errorf("importance %d is not between 1 and 5: %w", req.Importance, memoir.ErrInvalid)
	}
	t := &told{Request: req, code: New, dated: dated}
	if t.apart = strings.EqualFold(req.Replaces, Nothing); t.apart {
		t.Replaces = ""
	}
	public := tag.WithoutPrivate(req.Text)
	t.text, t.withheld = plain(public), len(public) < len(req.Text)
	if len(t.text) <= maxText {
		masked, spans := secret.Mask(t.text)
		t.said = said(secret.Rest(t.text, spans))
		t.text, t.redacted, t.wish = masked, len(spans) > 0, masked
		if !t.outside() {
			t.text = judge.Fact(masked)
		}
	}
	t.Text = "" // with its secrets, the text must go no further
	t.Session, _ = secret.Mask(plain(req.Session))
	return t, nil
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n", "\v", "\n", "\f", "\n")

// plain returns a text without what no note should hold: invalid UTF-8 and
// control characters.
func plain(text string) string {
	text = lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\ufeff' {
			return -1
		}
		return r
	}, text))
}

// said counts how much words say, with so many small ones between them, each of
// which counts half. In Chinese and Japanese, where a word is a character, a
// character counts a little more than half a word.
func said(words []string, small int) int {
	n := small * 17 / 2
	for _, w := range words {
		n += 17
		if r := []rune(w); len(r) == 1 && unicode.In(r[0], unicode.Han, unicode.Hiragana, unicode.Katakana) {
			n -= 7
		}
	}
	return n / 17
}

// enough is how many words a text needs besides a secret to be kept.
const enough = 6

// atTheDoor refuses a text without looking at the notes.
func (k *Keeper) atTheDoor(t *told) (code string, refused bool) {
	switch {
	case len(t.text) > maxText || strings.Count(t.text, "\n") >= maxLines:
		return TooLong, true
	case t.redacted && t.said < enough:
		return Secret, true
	case t.withheld && judge.Normal(t.text) == "":
		return Private, true
	case judge.Normal(t.text) == "":
		return TooShort, true
	case k.opts.Recalled != nil && k.opts.Recalled(t.text):
		return Recalled, true
	}
	return "", false
}

// look reads the text with the models, where there are any. Without them its words
// decide.
func (k *Keeper) look(ctx context.Context, t *told) error {
	if k.opts.Embed != nil {
		if vectors, err := k.opts.Embed(ctx, []string{t.text}); err == nil && len(vectors) == 1 {
			t.vector = vectors[0]
		}
	}
	if k.opts.Reader != nil {
		if read, err := k.opts.Reader.Texts(ctx, []string{t.text}); err == nil && len(read) == 1 {
			t.read = &read[0]
		}
	}
	return ctx.Err()
}

// origin returns who the judge should take for the author of the text.
func (t *told) origin() judge.Origin {
	if t.Origin == Import {
		return judge.User // another memory has already kept it
	}
	return judge.Origin(t.Origin)
}

// outside reports whether a text comes from a tool or the web, not from a
// person or an agent.
func (t *told) outside() bool { return t.Origin == Tool || t.Origin == Web }

// mayReplace reports whether a text may take the place of an entry. What came from outside
// may not take that of the word of a person, an agent or another memory.
func (t *told) mayReplace(old *known) bool {
	origin := old.Fields.Get(entry.Origin)
	return !t.outside() || origin == Tool || origin == Web
}

// gate refuses a text that is not worth keeping. A text with a type, and one that replaces a
// named entry, is refused for orders to whatever assistant reads it, and for nothing else.
func (k *Keeper) gate(t *told) (_ Reason, refused bool) {
	v := judge.Gate(t.wish, t.origin(), t.read)
	switch {
	case v.Refuse && v.Code == judge.Injection:
		return t.refusal(v), true
	case t.Replaces != "" || t.Type != "" && !t.Aside:
		return Reason{}, false
	case v.Refuse:
		return t.refusal(v), true
	case v.Code == judge.Journal:
		t.code, t.unsure = Journal, true
	}
	return Reason{}, false
}

// orders reports whether a text that comes from outside gives orders to whatever assistant
// reads it.
func (k *Keeper) orders(ctx context.Context, text string) bool {
	t := &told{text: text}
	return k.look(ctx, t) == nil && judge.Gate(text, judge.Web, t.read).Code == judge.Injection
}

// refusal returns the reason of a refusal, with what else may be meant.
func (t *told) refusal(v judge.Verdict) Reason {
	r := reason(string(v.Code))
	switch {
	case v.Code == judge.ToForget:
		r.Wants = WantsForget
	case v.Asks:
		r.Text = onlyAsked
		if !t.outside() {
			r.Wants = WantsSearch
		}
	case v.Code == judge.Injection && !t.outside():
		r.Text = ordersOfOurs
	}
	r.Action = actions[cmp.Or(r.Wants, r.Code)]
	return r
}

// route chooses the type of the text and the file for it. The caller's word counts first. A
// text that may not be worth a note, and one that tells what happened, goes to the log of the
// day. An order from outside is quoted there, whatever type the caller gives it, and so is
// what would take the place of an entry and may not.
func (k *Keeper) route(t *told) {
	best, day := judge.TypeOf(t.read)
	t.event = day >= judge.Sure
	ordered := t.Type == layout.Instruction || t.Type == layout.Preference || best == judge.Instruction || t.Type == "" && best == judge.Preference
	switch {
	case t.stays != nil, t.outside() && ordered:
		t.Type, t.quote, t.Pin = layout.Journal, true, false
	case t.Type != "":
		t.hinted = true
	case t.code != Journal && best != "" && day < 1./2:
		t.Type = string(best)
	default:
		t.Type = layout.Journal
	}
	k.shelve(t)
}

// shelve chooses the file for the type of the text.
func (k *Keeper) shelve(t *told) {
	t.path, t.code = k.opts.Shelves.File(t.Type, t.At), New
	if t.Pin {
		t.path = layout.Memory
	}
	if t.Shared && layout.Private(t.path) {
		t.Type, t.path, t.Pin, t.diverted = layout.Journal, k.opts.Shelves.File(layout.Journal, t.At), false, true
	}
	if t.Type == layout.Journal && !t.Pin {
		t.code = Journal
	}
}

// day returns the day on which the text was told.
func (t *told) day() string { return t.At.Format(time.DateOnly) }
