package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
)

// front is what the front matter of openclaw-memory says.
type front struct {
	Type       string    `yaml:"type"`
	Importance int       `yaml:"importance"`
	Created    yaml.Node `yaml:"created"`
	Updated    yaml.Node `yaml:"updated"`
	Status     string    `yaml:"status"`
}

// listTypes are the types of openclaw-memory as memoir calls them.
var listTypes = map[string]string{
	"preference": layout.Preference, "instruction": layout.Instruction, "entity": layout.Contact,
	"decision": layout.Decision, "pattern": layout.Learning, "event": layout.Journal,
}

// readOpenClawMemory reads what openclaw-memory writes, the server by liuhao6741
// (src/openclaw_memory/writer.py and storage.py of February 2026): lists in
// user/ and agent/, whose front matter says type, importance and days, and logs of
// days in journal/. Lists are told item by item, logs are notes of their day. A
// list that has more than items, and any other file, stays a note.
func readOpenClawMemory(in *input) pieces {
	return func(yield func(piece, error) bool) {
		dir := below(in.path, ".openclaw_memory")
		for p, err := range folderOf(in, dir, func(f file) piece { return noteAt(".", f) }) {
			if err != nil || p.skip != "" {
				if !yield(p, err) || err != nil {
					return
				}
				continue
			}
			for _, p := range listed(p.name, p.note.Text, in.into) {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// listed returns the pieces of one file of openclaw-memory.
func listed(name, text, into string) []piece {
	if day, ok := layout.Date(name); ok && path.Dir(name) == "journal" && path.Base(name) == day.Format(time.DateOnly)+".md" {
		return []piece{{name: name, note: &engine.Incoming{Path: layout.Log(day), Text: text}}}
	}
	note := []piece{{name: name, note: &engine.Incoming{Path: path.Join(into, name), Text: text}}}
	if dir := path.Dir(name); dir != "user" && dir != "agent" {
		return note
	}
	about, ok := frontOf(text)
	typ := listTypes[about.Type]
	entries := entry.Parse(text)
	if !ok || typ == "" || !itemsAlone(text, entries) {
		return note
	}
	at := dayOf(about.Updated.Value)
	if at.IsZero() {
		at = dayOf(about.Created.Value)
	}
	var pieces []piece
	for _, e := range entries {
		p := piece{name: name + ": " + shortened(e.Text)}
		if about.Status != "" && about.Status != "active" {
			p.skip = "its list is " + about.Status
		} else {
			p.told = &engine.Statement{Text: e.Text, Type: typ, At: at, Importance: min(max(about.Importance, 0), 5), Key: keyOf("openclaw-memory", name, e.Text)}
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// frontOf reads the front matter of a list, and reports whether there is any.
func frontOf(text string) (about front, ok bool) {
	begin, end, body := blocks.Front(text)
	ok = body > 0 && yaml.Unmarshal([]byte(text[begin:end]), &about) == nil
	return about, ok
}

// itemsAlone reports whether a list holds only items and headings. Then telling
// the items loses nothing.
func itemsAlone(text string, entries []entry.Entry) bool {
	rest := text
	for _, e := range slices.Backward(entries) {
		if !e.Item {
			return false
		}
		rest = rest[:e.Start] + rest[e.End:]
	}
	_, _, body := blocks.Front(rest)
	for line := range strings.Lines(rest[body:]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// dayOf reads a day or a time as other memories write them. It returns the zero
// time for anything else.
func dayOf(text string) time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		at, err := time.ParseInLocation(form, text, time.Local)
		if err != nil {
			continue
		}
		if _, offset := at.Zone(); offset == 0 && strings.HasSuffix(text, "Z") {
			at = at.Local() // the day is that of whoever reads it
		}
		return plausible(at)
	}
	return time.Time{}
}

// plausible returns a time that a statement can have, or the zero time.
func plausible(at time.Time) time.Time {
	if at.Year() < 1900 || at.Year() > 9999 {
		return time.Time{}
	}
	return at
}

// keyOf makes the key of a statement from its origin and its words. An id alone
// would not do, because another memory may change the text behind it.
func keyOf(from, id, text string) string {
	sum := sha256.Sum256([]byte(text))
	return from + "\x00" + id + "\x00" + hex.EncodeToString(sum[:])
}

// shortened is a text as a name: one line of it.
func shortened(text string) string {
	const most = 40
	line, _, _ := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
