package access

import (
	"slices"
	"strings"
)

// Counts are what was counted so far.
type Counts struct {
	// Since is the first day that is known, "2026-03-02", "" when nothing is.
	Since   string
	entries map[string]*Count
}

// A Count is what is known of one entry. The zero value was never found.
type Count struct {
	Found     int      // by how many questions, one of a day counted once
	Questions int      // of how many different ones
	Days      []string // on which it was found, the first first
	Score     float64  // mean of the scores that it was found with
}

// Read returns what is counted in a folder. A folder without counts has none.
func Read(dir string) (*Counts, error) {
	s, all := newStore(dir), asked{}
	// In this order nothing is missed that another process puts in order meanwhile.
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

// Of returns the count of the entry with a digest, as package digest makes it of the
// form in which entries are compared.
func (c *Counts) Of(digest string) Count {
	if e := c.entries[digest[:min(len(digest), keySize)]]; e != nil {
		return *e
	}
	return Count{}
}

// Last returns the day on which an entry was found last, "" if it never was.
func (c Count) Last() string { return strings.Join(c.Days[max(0, len(c.Days)-1):], "") }
