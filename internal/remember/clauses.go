package remember

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/judge"
)

// mostClauses is how many clauses of an entry are read one by one.
const mostClauses = 8

// clauses returns what stands between the stops of a text, sentence by sentence where whole is
// true, or nil for a text of one clause and for one of more than mostClauses. A stop inside a
// number or a name is none.
func clauses(text string, whole bool) (all []string) {
	stops := ".;!?。；！？\n"
	if !whole {
		stops += ",，、"
	}
	from := 0
	end := func(at int) {
		if clause := strings.TrimFunc(text[from:at], func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) }); clause != "" {
			all = append(all, clause)
		}
	}
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:]) // a byte that is no UTF-8 is one
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if strings.ContainsRune(stops, r) && (r > unicode.MaxASCII || r == '\n' || r == ';' || unicode.IsSpace(next)) {
			end(i)
			from = i + size
		}
	}
	end(len(text))
	if len(all) < 2 || len(all) > mostClauses {
		return nil
	}
	return all
}

// A text does not say the same as an entry when it changes a clause by clauseChanged, or when
// the entry, told after it, would change it by backChanged or say the same by less than
// backSame. It does not change an entry of which a sentence still holds by clauseHolds.
const (
	clauseChanged = .4
	backChanged   = .3
	backSame      = .4
	clauseHolds   = .5
)

// confirms reports whether what was read of a whole entry holds when it is read again: what a
// text says again it changes in no clause, nor the other way round; what it changes it changes
// in every sentence. An entry that says several things is easily taken for what one of them
// says, and what is denied for what is said.
func (k *Keeper) confirms(ctx context.Context, t *told, c *candidate, same bool) bool {
	if judge.Equal(c.Text, t.text) {
		return true
	}
	if same {
		back, err := k.opts.Reader.Pairs(ctx, []string{t.text}, c.Text)
		if err != nil || len(back) != 1 || back[0].Changed >= backChanged || back[0].Same < backSame {
			return false
		}
	}
	parts := clauses(c.Text, !same)
	if parts == nil {
		return true
	}
	odds, err := k.opts.Reader.Pairs(ctx, parts, t.text)
	if err != nil || len(odds) != len(parts) {
		return false
	}
	for _, o := range odds {
		if same && o.Changed >= clauseChanged || !same && o.Distinct >= clauseHolds {
			return false
		}
	}
	return true
}
