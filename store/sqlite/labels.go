package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
)

// labelTable is the table labels in memory. It never changes. A number means
// the same in every later labelTable.
type labelTable struct {
	sets []memoir.Labels // by labels.id; 0 is no label; nil for a number that no chunk had, or that is not there
}

// lacks reports whether the table does not know a number.
func (t *labelTable) lacks(number uint32) bool {
	return int(number) >= len(t.sets) || number > 0 && t.sets[number] == nil
}

// mostLabels bounds the numbers of labels, so that a broken one takes no memory.
const mostLabels = 1 << 26

// readLabels returns the labels of all numbers in the contents. When the last
// table lacks a number, it reads the table again. Rows that no chunk bears, of which
// each change of a shelf leaves one until they are many, are not decoded.
func (s *Store) readLabels(ctx context.Context, c *conn, k *contents) (*labelTable, error) {
	borne := map[uint32]bool{}
	for i := range k.bodies {
		borne[k.bodies[i].labels] = true
	}
	lacks := func(t *labelTable) bool {
		for number := range borne {
			if t.lacks(number) {
				return true
			}
		}
		return false
	}
	if last := s.current.Load(); last != nil && last.generation < k.generation && !lacks(last.labels) {
		return last.labels, nil
	}
	t := &labelTable{sets: []memoir.Labels{nil}}
	if !lacks(t) {
		return t, nil
	}
	err := c.each(ctx, "SELECT id, names FROM labels ORDER BY id", nil, func(scan func(...any) error) error {
		var id int
		var names string
		var set memoir.Labels
		if err := scan(&id, &names); err != nil {
			return err
		}
		var err error
		if id < len(t.sets) || id > mostLabels {
			err = errors.New("its number is wrong")
		} else if borne[uint32(id)] {
			err = json.Unmarshal([]byte(names), &set)
		}
		if err != nil {
			return fmt.Errorf("%w: row %d of the labels is not what was written", memoir.ErrCorrupt, id)
		}
		t.sets = append(append(t.sets, make([]memoir.Labels, id-len(t.sets))...), set)
		return nil
	})
	for number := range borne {
		if err == nil && t.lacks(number) {
			err = fmt.Errorf("%w: chunks name row %d of the labels, which does not exist", memoir.ErrCorrupt, number)
		}
	}
	return t, err
}

// putLabels finds the numbers of the labels that chunks bear.
func putLabels(ctx context.Context, c *conn, list []incoming) error {
	numbers := map[string]int64{}
	for i := range list {
		d := &list[i]
		d.labels = make([]int64, len(d.Chunks))
		for j := range d.Chunks {
			labels := d.Chunks[j].Labels
			if len(labels) == 0 {
				continue
			}
			names := jsonArray(labels)
			if numbers[names] == 0 {
				id, err := putLabel(ctx, c, names)
				if err != nil {
					return err
				}
				numbers[names] = id
			}
			d.labels[j] = numbers[names]
		}
	}
	return nil
}

func putLabel(ctx context.Context, c *conn, names string) (id int64, err error) {
	if err := c.run(ctx, "INSERT INTO labels (names) VALUES (?) ON CONFLICT (names) DO NOTHING", names); err != nil {
		return 0, err
	}
	err = c.one(ctx, "SELECT id FROM labels WHERE names = ?", []any{names}, &id)
	return id, err
}

// spareLabels is how many rows of the labels that no chunk bears are left where they are.
const spareLabels = 1024

// settleLabels removes the rows of the labels that no chunk bears any more, when they are
// many.
func (s *Store) settleLabels(ctx context.Context) error {
	var spare []int64
	look := func(c *conn) (err error) {
		spare, err = s.unborne(ctx, c)
		return err
	}
	if err := s.read(ctx, "look at the labels", look); err != nil || len(spare) == 0 {
		return err
	}
	return s.write(ctx, "remove labels", func(c *conn) error {
		if err := look(c); err != nil {
			return err
		}
		for _, id := range spare {
			if err := c.run(ctx, "DELETE FROM labels WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// unborne returns the rows that settleLabels removes. The last one stays, so that SQLite
// gives its number to no other labels: a number means the same for as long as there is
// the index.
func (s *Store) unborne(ctx context.Context, c *conn) (spare []int64, err error) {
	rows := 0
	if err := c.one(ctx, "SELECT count(*) FROM labels", nil, &rows); err != nil || rows <= spareLabels {
		return nil, err
	}
	k, err := s.contents(ctx, c)
	if err != nil {
		return nil, err
	}
	borne := map[int64]bool{}
	for i := range k.bodies {
		borne[int64(k.bodies[i].labels)] = true
	}
	if rows-len(borne) <= spareLabels {
		return nil, nil
	}
	err = c.each(ctx, "SELECT id FROM labels WHERE id < (SELECT max(id) FROM labels)", nil, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if !borne[id] {
			spare = append(spare, id)
		}
		return err
	})
	return spare, err
}

// bearers returns the chunks that bear each of some labels.
func (k *contents) bearers(labels []memoir.Label) chunkSet {
	bear := make([]bool, len(k.labels.sets))
	for i, set := range k.labels.sets {
		bear[i] = !slices.ContainsFunc(labels, func(l memoir.Label) bool { return !set.Has(l) })
	}
	in := k.none()
	if !slices.Contains(bear, true) {
		return in
	}
	for n := range k.bodies {
		if bear[k.bodies[n].labels] {
			in.add(n)
		}
	}
	return in
}

// Labels implements [memoir.View].
func (v *view) Labels(ctx context.Context) (map[memoir.Label]memoir.LabelCount, error) {
	k, err := v.contents(ctx)
	if err != nil {
		return nil, err
	}
	k.counting.Do(func() { k.counted = k.countLabels() })
	return k.counted, nil
}

func (k *contents) countLabels() map[memoir.Label]memoir.LabelCount {
	chunks := make([]int, len(k.labels.sets)) // by number
	seen := make([]int, len(k.labels.sets))   // by number: 1 + the last document that has it
	last := map[memoir.Label]int{}            // the same of a label
	counts := map[memoir.Label]memoir.LabelCount{}
	for i := range k.files {
		f := &k.files[i]
		for n := f.first; n < f.first+f.chunks; n++ {
			number := k.bodies[n].labels
			chunks[number]++
			if seen[number] == i+1 {
				continue
			}
			seen[number] = i + 1
			for _, l := range k.labels.sets[number] {
				if last[l] != i+1 {
					last[l] = i + 1
					c := counts[l]
					c.Documents++
					counts[l] = c
				}
			}
		}
	}
	for number, n := range chunks {
		if n == 0 {
			continue
		}
		for _, l := range k.labels.sets[number] {
			c := counts[l]
			c.Chunks += n
			counts[l] = c
		}
	}
	return counts
}
