package main

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/judge/feature"
)

// measureLives prints how the built-in models do on the lives, on which no
// model was trained.
func measureLives(ctx context.Context, c config, lib *library) error {
	events, err := readShared[Event](c.shared, "life")
	if err != nil {
		return err
	}
	var texts []string
	for _, e := range events {
		texts = append(texts, e.Text)
	}
	if err := lib.read(ctx, texts); err != nil {
		return err
	}
	for _, model := range []string{judge.Model, "another"} {
		j := judge.For(model)
		gateLives(j, model, lib, events)
	}
	pairLives(judge.For(judge.Model), lib, events, c.errors)
	return lib.keep()
}

func gateLives(j *judge.Judge, model string, lib *library, events []Event) {
	var junk, found, foundJournal, good, lost, toJournal float64
	for _, e := range events {
		v := j.Gate(e.Text, judge.Origin(e.Origin), lib.readings[e.Text].Vector)
		if e.Expect == "refused" {
			junk++
			if v.Refuse {
				found++
			} else if v.Code == judge.Journal {
				foundJournal++
			}
			continue
		}
		good++
		if v.Refuse {
			lost++
		} else if v.Code == judge.Journal {
			toJournal++
		}
	}
	fmt.Printf("lives, vectors of %s: refused %s of junk (%.0f of %.0f; %.0f more to the day log); good events refused %s (%.0f of %.0f; %.0f more to the day log)\n",
		model, wilson(found, junk), found, junk, foundJournal, wilson(lost, good), lost, good, toJournal)
}

func pairLives(j *judge.Judge, lib *library, events []Event, errors bool) {
	counts := map[string]map[judge.Code]int{"same": {}, "changed": {}, "of another fact": {}}
	related, wanted := 0, 0
	current := map[string]Event{} // by life and fact
	for _, e := range events {
		key := e.Life + e.Fact
		newer := lib.judged(e.Text)
		if e.Expect == "refused" {
			continue
		}
		if old, ok := current[key]; ok && e.Fact != "" && (e.Expect == "same" || e.Expect == "changed") {
			o := j.Pair(lib.judged(old.Text), newer)
			counts[e.Expect][o.Call]++
			wanted++
			if o.Related >= judge.Near {
				related++
			}
		}
		if old, ok := lib.nearestOther(current, e); ok {
			o := j.Pair(lib.judged(old.Text), newer)
			counts["of another fact"][o.Call]++
			if errors && o.Call != judge.New {
				fmt.Printf("    %s: %+v: %q | %q\n", e.Expect, o, old.Text, e.Text)
			}
		}
		if e.Expect == "added" || e.Expect == "changed" {
			current[key] = e
		}
	}
	for _, is := range []string{"same", "changed", "of another fact"} {
		c := counts[is]
		fmt.Printf("lives, %s: called same %d, changed %d, left %d\n", is, c[judge.Same], c[judge.Changed], c[judge.New])
	}
	fmt.Printf("lives, right older entry related: %d of %d\n", related, wanted)
}

// judged returns a text as a side of a pair.
func (l *library) judged(text string) judge.Side {
	r := l.readings[text]
	side := judge.Side{Text: text, Vector: r.Vector}
	for _, t := range r.Tokens {
		side.Tokens = append(side.Tokens, feature.Token(t))
	}
	return side
}

// nearestOther returns the current entry of another fact that is nearest to an
// event of the same life.
func (l *library) nearestOther(current map[string]Event, e Event) (best Event, ok bool) {
	most := -1.0
	for _, o := range current {
		if o.Life != e.Life || o.Fact == e.Fact {
			continue
		}
		if c := dot(l.readings[o.Text].Vector, l.readings[e.Text].Vector); c > most {
			best, most, ok = o, c, true
		}
	}
	return best, ok
}
