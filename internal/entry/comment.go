package entry

import (
	"slices"
	"strings"
)

// A Field is one thing that a comment says: "observed: 2026-03-02".
type Field struct{ Key, Value string }

// Fields are what the comments of an entry say, in their order in the note.
type Fields []Field

// The keys of fields that memoir knows. It keeps other fields as they are.
const (
	ID         = "id"         // the id of the entry within its workspace
	Observed   = "observed"   // the day on which it was told, "2026-03-02"
	Origin     = "origin"     // who told it: user, agent, tool, web, import
	Status     = "status"     // active or superseded; without one it is active
	Replaces   = "replaces"   // the id of the entry that it supersedes
	Updates    = "updates"    // checks of the entries and lines that it may update
	By         = "by"         // the id of the entry that supersedes it
	Until      = "until"      // the day on which it was superseded
	Count      = "count"      // how often it was told, beyond the first time
	Last       = "last"       // the day on which it was told last
	Session    = "session"    // the session that it comes from
	Type       = "type"       // its type, where it stands in no file for a type
	Request    = "key"        // by which a repeated request is recognised
	Importance = "importance" // a larger number is more important; OpenClaw's goes to 10
	Trigger    = "trigger"    // OpenClaw's: phrases that bring the entry into a prompt
	Project    = "project"    // OpenClaw's: names of projects that it belongs to
	Of         = "of"         // digests of the entries that a line of a summary stands on
)

// alone are the fields that OpenClaw finds only in a comment of their own.
var alone = map[string]bool{Importance: true, Trigger: true, Project: true}

// Get returns the value of the first field with the key, or "" without one. The case of a
// key does not matter.
func (f Fields) Get(key string) string {
	for _, field := range f {
		if strings.EqualFold(field.Key, key) {
			return field.Value
		}
	}
	return ""
}

// With returns the fields with this one changed, or added at the end.
func (f Fields) With(field Field) Fields {
	out := append(Fields{}, f...)
	for i := range out {
		if strings.EqualFold(out[i].Key, field.Key) {
			out[i] = field
			return out
		}
	}
	return append(out, field)
}

const (
	opening = "<!--"
	closing = "-->"
)

// parseFields reads the inside of a comment: "key: value | key: value". A line may begin a
// field, too; otherwise it goes on with the one before. It returns none for a comment of
// another form.
func parseFields(inside string) Fields {
	var fields Fields
	for part := range strings.SplitSeq(inside, "|") {
		if part = strings.TrimSpace(part); part == "" {
			return nil
		}
		first := true
		for line := range strings.Lines(part) {
			key, value, ok := strings.Cut(line, ":")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			switch ok = ok && isKey(key) && value != ""; {
			case ok:
				fields = append(fields, Field{strings.ToLower(key), value})
			case first:
				return nil
			default:
				last := &fields[len(fields)-1].Value
				*last = strings.TrimSpace(*last + " " + strings.TrimSpace(line))
			}
			first = false
		}
	}
	return fields
}

func isKey(key string) bool {
	return key != "" && len(key) <= 32 && strings.IndexFunc(key, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}) < 0
}

// comment is a comment at the end of a block.
type comment struct {
	start, end int // where it stands in the lines of the block
	fields     Fields
}

// trailing returns the comments that end a block, in their order. rest is where the text
// before them ends, without the white space between.
func trailing(lines string) (found []comment, rest int) {
	rest = len(strings.TrimRight(lines, " \t\r\n"))
	for strings.HasSuffix(lines[:rest], closing) {
		start := strings.LastIndex(lines[:rest-len(closing)], opening)
		if start < 0 || strings.Contains(lines[start:rest-len(closing)], closing) {
			break
		}
		inside := lines[start+len(opening) : rest-len(closing)]
		found = append(found, comment{start, rest, parseFields(inside)})
		rest = len(strings.TrimRight(lines[:start], " \t\r\n"))
	}
	slices.Reverse(found)
	return found, rest
}

// comments returns the fields in the comments at the end of a block, and the block
// without these comments.
func comments(lines string) (Fields, string) {
	found, rest := trailing(lines)
	var fields Fields
	for _, c := range found {
		fields = append(fields, c.fields...)
	}
	return fields, lines[:rest]
}

// format writes fields as one comment. If openclaw is set, there are more: one for each
// field that OpenClaw wants alone, and one for the day and the status, which OpenClaw's
// USER.md keeps together.
func format(fields Fields, openclaw bool) string {
	var together, state, out []string
	stated := openclaw && fields.Get(Status) != ""
	for _, f := range fields {
		part := f.Key + ": " + AsKept(f.Value)
		switch {
		case openclaw && alone[f.Key]:
			out = append(out, opening+" "+part+" "+closing)
		case stated && (f.Key == Observed || f.Key == Status):
			state = append(state, part)
		default:
			together = append(together, part)
		}
	}
	for _, parts := range [][]string{state, together} {
		if len(parts) > 0 {
			out = append([]string{opening + " " + strings.Join(parts, " | ") + " " + closing}, out...)
		}
	}
	return strings.Join(out, " ")
}

var marks = strings.NewReplacer("|", "/", "<", "(", ">", ")")

// AsKept returns a value as a comment keeps it: without what would end its field or its
// comment, such as two dashes.
func AsKept(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	value = marks.Replace(value)
	for strings.Contains(value, "--") {
		value = strings.ReplaceAll(value, "--", "-")
	}
	return strings.Trim(value, "-")
}
