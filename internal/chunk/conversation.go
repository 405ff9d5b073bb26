package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Conversations are cut into windows of that many turns. Each window repeats
// the last turns of the one before (docs/design/chunking.md).
const (
	windowTurns   = 3
	windowOverlap = 1
)

// minTurns is how many turns make a conversation.
const minTurns = 4

// maxSpeaker is the length of the longest name before a colon, in characters.
const maxSpeaker = 40

// conversation returns the turns of consecutive blocks, and the blocks before
// the first turn; turns is nil when the blocks are no conversation. They are
// one when most lines begin a turn and few speakers take turns. They also are
// when they are part of a talk with an assistant, whose turns have many lines.
func (p *packer) conversation(blocks []block) (before []block, turns []turn) {
	if len(blocks) == 0 {
		return nil, nil
	}
	last := blocks[len(blocks)-1]
	t := turnReader{packer: p, transcript: p.transcriptAt(last.start), said: map[string]int{}}
	if t.transcript == nil && !manyColons(p.text[blocks[0].start:last.end]) {
		return nil, nil
	}
	for _, b := range blocks {
		t.read(b)
	}
	few := len(t.turns) < minTurns || 2*len(t.turns) < t.places
	if t.transcript == nil && (few || 2*len(t.said) > len(t.turns) || 2*t.changes < len(t.turns)) {
		return nil, nil
	}
	return t.before, t.turns
}

// turn is what one speaker says: at least one block.
type turn []block

func (t turn) start() int { return t[0].start }
func (t turn) end() int   { return t[len(t)-1].end }

// manyColons reports whether text can be a conversation at all. Most texts
// cannot, and need no closer look.
func manyColons(text string) bool {
	n := strings.Count(text, ":")
	return n >= minTurns || n+strings.Count(text, "：")+strings.Count(text, "<") >= minTurns
}

// turnReader groups the blocks of a section into turns.
type turnReader struct {
	*packer
	transcript *transcript // in a talk with an assistant only roles count as speakers, because answers are full of "Note: …"
	before     []block
	turns      []turn
	said       map[string]int // turns by speaker
	last       string         // who spoke last
	changes    int            // how often the speaker changed
	places     int            // lines and blocks that could have begun a turn
}

func (t *turnReader) read(b block) {
	switch {
	case t.nests(b):
		for item := range t.content(b) {
			t.places++
			t.take(item, t.speaker(t.text[item.start:t.lineEnd(t.line(item.start))]))
		}
	case b.kind == plain || b.kind == paragraph && b.form != table:
		part := block{start: b.start, end: b.start, kind: b.kind, node: b.node}
		who := ""
		for i := t.line(b.start); i < len(t.lines) && t.lines[i] < b.end; i++ {
			line := t.text[t.lines[i]:t.lineEnd(i)]
			if strings.TrimSpace(line) != "" {
				t.places++
			}
			if next := t.speaker(line); next != "" {
				part.end = t.lines[i]
				t.take(part, who)
				part.start, who = part.end, next
			}
		}
		part.end = b.end
		t.take(part, who)
	default:
		t.places++
		t.take(b, "")
	}
}

func (t *turnReader) speaker(line string) string {
	who, _ := speaker(line)
	if t.transcript != nil && t.transcript.roleOf(who) == 0 {
		return ""
	}
	return who
}

// take appends a block to the turn that it begins or continues.
func (t *turnReader) take(b block, who string) {
	switch {
	case b.start == b.end:
	case who != "":
		t.said[who]++
		if who != t.last {
			t.changes++
		}
		t.last = who
		t.turns = append(t.turns, turn{b})
	case len(t.turns) == 0:
		t.before = append(t.before, b)
	default:
		last := &t.turns[len(t.turns)-1]
		*last = append(*last, b)
	}
}

// A Turn is what somebody says until somebody speaks again.
type Turn struct {
	Start int    // where it begins in the text, in bytes
	Who   string // speaks, as the text has the name
}

// Turns returns the turns of a talk. In a talk, only headings stand before the
// first of at least two turns; if there are more turns, somebody speaks twice.
// Otherwise the text is a list of fields and values. For a text that is no talk,
// Turns returns nil.
func Turns(text string) []Turn {
	var turns []Turn
	said := map[string]bool{}
	at := 0
	for line := range strings.Lines(text) {
		if who, _ := speaker(line); who != "" {
			turns, said[who] = append(turns, Turn{at, who}), true
		} else if len(turns) == 0 && strings.TrimSpace(line) != "" && line[0] != '#' {
			return nil
		}
		at += len(line)
	}
	if len(turns) < 2 || len(turns) > 2 && len(said) == len(turns) {
		return nil
	}
	return turns
}

// talk packs the turns of a conversation into windows.
func (p *packer) talk(turns []turn) {
	count := 0 // turns in the current piece
	for i, t := range turns {
		if p.setsApart(t) {
			p.flush()
			count = 0
		}
		if count == windowTurns && !p.endsTalk(turns[i:]) {
			p.flush()
			count = 0
			if from := turns[i-windowOverlap].start(); p.cost(from, t.end()) <= p.limit {
				p.start, count = from, windowOverlap
			}
		}
		cut := len(p.pieces)
		if !p.put(t.start(), t.end(), !p.bare) {
			for _, b := range t {
				p.add(b, 0)
			}
		}
		if count++; len(p.pieces) > cut {
			count = 1
		}
	}
}

// endsTalk reports whether the remaining turns are the last of a talk with an
// assistant, and so join the current piece. By itself "You're welcome!" would
// be near every question.
func (p *packer) endsTalk(left []turn) bool {
	t := left[0]
	return len(left) == 1 && p.transcriptAt(t.start()) != nil && p.cost(p.start, t.end()) <= p.limit
}

// setsApart reports whether a turn in a talk with an assistant begins a new
// piece. A user's turn does after a piece with only answers, so that a question
// stands before its answer. A turn that is too long for one piece does when the
// current piece has more than would be repeated.
func (p *packer) setsApart(t turn) bool {
	c := p.transcriptAt(t.start())
	if c == nil || p.bare || p.start == p.end {
		return false
	}
	if c.turnsIn(t.start(), t.start()+1)[0].role == user && p.byAssistant(p.trim(p.start, p.end)) {
		return true
	}
	return p.cost(t.start(), t.end()) > p.limit && p.cost(p.start, p.end) > p.overlap
}

// speaker returns who speaks in a line that begins a turn, and the words:
// "Name: text", "**Name:** text", "[12:30] Name: text", "12:30 <name> text",
// also in a list or a quotation. who is "" when the line begins no turn.
func speaker(line string) (who, said string) {
	s := afterBullet(strings.TrimLeft(line, " \t>"))
	if n := stamp(s); n > 0 {
		s = strings.TrimLeft(s[n:], " \t-–—")
	}
	if rest, ok := strings.CutPrefix(s, "<"); ok {
		if name, said, ok := strings.Cut(rest, "> "); ok && isName(name) {
			return name, said
		}
		return "", ""
	}
	head := s[:min(len(s), maxSpeaker*utf8.UTFMax)]
	at := strings.IndexByte(head, ':')
	if wide := strings.Index(head, "："); wide >= 0 && (at < 0 || wide < at) {
		at = wide
	}
	if at <= 0 {
		return "", ""
	}
	_, colon := utf8.DecodeRuneInString(s[at:])
	name, rest := s[:at], s[at+colon:]
	if mark := name[:len(name)-len(strings.TrimLeft(name, "*_"))]; mark != "" {
		inside, closed := strings.CutSuffix(name[len(mark):], mark)
		after, closes := strings.CutPrefix(rest, mark)
		if closed == closes {
			return "", ""
		}
		name, rest = inside, after
	}
	if colon == 1 && rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n") {
		return "", "" // an address, a time
	}
	if i := strings.IndexAny(name, "([（"); i > 0 { // Ann (12:30)
		name = name[:i]
	}
	if name = strings.TrimSpace(name); !isName(name) {
		return "", ""
	}
	return name, rest
}

// afterBullet returns what follows the marker of a list's entry.
func afterBullet(s string) string {
	if len(s) > 1 && strings.ContainsRune("-*+", rune(s[0])) && (s[1] == ' ' || s[1] == '\t') {
		return strings.TrimLeft(s[1:], " \t")
	}
	return s
}

// isName reports whether s can be the name of a speaker: at most four words
// without anything that belongs to sentences, code or addresses.
func isName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return (unicode.IsLetter(first) || unicode.IsDigit(first) || first == '@') &&
		utf8.RuneCountInString(s) <= maxSpeaker && strings.Count(s, " ") <= 3 &&
		!strings.ContainsAny(s, "`|#{}[]()<>\"=;!?。！？，、；/\\") && strings.ContainsFunc(s, unicode.IsLetter)
}
