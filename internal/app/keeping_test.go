package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// shaped returns the settings of a process for which a variable decides the model.
func shaped(model string) config.Shape {
	return config.Shape{File: "/config.toml", Digests: map[string]string{"model": model, "exclude": "same"}, Own: map[string]string{"model": "MEMOIR_MODEL"}}
}

// TestKeepingAtOnce: of many processes that begin at once, all with the settings of one keep
// the index, and no other does; when they end, the others can.
func TestKeepingAtOnce(t *testing.T) {
	index := filepath.Join(t.TempDir(), "i", "main.sqlite")
	all := make([]*keeping, 24)
	for i := range all {
		all[i] = &keeping{path: index, shape: shaped(fmt.Sprint("model ", i%3)), holds: true}
	}
	var keeps []string
	for round := range 3 {
		var wg sync.WaitGroup
		for _, k := range all {
			wg.Go(func() { _ = k.check() })
		}
		wg.Wait()
		var now []string // models of those that keep it
		for _, k := range all {
			if k.lock != nil {
				now = append(now, k.shape.Digests["model"])
			}
		}
		slices.Sort(now)
		if kinds := slices.Compact(slices.Clone(now)); len(kinds) != 1 || slices.Contains(keeps, kinds[0]) {
			t.Fatalf("round %d: kept with %q, before with %q", round, kinds, keeps)
		}
		for _, k := range all {
			if err := k.check(); (err == nil) != (k.shape.Digests["model"] == now[0]) {
				t.Errorf("round %d, %q beside %q: %v", round, k.shape.Digests["model"], now[0], err)
			}
		}
		keeps = append(keeps, now[0])
		for _, k := range all {
			k.leave()
		}
		all = slices.DeleteFunc(all, func(k *keeping) bool { return k.shape.Digests["model"] == now[0] })
	}
}

// TestKeepingLooks: a command that ends only looks. It leaves the index to those that keep
// it, and to nobody else.
func TestKeepingLooks(t *testing.T) {
	index := filepath.Join(t.TempDir(), "i", "main.sqlite")
	lives := &keeping{path: index, shape: shaped("a"), holds: true}
	same, other := &keeping{path: index, shape: shaped("a")}, &keeping{path: index, shape: shaped("b")}
	older := &keeping{path: index, shape: config.Shape{File: "/config.toml", Digests: map[string]string{"model": "a", "exclude": "another file says so"}}}
	for _, k := range []*keeping{same, other, older} {
		if err := k.check(); err != nil {
			t.Errorf("beside nobody: %v", err)
		}
	}
	if err := lives.check(); err != nil {
		t.Fatal(err)
	}
	if err := same.check(); err != nil {
		t.Errorf("the same settings: %v", err)
	}
	if err := older.check(); err != nil { // one of them notices that the file has changed
		t.Errorf("a file that has changed: %v", err)
	}
	if err := other.check(); err == nil || !strings.Contains(err.Error(), "model: MEMOIR_MODEL here, MEMOIR_MODEL there") {
		t.Errorf("other settings: %v", err)
	}
	lives.leave()
	if err := other.check(); err != nil {
		t.Errorf("beside one that has ended: %v", err)
	}
}

// TestKeepingByTurns: settings that take turns in one index are told of, when that was of late.
func TestKeepingByTurns(t *testing.T) {
	settings := &config.Loaded{Settings: config.Settings{StateDir: t.TempDir(), Workspace: t.TempDir(), Agent: "main"}}
	index := settings.IndexPath()
	for i := range 6 {
		if told := Disagreeing(settings); len(told) != max(0, min(1, i-manyTurns)) {
			t.Errorf("after %d processes: %v", i, told)
		}
		k := &keeping{path: index, shape: shaped([]string{"a", "b"}[i%2]), holds: true}
		if err := k.check(); err != nil {
			t.Fatal(err)
		}
		k.leave()
	}
	told := Disagreeing(settings)
	if len(told) != 1 || !strings.Contains(told[0].Reason, "5 times") || !strings.Contains(told[0].Reason, "MEMOIR_MODEL") {
		t.Errorf("told %v", told)
	}
	var k kept
	lock, ok, err := statedir.TryAcquire(keptLock(index))
	if err != nil || !ok || !statedir.Read(keptLock(index), &k, keptBytes) {
		t.Fatal(ok, err)
	}
	for i := range k.Turns {
		k.Turns[i].At = k.Turns[i].At.Add(-8 * 24 * time.Hour)
	}
	if err := lock.Write(k, keptBytes); err != nil {
		t.Fatal(err)
	}
	if told := Disagreeing(settings); len(told) > 0 {
		t.Errorf("a week later: %v", told)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

// TestKeepingLong: names that leave no room for the turns are told without them.
func TestKeepingLong(t *testing.T) {
	index := filepath.Join(t.TempDir(), "i", "main.sqlite")
	for i := range 2 * mostTurns {
		shape := shaped(fmt.Sprint(i))
		shape.Own["model"] = strings.Repeat("LONG_", 400)
		k := &keeping{path: index, shape: shape, holds: true}
		if err := k.check(); err != nil || k.lock == nil {
			t.Fatalf("process %d does not keep the index: %v", i, err)
		}
		other := &keeping{path: index, shape: shaped("other"), holds: true}
		if other.check() == nil {
			t.Fatalf("beside process %d another keeps the index", i)
		}
		other.leave()
		k.leave()
	}
}
