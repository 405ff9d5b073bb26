package remember_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/internal/remember"
)

// BenchmarkRemember tells one new text to a workspace with a year of day logs and
// a thousand entries, as a new process does with what was read before in its
// files: by words with a type given, and with the model. Search is not in it.
func BenchmarkRemember(b *testing.B) {
	root, state := b.TempDir(), b.TempDir()
	if _, err := notegen.Write(root, notegen.Options{Seed: 1}); err != nil {
		b.Fatal(err)
	}
	var entries []byte
	for i := range 1000 {
		entries = fmt.Appendf(entries, "- The %d. of the suppliers is in street %d of town %d and delivers on Mondays. <!-- id: e%07d | observed: 2026-01-05 | origin: user -->\n", i, i*7, i*13, i)
	}
	for _, name := range []string{"contacts.md", "projects.md"} {
		if err := os.WriteFile(filepath.Join(root, "memory", name), entries[:len(entries)/2], 0o600); err != nil {
			b.Fatal(err)
		}
		entries = entries[len(entries)/2:]
	}
	open := func(change func(*remember.Options)) *remember.Keeper {
		notes, err := notebook.Open(root, state, notebook.Options{})
		if err != nil {
			b.Fatal(err)
		}
		opts := remember.Options{Notebook: notes, Dir: state}
		change(&opts)
		k, err := remember.Open(opts)
		if err != nil {
			b.Fatal(err)
		}
		return k
	}
	tell := func(k *remember.Keeper, n int) {
		out, err := k.Remember(context.Background(), remember.Request{Text: fmt.Sprintf("The auditor of the harbour, number %d, comes in spring.", n), Type: "decision"})
		if err != nil || out.Outcome == remember.Refused {
			b.Fatal(out, err)
		}
	}
	b.Run("words", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			tell(open(func(*remember.Options) {}), n)
		}
	})
	model := func(o *remember.Options) {
		inside(b, o)
	}
	b.Run("model", func(b *testing.B) {
		if err := open(model).Prepare(context.Background()); err != nil {
			b.Fatal(err)
		}
		for n := 0; b.Loop(); n++ {
			tell(open(model), n)
		}
	})
}

// BenchmarkAdd tells new texts to a day log and to a shelf that have some entries
// already, each to a keeper of its own, as a new process does. Search is not in it.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{10, 1000, 5000} {
		for file, typ := range map[string]string{"2026-03-02.md": "journal", "contacts.md": "contact"} {
			b.Run(fmt.Sprintf("%s/%d", typ, n), func(b *testing.B) {
				root, state := b.TempDir(), b.TempDir()
				text := []byte("# Notes\n\n")
				for i := range n {
					text = fmt.Appendf(text, "- The %d. of the suppliers is in street %d of town %d and delivers on Mondays. <!-- id: e%07d | observed: 2026-01-05 | origin: user -->\n", i, i*7, i*13, i)
				}
				if err := os.MkdirAll(filepath.Join(root, "memory"), 0o700); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, "memory", file), text, 0o600); err != nil {
					b.Fatal(err)
				}
				for at := 0; b.Loop(); at++ {
					notes, err := notebook.Open(root, state, notebook.Options{})
					if err != nil {
						b.Fatal(err)
					}
					k, err := remember.Open(remember.Options{Notebook: notes, Dir: state, Now: func() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }})
					if err != nil {
						b.Fatal(err)
					}
					out, err := k.Remember(context.Background(), remember.Request{Text: fmt.Sprintf("The auditor of the harbour, number %d, comes in spring.", at), Type: typ})
					if err != nil || out.Outcome != remember.Added {
						b.Fatal(out, err)
					}
				}
			})
		}
	}
}

// BenchmarkAmong tells new texts to a keeper that lives on, in three notes of a thousand
// entries, to which others add some before each text.
func BenchmarkAmong(b *testing.B) {
	files := []string{"2026-03-02.md", "contacts.md", "projects.md"}
	line := func(at int) string {
		return fmt.Sprintf("- The %d. of the suppliers is called Mirela and delivers tiles to the harbour,\n  her phone is 555 01%02d. <!-- id: e%07d | observed: 2026-03-02 | origin: user -->\n", at, at%90, at)
	}
	for _, others := range []int{0, 16, 64} {
		b.Run(strconv.Itoa(others), func(b *testing.B) {
			root, state := b.TempDir(), b.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "memory"), 0o700); err != nil {
				b.Fatal(err)
			}
			var open []*os.File
			at := 0
			for _, name := range files {
				f, err := os.Create(filepath.Join(root, "memory", name))
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				text := "# Notes\n\n"
				for range 1000 {
					text += line(at)
					at++
				}
				if _, err := f.WriteString(text); err != nil {
					b.Fatal(err)
				}
				open = append(open, f)
			}
			notes, err := notebook.Open(root, state, notebook.Options{})
			if err != nil {
				b.Fatal(err)
			}
			k, err := remember.Open(remember.Options{Notebook: notes, Dir: state, Now: func() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }})
			if err != nil {
				b.Fatal(err)
			}
			types := []string{"journal", "contact", "project"}
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				for i := range others {
					f := open[i%len(open)]
					if _, err := f.Seek(0, io.SeekEnd); err != nil {
						b.Fatal(err)
					}
					if _, err := f.WriteString(line(at)); err != nil {
						b.Fatal(err)
					}
					at++
				}
				b.StartTimer()
				out, err := k.Remember(context.Background(), remember.Request{Text: fmt.Sprintf("The auditor of the harbour, number %d, comes in spring.", n), Type: types[n%len(types)]})
				if err != nil || out.Outcome != remember.Added {
					b.Fatal(out, err)
				}
			}
		})
	}
}

// BenchmarkTidy looks for the first time at two notes with many entries, by words. Each
// tenth entry stands in the other note, too.
func BenchmarkTidy(b *testing.B) {
	for _, each := range []int{1000, 4000} { // in each note
		b.Run(strconv.Itoa(each), func(b *testing.B) {
			root := b.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "memory"), 0o700); err != nil {
				b.Fatal(err)
			}
			for file, name := range []string{"contacts.md", "projects.md"} {
				text := []byte("# Notes\n\n")
				for i := range each {
					n := i*2 + file
					if i%10 == 0 {
						n = i * 2
					}
					text = fmt.Appendf(text, "- The supplier of street %d in town %d delivers tiles on Mondays. <!-- id: e%d%06d -->\n", n*7, n*13, file, i)
				}
				if err := os.WriteFile(filepath.Join(root, "memory", name), text, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				state := b.TempDir()
				notes, err := notebook.Open(root, state, notebook.Options{})
				if err != nil {
					b.Fatal(err)
				}
				k, err := remember.Open(remember.Options{Notebook: notes, Dir: state})
				if err != nil {
					b.Fatal(err)
				}
				out, err := k.Tidy(context.Background(), remember.TidyOptions{})
				if err != nil || len(out.Findings) < each/10 {
					b.Fatal(len(out.Findings), err)
				}
			}
		})
	}
}
