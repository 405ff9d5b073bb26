package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// maxExport is how large an export of another memory may be: 256 MiB.
const maxExport = 256 << 20

// exported gives the statements of a file that another memory has exported, or of
// all in a folder that end in one of the endings. A file that cannot be read is
// skipped in a folder, and an error where it is meant itself.
func exported(path string, parse func(data []byte) ([]piece, error), endings ...string) pieces {
	return func(yield func(piece, error) bool) {
		seen := map[string]bool{}
		readOne := func(name string, data []byte, err error) (piece, []piece, error) {
			var all []piece
			if err == nil {
				all, err = parse(data)
			}
			return piece{name: name}, unique(all, seen), err
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			data, err := readExport(path)
			_, all, err := readOne(path, data, err)
			if err != nil {
				yield(piece{}, fmt.Errorf("read %s: %w", path, err))
				return
			}
			give(all, yield)
			return
		}
		stopped := false
		err := walk(path, func(name string) bool { return hasEnding(name, endings) }, func(f file) bool {
			p, all, err := readOne(f.name, []byte(f.text), nil)
			if f.skip != "" || err != nil {
				if p.skip = f.skip; p.skip == "" {
					p.skip = err.Error()
				}
				all = []piece{p}
			}
			stopped = !give(all, yield)
			return !stopped
		})
		if err != nil && !stopped {
			yield(piece{}, err)
		}
	}
}

func hasEnding(name string, endings []string) bool {
	for _, e := range endings {
		if strings.EqualFold(filepath.Ext(name), e) {
			return true
		}
	}
	return false
}

func give(all []piece, yield func(piece, error) bool) bool {
	for _, p := range all {
		if !yield(p, nil) {
			return false
		}
	}
	return true
}

// unique makes skipped pieces of statements whose key was there before, and of notes
// whose path was.
func unique(all []piece, seen map[string]bool) []piece {
	for i, p := range all {
		key := ""
		switch {
		case p.told != nil:
			key = p.told.Key
		case p.note != nil:
			key = p.note.Path
		default:
			continue
		}
		if seen[key] {
			all[i] = piece{name: p.name, skip: "it is in the export twice"}
		}
		seen[key] = true
	}
	return all
}

// readExport reads a file that a person names; a link is followed.
func readExport(path string) ([]byte, error) {
	f, err := regular.Follow(path)
	if err != nil {
		return nil, syserr.Reason(err)
	}
	defer f.Close() // of a file that was only read
	data, err := limited(f, maxExport)
	if err == nil {
		data, err = unzipped(data, maxExport)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, memoir.WithHint(fmt.Errorf("it is larger than %d MiB: %w", maxExport>>20, memoir.ErrInvalid), "export it in parts, into one folder")
	case err != nil:
		return nil, syserr.Reason(err)
	case !utf8.Valid(data):
		return nil, fmt.Errorf("it is not valid UTF-8: %w", memoir.ErrInvalid)
	}
	return data, nil
}

// list returns the elements of a list of JSON, which stands alone or in one of the
// members of an object.
func list(data []byte, members ...string) ([]json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) == nil && elements != nil {
		return elements, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("it is no JSON of that kind (%w): %w", err, memoir.ErrInvalid)
	}
	for _, name := range members {
		if json.Unmarshal(object[name], &elements) == nil && elements != nil {
			return elements, nil
		}
	}
	return nil, memoir.WithHint(fmt.Errorf("it has no list of memories: %w", memoir.ErrInvalid), "the list is the whole, or one of the members "+strings.Join(members, ", "))
}

// memory is one memory of an export, with the names that exports have for things.
// What has another type than expected counts as missing.
type memory map[string]json.RawMessage

// text returns the first member that is a text and says something.
func (m memory) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(m[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// texts returns a member that is a list of texts.
func (m memory) texts(name string) []string {
	var all []string
	if json.Unmarshal(m[name], &all) != nil {
		return nil
	}
	return all
}

// object returns a member that is an object.
func (m memory) object(name string) memory {
	var o memory
	if json.Unmarshal(m[name], &o) != nil {
		return nil
	}
	return o
}

// time returns the first member that is a time: a text, or seconds since 1970 as
// Python writes them; milliseconds are told by their size.
func (m memory) time(names ...string) time.Time {
	for _, name := range names {
		if at := dayOf(m.text(name)); !at.IsZero() {
			return at
		}
		var n float64
		if json.Unmarshal(m[name], &n) != nil || n == 0 || math.IsNaN(n) {
			continue
		}
		if math.Abs(n) > 1e11 {
			n /= 1000
		}
		if math.Abs(n) < 1e12 {
			if at := plausible(time.UnixMilli(int64(n * 1000))); !at.IsZero() {
				return at
			}
		}
	}
	return time.Time{}
}

// typeOf returns the type of memoir's that one of the words means, or "".
func typeOf(words ...string) string {
	for _, w := range words {
		if typ := wordTypes[strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(w))]; typ != "" {
			return typ
		}
	}
	return ""
}

// wordTypes are the words that mem0 (categories, metadata.type) and
// mcp-memory-service (src/mcp_memory_service/models/ontology.py) have for what
// memoir has a type for. Of any other the text decides.
var wordTypes = map[string]string{
	"preference": layout.Preference, "preferences": layout.Preference, "user_preference": layout.Preference, "user_preferences": layout.Preference,
	"instruction": layout.Instruction, "instructions": layout.Instruction, "rule": layout.Instruction, "coding_conventions": layout.Instruction,
	"contact": layout.Contact, "contacts": layout.Contact, "person": layout.Contact,
	"project": layout.Project, "projects": layout.Project, "milestone": layout.Project, "deadline": layout.Project, "deliverable": layout.Project,
	"decision": layout.Decision, "decisions": layout.Decision, "architecture": layout.Decision, "architectural_decision": layout.Decision,
	"architecture_decisions": layout.Decision, "tool_choice": layout.Decision, "approach": layout.Decision,
	"learning": layout.Learning, "learnings": layout.Learning, "task_learnings": layout.Learning, "insight": layout.Learning, "best_practice": layout.Learning,
	"anti_pattern": layout.Learning, "anti_patterns": layout.Learning, "gotcha": layout.Learning, "pattern": layout.Learning,
	"meeting": layout.Journal, "session": layout.Journal, "journal": layout.Journal, "event": layout.Journal, "daily_standup": layout.Journal, "standup_note": layout.Journal,
}

// memories makes pieces of the elements of an export.
func memories(elements []json.RawMessage, each func(name string, m memory) piece) []piece {
	pieces := make([]piece, 0, len(elements))
	for i, e := range elements {
		name := strconv.Itoa(i + 1)
		var m memory
		if json.Unmarshal(e, &m) != nil || m == nil {
			pieces = append(pieces, piece{name: name, skip: "it is no object of JSON"})
			continue
		}
		pieces = append(pieces, each(name, m))
	}
	return pieces
}

// readMem0 reads memories of mem0 (github.com/mem0ai/mem0, August 2026): what
// get_all answers, as its MemoryItem and docs/api-reference/memory/get-memories.mdx
// have it, alone or in results, memories or data; and the Markdown of its plugin's
// skill export (integrations/mem0-plugin/skills/export).
func readMem0(in *input) pieces {
	parse := func(data []byte) ([]piece, error) {
		if text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff"))); bytes.HasPrefix(text, []byte("---")) {
			return mem0Blocks(string(text)), nil
		}
		elements, err := list(data, "results", "memories", "data")
		if err != nil {
			return nil, err
		}
		return memories(elements, func(name string, m memory) piece { return mem0(name, m, in.now) }), nil
	}
	return exported(in.path, parse, ".json", ".md")
}

// mem0 makes a piece of one memory of mem0.
func mem0(name string, m memory, now time.Time) piece {
	id := m.text("id", "memory_id")
	p := piece{name: name}
	if id != "" {
		p.name = shortened(id)
	}
	text := m.text("memory", "content", "text", "data")
	if text == "" {
		p.skip = "it has no text"
		return p
	}
	if until := m.text("expiration_date"); len(until) >= len(time.DateOnly) && !now.IsZero() && until[:len(time.DateOnly)] < now.Format(time.DateOnly) && !dayOf(until).IsZero() {
		p.skip = "it expired on " + until[:len(time.DateOnly)]
		return p
	}
	about := m.object("metadata")
	p.told = &engine.Statement{
		Text: text, Type: typeOf(append([]string{about.text("type", "category")}, m.texts("categories")...)...),
		At: m.time("created_at", "updated_at"), Session: m.text("run_id"), Key: keyOf("mem0", id, text),
	}
	return p
}

// mem0Blocks reads the Markdown of mem0's plugin: before each memory lines "key:
// value" between lines "---".
func mem0Blocks(text string) []piece {
	parts := strings.Split("\n"+strings.ReplaceAll(text, "\r\n", "\n")+"\n", "\n---\n")
	var pieces []piece
	for i := 1; i+1 < len(parts); i += 2 {
		values := map[string]string{}
		for line := range strings.Lines(parts[i]) {
			if key, value, ok := strings.Cut(line, ":"); ok {
				values[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		p := piece{name: strconv.Itoa(i/2 + 1)}
		if id := values["id"]; id != "" {
			p.name = shortened(id)
		}
		if text := strings.TrimSpace(parts[i+1]); text == "" {
			p.skip = "it has no text"
		} else {
			p.told = &engine.Statement{
				Text: text, Type: typeOf(append([]string{values["type"]}, strings.Split(values["categories"], ", ")...)...),
				At: dayOf(values["created_at"]), Key: keyOf("mem0", values["id"], text),
			}
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// readMCPMemory reads an export of mcp-memory-service (github.com/doobidoo/
// mcp-memory-service, May 2026): what src/mcp_memory_service/sync/exporter.py writes,
// a list memories beside export_metadata.
func readMCPMemory(in *input) pieces {
	parse := func(data []byte) ([]piece, error) {
		elements, err := list(data, "memories", "results")
		if err != nil {
			return nil, err
		}
		return memories(elements, mcpMemory), nil
	}
	return exported(in.path, parse, ".json")
}

// mcpMemory makes a piece of one memory of mcp-memory-service.
func mcpMemory(name string, m memory) piece {
	id := m.text("content_hash")
	p := piece{name: name}
	if id != "" {
		p.name = shortened(id)
	}
	text := m.text("content")
	if text == "" {
		p.skip = "it has no text"
		return p
	}
	p.told = &engine.Statement{
		Text: text, Type: typeOf(m.text("memory_type", "type")), At: m.time("created_at", "created_at_iso", "updated_at"), Key: keyOf("mcp-memory-service", id, text),
	}
	return p
}
