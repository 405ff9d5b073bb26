package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive: from a file, or from data.
type entry struct {
	name string // with slashes
	from string // file on this machine; empty: data
	data []byte
	mode fs.FileMode
}

func (e entry) open() (io.ReadCloser, int64, error) {
	if e.from == "" {
		return io.NopCloser(bytes.NewReader(e.data)), int64(len(e.data)), nil
	}
	f, err := os.Open(e.from)
	if err != nil {
		return nil, 0, err
	}
	stat, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, stat.Size(), nil
}

// under returns the regular files below a folder, as entries below the path to.
func under(dir, to string) ([]entry, error) {
	var entries []entry
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		entries = append(entries, entry{name: path.Join(to, filepath.ToSlash(rel)), from: file, mode: 0o644})
		return err
	})
	return entries, err
}

// sorted returns the entries ordered by name, so that the order is the same on
// every file system.
func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}

// writeTar writes a tar.gz. Its bytes depend only on the entries and the time.
func writeTar(file string, at time.Time, entries []entry) error {
	return writeFile(file, func(w io.Writer) error {
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(zipped)
		for _, e := range sorted(entries) {
			if err := copyEntry(e, func(size int64) (io.Writer, error) {
				return t, t.WriteHeader(&tar.Header{Name: e.name, Size: size, Mode: int64(e.mode), ModTime: at, Format: tar.FormatPAX})
			}); err != nil {
				return err
			}
		}
		if err := t.Close(); err != nil {
			return err
		}
		return zipped.Close()
	})
}

// writeZip does the same as writeTar for a zip.
func writeZip(file string, at time.Time, entries []entry) error {
	return writeFile(file, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range sorted(entries) {
			if err := copyEntry(e, func(int64) (io.Writer, error) {
				header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
				header.SetMode(e.mode)
				return z.CreateHeader(header)
			}); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func copyEntry(e entry, create func(size int64) (io.Writer, error)) error {
	r, size, err := e.open()
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := create(size)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// writeFile makes a new file and its folder.
func writeFile(file string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writeData makes a new file of data.
func writeData(file string, data []byte) error {
	return writeFile(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// archives writes the archives that people unpack by hand: a program with what
// belongs to it.
func (r *release) archives() error {
	for _, t := range r.targets {
		for _, name := range []string{"memoir", "memoir-nomodel"} {
			extension, write := ".tar.gz", writeTar
			if t.os == "windows" {
				extension, write = ".zip", writeZip
			}
			file := r.file(name, t, extension)
			entries, err := r.contents(t, name)
			if err != nil {
				return err
			}
			folder := archiveFolder(file)
			for i := range entries {
				entries[i].name = path.Join(folder, entries[i].name)
			}
			if err := write(file, r.time, entries); err != nil {
				return err
			}
		}
	}
	return nil
}

// archiveFolder returns the name of the one folder that an archive holds. It is
// that of the archive.
func archiveFolder(file string) string {
	name := filepath.Base(file)
	for _, extension := range []string{".tar.gz", ".zip"} {
		if rest, ok := strings.CutSuffix(name, extension); ok {
			return rest
		}
	}
	return name
}

// contents lists what an archive holds in its folder. The program has the same
// name with and without a model inside.
func (r *release) contents(t target, name string) ([]entry, error) {
	entries := []entry{{name: t.program("memoir"), from: r.program(t, name), mode: 0o755}}
	for _, doc := range documents {
		entries = append(entries, entry{name: doc, from: filepath.Join(r.source, doc), mode: 0o644})
	}
	for from, to := range map[string]string{
		r.man(): "man/man1", r.completions(): "completions", filepath.Join(r.source, "examples"): "examples",
	} {
		more, err := under(from, to)
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	return entries, nil
}

// documents are the files that stand beside every program.
var documents = []string{"LICENSE", "NOTICE", "README.md", "README.zh-CN.md"}
