package transfer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/secret"
)

// An observation is what a memory of coding sessions has noted: some paragraphs with a
// title. It becomes a note of its own, whose name says which observation it is, so that
// exports of any part of a memory can be brought in any order.
type observation struct {
	project, title string
	parts          []string // paragraphs and lists of Markdown, in their order; "" is left out
	kind           string   // what the memory calls it, such as bugfix
	tags           []string
	at             time.Time
	identity       []string // what makes it this one in the memory that it is from
}

// piece makes a note of an observation, without its secrets.
func (o observation) piece(name, into string) piece {
	p := piece{name: name}
	var parts []string
	for _, part := range o.parts {
		if part = strings.TrimSpace(strings.ReplaceAll(part, "\r\n", "\n")); part != "" {
			parts = append(parts, part)
		}
	}
	if strings.TrimSpace(o.title) == "" && len(parts) == 0 {
		p.skip = "it has no text"
		return p
	}
	title, inTitle := secret.Mask(strings.Join(strings.Fields(o.title), " "))
	body, inBody := secret.Mask(strings.Join(parts, "\n\n"))
	p.masked = len(inTitle)+len(inBody) > 0
	title = cmp.Or(title, shortened(body))
	var text bytes.Buffer
	about := struct {
		Date string   `yaml:"date,omitempty"`
		Type string   `yaml:"type,omitempty"`
		Tags []string `yaml:"tags,omitempty,flow"`
	}{Type: o.kind, Tags: o.tags}
	if !o.at.IsZero() {
		about.Date = o.at.Format(time.DateOnly)
	}
	if front, err := yaml.Marshal(about); err == nil && string(front) != "{}\n" {
		fmt.Fprintf(&text, "---\n%s---\n\n", front)
	}
	fmt.Fprintf(&text, "# %s\n", title)
	if body != "" {
		fmt.Fprintf(&text, "\n%s\n", body)
	}
	sum := sha256.Sum256([]byte(strings.Join(o.identity, "\x00")))
	file := strings.Trim(strings.Join([]string{about.Date, slug(title), hex.EncodeToString(sum[:4])}, "-"), "-") + ".md"
	p.note = &engine.Incoming{Path: path.Join(into, projectFolder(o.project), file), Text: strings.ToValidUTF8(text.String(), "\ufffd")}
	return p
}

// projectFolder is the folder of a project: the last part of what may be a path.
func projectFolder(project string) string {
	return folderName(path.Base("/" + strings.ReplaceAll(strings.TrimSpace(project), `\`, "/")))
}

// slug is a title as a part of a file name: its first letters and digits.
func slug(title string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	all := []rune(strings.Join(words, "-"))
	return strings.TrimRight(string(all[:min(len(all), most)]), "-")
}

// items makes a list of texts, a line for each.
func items(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		if t = strings.Join(strings.Fields(t), " "); t != "" {
			fmt.Fprintf(&b, "- %s\n", t)
		}
	}
	return b.String()
}

// labelled returns a paragraph that begins with a label, or "" if the text is
// empty.
func labelled(label, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return label + ": " + strings.TrimSpace(text)
}

// packed returns a member that is a list of texts, or a text that holds such a list
// as JSON, as a column of a database does.
func (m memory) packed(name string) []string {
	if all := m.texts(name); all != nil {
		return all
	}
	var all []string
	if json.Unmarshal([]byte(m.text(name)), &all) != nil {
		return nil
	}
	return all
}

// rows returns the rows of tables as an export has them, with the table of each: an
// object with a member for each table, or one list of rows, whose table is "".
func rows(data []byte, tables ...string) (all []row, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var alone []json.RawMessage
	if json.Unmarshal(data, &alone) == nil && alone != nil {
		return rowsOf("", alone), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("it is no JSON of that kind (%w): %w", err, memoir.ErrInvalid)
	}
	there := false
	for _, table := range tables {
		var elements []json.RawMessage
		raw, ok := object[table]
		if ok && json.Unmarshal(raw, &elements) == nil { // null, as Go writes an empty list, is none
			there, all = true, append(all, rowsOf(table, elements)...)
		}
	}
	if !there {
		return nil, memoir.WithHint(fmt.Errorf("it has none of the lists %s: %w", strings.Join(tables, ", "), memoir.ErrInvalid), "see docs/guide/import.md for how to make the export")
	}
	return all, nil
}

// noDatabase returns the path of an export. The path of the database itself, or of
// a folder that holds it and no chunks, is an error that names the command to
// export it.
func noDatabase(export, database, command string) (string, error) {
	if exists(export, "chunks") || !exists(export, database) && filepath.Base(export) != database {
		return export, nil
	}
	return "", memoir.WithHint(fmt.Errorf("%s is the database, and an export of it is read: %w", export, memoir.ErrInvalid), command)
}

// failed yields an error and nothing else.
func failed(err error) pieces {
	return func(yield func(piece, error) bool) { yield(piece{}, err) }
}

// A row is one of a table.
type row struct {
	table, name string
	memory      memory // nil when it is no object
}

func rowsOf(table string, elements []json.RawMessage) []row {
	all := make([]row, 0, len(elements))
	for i, e := range elements {
		r := row{table: table, name: strings.TrimSpace(fmt.Sprint(table, " ", i+1))}
		if json.Unmarshal(e, &r.memory) != nil {
			r.memory = nil
		}
		all = append(all, r)
	}
	return all
}

// observed makes pieces of rows.
func observed(all []row, into string, each func(r row) (o observation, skip string)) []piece {
	pieces := make([]piece, 0, len(all))
	for _, r := range all {
		if r.memory == nil {
			pieces = append(pieces, piece{name: r.name, skip: "it is no object of JSON"})
			continue
		}
		o, skip := each(r)
		p := piece{name: cmp.Or(shortened(o.title), r.name), skip: skip}
		if skip == "" {
			p = o.piece(p.name, into)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// readClaudeMem reads what claude-mem has noted (github.com/thedotmack/claude-mem
// 13.15.3, August 2026): the lists observations and summaries of what its
// scripts/export-memories.ts writes, or the rows of one of its tables observations and
// session_summaries as a list of JSON. Prompts stay: transcripts have them.
func readClaudeMem(in *input) pieces {
	path, err := noDatabase(in.path, "claude-mem.db", `sqlite3 -json ~/.claude-mem/claude-mem.db "select * from observations" > observations.json`)
	if err != nil {
		return failed(err)
	}
	return exported(path, func(data []byte) ([]piece, error) {
		all, err := rows(data, "observations", "summaries")
		return observed(all, in.into, claudeMem), err
	}, ".json")
}

// claudeMem makes an observation of a row of claude-mem.
func claudeMem(r row) (observation, string) {
	m := r.memory
	o := observation{project: m.text("project"), at: m.time("created_at_epoch", "created_at"), kind: m.text("type"), title: m.text("title"), tags: m.packed("concepts")}
	session := m.text("memory_session_id", "sdk_session_id")
	if r.table == "summaries" || r.table == "" && o.kind == "" && m.text("request", "learned", "completed", "investigated") != "" {
		o.kind, o.title = "session_summary", m.text("request")
		o.parts = []string{
			labelled("Investigated", m.text("investigated")), labelled("Learned", m.text("learned")), labelled("Completed", m.text("completed")),
			labelled("Next steps", m.text("next_steps")), labelled("Notes", m.text("notes")), labelled("Edited", strings.Join(m.packed("files_edited"), ", ")),
		}
	} else {
		o.parts = []string{
			m.text("subtitle"), m.text("narrative"), items(m.packed("facts")), m.text("text"),
			labelled("Changed", strings.Join(m.packed("files_modified"), ", ")), labelled("Read", strings.Join(m.packed("files_read"), ", ")),
		}
	}
	// claude-mem identifies an observation by these when it imports.
	o.identity = []string{"claude-mem", session, o.kind, o.title, string(m["created_at_epoch"]), m.text("created_at")}
	return o, ""
}

// readEngram reads what engram has noted (github.com/Gentleman-Programming/engram
// 1.7.0, February 2026): the observations and the summaries of sessions of what engram
// export writes, or of the chunks that engram sync leaves in a folder .engram. Prompts
// stay: transcripts have them.
func readEngram(in *input) pieces {
	path, err := noDatabase(in.path, "engram.db", "engram export engram-export.json")
	if err != nil {
		return failed(err)
	}
	return exported(path, func(data []byte) ([]piece, error) {
		all, err := rows(data, "observations", "sessions", "chunks")
		all = slices.DeleteFunc(all, func(r row) bool {
			return r.table == "chunks" || r.table == "sessions" && r.memory != nil && r.memory.text("summary") == "" // the list of chunks, and sessions that say nothing
		})
		return observed(all, in.into, engram), err
	}, ".json", ".gz")
}

// engram makes an observation of a row of engram.
func engram(r row) (observation, string) {
	m := r.memory
	o := observation{project: m.text("project"), title: m.text("title"), kind: m.text("type"), parts: []string{m.text("content")}}
	if n := 0; json.Unmarshal(m["revision_count"], &n) == nil && n > 1 {
		o.parts = append(o.parts, fmt.Sprintf("Revision %d.", n))
	}
	at := func(names ...string) time.Time { // SQLite tells the time in UTC, and does not say so
		text := m.text(names...)
		return cmp.Or(dayOf(text+"Z"), dayOf(text))
	}
	if r.table == "sessions" || o.kind == "" && m.text("summary") != "" {
		o.at, o.kind, o.parts = at("ended_at", "started_at"), "session_summary", []string{m.text("summary")}
		o.title = strings.TrimSpace("Session " + o.at.Format(time.DateOnly) + " " + projectFolder(o.project))
		o.identity = []string{"engram", "session", m.text("id"), m.text("summary")}
		return o, ""
	}
	if deleted := m.text("deleted_at"); deleted != "" {
		return o, "it was deleted in engram"
	}
	o.at = at("created_at") // updated_at also moves when the same statement is told again
	if m.text("scope") == "personal" {
		o.tags = append(o.tags, "personal")
	}
	if topic := m.text("topic_key"); topic != "" {
		o.tags = append(o.tags, topic)
	}
	// engram overwrites a topic. Here its earlier text stays beside the new one.
	o.identity = []string{"engram", m.text("session_id"), m.text("created_at"), o.title, m.text("content")}
	return o, ""
}
