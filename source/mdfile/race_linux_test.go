package mdfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// What is a note, an ignore file or a folder at one moment and a pipe or a link
// at the next is never waited for, and nothing outside is read.
func TestReplacedMeanwhile(t *testing.T) {
	for _, place := range []string{"a.md", "deep/.gitignore", "deep"} {
		for _, kind := range []string{"pipe", "link"} {
			t.Run(kind+" for "+place, func(t *testing.T) {
				t.Parallel()
				replaced(t, place, kind)
			})
		}
	}
}

func replaced(t *testing.T, place, kind string) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"notes/a.md": "own", "notes/deep/.gitignore": "*.txt", "notes/deep/b.md": "own", "outside/b.md": "outside"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o700), os.WriteFile(at(name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	make := func() error { return unix.Mkfifo(at("other"), 0o600) }
	if kind == "link" {
		target := at("outside/b.md")
		if place == "deep" {
			target = at("outside")
		}
		make = func() error { return os.Symlink(target, at("other")) }
	}
	source, err := mdfile.Open(at("notes"), mdfile.Options{})
	if err := errors.Join(err, make()); err != nil {
		t.Fatal(err)
	}
	stop, stopped := stopper(t, func() error {
		return unix.Renameat2(unix.AT_FDCWD, at("other"), unix.AT_FDCWD, at("notes/"+place), unix.RENAME_EXCHANGE)
	})
	read := beside(func() string {
		for range 600 {
			for range source.Scan(t.Context()) {
			}
			for _, id := range []memoir.DocID{"a.md", "deep/b.md"} {
				if doc, err := source.Read(t.Context(), id); err == nil && strings.Contains(doc.Text, "outside") {
					return string(id) + " was read from outside"
				}
			}
		}
		return ""
	})
	select {
	case problem := <-read:
		if problem != "" {
			t.Error(problem)
		}
	case <-time.After(time.Minute):
		t.Error("reading waits for a pipe")
	}
	close(stop)
	<-stopped
}

// beside runs f beside the test and returns where its result comes.
func beside[T any](f func() T) <-chan T {
	result := make(chan T, 1)
	go func() { result <- f() }()
	return result
}

// stopper runs f again and again until stop is closed.
func stopper(t *testing.T, f func() error) (stop chan struct{}, stopped <-chan bool) {
	stop = make(chan struct{})
	return stop, beside(func() bool {
		for {
			select {
			case <-stop:
				return true
			default:
			}
			if err := f(); err != nil {
				t.Error(err)
				return false
			}
		}
	})
}
