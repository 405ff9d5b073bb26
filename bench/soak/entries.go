package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// outcome has the parts of remember's answer that are looked at.
type outcome struct {
	Outcome, Type, ID, Path string
	Replaces                *struct{ ID, Path string }
}

// newEntry makes up an entry. The oracle knows it from now on.
func (l *life) newEntry() *told {
	var mark []byte
	for n := len(l.marks); len(mark) < 4; n /= 26 {
		mark = append(mark, byte('a'+n%26))
	}
	name := markStart + string(mark)
	pick := func(words []string) string { return words[l.rng.IntN(len(words))] }
	e := &told{kind: pick(kinds), key: "key-" + name, state: unknown,
		text: fmt.Sprintf("%s %s the %s %s in %s, since %d", pick(people), pick(does), name, pick(things), pick(places), 1900+l.rng.IntN(120))}
	l.entries[name] = e
	l.marks = append(l.marks, name)
	return e
}

// acknowledge records what was answered about an entry.
func (l *life) acknowledge(e *told, got outcome) error {
	switch got.Outcome {
	case "added", "superseded", "reinforced":
	default:
		return fmt.Errorf("%q was not kept: %+v", e.text, got)
	}
	e.state, e.id = live, got.ID
	if got.Replaces == nil {
		return nil
	}
	older, err := l.bearer(got.Replaces.Path, got.Replaces.ID)
	if err != nil || older == e || !older.current() {
		return fmt.Errorf("%q took the place of %s, which is not known: %+v: %w", e.text, got.Replaces.ID, older, err)
	}
	older.id, older.state, older.by = got.Replaces.ID, replaced, e
	return nil
}

// current tells whether an entry may be current. One whose successor was taken back is.
func (e *told) current() bool {
	return e != nil && (e.state == live || e.state == unknown || e.state == replaced && (e.by == nil || e.by.state != live && e.by.state != replaced))
}

// bearer returns the entry that bears an id in a note. One that a person wrote, or whose
// answer was lost, has none before.
func (l *life) bearer(path, id string) (*told, error) {
	note, err := os.ReadFile(filepath.Join(l.notes, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(note)) {
		if !strings.Contains(line, "<!-- id: "+id+" ") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if e := l.entries[word]; e != nil {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("no entry of %s bears %s", path, id)
}

// unanswered learns from the notes of what an entry took the place, for nobody was told.
func (l *life) unanswered(e *told) error {
	lines := map[string]string{} // of the entries that have one
	err := filepath.WalkDir(l.notes, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		note, err := os.ReadFile(path)
		for line := range strings.Lines(string(note)) {
			for word := range strings.FieldsSeq(line) {
				if l.entries[word] != nil {
					lines[word] = line
				}
			}
		}
		return err
	})
	for mark, line := range lines {
		if l.entries[mark] != e {
			continue
		}
		_, rest, _ := strings.Cut(line, "<!-- id: ")
		id, _, _ := strings.Cut(rest, " ")
		for older, line := range lines {
			if id != "" && strings.Contains(line, "| by: "+id+" ") {
				l.entries[older].state, l.entries[older].by = replaced, e
			}
		}
	}
	return err
}

func (l *life) remember(ctx context.Context) error {
	_, err := l.rememberOne(ctx)
	return err
}

func (l *life) rememberOne(ctx context.Context, flags ...string) (*told, error) {
	e := l.newEntry()
	var got outcome
	if err := l.run(ctx, &got, slices.Concat([]string{"remember", "--json", "--type", e.kind, "--key", e.key}, flags, []string{e.text})...); err != nil {
		return nil, err
	}
	return e, l.acknowledge(e, got)
}

func (l *life) together(ctx context.Context) error {
	type answer struct {
		e   *told
		got outcome
		err error
	}
	answers := make(chan answer)
	for range 4 {
		e := l.newEntry()
		go func() {
			var got outcome
			err := l.run(ctx, &got, "remember", "--json", "--type", e.kind, "--key", e.key, e.text)
			answers <- answer{e, got, err}
		}()
	}
	var wrong []error
	for range 4 {
		a := <-answers
		if a.err == nil {
			a.err = l.acknowledge(a.e, a.got)
		}
		wrong = append(wrong, a.err)
	}
	return errors.Join(wrong...)
}

func (l *life) rememberKilled(ctx context.Context) error {
	e := l.newEntry()
	args := []string{"remember", "--json", "--type", e.kind, "--key", e.key, e.text}
	if _, err := l.kill(ctx, 120*time.Millisecond, args...); err != nil {
		return err
	}
	if counts, err := l.count(l.notes); err != nil || counts[l.marks[len(l.marks)-1]] > 1 {
		return fmt.Errorf("after a kill: %d times, %w", counts[l.marks[len(l.marks)-1]], err)
	}
	if l.rng.IntN(4) == 0 {
		return l.unanswered(e) // it is not asked again: the entry may stand there or not
	}
	var got outcome
	if err := l.run(ctx, &got, args...); err != nil {
		return err
	}
	return l.acknowledge(e, got)
}

// some returns an entry that is live and has an id, or nil.
func (l *life) some() *told {
	for range 50 {
		if len(l.marks) == 0 {
			break
		}
		if e := l.entries[l.marks[l.rng.IntN(len(l.marks))]]; e.state == live && e.id != "" {
			return e
		}
	}
	return nil
}

func (l *life) replace(ctx context.Context) error {
	older := l.some()
	if older == nil {
		return nil
	}
	e, err := l.rememberOne(ctx, "--replaces", older.id)
	if err != nil {
		return err
	}
	for _, x := range l.entries {
		if x.by == e {
			older.state = replaced // or what took its place in a process whose answer was lost
			return nil
		}
	}
	return fmt.Errorf("%q did not take the place of %q", e.text, older.text)
}

func (l *life) forget(ctx context.Context) error {
	e := l.some()
	if e == nil {
		return nil
	}
	if err := l.run(ctx, nil, "forget", "--json", e.id); err != nil {
		return err
	}
	e.state = gone
	return nil
}

func (l *life) undo(ctx context.Context) error {
	e, err := l.rememberOne(ctx)
	if err != nil {
		return err
	}
	if err := l.run(ctx, nil, "undo", "--json"); err != nil {
		return err
	}
	e.state = gone
	return l.check(l.notes)
}

func (l *life) undoKilled(ctx context.Context) error {
	e, err := l.rememberOne(ctx)
	if err != nil {
		return err
	}
	e.state = unknown
	if killed, err := l.kill(ctx, 80*time.Millisecond, "undo", "--json"); err != nil {
		return err
	} else if !killed {
		e.state = gone
	}
	return l.check(l.notes)
}

// byHand writes into a note of memoir's, as a person does.
func (l *life) byHand(context.Context) error {
	path := filepath.Join(l.notes, "memory", "projects.md")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	e := l.newEntry()
	_, err = fmt.Fprintf(f, "- %s\n", e.text)
	e.state, e.own = live, true
	return errors.Join(err, f.Close())
}

// staleSave saves a copy of a note from before an entry came, as an editor does
// that has had the note open.
func (l *life) staleSave(ctx context.Context) error {
	path := filepath.Join(l.notes, "memory", "learnings.md")
	before, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e := l.newEntry()
	e.kind = "learning"
	var got outcome
	if err := l.run(ctx, &got, "remember", "--json", "--type", e.kind, e.text); err != nil {
		return err
	}
	if err := l.acknowledge(e, got); err != nil {
		return err
	}
	if got.Path != "memory/learnings.md" || got.Outcome != "added" {
		return nil
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lost, err := l.command(ctx, "history", "--lost", "--json").Output()
	if err != nil {
		return err
	}
	if !strings.Contains(string(lost), e.text) {
		return fmt.Errorf("history --lost does not name %q:\n%s", e.text, lost)
	}
	return l.run(ctx, nil, "history", "--lost", "--restore", "--json", e.id)
}
