package remember

import (
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
)

// marks records which texts were forgotten, as digests that reveal nothing of
// them.
type marks struct {
	dir string
	digest.Marks
}

func newMarks(dir string) marks {
	return marks{dir, digest.Marks{File: filepath.Join(dir, "forgotten"), Digests: &digest.Digests{Dir: dir}}}
}

// digest returns the digest of a text, or "" when there is no salt and none can
// be made.
func (m *marks) digest(text string) string { return m.Of(text) }

// makeFolder makes a folder if there is none. It refuses a path that is
// something else.
func makeFolder(dir string) error {
	if err := regular.Folder(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

// forgotten reports whether a text was forgotten on purpose; normal is the text
// as texts are compared. It is an error if there are marks but the text cannot
// be compared with them.
func (m *marks) forgotten(normal string) (bool, error) {
	buried, err := m.buried()
	return m.has(buried, normal), err
}

// has reports whether a text is among buried ones, or a cell of a table in it. Older versions
// wrote the digests of texts as they are compared; now they are those of the words.
func (m *marks) has(buried map[string]bool, normal string) bool {
	if m.is(buried, normal) {
		return true
	}
	cells := strings.FieldsFunc(hiddenMarkup().ReplaceAllString(normal, "|"), func(r rune) bool { return r == '|' })
	return len(cells) > 1 && slices.ContainsFunc(cells, func(cell string) bool { return m.is(buried, strings.Trim(cell, " []")) })
}

// is reports whether a text is among buried ones, as it is or as a reader sees it.
func (m *marks) is(buried map[string]bool, normal string) bool {
	if len(buried) == 0 || strings.TrimSpace(normal) == "" {
		return false
	}
	return buried[m.digest(normal)] || buried[m.digest(bareWords(normal))] || buried[m.digest(bareWords(seen(normal)))]
}

// seen returns a text as a reader of Markdown or HTML sees it.
func seen(normal string) string {
	return html.UnescapeString(hiddenMarkup().ReplaceAllString(normal, ""))
}

// hiddenMarkup matches what a reader of Markdown or HTML does not see: tags, and the targets of
// links and pictures.
var hiddenMarkup = lazyregexp.New(`<[^<>]*>|\]\([^()]*\)|\]\[[^\[\]]*\]`)

// bareWords returns the letters and digits of a text, so that neither punctuation nor markup
// makes it another one. Blanks go too, because markup may stand inside a word and some scripts
// have none. Only between two digits a blank stays for what was there: 1.5 is not 15. A text
// without letters and digits is returned as it is.
func bareWords(normal string) string {
	var out strings.Builder
	var last rune // of the words
	apart := true // from the rune before
	for _, r := range normal {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r):
			if apart && unicode.IsNumber(last) && unicode.IsNumber(r) {
				out.WriteByte(' ')
			}
			out.WriteRune(r)
			last, apart = r, false
		case unicode.IsMark(r) && !apart && !unicode.Is(unicode.Variation_Selector, r): // a vowel, in many scripts
			out.WriteRune(r)
		default:
			apart = true
		}
	}
	if out.Len() == 0 {
		return normal
	}
	return out.String()
}

// Regained returns the number of a line of a text that was forgotten on purpose and that the
// text before has not, 0 for none. Entries are compared, and lines by themselves, because a
// heading is no entry and a paragraph may have several lines.
func (k *Keeper) Regained(before, text string) (line int, err error) {
	buried, err := k.marks.buried()
	if err != nil || len(buried) == 0 {
		return 0, err
	}
	had := map[string]bool{}
	for _, normal := range normals(before) {
		had[bareWords(seen(normal))] = true
	}
	for line, normal := range normals(text) {
		if k.marks.has(buried, normal) && !had[bareWords(seen(normal))] {
			return line, nil
		}
	}
	return 0, nil
}

// normals returns the entries of a text and its lines as texts are compared, each with the number
// of its line.
func normals(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, e := range entry.Parse(text) {
			if !yield(e.StartLine, judge.Normal(e.Text)) {
				return
			}
		}
		for n, line := range numbered(text) {
			if !yield(n, judge.Normal(line)) {
				return
			}
		}
	}
}

// numbered returns the lines of a text, each with its number, without the comments of entries
// and the marks of headings.
func numbered(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(entry.Plain(text)) {
			if n++; !yield(n, strings.TrimLeft(strings.TrimSpace(line), "# ")) {
				return
			}
		}
	}
}

// buried returns the digests of all texts that were forgotten; nil when there are
// none. Its error is that of forgotten.
func (m *marks) buried() (map[string]bool, error) {
	buried, err := m.All()
	switch {
	case errors.Is(err, digest.ErrSaltLost):
		return nil, memoir.WithHint(fmt.Errorf("memoir can no longer tell what was forgotten, because the salt in %s is lost: %w", m.dir, memoir.ErrUnavailable),
			"move "+m.File+" away; "+unmarked)
	case err != nil:
		return nil, memoir.WithHint(fmt.Errorf("read what was forgotten: %w", err), "move "+m.File+" away; "+unmarked)
	}
	return buried, nil
}

// WithoutForgotten returns a text without the entries that were forgotten, as
// [Keeper.Bring] leaves them out of a note. dir is [Options.Dir].
func WithoutForgotten(dir, text string) (string, error) {
	m := newMarks(dir)
	buried, err := m.buried()
	if err != nil {
		return "", err
	}
	text, _ = m.without(text, buried)
	return text, nil
}

// without returns a text without the entries whose digests are buried, and how many
// those were.
func (m *marks) without(text string, buried map[string]bool) (_ string, forgotten int) {
	if len(buried) == 0 {
		return text, 0
	}
	for _, e := range slices.Backward(entry.Parse(text)) {
		if m.has(buried, judge.Normal(e.Text)) {
			text = entry.Remove(text, e)
			forgotten++
		}
	}
	return text, forgotten
}

// unmarked is the consequence of that, for people.
const unmarked = "then agents and imports may bring back what was forgotten"

// bury adds marks for texts that are forgotten; only their digests are kept.
func (m *marks) bury(normals []string) error {
	if _, err := m.buried(); err != nil {
		return err
	}
	words := make([]string, len(normals))
	for i, normal := range normals {
		words[i] = bareWords(normal)
	}
	if err := m.Add(words); err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	return nil
}

// Owing reports whether something was forgotten, or was about to be, of which nobody has said
// since that it is cleared from the index, too. See [Keeper.Settle].
func (k *Keeper) Owing() bool {
	_, err := os.Lstat(k.owing())
	return err == nil
}

// Settle says that the index holds nothing of what was forgotten before.
func (k *Keeper) Settle() error {
	if err := os.Remove(k.owing()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that the index is cleared: %w", err)
	}
	return nil
}

// owe notes that the index has to be cleared, for whoever comes after a process that is
// killed before it does that.
func (k *Keeper) owe() error {
	err := makeFolder(k.opts.Dir)
	if err == nil {
		err = atomicfile.Write(k.owing(), 0o600, func(io.Writer) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("note that the index has to be cleared: %w", err)
	}
	return nil
}

func (k *Keeper) owing() string { return filepath.Join(k.opts.Dir, "uncleared") }
