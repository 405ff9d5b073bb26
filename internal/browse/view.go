package browse

import (
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir/internal/cells"
	"github.com/memoir-ai/memoir/internal/wording"
)

// A row is a line of the list: a passage that was found, or a note.
type row struct {
	name     string // of the note, as [memoir.Scope.Name] has it
	title    string
	date     string
	from, to int  // lines of the passage, from 1, inclusive; 0 and 0 for the whole note
	weak     bool // it hardly answers
}

// view is what is on the screen. Its methods do nothing but change and draw it.
type view struct {
	width, height int
	printable     func(string) string
	language      wording.Language

	query   []rune
	pasting bool
	inList  bool // keys are commands, and not text of the query
	help    bool

	rows     []row
	selected int
	first    int // row on the first line of the list

	lines  []string // of the note that is selected
	shown  row      // that lines are of
	scroll int      // line on the first line of the reading pane, from 0

	busy bool
	said string // what happened last
}

// Sequences that a terminal understands (ECMA-48).
const (
	bold, dim, reverse, plain = "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[0m"
	clearLine                 = "\x1b[K"
	hideCursor, showCursor    = "\x1b[?25l", "\x1b[?25h"
)

// maxQuery bounds a query, in characters.
const maxQuery = 1000

// listHeight is how many lines the list has: a third of the screen, less when there is
// less to list.
func (v *view) listHeight() int {
	return max(1, min(len(v.rows), (v.height-3)/3, 12))
}

// paneHeight is how many lines are left to read in.
func (v *view) paneHeight() int { return max(0, v.height-v.listHeight()-3) }

// draw returns what makes the screen show the view. Nothing of it is wider or higher
// than the screen, and nothing of a note steers the terminal.
func (v *view) draw() string {
	if v.width < 1 || v.height < 1 {
		return ""
	}
	var b strings.Builder
	b.WriteString(hideCursor)
	line, last := 0, max(1, v.height-1) // below it stands what happened
	put := func(style, text string) {
		if line++; line <= last {
			fmt.Fprintf(&b, "\x1b[%d;1H%s%s%s%s", line, style, fit(text, v.width), plain, clearLine)
		}
	}
	prompt := "> " + v.clean(tail(string(v.query), max(0, v.width-4)))
	put(bold, prompt)
	if v.help {
		for _, text := range helpLines {
			put("", v.language.Say(text))
		}
	} else {
		v.drawList(put)
		v.drawPane(put)
	}
	for line < last {
		put("", "")
	}
	if v.height > 1 {
		line, last = v.height-1, v.height
		put(dim, v.clean(v.language.Say(v.bottom())))
	}
	if !v.inList && !v.help {
		_, column, _ := cells.Cut(prompt, v.width-1)
		fmt.Fprintf(&b, "\x1b[1;%dH%s", column+1, showCursor)
	}
	return b.String()
}

func (v *view) drawList(put func(style, text string)) {
	height := v.listHeight()
	v.first = max(0, min(v.first, v.selected), v.selected-height+1)
	for i := v.first; i < min(len(v.rows), v.first+height); i++ {
		r := v.rows[i]
		place := r.name
		if r.from > 0 {
			place += ":" + itoa(r.from)
		}
		mark, style := "  ", ""
		if r.weak {
			style = dim
		}
		if i == v.selected {
			mark, style = "▸ ", reverse
			if !v.inList {
				style = bold
			}
		}
		date := r.date
		side := max(0, v.width-len(date)-6) // the mark and what is between are two columns each
		left := side / 2
		put(style, mark+fit(v.clean(r.title), left)+"  "+fit(v.clean(place), side-left)+"  "+v.clean(date))
	}
	if len(v.rows) == 0 {
		text := "  " + v.language.Say("nothing is found")
		if v.busy {
			text = ""
		}
		put(dim, text)
	}
}

func (v *view) drawPane(put func(style, text string)) {
	if v.height < 4 {
		return
	}
	put(dim, strings.Repeat("─", max(0, v.width)))
	left := v.paneHeight()
	for i := v.scroll; i < len(v.lines) && left > 0; i++ {
		mark, style := "  ", ""
		if v.shown.from > 0 && i+1 >= v.shown.from && i+1 <= v.shown.to {
			mark = "▌ "
		} else if v.shown.from > 0 {
			style = dim
		}
		pieces := wrap(v.clean(v.lines[i]), v.width-2, left)
		for _, piece := range pieces {
			put(style, mark+piece)
			left--
		}
	}
}

// clean makes a text of a note one that can be shown on one line.
func (v *view) clean(text string) string {
	return strings.NewReplacer("\n", " ", "\u2028", " ", "\u2029", " ").Replace(v.printable(strings.ReplaceAll(text, "\t", "    ")))
}

// bottom is the last line: what happened, or which keys do what.
func (v *view) bottom() string {
	switch {
	case v.help:
		return "any key goes back"
	case v.said != "":
		return v.said
	case v.inList:
		return "enter open  d take out  u undo  / search  ? help  q leave"
	}
	return "enter open  ↑↓ tab list and its keys  ctrl-c leave"
}

var helpLines = []string{
	"",
	"  type             search by word and by meaning; without words, the newest",
	"  up, down         choose",
	"  page up, down    read on",
	"  enter            open the note at the passage, in $VISUAL or $EDITOR",
	"  tab, escape      from the query to the list, and back",
	"  ctrl-u, ctrl-w   empty the query, take its last word away",
	"  ctrl-c           leave",
	"",
	"  in the list:",
	"  j, k, g, G       down, up, first, last",
	"  space, b         read on, read back",
	"  d                take the marked lines out of the note",
	"  u                undo that; again, what was before it",
	"  /, i             back to the query",
	"  q                leave",
	"",
	"  What d takes out stays in the history, for u and memoir undo.",
	"  memoir forget takes it out of there, too.",
}

// current returns the selected row; not ok when there is none.
func (v *view) current() (row, bool) {
	if v.selected < 0 || v.selected >= len(v.rows) {
		return row{}, false
	}
	return v.rows[v.selected], true
}

// list shows other rows.
func (v *view) list(rows []row) {
	v.rows, v.selected, v.first = rows, 0, 0
}

// move chooses another row.
func (v *view) move(by int) {
	v.selected = max(0, min(len(v.rows)-1, v.selected+by))
}

// page reads on or back.
func (v *view) page(by int) {
	v.scroll = max(0, min(len(v.lines)-1, v.scroll+by*max(1, v.paneHeight()-1)))
}

// An act is what a key asks for beyond a change of the view.
type act int

const (
	nothing act = iota
	search
	open
	remove
	undo
	leave
	redraw
)

// press changes the view as a key says, and returns what else is to be done.
func (v *view) press(k key) act {
	v.said = ""
	switch {
	case k.name == "paste" || k.name == "pasted":
		v.pasting = k.name == "paste"
		return nothing
	case v.pasting:
		if k.name == "enter" || k.name == "tab" {
			k = key{"text", ' '}
		}
		if k.name != "text" {
			return nothing
		}
		v.inList = false
		return v.typed(k.text)
	case k.name == "leave":
		return leave
	case v.help:
		v.help = false
		return nothing
	}
	switch k.name {
	case "up":
		v.move(-1)
	case "down":
		v.move(1)
	case "page up":
		v.page(-1)
	case "page down":
		v.page(1)
	case "tab", "escape":
		v.inList = !v.inList
	case "enter":
		return open
	case "redraw":
		return redraw
	case "clear":
		v.query, v.inList = nil, false
		return search
	case "word":
		text := strings.TrimRight(string(v.query), " ")
		v.query = []rune(text[:strings.LastIndexByte(text, ' ')+1])
		return search
	case "backspace":
		if !v.inList && len(v.query) > 0 {
			v.query = v.query[:len(v.query)-1]
			return search
		}
	case "text":
		if v.inList {
			return v.command(k.text)
		}
		return v.typed(k.text)
	}
	return nothing
}

func (v *view) typed(r rune) act {
	if len(v.query) == maxQuery {
		v.said = "a query is no longer than that"
		return nothing
	}
	v.query = append(v.query, r)
	return search
}

func (v *view) command(r rune) act {
	switch r {
	case 'j':
		v.move(1)
	case 'k':
		v.move(-1)
	case 'g':
		v.selected = 0
	case 'G':
		v.move(len(v.rows))
	case ' ':
		v.page(1)
	case 'b':
		v.page(-1)
	case '/', 'i':
		v.inList = false
	case '?':
		v.help = true
	case 'd':
		return remove
	case 'u':
		return undo
	case 'q':
		return leave
	}
	return nothing
}
