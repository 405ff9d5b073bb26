package session

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Bounds of what a database may cost, beside those of transcripts.
const (
	maxName = 200                    // bytes of the name of a session
	patient = 500 * time.Millisecond // wait for a database that is written
)

// A schema is a database of SQLite in which an agent keeps many sessions. Each is a
// document, of as many lines as it has records.
//
// The file is read while its agent writes it: each look is one transaction of a
// connection that can only read, and nothing is held between two of them.
type schema struct {
	// file is its path below the folder of the database. A * stands for one of the
	// agent's parts, which then stands before the session in ids.
	file string
	// tables are those that are read, each with the columns that it must have.
	tables map[string][]string
	// list selects name, size, time of the last change in milliseconds since 1970, and
	// key of the sessions whose names lie between its two parameters. Every search runs
	// it: the size is what is cheap to learn and grows with a session.
	list string
	// left reports whether the key is of a session that no person talks in; nil: none is.
	left func(key string) bool
	// read reads the records of a session that are younger than a time in
	// milliseconds since 1970. Lines are counted from the first that it reads.
	read func(l *look, session string, since int64) (talk, error)
}

// A look is one transaction that reads a database.
type look struct {
	ctx      context.Context
	conn     *sql.Conn
	bytes    int64     // that were read
	most     int64     // that may be
	modified time.Time // when the file was written last
}

var errStranger = errors.New("not a database of that agent")

// look runs do within one look at a database. The file is never reached through a
// link that the agent's folder holds. What SQLite breaks off at, as it does at a
// database that somebody made for it, is never opened by this source again.
func (s *Source) look(ctx context.Context, file string, do func(*look) error) (err error) {
	if _, broke := s.broke.Load(file); broke {
		return fmt.Errorf("%w: SQLite breaks off in it", errStranger)
	}
	before, modified, err := s.plain(file)
	if err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the agent may cut a file that SQLite maps
	defer func() {
		if r := recover(); r != nil {
			s.broke.Store(file, true) // its connection cannot be closed: nobody knows what it holds
			err = fmt.Errorf("%w: SQLite breaks off in it: %v", errStranger, r)
		}
	}()
	db, err := sql.Open("sqlite", dsn(filepath.Join(s.opts.DatabaseDir, filepath.FromSlash(file))))
	if err != nil {
		return err
	}
	err = transaction(ctx, db, func(conn *sql.Conn) error {
		l := &look{ctx: ctx, conn: conn, most: s.opts.MaxBytes, modified: modified}
		if err := l.check(s.place.schema.tables); err != nil {
			return err
		}
		if after, _, err := s.plain(file); err != nil || !os.SameFile(before, after) {
			return errReplaced
		}
		return do(l)
	})
	return errors.Join(err, db.Close())
}

var errReplaced = errors.New("it is being replaced")

// plain looks at a file and at each folder above it, which are no links, and at what
// SQLite keeps beside it. It returns when any of them was written last.
func (s *Source) plain(file string) (fs.FileInfo, time.Time, error) {
	root, err := os.OpenRoot(s.opts.DatabaseDir)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer root.Close()
	if err := straight(root, file); err != nil {
		return nil, time.Time{}, err
	}
	info, err := root.Lstat(filepath.FromSlash(file))
	if err != nil {
		return nil, time.Time{}, err
	}
	modified := info.ModTime()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		beside, err := root.Lstat(filepath.FromSlash(file + suffix))
		switch {
		case errors.Is(err, fs.ErrNotExist) && suffix != "":
		case err != nil:
			return nil, time.Time{}, err
		case !beside.Mode().IsRegular():
			return nil, time.Time{}, errNotPlain(path.Base(file) + suffix + " is not an ordinary file; links are not followed")
		case suffix == "-wal" && beside.ModTime().After(modified):
			modified = beside.ModTime()
		}
	}
	return info, modified, nil
}

// dsn names a file to SQLite: it may read it and nothing else, and trusts nothing
// that its schema asks for.
func dsn(file string) string {
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") {
		file = "/" + file
	}
	q := url.Values{"mode": {"ro"}, "_defensive": {"1"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", patient.Milliseconds()), "query_only(1)", "trusted_schema(0)", "cell_size_check(1)", "temp_store(memory)", "cache_size(-4096)", "mmap_size(0)",
	}}
	return "file://" + (&url.URL{Path: file}).EscapedPath() + "?" + q.Encode()
}

// transaction runs do on a connection that sees the database as it is when do begins.
func transaction(ctx context.Context, db *sql.DB, do func(*sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	// What a row has beyond it is left out by those who ask for it.
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxLine+1<<20); err != nil {
		return errors.Join(err, conn.Close())
	}
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return errors.Join(err, conn.Close())
	}
	err = do(conn)
	_, end := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, end, conn.Close())
}

// check reports whether the tables are there with their columns: ordinary ones, for
// a view or a virtual table may run what its maker wants.
func (l *look) check(tables map[string][]string) error {
	for table, columns := range tables {
		var kind, text string
		err := l.conn.QueryRowContext(l.ctx, "SELECT type, sql FROM sqlite_schema WHERE name = ?", table).Scan(&kind, &text)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: it has no table %s", errStranger, table)
		}
		if err != nil {
			return err
		}
		if kind != "table" || !strings.HasPrefix(strings.ToUpper(text), "CREATE TABLE") {
			return fmt.Errorf("%w: %s is no ordinary table", errStranger, table)
		}
		there := map[string]bool{}
		err = l.each("SELECT name FROM pragma_table_info(?)", []any{table}, func(scan func(...any) error) error {
			var name string
			if err := scan(&name); err != nil {
				return err
			}
			there[name] = true
			return nil
		})
		if err != nil {
			return err
		}
		for _, column := range columns {
			if !there[column] {
				return fmt.Errorf("%w: its table %s has no column %s", errStranger, table, column)
			}
		}
	}
	return nil
}

// each hands over the rows of a query.
func (l *look) each(query string, args []any, do func(scan func(...any) error) error) error {
	rows, err := l.conn.QueryContext(l.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() // Err tells what Close would
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// count adds to what was read. Beyond the bound it is [errTooLarge].
func (l *look) count(n int) error {
	if l.bytes += int64(n); l.bytes > l.most {
		return errTooLarge
	}
	return nil
}

// sessions hands over the sessions of a database that people talk in: one, or all when
// no name is given. Of those whose names cannot stand in an id it returns how many there are.
func (l *look) sessions(c *schema, name string, do func(name string, size int64, changed time.Time)) (odd int, err error) {
	args := []any{name, name}
	if name == "" {
		args[1] = []byte{} // a blob, which comes after every text
	}
	err = l.each(c.list, args, func(scan func(...any) error) error {
		var name, key sql.NullString
		var size, changed sql.NullInt64
		if err := scan(&name, &size, &changed, &key); err != nil {
			return err
		}
		switch {
		case !isSession(name.String):
			odd++
		case c.left == nil || !c.left(key.String):
			do(name.String, max(0, size.Int64), l.time(changed.Int64))
		}
		return nil
	})
	return odd, err
}

// time reads a time in milliseconds since 1970. One that the file cannot know is 1970.
func (l *look) time(ms int64) time.Time {
	t := time.UnixMilli(min(max(ms, 0), math.MaxInt32*1000)).UTC()
	if t.After(l.modified.Add(24 * time.Hour)) {
		return time.UnixMilli(0).UTC()
	}
	return t
}

// isSession reports whether a name of a session can stand in an id.
func isSession(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && norm.NFC.IsNormalString(name) && name == strings.TrimSpace(name) &&
		!strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, unicode.IsControl) && strings.Trim(name, ".") != ""
}

// refused makes what a caller is told of an error: a reason, and whether it may be
// gone in a moment.
func refused(file string, err error) (reason string, temporary bool) {
	plain := errNotPlain("")
	switch {
	case errors.As(err, &plain):
		return plain.Error(), false
	case errors.Is(err, errStranger):
		return path.Base(file) + ": " + err.Error(), false
	case errors.Is(err, errReplaced):
		return path.Base(file) + ": " + err.Error(), true
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY:
			return path.Base(file) + ": its agent is writing it", true
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_FORMAT:
			return path.Base(file) + ": not a database that can be read: " + e.Error(), false
		}
	}
	return path.Base(file) + " cannot be read: " + syserr.Reason(err).Error(), true
}

// databases returns the database, or one for each part of the agent, by their paths
// below its folder. That it cannot be listed is said by who looks for its files.
func (s *Source) databases() (files []string) {
	if s.place.schema == nil {
		return nil
	}
	base, below, parts := strings.Cut(s.place.schema.file, "/*")
	if !parts {
		return []string{base}
	}
	root, err := os.OpenRoot(s.opts.DatabaseDir)
	if err != nil {
		return nil
	}
	defer root.Close()
	// Only those that are folders by themselves: a link is another name of one, or leads away.
	entries, _ := fs.ReadDir(root.FS(), base)
	for _, e := range entries {
		if e.IsDir() && (s.opts.Part == "" || e.Name() == s.opts.Part) && isSession(e.Name()) {
			files = append(files, base+"/"+e.Name()+below)
		}
	}
	return files
}

// prefix returns how the ids of the sessions in a database begin.
func (s *Source) prefix(file string) string {
	base, below, parts := strings.Cut(s.place.schema.file, "*")
	if !parts {
		return Prefix(s.opts.Agent)
	}
	return Prefix(s.opts.Agent) + strings.TrimSuffix(strings.TrimPrefix(file, base), below) + "/"
}

// row returns the database of a document, by its path below the folder of the agent,
// and its session; false when the document is none of a database.
func (s *Source) row(id memoir.DocID) (file, name string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), Prefix(s.opts.Agent))
	if !ok || s.place.schema == nil {
		return "", "", false
	}
	file = s.place.schema.file
	if strings.Contains(file, "*") {
		part, name, ok := strings.Cut(rest, "/")
		if !ok || !isSession(part) || s.opts.Part != "" && part != s.opts.Part {
			return "", "", false
		}
		file, rest = strings.Replace(file, "*", part, 1), name
	}
	return file, rest, isSession(rest)
}

// rows appends the sessions of the databases.
func (s *Source) rows(ctx context.Context, found []memoir.ScanEntry) ([]memoir.ScanEntry, error) {
	for _, file := range s.databases() {
		prefix, odd := s.prefix(file), 0
		from := len(found)
		err := s.look(ctx, file, func(l *look) (err error) {
			odd, err = l.sessions(s.place.schema, "", func(name string, size int64, changed time.Time) {
				e := memoir.ScanEntry{DocumentMeta: s.rowMeta(memoir.DocID(prefix+name), size, changed)}
				found = append(found, e)
			})
			return err
		})
		whole := memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(strings.TrimSuffix(prefix, "/")), Kind: memoir.KindSession}}
		switch {
		case ctx.Err() != nil:
			return found, ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // an agent that has not kept any yet
		case err != nil:
			found = found[:from]
			whole.Skip, whole.Temporary = refused(file, err)
			found = append(found, whole)
		case odd > 0:
			whole.Skip = fmt.Sprintf("%s: %d sessions whose names are not plain text in Unicode normal form C", path.Base(file), odd)
			found = append(found, whole)
		}
	}
	return found, nil
}

func (s *Source) rowMeta(id memoir.DocID, size int64, changed time.Time) memoir.DocumentMeta {
	return memoir.DocumentMeta{ID: id, Kind: memoir.KindSession, Size: size, ModTime: changed, Stamp: version}
}

// stored reads a session of a database.
func (s *Source) stored(ctx context.Context, id memoir.DocID, file, name string) (x Session, meta memoir.DocumentMeta, err error) {
	err = s.look(ctx, file, func(l *look) error {
		_, err := l.sessions(s.place.schema, name, func(_ string, size int64, changed time.Time) { meta = s.rowMeta(id, size, changed) })
		if err != nil {
			return err
		}
		if meta.ID == "" {
			return memoir.ErrNotFound
		}
		p, err := s.place.schema.read(l, name, math.MinInt64)
		if err != nil {
			return err
		}
		x = s.told(p, cmp.Or(meta.ModTime, l.modified), l.modified)
		x.ID = name
		return nil
	})
	switch {
	case err == nil:
		x.Doc, x.Agent = id, s.opts.Agent
		return x, meta, nil
	case ctx.Err() != nil:
		return Session{}, memoir.DocumentMeta{}, ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, memoir.ErrNotFound):
		return Session{}, memoir.DocumentMeta{}, memoir.ErrNotFound
	case errors.Is(err, errTooLarge):
		return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: s.tooLarge()}
	}
	reason, temporary := refused(file, err)
	return Session{}, memoir.DocumentMeta{}, &memoir.SkipError{ID: id, Reason: reason, Temporary: temporary}
}

// grown reports whether a session of a database has as much that is younger than a
// time as makes it due.
func (s *Source) grown(ctx context.Context, file, name string, since time.Time) (due bool) {
	err := s.look(ctx, file, func(l *look) error {
		p, err := s.place.schema.read(l, name, since.UnixMilli())
		if err == nil {
			due = l.bytes >= s.opts.DeltaBytes || len(p.turns()) >= s.opts.DeltaMessages
		}
		return err
	})
	return due && err == nil || errors.Is(err, errTooLarge)
}

// content returns what stands in a row; nil for nothing, and for what is too long to be read.
func content(text sql.NullString) []byte {
	data := bytes.TrimSpace([]byte(text.String))
	if !text.Valid || len(data) == 0 {
		return nil
	}
	return data
}
