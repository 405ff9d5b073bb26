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

// Bounds of what reading a database may cost, besides the bounds of
// transcripts.
const (
	maxName = 200                    // bytes of a session's name
	patient = 500 * time.Millisecond // how long to wait for a database that is being written to
)

// A schema describes an SQLite database in which an agent keeps many sessions.
// Each session is a document with one line for each record.
//
// The file is read while the agent writes it. Each look is a single transaction
// on a read-only connection, and nothing stays open between two looks.
type schema struct {
	// file is the path of the database below its folder. A * stands for one of
	// the agent's parts, which then stands before the session in ids.
	file string
	// tables are the tables to read, each with the columns that it must have.
	tables map[string][]string
	// list selects name, size, time of the last change in milliseconds since
	// 1970, and key of the sessions whose names lie between its two parameters.
	// Every search runs it. So the size is any number that is cheap to learn and
	// grows with the session.
	list string
	// left reports whether the key belongs to a session in which no person
	// talks; nil: there are none.
	left func(key string) bool
	// read reads the records of a session that are younger than a time in
	// milliseconds since 1970. Lines are counted from the first record that it
	// reads.
	read func(l *look, session string, since int64) (talk, error)
}

// A look is one transaction that reads a database.
type look struct {
	ctx      context.Context
	conn     *sql.Conn
	bytes    int64     // read so far
	most     int64     // that may be read
	modified time.Time // when the file was last written
}

var errStranger = errors.New("not a database of that agent")

// look runs do within one look at a database. It never opens the file through a
// link in the agent's folder. If SQLite panics on a database, for example one
// made to attack it, this source never opens that database again.
func (s *Source) look(ctx context.Context, file string, do func(*look) error) (err error) {
	if _, broke := s.broke.Load(file); broke {
		return fmt.Errorf("%w: SQLite breaks off in it", errStranger)
	}
	before, modified, err := s.plain(file)
	if err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the agent may cut short a file that SQLite has mapped
	defer func() {
		if r := recover(); r != nil {
			s.broke.Store(file, true) // the connection cannot be closed, because its state is unknown
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

// plain checks that neither a file nor a folder above it is a link, and checks
// the files that SQLite keeps beside it. It returns when any of these was last
// written.
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

// dsn names a file to SQLite, so that it may only read it and trusts nothing in
// its schema.
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
	// Whoever asks for a longer value leaves it out.
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

// check reports whether the tables exist with their columns. They must be
// ordinary tables, because a view or a virtual table may run code that its
// author chose.
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

// each calls do for each row of a query.
func (l *look) each(query string, args []any, do func(scan func(...any) error) error) error {
	rows, err := l.conn.QueryContext(l.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() // Err reports what Close would
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// count adds to the bytes read. Beyond the bound it returns [errTooLarge].
func (l *look) count(n int) error {
	if l.bytes += int64(n); l.bytes > l.most {
		return errTooLarge
	}
	return nil
}

// sessions calls back for the sessions of a database in which people talk: one,
// or all when name is "". It returns how many sessions have a name that cannot
// stand in an id.
func (l *look) sessions(c *schema, name string, do func(name string, size int64, changed time.Time)) (odd int, err error) {
	args := []any{name, name}
	if name == "" {
		args[1] = []byte{} // a blob, which sorts after every text
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

// time converts milliseconds since 1970. A time later than the file itself
// becomes 1970.
func (l *look) time(ms int64) time.Time {
	t := time.UnixMilli(min(max(ms, 0), math.MaxInt32*1000)).UTC()
	if t.After(l.modified.Add(24 * time.Hour)) {
		return time.UnixMilli(0).UTC()
	}
	return t
}

// isSession reports whether a session's name can stand in an id.
func isSession(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && norm.NFC.IsNormalString(name) && name == strings.TrimSpace(name) &&
		!strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, unicode.IsControl) && strings.Trim(name, ".") != ""
}

// refused explains an error to the caller: a reason, and whether it may be gone
// in a moment.
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

// databases returns the database, or one for each part of the agent, by paths
// below its folder. If they cannot be listed, whoever looks for the files
// reports it.
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
	// Only real folders: a link is another name of a folder, or leads elsewhere.
	entries, _ := fs.ReadDir(root.FS(), base)
	for _, e := range entries {
		if e.IsDir() && (s.opts.Part == "" || e.Name() == s.opts.Part) && isSession(e.Name()) {
			files = append(files, base+"/"+e.Name()+below)
		}
	}
	return files
}

// prefix returns what the ids of the sessions in a database begin with.
func (s *Source) prefix(file string) string {
	base, below, parts := strings.Cut(s.place.schema.file, "*")
	if !parts {
		return Prefix(s.opts.Agent)
	}
	return Prefix(s.opts.Agent) + strings.TrimSuffix(strings.TrimPrefix(file, base), below) + "/"
}

// row returns the database of a document, by its path below the agent's folder,
// and its session. It returns false when the document is not from a database.
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

// grown reports whether a session of a database has enough records younger than
// a time to make it due.
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

// content returns the value of a column; nil when it is empty or too long.
func content(text sql.NullString) []byte {
	data := bytes.TrimSpace([]byte(text.String))
	if !text.Valid || len(data) == 0 {
		return nil
	}
	return data
}
