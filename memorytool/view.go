package memorytool

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// maxLines is how many lines a file may have to be viewed.
const maxLines = 999_999

func (t *Tool) view(asked string, lines []whole) (text string, err error) {
	at, err := locate(asked)
	if err != nil {
		return "", err
	}
	err = t.folder.View(func(files fs.FS) error {
		info, err := fs.Stat(files, at)
		switch {
		case err != nil && dangling(files, at), err == nil && !info.IsDir() && !info.Mode().IsRegular():
			return failf("Unsupported file type for %s", asked)
		case err != nil:
			return failf("The path %s does not exist. Please provide a valid path.", asked)
		case info.IsDir():
			text = viewFolder(files, at, asked, info.Size())
			return nil
		}
		content, err := fs.ReadFile(files, at)
		if err != nil {
			return failf("The file %s no longer exists (may have been deleted or renamed concurrently).", asked)
		}
		text, err = viewFile(asked, strings.ToValidUTF8(string(content), "\uFFFD"), lines)
		return err
	})
	return text, explain(asked, err)
}

// dangling reports whether a path is a link to something that does not exist.
func dangling(files fs.FS, at string) bool {
	info, err := fs.Lstat(files, at)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// viewFolder lists a folder two levels deep.
func viewFolder(files fs.FS, at, asked string, size int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n%s\t%s", asked, formatSize(size), asked)
	var list func(at, shown string, depth int)
	list = func(at, shown string, depth int) {
		entries, err := fs.ReadDir(files, at)
		if err != nil {
			return // it was removed meanwhile
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int {
			return slices.Compare(utf16.Encode([]rune(a.Name())), utf16.Encode([]rune(b.Name())))
		})
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasPrefix(name, ".") || name == "node_modules" {
				continue
			}
			info, err := fs.Stat(files, path.Join(at, name))
			switch {
			case err != nil: // a link to something that does not exist
			case info.IsDir():
				fmt.Fprintf(&b, "\n%s\t%s/%s/", formatSize(info.Size()), shown, name)
				if depth < 2 {
					list(path.Join(at, name), shown+"/"+name, depth+1)
				}
			case info.Mode().IsRegular():
				fmt.Fprintf(&b, "\n%s\t%s/%s", formatSize(info.Size()), shown, name)
			}
		}
	}
	list(at, asked, 1)
	return b.String()
}

// viewFile numbers the lines of a file. If lines is given, it takes those from lines[0]
// to lines[1]. lines[1] may be -1 for the last line. A lower number -n leaves out the
// last n lines.
func viewFile(asked, content string, lines []whole) (string, error) {
	all := strings.Split(content, "\n")
	if len(all) > maxLines {
		return "", failf("File %s has too many lines (%d). Maximum is 999,999 lines.", asked, len(all))
	}
	first, last := 0, len(all)
	if lines != nil {
		first = int(max(1, lines[0])) - 1
		if last = int(lines[1]); last == -1 {
			last = len(all)
		}
		if last < 0 {
			last = max(0, len(all)+last)
		}
		last = min(last, len(all))
		first = min(first, last)
	}
	return fmt.Sprintf("Here's the content of %s with line numbers:\n%s", asked, numbered(all[first:last], first+1)), nil
}

// numbered writes lines, each with its number before it.
func numbered(lines []string, from int) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d\t%s", from+i, line)
	}
	return b.String()
}

// formatSize writes a size in the form of the reference.
func formatSize(bytes int64) string {
	if bytes <= 0 {
		return "0B"
	}
	units := []string{"B", "K", "M", "G"}
	i := min(int(math.Floor(math.Log(float64(bytes))/math.Log(1024))), len(units)-1)
	size := float64(bytes) / math.Pow(1024, float64(i))
	if size != math.Trunc(size) {
		// Round halves up, where Go would round them to even.
		size = math.Floor(size*10+.5) / 10
		return strconv.FormatFloat(size, 'f', 1, 64) + units[i]
	}
	return strconv.FormatFloat(size, 'f', 0, 64) + units[i]
}
