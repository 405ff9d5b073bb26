package sqlite

import (
	"net/url"
	"path/filepath"
	"strings"
)

// mode says what a connection is for.
type mode int

const (
	reading   mode = iota // beside writers
	writing               // each transaction takes the write lock at its start
	creating              // for a new file: as writing, before the file is in WAL mode
	readOnly              // the file must not be written to
	immutable             // nor may anything be written beside it
	borrowing             // for the index of another workspace: it does not wait for it
)

// dsn returns the data source name for the file at an absolute path. Pragmas
// stand in it because they belong to a connection, and a pool opens many.
func dsn(path string, m mode) string {
	patience := "busy_timeout(10000)"
	switch m {
	case borrowing:
		patience = "busy_timeout(20)"
	case writing, creating:
		patience = "busy_timeout(0)" // whileBusy waits instead, for as long as the caller allows
	}
	cache := "cache_size(-32768)"
	if m == writing {
		cache = "cache_size(-8192)" // a larger one saves no time
	}
	q := url.Values{"_pragma": {
		patience,
		"synchronous(normal)",
		"temp_store(memory)",
		cache,
	}}
	q.Set("mode", "rw")
	switch m {
	case reading:
		q.Add("_pragma", "query_only(1)")
	case writing:
		q.Add("_pragma", "journal_mode(wal)")
		q.Add("_pragma", "journal_size_limit(67108864)")
	case creating:
		// Both settings must come before the first table is made. The driver
		// sorts pragmas by their spelling, and after auto_vacuum the page size
		// cannot be changed any more. Pages of 4 KB would hold two vectors of 384
		// dimensions and leave a quarter empty.
		q.Add("_pragma", `"main".page_size(8192)`)
		// Without it the file never shrinks.
		q.Add("_pragma", "auto_vacuum(incremental)")
	case readOnly, borrowing:
		q.Set("mode", "ro")
	case immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	return fileURL(filepath.ToSlash(path)) + "?" + q.Encode()
}

// fileURL makes a URL of an absolute path with slashes, as
// https://www.sqlite.org/uri.html wants it: file:///C:/a.db for a drive,
// file:////host/share/a.db for a share.
func fileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}
