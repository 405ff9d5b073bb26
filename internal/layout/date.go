package layout

import (
	"path"
	"strings"
	"time"
)

// Date returns the day that the last part of a slash-separated path names,
// at midnight UTC, and whether there is one. These names have a day, with any
// ending and below any folder:
//
//	2026-03-02.md  2026-03-02-slug.md  2026-03-02-1430.md  2026-03-02 talk.md
//	2026_03_02.md  2026/03/02.md       2026/03/02-slug.md
//
// A date that the calendar does not have, or before 1900, is none.
func Date(p string) (time.Time, bool) {
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if day, rest, ok := leading(name); ok && ends(rest) {
		return valid(day)
	}
	// Year and month as folders: the name starts with the two digits of the day.
	month := path.Dir(p)
	year := path.Dir(month)
	if len(name) < 2 || !ends(name[2:]) || len(path.Base(month)) != 2 || len(path.Base(year)) != 4 {
		return time.Time{}, false
	}
	return valid(path.Base(year) + "-" + path.Base(month) + "-" + name[:2])
}

// IsLog reports whether a path names a day and nothing besides, as the log of that day does:
// 2026-03-02.md, 2026/03/02.md. A note whose name says more is about that.
func IsLog(p string) bool {
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if _, ok := Date(p); !ok {
		return false
	}
	_, rest, ok := leading(name)
	return ok && rest == "" || len(name) == len("02")
}

// leading cuts a date of the form 2026-03-02 or 2026_03_02 from the start of a
// name and returns it with hyphens.
func leading(name string) (day, rest string, ok bool) {
	const width = len(time.DateOnly)
	if len(name) < width || name[4] != name[7] || name[4] != '-' && name[4] != '_' {
		return "", "", false
	}
	return name[:4] + "-" + name[5:7] + "-" + name[8:width], name[width:], true
}

// ends reports whether what follows a date may follow one: 2026-03-021 is none.
func ends(rest string) bool {
	return rest == "" || rest[0] < '0' || rest[0] > '9'
}

func valid(day string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil || t.Year() < 1900 {
		return time.Time{}, false
	}
	return t, true
}
