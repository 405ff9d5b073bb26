package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/zstd"
	encodings "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/lines"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Bounds of what reading a transcript may cost.
const (
	maxLine   = 16 << 20  // bytes of a record; a longer one is left out and counted
	maxTurn   = 256 << 10 // bytes of one turn; the rest is left out
	maxText   = 16 << 20  // bytes of what is said in a session
	maxWindow = 64 << 20  // memory for unpacking an archive
	maxTitle  = 80        // characters
	earliest  = 2000      // the first year in which anybody talked with an agent
)

// Read implements [memoir.Source]. Each line of the text stands for a line of
// the transcript: "User: …", "Assistant: …" or "Summary: …", or blank.
func (s *Source) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	x, meta, err := s.session(ctx, id)
	if err != nil {
		return memoir.Document{}, err
	}
	text, err := x.text()
	if err != nil {
		return memoir.Document{}, &memoir.SkipError{ID: id, Reason: err.Error()}
	}
	day := ""
	if !x.Ended.IsZero() {
		day = x.Ended.In(s.opts.Location).Format(time.DateOnly)
	}
	meta.Hash = memoir.HashText(day + "\n" + x.Title + "\n" + text)
	doc := memoir.Document{DocumentMeta: meta, Title: x.Title, Date: day, Text: text}
	if !strings.Contains(string(id), x.ID) {
		doc.Session = x.ID
	}
	return doc, nil
}

// Session reads a whole session. Its errors are those of [Source.Read].
func (s *Source) Session(ctx context.Context, id memoir.DocID) (Session, error) {
	x, _, err := s.session(ctx, id)
	return x, err
}

func (s *Source) session(ctx context.Context, id memoir.DocID) (Session, memoir.DocumentMeta, error) {
	switch left, err := s.left(); {
	case err != nil:
		return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: err.Error(), Temporary: true}
	case left(id):
		return Session{}, memoir.DocumentMeta{}, memoir.ErrNotFound
	}
	if file, name, ok := s.row(id); ok {
		return s.stored(ctx, id, file, name)
	}
	f, info, err := s.open(id)
	if err != nil {
		return Session{}, memoir.DocumentMeta{}, err
	}
	defer f.Close() // of a file that was only read
	in, done, err := unpacked(io.LimitReader(f, info.Size()), string(id))
	if err != nil {
		return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: "cannot be unpacked: " + err.Error()}
	}
	defer done()
	x, err := s.parse(ctx, id, in, info.ModTime())
	switch {
	case errors.Is(err, errTooLarge):
		return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: s.tooLarge()}
	case err != nil && ctx.Err() != nil:
		return Session{}, memoir.DocumentMeta{}, ctx.Err()
	case err != nil:
		return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: "cannot be read: " + syserr.Reason(err).Error()}
	}
	x.Doc, x.Agent = id, s.opts.Agent
	if x.ID == "" {
		x.ID = s.IDOf(id)
	}
	return x, s.meta(id, info), nil
}

// IDOf returns the agent's name for a session, as far as its document's id
// tells. An id within the transcript takes precedence.
func (s *Source) IDOf(id memoir.DocID) string {
	name, _, _ := strings.Cut(path.Base(string(id)), ".json")
	return name
}

// Called reports whether an agent may call a session so, as far as its document's id tells.
// Some agents put a word and the time before the name: rollout-2026-03-02T12-00-00-NAME. Gemini
// CLI then writes the first eight characters alone. Another part of a name is none: it may be
// that of another session, or of a folder.
func (s *Source) Called(id memoir.DocID, name string) bool {
	file := s.IDOf(id)
	if s.opts.Agent == "openclaw" {
		file, _, _ = strings.Cut(file, "-topic-") // a thread of a channel
	}
	ends := func(name string) bool {
		before, ok := strings.CutSuffix(file, name)
		return name != "" && ok && (before == "" || beforeName().MatchString(before))
	}
	return ends(name) || s.opts.Agent == "gemini" && len(name) > 8 && ends(name[:8])
}

// beforeName matches what stands before the name of a session in that of its file.
var beforeName = lazyregexp.New(`^(?:(?:rollout|session)-)?(?:\d{4}(?:-\d\d){0,2}(?:T\d\d(?:-\d\d){0,2}(?:-\d{3})?Z?)?[-_])?$`)

// open opens a transcript, which must be an ordinary file below the agent's
// folder.
func (s *Source) open(id memoir.DocID) (*os.File, fs.FileInfo, error) {
	file, ok := s.file(id)
	if !ok {
		return nil, nil, memoir.ErrNotFound
	}
	root, err := os.OpenRoot(s.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, memoir.ErrNotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the transcripts of %s: %w", s.opts.Agent, syserr.Reason(err))
	}
	defer root.Close()
	skip := func(reason string) error { return &memoir.SkipError{ID: id, Reason: reason} }
	local := filepath.FromSlash(file)
	var before fs.FileInfo
	if err = straight(root, file); err == nil {
		before, err = root.Lstat(local)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, memoir.ErrNotFound
	case err != nil:
		return nil, nil, skip("cannot be read: " + syserr.Reason(err).Error())
	case !before.Mode().IsRegular():
		return nil, nil, skip("not an ordinary file")
	}
	f, err := root.OpenFile(local, os.O_RDONLY|regular.NonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, memoir.ErrNotFound
	}
	if err != nil {
		return nil, nil, skip("cannot be read: " + syserr.Reason(err).Error())
	}
	info, err := f.Stat()
	switch {
	case err == nil && !os.SameFile(before, info):
		err = &memoir.SkipError{ID: id, Reason: "it is being replaced", Temporary: true}
	case err == nil && info.Size() > s.opts.MaxBytes:
		err = skip(s.tooLarge())
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// errNotPlain says why a file is not opened: because of what it is.
type errNotPlain string

func (e errNotPlain) Error() string { return string(e) }

// straight reports whether each folder above a file is a real folder, not a
// link.
func straight(root *os.Root, file string) error {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(filepath.FromSlash(dir))
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return errNotPlain(dir + " is not an ordinary folder; links are not followed")
		}
	}
	return nil
}

func (s *Source) tooLarge() string {
	return "too large: the limit is " + humanize.IBytes(uint64(s.opts.MaxBytes))
}

// unpacked returns the unpacked content of a file, and a function that ends the
// reading.
func unpacked(in io.Reader, name string) (io.Reader, func(), error) {
	if !strings.HasSuffix(name, ".zst") {
		return in, func() {}, nil
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

var errTooLarge = errors.New("more than a transcript may hold")

// A talk is what was read of a session.
type talk interface {
	// head returns what is known of the session so far.
	head() *head
	// turns returns what was said, in order, cleaned.
	turns() []Turn
}

// A parser reads the records of one format.
type parser interface {
	talk
	// record reads a record, which stands at a line of the file. It reports what
	// it does not know to the report of head.
	record(line int, data []byte)
}

// wholeParser is a parser that also knows a format that is a single JSON value.
type wholeParser interface {
	// whole reads a file. It returns false when the file is not of that format.
	whole(data []byte) bool
}

// head is what the records of a session tell of it.
type head struct {
	Report
	id, folder string
	started    time.Time
	version    string // of the agent or of the format; "" when none stands there
	left       bool   // nothing of the session counts: it is that of a sub-agent or a heartbeat
}

// parse reads a transcript.
func (s *Source) parse(ctx context.Context, id memoir.DocID, in io.Reader, modified time.Time) (Session, error) {
	bounded := &io.LimitedReader{R: in, N: s.opts.MaxBytes + 1}
	p, err := s.records(ctx, transform.NewReader(bounded, marked()))
	if bounded.N <= 0 {
		return Session{}, errTooLarge
	}
	if err == nil && s.place.beside != nil {
		file, _ := s.file(id)
		err = s.place.beside(s, ctx, file, p)
	}
	if err != nil {
		return Session{}, err
	}
	return s.told(p, modified, modified), nil
}

// marked drops the byte order mark of a text, and makes UTF-8 of one whose mark says
// UTF-16. A shell of Windows writes both when somebody copies a transcript with it.
func marked() transform.Transformer { return encodings.BOMOverride(transform.Nop) }

// told makes a session of what was read. written is the time of the last
// record, modified that of the file; later times than modified are not
// believed. A session without times ended when it was written.
func (s *Source) told(p talk, written, modified time.Time) Session {
	h := p.head()
	x := Session{Project: h.folder, Report: h.Report}
	if len(h.id) <= maxName && !strings.ContainsFunc(h.id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		x.ID = h.id // another one nobody could type
	}
	x.Sessions = 1
	if h.version != "" {
		counted(&x.Versions, h.version, 1)
	}
	latest := modified.Add(24 * time.Hour)
	believed := func(t time.Time) time.Time {
		if t.Year() < earliest || t.After(latest) {
			return time.Time{}
		}
		return t.UTC()
	}
	x.Started = believed(h.started)
	if !h.left {
		x.Turns = p.turns()
	}
	for i := range x.Turns {
		t := &x.Turns[i]
		t.Time = believed(t.Time)
		if !t.Time.IsZero() && (x.Started.IsZero() || t.Time.Before(x.Started)) {
			x.Started = t.Time
		}
		if t.Time.After(x.Ended) {
			x.Ended = t.Time
		}
		if x.Title == "" && t.Role == User {
			x.Title = title(t.Text)
		}
	}
	if x.Ended.IsZero() {
		x.Ended = x.Started
	}
	if x.Ended.IsZero() {
		x.Ended = believed(written)
	}
	return x
}

// records passes each record to a parser. It leaves out lines that are too
// long, and a last line that is incomplete.
func (s *Source) records(ctx context.Context, in io.Reader) (parser, error) {
	p := s.place.open()
	h := p.head()
	in, whole, err := startOf(in)
	if err != nil {
		return p, err
	}
	if w, ok := p.(wholeParser); ok && whole {
		data, err := io.ReadAll(in)
		if err == nil && !w.whole(data) {
			h.unknown("not a session")
		}
		return p, err
	}
	r := lines.New(in, maxLine)
	for number := 1; ; number++ {
		if number%1024 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		line, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case errors.Is(err, lines.ErrTooLong):
			h.Records++
			h.unknown("a line of more than " + humanize.IBytes(maxLine))
			continue
		case err != nil:
			return p, err
		}
		data := bytes.TrimSpace(line)
		switch {
		case len(data) == 0:
			continue
		case line[len(line)-1] != '\n' && !json.Valid(data):
			continue // it is still being written
		}
		h.Records++
		p.record(number, data)
	}
}

// startOf reports whether a text begins like a JSON value that spans several
// lines.
func startOf(in io.Reader) (io.Reader, bool, error) {
	start := make([]byte, 64)
	n, err := io.ReadFull(in, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return in, false, err
	}
	start = start[:n]
	first, _, cut := bytes.Cut(start, []byte("\n"))
	return io.MultiReader(bytes.NewReader(start), in), cut && string(bytes.TrimSpace(first)) == "{", nil
}

// label is what stands before the words of a role.
var label = map[string]string{User: "User: ", Assistant: "Assistant: ", Summary: "Summary: "}

// text returns the session with the lines of its transcript.
func (x *Session) text() (string, error) {
	turns, byLine := x.Turns, func(a, b Turn) int { return a.Line - b.Line }
	if !slices.IsSortedFunc(turns, byLine) {
		turns = slices.Clone(turns)
		order.Stable(turns, byLine)
	}
	var b strings.Builder
	at := 1
	for i, t := range turns {
		for ; at < t.Line; at++ {
			b.WriteByte('\n')
		}
		if i > 0 && turns[i-1].Line == t.Line {
			b.WriteByte(' ')
		}
		b.WriteString(label[t.Role])
		b.WriteString(oneLine(t.Text))
		if b.Len() > maxText {
			return "", fmt.Errorf("more than %s were said", humanize.IBytes(maxText))
		}
	}
	if len(turns) > 0 {
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// title returns the beginning of a text.
func title(text string) string {
	text = oneLine(text[:min(len(text), 8*maxTitle)])
	text = strings.ToValidUTF8(text, "")
	if utf8.RuneCountInString(text) <= maxTitle {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:maxTitle])) + "…"
}

// Due implements [ability.Growing]. A transcript that has grown is due when it
// has grown by enough bytes or turns. One that has shrunk was rewritten and is
// due.
func (s *Source) Due(ctx context.Context, known, found memoir.DocumentMeta) bool {
	grown := found.Size - known.Size
	switch {
	case known.Stamp != found.Stamp || grown < 0 || grown >= s.opts.DeltaBytes:
		return true
	case grown == 0:
		return !known.ModTime.IsZero() && !known.ModTime.Equal(found.ModTime)
	}
	if file, name, ok := s.row(found.ID); ok {
		return s.grown(ctx, file, name, known.ModTime)
	}
	switch {
	case !strings.Contains(string(found.ID), ".jsonl") || strings.HasSuffix(string(found.ID), ".zst"):
		return true
	}
	f, _, err := s.open(found.ID)
	if err != nil {
		return false
	}
	defer f.Close() // of a file that was only read
	p, err := s.records(ctx, io.NewSectionReader(f, known.Size, grown))
	return err == nil && len(p.turns()) >= s.opts.DeltaMessages
}

// Examine reads the newest transcripts, at most that many, and reports what it
// could read. all is how many there are, skipped how many cannot be read.
func (s *Source) Examine(ctx context.Context, most int) (report Report, all, skipped int, err error) {
	var found []memoir.DocumentMeta
	for entry, err := range s.Scan(ctx) {
		switch {
		case err != nil:
			return report, all, skipped, err
		case entry.Skip != "":
			skipped++
		default:
			found = append(found, entry.DocumentMeta)
		}
	}
	all = len(found)
	order.By(found, func(a, b memoir.DocumentMeta) int { return b.ModTime.Compare(a.ModTime) })
	for _, meta := range found[:min(len(found), most)] {
		x, err := s.Session(ctx, meta.ID)
		if ctx.Err() != nil {
			return report, all, skipped, ctx.Err()
		}
		if err != nil {
			skipped++
			continue
		}
		report.Add(x.Report)
	}
	return report, all, skipped, nil
}
