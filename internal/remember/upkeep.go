package remember

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/secret"
)

// After how many days something is old, and how large MEMORY.md may be.
const (
	openDays     = 90   // an open task
	pastDays     = 30   // a day by which something was to be done
	replacedDays = 180  // a superseded entry, in a file that sessions are given
	lowDays      = 180  // an entry that nobody asks for
	countedDays  = 90   // searches must have been counted for that long to say that nobody asks
	maxMemory    = 2000 // tokens; a session is given that many at its start
)

// observed returns the day on which an entry was told, or "" when nothing
// tells.
func (e *known) observed() string {
	if day := e.Fields.Get(entry.Observed); day != "" {
		return day
	}
	if day, ok := layout.Date(e.path); ok {
		return day.Format(time.DateOnly)
	}
	return ""
}

// number returns the value of a field, or 0 when it is not a number.
func (e *known) number(key string) int {
	n, _ := strconv.Atoi(e.Fields.Get(key)) // 0 when the field is not a number
	return max(n, 0)
}

// isTask reports whether an entry is an open task.
func isTask(e *known) bool { return e.active() && strings.HasPrefix(e.Text, "[ ] ") }

// change returns a plan that changes one entry, provided that it still says the
// same.
func (t *tidier) change(e *known, how func(text string, now *known) string) func(*notebook.Draft) error {
	return func(d *notebook.Draft) error {
		text, _, err := d.Read(e.path)
		if err != nil {
			return err
		}
		now := t.keeper.again(e, text)
		if now == nil || now.normal() != e.normal() || now.active() != e.active() {
			return errGone
		}
		return d.Write(e.path, how(text, now))
	}
}

// remove plans to remove an entry.
func remove(text string, now *known) string { return entry.Remove(text, now.Entry) }

// finding makes a finding about entries of one file, with a plan.
func finding(kind, proposal string, plan func(*notebook.Draft) error, about ...*known) TidyFinding {
	f := TidyFinding{Kind: kind, Proposal: proposal, plan: plan}
	for _, e := range about {
		f.Entries = append(f.Entries, e.entry())
		if !slices.Contains(f.paths, e.path) {
			f.paths = append(f.paths, e.path)
		}
	}
	return f
}

// entryFindings adds findings about the entries of the shelves, of MEMORY.md
// and of USER.md.
func (t *tidier) entryFindings(ctx context.Context) {
	if t.wants(Duplicate) {
		for _, f := range t.doubles(t.stock) {
			t.found(f)
		}
	}
	for _, e := range t.stock {
		switch {
		case !e.active() && layout.Curated(e.path) && t.age(e.Fields.Get(entry.Until)) > replacedDays:
			t.found(finding(Stale, "it was superseded long ago, and costs tokens in every session: take it out", t.change(e, remove), e))
		case e.active() && t.wants(Stale) && t.past(e) != "":
			day := t.past(e)
			t.found(finding(Stale, "its day, "+day+", is past: mark it as over", t.change(e, func(text string, now *known) string {
				return entry.Set(text, now.Entry, t.identified(e, entry.Fields{{Key: entry.Status, Value: "superseded"}, {Key: entry.Until, Value: day}}), layout.Curated(e.path))
			}), e))
		case t.wants(LowValue) && t.low(e):
			t.found(finding(LowValue, "nobody has asked for it or told it again in half a year: take it out", t.change(e, remove), e))
		}
	}
	if t.wants(Promote) {
		t.promote(ctx)
	}
	if t.wants(Oversized) {
		t.oversized()
	}
}

// due matches days by which something should be done.
var (
	dueWord = lazyregexp.New(`(?i)\b(deadline|due|by|until|before)\b|截止|到期|之前|期限|締切|締め切り|まで`)
	dueDay  = lazyregexp.New(`\b(\d{4})-(\d\d)-(\d\d)\b|(\d{4})年(\d{1,2})月(\d{1,2})日`)
)

// past returns the day by which something of a project should have been done,
// if it has passed and nobody has told the entry again since. Otherwise it
// returns "".
func (t *tidier) past(e *known) string {
	if e.typ != layout.Project || !dueWord().MatchString(e.Text) {
		return ""
	}
	last := ""
	for _, m := range dueDay().FindAllStringSubmatch(e.Text, -1) {
		y, mo, d := cmp.Or(m[1], m[4]), cmp.Or(m[2], m[5]), cmp.Or(m[3], m[6])
		last = max(last, fmt.Sprintf("%s-%02s-%02s", y, mo, d))
	}
	if t.age(last) <= pastDays || e.Fields.Get(entry.Last) > last || e.observed() > last {
		return ""
	}
	return last
}

// low reports whether an entry is of little value: never found, never told
// again, and old. It is always false until searches have been counted for long
// enough. It is false, too, for entries that sessions are given anyway, because
// nobody has to ask for them.
func (t *tidier) low(e *known) bool {
	switch e.typ {
	case layout.Contact, layout.Project, layout.Decision, layout.Learning:
	default:
		return false
	}
	observed := e.observed()
	return e.active() && !layout.Curated(e.path) && e.number(entry.Count) == 0 && e.number(entry.Importance) < 6 && e.Fields.Get(entry.Trigger) == "" &&
		t.age(observed) > lowDays && t.age(t.counts.Since) >= countedDays && t.counts.Of(t.keeper.marks.digest(e.normal())).Found == 0
}

// openTasks returns a finding about the open tasks of a day log, if there are
// any.
func (t *tidier) openTasks(entries []*known) []TidyFinding {
	open := slices.DeleteFunc(slices.Clone(entries), func(e *known) bool { return !isTask(e) })
	if len(open) == 0 {
		return nil
	}
	return []TidyFinding{finding(Stale, "open tasks of long ago: tick what is done", func(d *notebook.Draft) error {
		path := open[0].path
		text, _, err := d.Read(path)
		if err != nil {
			return err
		}
		now := slices.DeleteFunc(slices.Clone(t.keeper.parse(path, text)), func(e *known) bool { return !isTask(e) })
		if !slices.EqualFunc(now, open, func(a, b *known) bool { return a.normal() == b.normal() }) {
			return errGone
		}
		for _, e := range slices.Backward(now) {
			at := e.Start + strings.Index(text[e.Start:e.End], "[ ]")
			text = text[:at] + "[x]" + text[at+len("[ ]"):]
		}
		return d.Write(path, text)
	}, open...)}
}

// secrets returns a finding about the secrets of a note, if it has any.
func (t *tidier) secrets(file, text string) []TidyFinding {
	f := TidyFinding{Kind: SecretKept, Certain: true, paths: []string{file}, Proposal: "mask it, also in the copies for undo: it does not come back"}
	for _, s := range secret.Findings(text) {
		f.Entries = append(f.Entries, Entry{Ref: Ref{Place: Place{file, s.Line, s.Line}}, Type: t.keeper.opts.Shelves.Type(file), Text: s.Preview, Status: Active})
	}
	if len(f.Entries) == 0 {
		t.clean[text] = true
		return nil
	}
	f.plan = func(d *notebook.Draft) error {
		text, _, err := d.Read(file)
		if err != nil {
			return err
		}
		masked := t.mask(text)
		t.clean[masked] = true
		return d.Write(file, masked)
	}
	return []TidyFinding{f}
}

// What OpenClaw requires of a day log's entry before it goes to MEMORY.md, and
// the weights of its score.
const (
	promoteScore     = .75
	promoteFound     = 3
	promoteQuestions = 3
	promoteDays      = 30
	promoteTokens    = 160
	maxPromoted      = 10
)

// worth returns OpenClaw's score of an entry that was found: how often, how
// well, by how many different questions, how lately, over how many days, and
// how much it says.
func (t *tidier) worth(e *known) (score float64, enough bool) {
	c := t.counts.Of(t.keeper.marks.digest(e.normal()))
	if c.Found < promoteFound || c.Questions < promoteQuestions || t.age(c.Last()) < 0 {
		return 0, false
	}
	capped := func(x float64) float64 { return max(0, min(1, x)) }
	spacing := capped(math.Log1p(float64(len(c.Days)-1)) / math.Log1p(4))
	span := capped(float64(t.age(c.Days[0])-t.age(c.Last())) / 7)
	score = .24*capped(math.Log1p(float64(c.Found))/math.Log1p(10)) + .30*capped(c.Score) + .15*capped(float64(c.Questions)/5) +
		.15*math.Exp2(-float64(t.age(c.Last()))/14) + .10*(.55*spacing+.45*span) + .06*capped(float64(len(e.terms()))/6)
	return score, score >= promoteScore
}

// promote adds findings about entries of the latest day logs that are found
// often.
func (t *tidier) promote(ctx context.Context) {
	k := t.keeper
	there := map[string]bool{}
	for _, e := range t.stock {
		there[e.normal()] = true
	}
	var all []TidyFinding
	for day := range promoteDays + 1 {
		entries, err := k.entries(k.opts.Shelves.File(layout.Journal, t.today.AddDate(0, 0, -day)))
		if err != nil {
			continue // what cannot be read is not promoted
		}
		for _, e := range entries {
			score, ok := t.worth(e)
			if !ok || there[e.normal()] || !t.lasts(ctx, e) {
				continue
			}
			there[e.normal()] = true
			f := finding(Promote, "it is asked for often: keep it in MEMORY.md, too", t.promotion(e), e)
			f.Score, f.paths = math.Round(score*1e4)/1e4, []string{layout.Memory}
			f.Certain = outlasts(judge.TypeOf(t.read(ctx, e)))
			all = append(all, f)
		}
	}
	order.Stable(all, func(a, b TidyFinding) int { return cmp.Compare(b.Score, a.Score) })
	for _, f := range all[:min(len(all), maxPromoted)] {
		t.found(f)
	}
}

// lasts reports whether an entry may be promoted: a short statement that is not
// a quotation, not a task, and holds no secret.
func (t *tidier) lasts(ctx context.Context, e *known) bool {
	origin := e.Fields.Get(entry.Origin)
	return e.active() && origin != Tool && origin != Web && !strings.HasPrefix(e.Text, "[") && !strings.HasPrefix(e.Text, ">") &&
		chunk.Tokens(e.Text) <= promoteTokens && len(secret.Find(e.Text)) == 0 && !judge.Gate(e.Text, judge.User, t.read(ctx, e)).Refuse
}

// read returns what an entry is worth, or nil where it cannot be read.
func (t *tidier) read(ctx context.Context, e *known) *reader.Text {
	if t.keeper.opts.Reader == nil {
		return nil
	}
	read, err := t.keeper.opts.Reader.Texts(ctx, []string{e.Text})
	if err != nil || len(read) != 1 {
		return nil
	}
	return &read[0]
}

// maxDay is how likely a statement that surely holds may be an event of its day.
const maxDay = .1

// outlasts reports whether a line of a day log surely holds beyond its day: it is a
// preference, an instruction or a decision. What is told of a project, a person or a lesson
// may as well be what happened that day, and the judge cannot tell those apart
// (docs/design/tidy.md).
func outlasts(best judge.Type, day float64) bool {
	return day < maxDay && (best == judge.Preference || best == judge.Instruction || best == judge.Decision)
}

// promotion plans to copy an entry of a day log to MEMORY.md.
func (t *tidier) promotion(e *known) func(*notebook.Draft) error {
	return func(d *notebook.Draft) error {
		text, _, err := d.Read(e.path)
		if err != nil {
			return err
		}
		now := t.keeper.again(e, text)
		if now == nil || now.normal() != e.normal() || !now.active() {
			return errGone
		}
		fields := now.Fields
		if fields.Get(entry.Observed) == "" {
			fields = fields.With(entry.Field{Key: entry.Observed, Value: now.observed()})
		}
		_, err = t.keeper.toMemory(d, now, fields)
		return err
	}
}

// oversized adds a finding when MEMORY.md has more than a session is given.
func (t *tidier) oversized() {
	k := t.keeper
	text, err := k.opts.Notebook.Read(layout.Memory)
	if err != nil {
		return // there is none
	}
	tokens := chunk.Tokens(entry.Plain(text))
	if tokens <= maxMemory {
		return
	}
	var out []*known
	left := tokens
	for _, e := range t.leastFirst(k.parse(layout.Memory, text)) {
		if left <= maxMemory {
			break
		}
		left -= chunk.Tokens(e.Text)
		out = append(out, e)
	}
	f := finding(Oversized, fmt.Sprintf("MEMORY.md costs %d tokens in every session, and %d are given: move what is asked for least to the note of its type", tokens, maxMemory), nil, out...)
	f.Tokens = tokens
	if len(out) == 0 {
		f.Entries = []Entry{{Ref: Ref{Place: Place{layout.Memory, 1, strings.Count(text, "\n") + 1}}, Status: Active, Text: ""}}
		f.Proposal = fmt.Sprintf("MEMORY.md costs %d tokens in every session, and %d are given: shorten it", tokens, maxMemory)
		t.found(f)
		return
	}
	for _, e := range out {
		if file := k.opts.Shelves.File(e.typ, t.today); !slices.Contains(f.paths, file) {
			f.paths = append(f.paths, file)
		}
	}
	f.plan = func(d *notebook.Draft) error {
		text, _, err := d.Read(layout.Memory)
		if err != nil {
			return err
		}
		for _, e := range out {
			now := k.again(e, text)
			if now == nil || now.normal() != e.normal() {
				return errGone
			}
			text = entry.Remove(text, now.Entry)
		}
		for _, e := range out {
			if err := k.onShelf(d, e, t.today); err != nil {
				return err
			}
		}
		return d.Write(layout.Memory, text)
	}
	t.found(f)
}

// leastFirst returns the entries of MEMORY.md that could go to a shelf, those
// that are found least and matter least first.
func (t *tidier) leastFirst(all []*known) []*known {
	value := func(e *known) int {
		return 4*t.counts.Of(t.keeper.marks.digest(e.normal())).Found + 2*e.number(entry.Count) + e.number(entry.Importance)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e *known) bool {
		return !slices.Contains(layout.Types(), e.typ) || e.typ == layout.Journal || !e.active() || e.Fields.Get(entry.Trigger) != "" || e.number(entry.Importance) >= 8
	})
	slices.SortStableFunc(all, func(a, b *known) int {
		return cmp.Or(value(a)-value(b), strings.Compare(a.observed(), b.observed()))
	})
	return all
}
