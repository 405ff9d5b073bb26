package access

import (
	"slices"
	"strings"
)

// Counts are the counts so far.
type Counts struct {
	// Since is the first day with a count, "2026-03-02"; "" without any.
	Since   string
	entries map[string]*Count
}

// A Count says how often one entry was found. The zero value means never.
type Count struct {
	Found     int      // by how many questions; a question counts once a day
	Questions int      // by how many different questions
	Days      []string // the days on which it was found, in order
	Score     float64  // the mean of its scores
}

// Read returns the counts in a folder. They are empty if the folder has none.
func Read(dir string) (*Counts, error) {
	s, all := newStore(dir), asked{}
	// In this order it misses nothing when another process puts lines in order meanwhile.
	for _, path := range []string{s.fresh, s.before, s.kept} {
		if err := all.read(path); err != nil {
			return nil, err
		}
	}
	c := &Counts{entries: map[string]*Count{}}
	questions := map[string]map[string]bool{}
	for at, found := range all {
		if c.Since == "" || at[0] < c.Since {
			c.Since = at[0]
		}
		for key, score := range found {
			e := c.entries[key]
			if e == nil {
				e, questions[key] = &Count{}, map[string]bool{}
				c.entries[key] = e
			}
			e.Found++
			e.Score += float64(score)
			questions[key][at[1]] = true
			if !slices.Contains(e.Days, at[0]) {
				e.Days = append(e.Days, at[0])
			}
		}
	}
	for key, e := range c.entries {
		e.Score /= 100 * float64(e.Found)
		e.Questions = len(questions[key])
		slices.Sort(e.Days)
	}
	return c, nil
}

// Of returns the count of the entry with a digest. The digest is that of package digest,
// of the form in which entries are compared.
func (c *Counts) Of(digest string) Count {
	if e := c.entries[digest[:min(len(digest), keySize)]]; e != nil {
		return *e
	}
	return Count{}
}

// Last returns the day on which the entry was found last, "" if never.
func (c Count) Last() string { return strings.Join(c.Days[max(0, len(c.Days)-1):], "") }
