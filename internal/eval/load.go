package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of a set: an archive of a few bytes must not fill the memory, nor a
// grade overflow a sum.
const (
	maxLineBytes = 16 << 20
	maxFileBytes = 2 << 30
	maxGrade     = 1000
)

// Load reads a set from a folder with the files corpus.jsonl.gz and
// queries.jsonl.gz. A damaged line is an error that names the file and the line.
//
// A document is {"id", "text", "meta": {"scope", "date", "turns": [{"id",
// "line", "end"}]}}, a question {"id", "text", "relevant": [ids], "kind",
// "scope", "turns": [ids]}; only id, text and relevant are required, and other
// members are ignored. "relevant" may be an object of ids and grades instead.
func Load(dir string) (*Set, error) {
	corpus, err := openLines(filepath.Join(dir, "corpus.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer corpus.Close()
	queries, err := openLines(filepath.Join(dir, "queries.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer queries.Close()
	set, err := Read(corpus, queries)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	set.Name = filepath.Base(abs)
	return set, nil
}

// gzipFile is a file that is unpacked as it is read.
type gzipFile struct {
	*gzip.Reader
	file *os.File
}

func openLines(name string) (*gzipFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &gzipFile{z, f}, nil
}

func (f *gzipFile) Close() error { return errors.Join(f.Reader.Close(), f.file.Close()) }

// Read reads a set from the unpacked lines of both files; see [Load]. Its name stays empty.
func Read(corpus, queries io.Reader) (*Set, error) {
	r := reader{documents: map[string]int{}, questions: map[string]bool{}}
	if err := eachLine(corpus, r.document); err != nil {
		return nil, fmt.Errorf("corpus, %w", err)
	}
	if err := eachLine(queries, r.question); err != nil {
		return nil, fmt.Errorf("queries, %w", err)
	}
	return &r.set, nil
}

// eachLine calls do for each line that is not blank. Lines count from 1, and an
// error names its line.
func eachLine(r io.Reader, do func(n int, line []byte) error) error {
	limited := &io.LimitedReader{R: r, N: maxFileBytes}
	sc := bufio.NewScanner(limited)
	sc.Buffer(make([]byte, 64<<10), maxLineBytes)
	n := 0
	for sc.Scan() {
		n++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		if err := do(n, sc.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	if limited.N == 0 {
		return fmt.Errorf("line %d: more than %d bytes", n, int64(maxFileBytes))
	}
	return nil
}

// reader builds a set line by line.
type reader struct {
	set       Set
	documents map[string]int // index by id
	questions map[string]bool
}

func (r *reader) document(_ int, line []byte) error {
	var in struct {
		ID   string  `json:"id"`
		Text *string `json:"text"`
		Meta struct {
			Scope string `json:"scope"`
			Date  string `json:"date"`
			Turns []struct {
				ID   string `json:"id"`
				Line int    `json:"line"`
				End  int    `json:"end"`
			} `json:"turns"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return err
	}
	if _, ok := r.documents[in.ID]; ok || in.ID == "" || in.Text == nil {
		return fmt.Errorf("a document needs an id of its own and a text (id %q)", in.ID)
	}
	doc := Document{ID: in.ID, Text: *in.Text, Scope: in.Meta.Scope, Date: day(in.Meta.Date)}
	lines := 1 + strings.Count(doc.Text, "\n")
	for _, t := range in.Meta.Turns {
		turn := Turn{t.ID, t.Line, max(t.End, t.Line)}
		if turn.Line < 1 || turn.End > lines {
			return fmt.Errorf("turn %q has lines %d to %d of a text of %d lines", t.ID, turn.Line, turn.End, lines)
		}
		doc.Turns = append(doc.Turns, turn)
	}
	r.documents[doc.ID] = len(r.set.Documents)
	r.set.Documents = append(r.set.Documents, doc)
	return nil
}

// day returns the day of a date, which a time of day may follow. It returns ""
// for anything else.
func day(date string) string {
	date = date[:min(len(date), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return ""
	}
	return date
}

func (r *reader) question(_ int, line []byte) error {
	var in struct {
		ID       string   `json:"id"`
		Text     *string  `json:"text"`
		Kind     string   `json:"kind"`
		Scope    string   `json:"scope"`
		Relevant relevant `json:"relevant"`
		Turns    []string `json:"turns"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return err
	}
	if in.ID == "" || in.Text == nil || r.questions[in.ID] {
		return fmt.Errorf("a question needs an id of its own and a text (id %q)", in.ID)
	}
	q := Question{ID: in.ID, Text: *in.Text, Kind: in.Kind, Scope: in.Scope, Relevant: in.Relevant.ids, Grades: in.Relevant.grades}
	if len(q.Relevant) == 0 {
		return fmt.Errorf("question %q has no relevant document", q.ID)
	}
	for _, id := range q.Relevant {
		if _, ok := r.documents[id]; !ok {
			return fmt.Errorf("question %q: relevant document %q is not in the corpus", q.ID, id)
		}
	}
	for _, turn := range in.Turns {
		e, ok := r.evidence(&q, turn)
		if !ok {
			return fmt.Errorf("question %q: no turn %q where it is asked", q.ID, turn)
		}
		if !slices.Contains(q.Evidence, e) {
			q.Evidence = append(q.Evidence, e)
		}
	}
	r.questions[q.ID] = true
	r.set.Questions = append(r.set.Questions, q)
	return nil
}

// evidence looks for a turn in the relevant documents first, then in all
// documents of the scope.
func (r *reader) evidence(q *Question, turn string) (Evidence, bool) {
	in := func(doc *Document) (Evidence, bool) {
		for _, t := range doc.Turns {
			if t.ID == turn {
				return Evidence{doc.ID, t.Line, t.End, linesOf(doc.Text, t.Line, t.End)}, true
			}
		}
		return Evidence{}, false
	}
	for _, id := range q.Relevant {
		if e, ok := in(&r.set.Documents[r.documents[id]]); ok {
			return e, true
		}
	}
	for i := range r.set.Documents {
		doc := &r.set.Documents[i]
		if q.Scope == "" || doc.Scope != q.Scope {
			continue
		}
		if e, ok := in(doc); ok {
			return e, true
		}
	}
	return Evidence{}, false
}

// relevant is a list of ids, or an object of ids and grades. A grade of 0 or
// less says that a document was judged and is not relevant.
type relevant struct {
	ids    []string
	grades map[string]float64
}

// UnmarshalJSON reads both forms.
func (r *relevant) UnmarshalJSON(data []byte) error {
	*r = relevant{}
	if len(data) == 0 || data[0] != '{' {
		var ids []string
		if err := json.Unmarshal(data, &ids); err != nil {
			return err
		}
		for _, id := range ids {
			if !slices.Contains(r.ids, id) {
				r.ids = append(r.ids, id)
			}
		}
		return nil
	}
	if err := json.Unmarshal(data, &r.grades); err != nil {
		return err
	}
	for id, grade := range r.grades {
		if grade > maxGrade {
			return fmt.Errorf("grade %g of %q is above %d", grade, id, maxGrade)
		}
		if grade > 0 {
			r.ids = append(r.ids, id)
		} else {
			delete(r.grades, id)
		}
	}
	slices.Sort(r.ids)
	return nil
}

// linesOf returns some lines of a text, 1-based, without white space round them.
func linesOf(text string, first, last int) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n >= first && n <= last {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}
