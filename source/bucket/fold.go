package bucket

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// folding reports whether the file system of a folder takes names that differ only in
// case for one, as those of Windows and macOS do.
func folding(dir string) bool {
	one, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	other, err := os.Lstat(filepath.Join(filepath.Dir(dir), strings.ToUpper(filepath.Base(dir))))
	return err == nil && os.SameFile(one, other)
}

// fold returns what is the same for names that such a file system takes for one.
func fold(name string) string { return norm.NFC.String(strings.ToLower(name)) }

// parts yields the folders that a name is in, the outermost first, and the name.
func parts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, r := range name {
			if r == '/' && !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}

// apart takes out of some objects those whose file would be that of another one, and
// returns them with the reason. The first of them by name stays.
func apart(listed map[string]objects.Object) (skipped []memoir.ScanEntry) {
	spelled := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if same := other(spelled, name); same != "" {
			skipped = append(skipped, entry(listed[name], "on this machine it is the same file as "+same))
			delete(listed, name)
			continue
		}
		for part := range parts(name) {
			spelled[fold(part)] = part
		}
	}
	return skipped
}

// other returns what a name, or a folder that it is in, is the same as; "" when nothing.
func other(spelled map[string]string, name string) string {
	for part := range parts(name) {
		if was, ok := spelled[fold(part)]; ok && was != part {
			return was
		}
	}
	return ""
}

// collides refuses a name whose file would be that of another object.
func (c *Copy) collides(name string) error {
	if !c.folds {
		return nil
	}
	spelled := map[string]string{}
	for known := range c.record.Objects {
		for part := range parts(known) {
			spelled[fold(part)] = part
		}
	}
	if same := other(spelled, name); same != "" {
		return memoir.WithHint(sentinel.As(fmt.Errorf("%s would be the same file as %s on this machine", name, same), memoir.ErrConflict), "use "+same+", or another name")
	}
	return nil
}
