package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
)

// summaryFolder is where the notes of summaries are, one a month.
const summaryFolder = "memory/summaries/"

// Sizes of what is asked, in tokens, and of what is asked about.
const (
	askedTokens   = 6000 // of the lines of one request
	answerTokens  = 1200 // of its answer
	shownEntry    = 1500 // bytes of one entry
	leastEntries  = 3    // fewer are their own summary
	daysOfSection = 7    // a month has four sections, the last of which reaches to its end
	lastSection   = 3
)

// SummaryOptions say whether and how months are summarised.
type SummaryOptions struct {
	// Apply asks the model and writes. Without it nobody is asked: what would be is listed.
	Apply bool
	// Ask asks a language model: an instruction, a text, and at most how many tokens the
	// answer may have. It returns the answer and how many tokens both took, 0 when the
	// server does not say.
	Ask func(ctx context.Context, instruction, text string, most int) (answer string, tokens int, err error)
	// Model names the model in the notes.
	Model string
	// DailyTokens is how many tokens may be taken in one day, UTC.
	DailyTokens int
}

// What becomes of some days that could be summarised.
const (
	SummaryDue     = "due"     // it would be asked for
	SummaryWritten = "written" // lines were written
	SummaryEmpty   = "empty"   // no line of the answer could be kept
	SummaryEdited  = "edited"  // somebody has changed the section, which stays
	SummaryWaiting = "waiting" // the tokens of the day do not suffice
)

// A Summary is some days of a month and what became of their summary.
type Summary struct {
	Path    string         `json:"path"`    // the note of the month
	From    string         `json:"from"`    // the first day, "2026-03-01"
	To      string         `json:"to"`      // the last day
	Entries int            `json:"entries"` // entries of logs that were, or would be, read
	Tokens  int            `json:"tokens"`  // what asking takes at most, estimated
	State   string         `json:"state"`   // due, written, empty, edited or waiting
	Lines   int            `json:"lines"`   // lines that were written
	Refused map[string]int `json:"refused"` // lines that were not, by the reason
}

// Summaries say what was summarised.
type Summaries struct {
	Parts  []Summary   `json:"parts"`  // by day
	Bill   SummaryBill `json:"bill"`   // what was taken so far
	Change string      `json:"change"` // id by which all of it is taken back; empty when nothing was written
	// Written are the notes that changed, for the index.
	Written []string `json:"-"`
}

// A SummaryBill says what summaries have taken.
type SummaryBill struct {
	Day    string `json:"day"`    // the day of the next two, UTC; empty when nothing was ever asked
	Calls  int    `json:"calls"`  // requests of that day
	Tokens int    `json:"tokens"` // of that day
	All    int    `json:"all"`    // tokens since the beginning
}

// on returns the bill of a day.
func (b SummaryBill) on(day string) SummaryBill {
	if b.Day != day {
		b.Day, b.Calls, b.Tokens = day, 0, 0
	}
	return b
}

// summed is what earlier runs did. It holds no words.
type summed struct {
	Bill     SummaryBill            `json:"bill"`
	Sections map[string]doneSection `json:"sections"` // by their first day
}

// doneSection has the digests of what a section was made of, and of what was written.
type doneSection struct {
	Source string `json:"source"`
	Text   string `json:"text"`
}

func summedPath(dir string) string { return filepath.Join(dir, "summaries.json") }

func loadSummed(dir string) (summed, error) {
	var s summed
	path := summedPath(dir)
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err, data = nil, []byte("{}")
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil { // what was spent today is not known
		return s, memoir.WithHint(fmt.Errorf("read what summaries have taken: %w", err), "move "+path+" away")
	}
	if s.Sections == nil {
		s.Sections = map[string]doneSection{}
	}
	return s, nil
}

func (k *Keeper) saveSummed(s summed) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = makeFolder(k.opts.Dir)
	}
	if err != nil {
		return fmt.Errorf("note what summaries have taken: %w", err)
	}
	return atomicfile.Write(summedPath(k.opts.Dir), 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReadSummaryBill returns what summaries have taken so far, of the keeper whose folder
// this is ([Options]).
func ReadSummaryBill(dir string) (SummaryBill, error) {
	s, err := loadSummed(dir)
	return s.Bill, err
}

// A sourceLine is an entry that a summary may stand on.
type sourceLine struct {
	N    int    `json:"n"`
	Day  string `json:"day"`
	Text string `json:"text"`

	ref    Ref
	digest string // of the entry
}

// A stretch is some days of one month, with their entries. It has a section in the
// summary.
type stretch struct {
	from, to time.Time
	lines    []sourceLine
}

// Summarise lets a language model write summaries of months that are over, out of the logs
// of their days, and checks each line of what it writes: one that quotes nothing that stands
// in the lines it names is dropped. The logs stay as they are. Sections whose entries are
// those of an earlier run are not asked for again. Private entries, what came from tools or
// the web, orders to assistants and what is superseded are not shown to the model; secrets
// are masked. One undo takes back what one run wrote.
func (k *Keeper) Summarise(ctx context.Context, opts SummaryOptions) (Summaries, error) {
	out := Summaries{Parts: []Summary{}}
	if opts.Apply && opts.Ask == nil {
		return out, fmt.Errorf("summarise: no language model is named: %w", memoir.ErrUnavailable)
	}
	done, err := loadSummed(k.opts.Dir)
	if err != nil {
		return out, fmt.Errorf("summarise: %w", err)
	}
	out.Bill = done.Bill
	stretches, err := k.stretches(ctx)
	if err != nil {
		return out, fmt.Errorf("summarise: %w", err)
	}
	bundle := notebook.NewBundle("tidy", "summaries of months")
	for _, s := range stretches {
		source := k.marks.digest(s.source())
		if len(s.lines) < leastEntries || source == "" || done.Sections[s.key()].Source == source {
			continue
		}
		part := Summary{Path: s.path(), From: s.key(), To: s.to.Format(time.DateOnly), Entries: len(s.lines), State: SummaryDue, Refused: map[string]int{}}
		for _, some := range s.requests() {
			part.Tokens += some.tokens()
		}
		if opts.Apply {
			if err := k.summarise(ctx, opts, s, source, bundle, &done, &part, &out); err != nil {
				return out, fmt.Errorf("summarise %s: %w", s.key(), err)
			}
			out.Bill = done.Bill
		}
		out.Parts = append(out.Parts, part)
	}
	return out, nil
}

// summarise asks for one section and writes it.
func (k *Keeper) summarise(ctx context.Context, opts SummaryOptions, s stretch, source string, bundle notebook.Bundle, done *summed, part *Summary, out *Summaries) error {
	today := k.opts.Now().UTC().Format(time.DateOnly)
	was := done.Sections[s.key()].Text
	text, _, err := k.read(s.path())
	if err != nil {
		return err
	}
	if start, end := sectionOf(text, s.title()); start < end && k.marks.digest(text[start:end]) != was {
		part.State = SummaryEdited
		return nil
	}
	if done.Bill.on(today).Tokens+part.Tokens > opts.DailyTokens {
		part.State = SummaryWaiting
		return nil
	}
	var items []string
	for _, some := range s.requests() {
		data, err := json.Marshal(map[string]any{"lines": some})
		if err != nil {
			return err
		}
		// The bill is written before the request, so that a process that is killed cannot
		// ask for nothing.
		bill := done.Bill.on(today)
		before := bill.Tokens
		bill.Calls, bill.Tokens, bill.All = bill.Calls+1, bill.Tokens+some.tokens(), bill.All+some.tokens()
		done.Bill = bill
		if err := k.saveSummed(*done); err != nil {
			return err
		}
		answer, tokens, err := opts.Ask(ctx, instruction, string(data), answerTokens)
		if err != nil {
			return err
		}
		// What the server says counts unless it is less than what the texts have.
		least := chunk.Tokens(instruction) + chunk.Tokens(string(data)) + chunk.Tokens(answer)
		done.Bill.All += max(tokens, least) - some.tokens()
		done.Bill.Tokens = before + max(tokens, least)
		for _, line := range k.kept(ctx, answer, some, part.Refused) {
			items = append(items, k.summaryItem(line, some, today))
		}
	}
	section := ""
	if part.State, part.Lines = SummaryEmpty, len(items); len(items) > 0 {
		part.State = SummaryWritten
		section = s.title() + "\n\n" + strings.Join(items, "\n") + "\n"
	}
	if err := k.writeSection(ctx, opts, s, section, was, bundle, out); err != nil {
		return err
	}
	done.Sections[s.key()] = doneSection{source, k.marks.digest(section)}
	return k.saveSummed(*done)
}

// errEdited says that somebody has changed a section.
var errEdited = errors.New("its section was changed meanwhile")

// writeSection puts a section in the place of the one before it, which must be as it was
// written.
func (k *Keeper) writeSection(ctx context.Context, opts SummaryOptions, s stretch, text, was string, bundle notebook.Bundle, out *Summaries) error {
	change, err := k.opts.Notebook.Do(ctx, bundle.Who, bundle.Why, func(d *notebook.Draft) error {
		d.Join(bundle)
		note, _, err := d.Read(s.path())
		if err != nil {
			return err
		}
		start, end := sectionOf(note, s.title())
		if start < end && k.marks.digest(note[start:end]) != was {
			return errEdited
		}
		if start < end {
			return d.Write(s.path(), note[:start]+text+note[end:])
		}
		if text == "" {
			return nil
		}
		head := "\n"
		if strings.TrimSpace(note) == "" {
			head = "# " + s.from.Format("2006-01") + ", summarised by " + plainName(opts.Model) + "\n\n"
		} else if !strings.HasSuffix(note, "\n") {
			head = "\n\n"
		}
		return d.Append(s.path(), head+text)
	})
	if err != nil {
		return err
	}
	if len(change.Edits) > 0 {
		out.Change = bundle.ID
		if !slices.Contains(out.Written, s.path()) {
			out.Written = append(out.Written, s.path())
		}
	}
	return nil
}

// plainName returns the name of a model as a heading may have it.
func plainName(model string) string {
	name := strings.Join(strings.FieldsFunc(model, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-._:/", r))
	}), " ")
	if name == "" {
		return "a language model"
	}
	return name[:min(len(name), 80)]
}

// sectionOf returns where a section stands in a note: from its heading to its last line
// with words. Both are 0 when there is none.
func sectionOf(note, title string) (start, end int) {
	at := 0
	for line := range strings.Lines(note) {
		words := strings.TrimRight(line, " \r\n")
		if end > 0 && strings.HasPrefix(words, "#") {
			break
		}
		if at += len(line); end == 0 && words == title {
			start, end = at-len(line), at
		} else if end > 0 && words != "" {
			end = at
		}
	}
	return start, end
}

func (s *stretch) key() string   { return s.from.Format(time.DateOnly) }
func (s *stretch) path() string  { return summaryFolder + s.from.Format("2006-01") + ".md" }
func (s *stretch) title() string { return "## " + s.key() + " to " + s.to.Format(time.DateOnly) }

// source returns what the section is made of, for its digest.
func (s *stretch) source() string {
	var b strings.Builder
	for _, l := range s.lines {
		fmt.Fprintf(&b, "%s %q\n", l.Day, l.Text)
	}
	return b.String()
}

// A request is the lines that are asked about at once.
type request []sourceLine

// tokens returns what the request takes at most, estimated.
func (r request) tokens() int {
	n := chunk.Tokens(instruction) + answerTokens
	for _, l := range r {
		n += chunk.Tokens(l.Text) + perLine
	}
	return n
}

// perLine is more than the tokens that a line has beside its text.
const perLine = 24

// requests cuts the lines of a section into what is asked at once, and numbers them.
func (s *stretch) requests() []request {
	var all []request
	size := askedTokens
	for _, l := range s.lines {
		n := chunk.Tokens(l.Text) + perLine
		if size += n; size > askedTokens {
			all, size = append(all, nil), n
		}
		last := len(all) - 1
		l.N = len(all[last]) + 1
		all[last] = append(all[last], l)
	}
	return all
}

// stretches returns those of all months that are over, by their days.
func (k *Keeper) stretches(ctx context.Context) ([]stretch, error) {
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	now := k.opts.Now()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	found := map[string]*stretch{}
	for _, path := range paths {
		day, ok := layout.Date(path)
		if !ok || k.opts.Shelves.Type(path) != layout.Journal || conflicted(path) || !day.Before(month) {
			continue
		}
		entries, err := k.entries(path)
		if err != nil {
			return nil, err
		}
		first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
		n := min((day.Day()-1)/daysOfSection, lastSection)
		from, to := first.AddDate(0, 0, n*daysOfSection), first.AddDate(0, 0, (n+1)*daysOfSection-1)
		if n == lastSection {
			to = first.AddDate(0, 1, -1)
		}
		s := found[from.Format(time.DateOnly)]
		if s == nil {
			s = &stretch{from: from, to: to}
			found[s.key()] = s
		}
		for _, e := range entries {
			if l, ok := k.sourceLine(ctx, e, day); ok {
				s.lines = append(s.lines, l)
			}
		}
	}
	all := make([]stretch, 0, len(found))
	for _, s := range found {
		order.Stable(s.lines, func(a, b sourceLine) int { return strings.Compare(a.Day, b.Day) })
		all = append(all, *s)
	}
	order.By(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	return all, nil
}

// sourceLine returns an entry of a log as the model is shown it, and whether it may be.
func (k *Keeper) sourceLine(ctx context.Context, e *known, day time.Time) (sourceLine, bool) {
	origin := e.Fields.Get(entry.Origin)
	if !e.active() || e.Private || origin == Tool || origin == Web || strings.HasPrefix(e.Text, ">") {
		return sourceLine{}, false
	}
	if k.orders(ctx, e.Text) {
		return sourceLine{}, false
	}
	text, _ := secret.Mask(e.Text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > shownEntry {
		text = strings.ToValidUTF8(text[:shownEntry], "")
	}
	return sourceLine{Day: day.Format(time.DateOnly), Text: text, ref: e.ref(), digest: k.marks.digest(e.normal())}, true
}

// summaryItem returns a line as an entry of the summary, with what it stands on.
func (k *Keeper) summaryItem(line summaryLine, lines request, today string) string {
	var quotes, of []string
	for _, s := range line.Sources {
		l := lines[s.Line-1]
		quotes = append(quotes, fmt.Sprintf("%s: “%s”", citation(l.ref.Place), strings.Join(strings.Fields(s.Quote), " ")))
		if !slices.Contains(of, l.digest) {
			of = append(of, l.digest)
		}
	}
	return entry.Item(line.Text+" ("+strings.Join(quotes, "; ")+")", entry.Fields{
		{Key: entry.ID, Value: newID()}, {Key: entry.Observed, Value: today}, {Key: entry.Origin, Value: Agent}, {Key: entry.Of, Value: strings.Join(of, " ")},
	}, false)
}

// ofThem returns the lines of summaries that stand on entries.
func (k *Keeper) ofThem(ctx context.Context, meant []*known) ([]*known, error) {
	digests := map[string]bool{}
	for _, e := range meant {
		digests[k.marks.digest(e.normal())] = true
	}
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	var all []*known
	for _, path := range paths {
		if !strings.HasPrefix(path, summaryFolder) {
			continue
		}
		entries, err := k.entries(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if slices.ContainsFunc(strings.Fields(e.Fields.Get(entry.Of)), func(d string) bool { return digests[d] }) && !slices.Contains(meant, e) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}
