package chunk

import (
	"bytes"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"

	names "github.com/memoir-ai/memoir/internal/assistant"
)

// role is the part that a speaker has in a talk with an assistant.
type role uint8

const (
	user role = 1 + iota
	assistant
	machine // the system, a tool
)

// roleOf returns the role that a name stands for, 0 for none. It runs at almost
// every line, and allocates nothing.
func roleOf(name string) role {
	var lower [24]byte
	if len(name) > len(lower) {
		return 0
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	who := string(bytes.TrimSuffix(lower[:len(name)], []byte(" said")))
	switch who {
	case "user", "human", "me", "you", "用户", "用戶", "我", "ユーザー":
		return user
	case "assistant", "ai", "bot", "助手", "助理", "アシスタント":
		return assistant
	case "system", "agent", "tool", "model", "系统", "系統", "你":
		return machine
	}
	if slices.Contains(names.Names, who) {
		return assistant
	}
	return 0
}

// transcript is a talk with an assistant: a range of the text in which both
// sides speak. Headings below the level of the one above the talk belong to
// answers.
type transcript struct {
	start, end int
	level      int // of the heading above it; 0: there is none
	turns      []said
	humans     []string // other names of users
}

// said is where a turn begins: at a line "User: …", or at a heading that says
// only "User".
type said struct {
	at   int
	role role
}

// roleOf returns the role of a name in this talk, 0 for none.
func (t *transcript) roleOf(name string) role {
	if r := roleOf(name); r != 0 || !slices.Contains(t.humans, name) {
		return r
	}
	return user
}

// transcriptReader finds talks with an assistant.
type transcriptReader struct {
	*outline
	found []transcript
	open  transcript // the talk being read; it has no turns if there is none
	level int        // of the last heading outside talks
	// headed says that headings begin the turns. Another heading of their level
	// belongs to an answer if a turn follows later; otherwise it ends the talk.
	headed bool
	doubt  int // where the first such heading is, 0 if there is none
	// named are the speakers so far outside any talk; namedAt is where the last
	// of them began.
	named   []string
	namedAt int
}

func (o *outline) findTranscripts() []transcript {
	if !namesAssistant(o.text[o.body:]) {
		return nil
	}
	r := transcriptReader{outline: o}
	for b := range o.top() {
		if level, name := o.heading(b); level > 0 {
			r.heading(b.start, level, roleOf(letters(name)))
			continue
		}
		if r.headed {
			continue
		}
		for at, line := range o.openings(b) {
			if name, _ := speaker(line); name != "" {
				r.line(at, name)
			}
		}
	}
	r.close(len(o.text))
	return r.found
}

// namesAssistant reports whether a text names an assistant as a speaker at all.
// Most texts do not, and need no closer look.
func namesAssistant(text string) bool {
	for line := range strings.Lines(text) {
		name := ""
		switch {
		case line[0] == '#':
			name = letters(line)
		case strings.Contains(line, ":") || strings.Contains(line, "：") || strings.Contains(line, "<"):
			name, _ = speaker(line)
		}
		if roleOf(name) == assistant {
			return true
		}
	}
	return false
}

// letters drops everything before the first letter and after the last.
func letters(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
}

func (r *transcriptReader) heading(at, level int, who role) {
	talking := len(r.open.turns) > 0
	switch {
	case who != 0 && (!talking || r.headed || level <= r.open.level):
		if talking && level != r.open.level+1 {
			r.close(at)
		}
		r.say(at, who, level-1)
		r.headed = true
	case talking && level <= r.open.level:
		r.close(at)
	case talking && r.headed && level == r.open.level+1 && r.doubt == 0:
		r.doubt = at
	}
	if len(r.open.turns) == 0 {
		r.level, r.headed, r.named = level, false, nil
	}
}

// maxNamed bounds how many names are remembered.
const maxNamed = 8

// line begins a turn at a line. Whoever speaks just before an assistant speaks
// for the first time is a user, whatever the name.
func (r *transcriptReader) line(at int, name string) {
	who := r.open.roleOf(name)
	if who == assistant && len(r.open.turns) == 0 && len(r.named) > 0 {
		r.say(r.namedAt, user, r.level)
		r.open.humans = r.named
	}
	r.say(at, who, r.level)
	if who != 0 || len(r.open.turns) > 0 {
		return
	}
	if r.namedAt = at; !slices.Contains(r.named, name) && len(r.named) < maxNamed {
		r.named = append(r.named, name)
	}
}

// say begins a turn, and a talk if there is none.
func (r *transcriptReader) say(at int, who role, level int) {
	if len(r.open.turns) == 0 {
		if who != user && who != assistant {
			return
		}
		r.open.start, r.open.level = at, level
	}
	if who != 0 {
		r.open.turns, r.doubt = append(r.open.turns, said{at, who}), 0
	}
}

// close ends the talk. It counts as a talk if both sides have spoken. A user
// with another name must have spoken at least twice.
func (r *transcriptReader) close(at int) {
	if r.doubt > 0 {
		at = r.doubt
	}
	var spoke [machine + 1]int
	for _, s := range r.open.turns {
		spoke[s.role]++
	}
	if spoke[assistant] > 0 && (spoke[user] > 1 || spoke[user] == 1 && len(r.open.humans) == 0) {
		r.open.end = at
		r.found = append(r.found, r.open)
	}
	r.open, r.headed, r.doubt, r.named = transcript{}, false, 0, nil
}

// openings yields the lines of a block in which a turn may begin, with their
// offsets.
func (o *outline) openings(b block) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		switch {
		case o.nests(b):
			for item := range o.content(b) {
				line, _, _ := strings.Cut(o.text[item.start:item.end], "\n")
				if !yield(item.start, line) {
					return
				}
			}
		case b.kind == paragraph && b.form != table:
			at := b.start
			for line := range strings.Lines(o.text[b.start:b.end]) {
				if !yield(at, line) {
					return
				}
				at += len(line)
			}
		}
	}
}

// transcriptAt returns the talk with an assistant that contains text[at].
func (o *outline) transcriptAt(at int) *transcript {
	i := sort.Search(len(o.transcripts), func(i int) bool { return o.transcripts[i].end > at })
	if i < len(o.transcripts) && o.transcripts[i].start <= at {
		return &o.transcripts[i]
	}
	return nil
}

// turnIn returns where the first turn in a block begins, and the level of the
// heading above its talk. It returns -1 when no turn of a talk begins in the
// block.
func (o *outline) turnIn(b block) (at, level int) {
	c := o.transcriptAt(b.start)
	if c == nil {
		return -1, 0
	}
	i := sort.Search(len(c.turns), func(i int) bool { return c.turns[i].at >= b.start })
	if i == len(c.turns) || c.turns[i].at >= b.end || c.turns[i].at > b.start && o.nests(b) {
		return -1, 0
	}
	return c.turns[i].at, c.level
}

// turnsIn returns the turns that overlap text[start:end].
func (c *transcript) turnsIn(start, end int) []said {
	from := sort.Search(len(c.turns), func(i int) bool { return c.turns[i].at > start }) - 1
	to := sort.Search(len(c.turns), func(i int) bool { return c.turns[i].at >= end })
	return c.turns[max(from, 0):max(to, from)]
}

// byAssistant reports whether only an assistant and machines speak in
// text[start:end].
func (o *outline) byAssistant(start, end int) bool {
	c := o.transcriptAt(start)
	return c != nil && end <= c.end && !slices.ContainsFunc(c.turnsIn(start, end), func(s said) bool { return s.role == user })
}

// WithoutAssistant removes the assistant's turns from a talk. It returns the
// lines of the others; those of a user lose their "User:". A text is such a
// talk when it begins with a turn and both sides have a turn. For any other
// text the result is "".
func WithoutAssistant(text string) string {
	if !strings.Contains(text, "\n") {
		return ""
	}
	var out strings.Builder
	helped, kept, begun := false, false, false
	for line := range strings.Lines(text) {
		switch who, said := speaker(line); {
		case roleOf(who) == assistant:
			helped, kept, begun = true, false, true
		case who != "":
			kept, begun = true, true
			if roleOf(who) == user {
				line = strings.TrimLeft(said, " \t")
			}
		case !begun && strings.TrimSpace(line) != "":
			return ""
		}
		if kept {
			out.WriteString(line)
		}
	}
	if !helped {
		return ""
	}
	return strings.TrimSpace(out.String())
}
