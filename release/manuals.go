package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"

	"github.com/memoir-ai/memoir/internal/cli"
)

func (r *release) man() string         { return filepath.Join(r.tmp, "man") }
func (r *release) completions() string { return filepath.Join(r.tmp, "completions") }

// manuals writes a manual page for each command, and a completion script for
// each shell that memoir supports.
func (r *release) manuals() error {
	for _, dir := range []string{r.man(), r.completions()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	command := cli.Command()
	command.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &r.time, Source: "memoir " + r.version, Manual: "memoir"}
	if err := doc.GenManTree(command, header, r.man()); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		"memoir.bash": func(w io.Writer) error { return command.GenBashCompletionV2(w, true) },
		"_memoir":     command.GenZshCompletion,
		"memoir.fish": func(w io.Writer) error { return command.GenFishCompletion(w, true) },
		"memoir.ps1":  command.GenPowerShellCompletionWithDesc,
	} {
		if err := writeFile(filepath.Join(r.completions(), name), write); err != nil {
			return err
		}
	}
	return nil
}

// zipped returns a file compressed with gzip. Manual pages are installed in
// that form.
func zipped(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
