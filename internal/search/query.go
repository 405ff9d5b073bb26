package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// limited reports whether the answer has to stay within a budget.
func limited(q memoir.Query) bool { return q.MaxTokens > 0 || q.MaxChars > 0 }

// complete fills in the defaults of a query and returns an error when something
// is wrong with it. kinds are the kinds of documents that there may be.
func complete(q memoir.Query, kinds []memoir.Kind) (memoir.Query, error) {
	q.Text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", " "), " "))
	if q.Limit == 0 && limited(q) {
		q.Limit = memoir.DefaultBudgetLimit
	}
	q.Limit = cmp.Or(q.Limit, memoir.DefaultLimit)
	if q.Mode == "" {
		q.Mode = memoir.ModeHybrid
	}
	switch {
	case q.Text == "":
		return q, memoir.WithHint(fmt.Errorf("the query is empty: %w", memoir.ErrInvalid), `memoir search "what you want to know"`)
	case q.Limit < 1 || q.Limit > memoir.MaxLimit:
		return q, fmt.Errorf("limit %d is not between 1 and %d: %w", q.Limit, memoir.MaxLimit, memoir.ErrInvalid)
	case q.MaxTokens < 0 || q.MaxChars < 0:
		return q, fmt.Errorf("the budget must be at least one token or one character: %w", memoir.ErrInvalid)
	case !(q.MinScore >= 0 && q.MinScore <= 1):
		return q, fmt.Errorf("minimum score %v is not between 0 and 1: %w", q.MinScore, memoir.ErrInvalid)
	case q.Mode != memoir.ModeHybrid && q.Mode != memoir.ModeText && q.Mode != memoir.ModeVector:
		return q, fmt.Errorf("mode %q is not one of hybrid, text, vector: %w", q.Mode, memoir.ErrInvalid)
	}
	if !utf8.ValidString(q.Path) {
		return q, fmt.Errorf("the path %q is not UTF-8: %w", q.Path, memoir.ErrInvalid)
	}
	if _, ok := querylang.Days(q.Since, time.Now()); q.Since != "" && !ok {
		return q, memoir.WithHint(fmt.Errorf("since %q is not a day: %w", q.Since, memoir.ErrInvalid), "write it as 2026-03-02, yesterday or 2026-03-02T10:32:00Z")
	}
	q.Filter.Without = slices.Concat(q.Filter.Without, q.Hidden)
	return q, validate(q.Filter, kinds)
}

// validate refuses values that no document can have: a mistyped filter would
// find nothing and not say why. kinds are the kinds of documents that there may
// be.
func validate(f memoir.Filter, kinds []memoir.Kind) error {
	for _, k := range f.Kinds {
		if !slices.Contains(kinds, k) {
			return fmt.Errorf("filter: kind %q is not one of %s: %w", k, join(kinds), memoir.ErrInvalid)
		}
	}
	for _, day := range []string{f.From, f.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("filter: %q is not a day like 2026-03-02: %w", day, memoir.ErrInvalid)
		}
	}
	if err := pathsFit(f.Paths); err != nil {
		return err
	}
	texts := slices.Concat([]string{f.Prefix}, f.Paths, f.Names)
	for _, l := range f.Labels {
		texts = append(texts, string(l))
	}
	for _, p := range f.Phrases {
		texts = append(append(append(texts, p.Text), p.Terms...), p.Inside...)
		if p.Text != "" && len(p.Inside) == 0 {
			return fmt.Errorf("filter: the text %q of a phrase lacks the terms inside it: %w", p.Text, memoir.ErrInvalid)
		}
		for _, field := range p.Fields {
			if field < 0 || field >= memoir.NumFields {
				return fmt.Errorf("filter: a chunk has no field %d: %w", field, memoir.ErrInvalid)
			}
		}
	}
	for _, c := range f.Chunks {
		texts = append(texts, string(c.Doc))
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return fmt.Errorf("filter: %q is not UTF-8: %w", text, memoir.ErrInvalid)
		}
	}
	for _, w := range f.Without {
		if err := validate(w, kinds); err != nil {
			return err
		}
	}
	return nil
}

// maxPaths is how many bytes the parts of paths may have in a filter. Each part is looked
// for in the path of every document.
const maxPaths = 1024

// pathParts returns the parts of a path that stand between the wildcards of a filter, each
// once.
func pathParts(value string) []string {
	var parts []string
	for part := range strings.SplitSeq(value, "*") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return []string{""}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// pathsFit refuses parts of paths that are too many or too long.
func pathsFit(parts []string) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > maxPaths || len(parts) > maxPaths {
		return memoir.WithHint(fmt.Errorf("filter: the parts of a path have more than %d bytes: %w", maxPaths, memoir.ErrInvalid), "name a part of the path")
	}
	return nil
}

func join(kinds []memoir.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// passesAll reports whether a filter lets everything pass.
func passesAll(f memoir.Filter) bool {
	return f.Scope == "" && len(f.Kinds) == 0 && len(f.Labels) == 0 && f.Prefix == "" && len(f.Paths) == 0 && len(f.Names) == 0 && f.From == "" && f.To == "" &&
		len(f.Phrases) == 0 && len(f.Chunks) == 0 && len(f.Without) == 0
}

// lists reports whether a filter names some chunks, and this is one of them.
func lists(f memoir.Filter, id memoir.ChunkID) bool {
	return len(f.Chunks) == 0 || slices.Contains(f.Chunks, id)
}
