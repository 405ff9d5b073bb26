package memoir

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// validate refuses what no document can have: a mistake would find nothing, and
// not say why. Kinds are those that there may be documents of.
func (f Filter) validate(kinds []Kind) error {
	for _, k := range f.Kinds {
		if !slices.Contains(kinds, k) {
			return fmt.Errorf("filter: kind %q is not one of %s: %w", k, join(kinds), ErrInvalid)
		}
	}
	for _, day := range []string{f.From, f.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("filter: %q is not a day like 2026-03-02: %w", day, ErrInvalid)
		}
	}
	texts := slices.Concat([]string{f.Prefix}, f.Paths, f.Names)
	for _, p := range f.Phrases {
		texts = append(append(append(texts, p.Text), p.Terms...), p.Inside...)
		if p.Text != "" && len(p.Inside) == 0 {
			return fmt.Errorf("filter: the text %q of a phrase lacks the terms inside it: %w", p.Text, ErrInvalid)
		}
		for _, field := range p.Fields {
			if field < 0 || field >= NumFields {
				return fmt.Errorf("filter: a chunk has no field %d: %w", field, ErrInvalid)
			}
		}
	}
	for _, c := range f.Chunks {
		texts = append(texts, string(c.Doc))
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return fmt.Errorf("filter: %q is not UTF-8: %w", text, ErrInvalid)
		}
	}
	for _, w := range f.Without {
		if err := w.validate(kinds); err != nil {
			return err
		}
	}
	return nil
}

func join(kinds []Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// kinds returns the kinds that documents can have.
func (e *Engine) kinds() []Kind {
	kinds := []Kind{KindNote, KindSession}
	for _, src := range e.sources {
		if k := src.Kind(); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// isZero reports whether everything passes.
func (f Filter) isZero() bool {
	return len(f.Kinds) == 0 && f.Prefix == "" && len(f.Paths) == 0 && len(f.Names) == 0 && f.From == "" && f.To == "" &&
		len(f.Phrases) == 0 && len(f.Chunks) == 0 && len(f.Without) == 0
}

// lists reports whether a chunk is one of those that the filter names, if it names some.
func (f Filter) lists(id ChunkID) bool { return len(f.Chunks) == 0 || slices.Contains(f.Chunks, id) }
