package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
)

// openCodeFile matches the file of a session from before OpenCode had a
// database: session/PROJECT/SESSION.json below its storage. Messages and their
// parts are in files of their own, message/SESSION/*.json and
// part/MESSAGE/*.json.
var openCodeFile = lazyregexp.New(`^session/[^/]+/ses_[^/]+\.json$`)

func isOpenCode(file string) bool { return openCodeFile().MatchString(file) }

// entersOpenCode keeps scans out of the folders of messages and parts, which
// are as many as the messages.
func entersOpenCode(folder string) bool {
	return folder == "storage/session" || strings.HasPrefix(folder, "storage/session/")
}

// maxFiles bounds the files of one session.
const maxFiles = 100_000

// newOpenCode returns the reader of a session's own file, which is a single
// JSON value.
func newOpenCode() parser { return openCodeSession{&openCode{}} }

type openCodeSession struct{ *openCode }

// record reads the session's file if it is on one line.
func (c openCodeSession) record(_ int, data []byte) {
	if !c.whole(data) {
		c.info.unknown("not a session")
	}
}

func (c openCodeSession) whole(data []byte) bool {
	var info struct {
		Parent    string          `json:"parentID"`
		Directory string          `json:"directory"`
		Version   json.RawMessage `json:"version"`
		Revert    struct {
			Message string `json:"messageID"`
		} `json:"revert"`
		Time struct {
			Created json.RawMessage `json:"created"`
		} `json:"time"`
	}
	if json.Unmarshal(data, &info) != nil {
		return false
	}
	c.revert, c.info.version = info.Revert.Message, versionOf(info.Version)
	c.info.folder, c.info.started, c.info.left = info.Directory, at(info.Time.Created), info.Parent != ""
	return true
}

// besideOpenCode reads the messages of a session. Each is a line. It leaves out
// and counts what is not an ordinary file in an ordinary folder.
func (s *Source) besideOpenCode(ctx context.Context, file string, p parser) error {
	c, ok := p.(openCodeSession)
	session := strings.TrimSuffix(path.Base(file), ".json")
	if !ok || c.info.left || !isSession(session) {
		return nil
	}
	root, err := os.OpenRoot(s.opts.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f := &files{ctx: ctx, root: root, head: &c.info, left: s.opts.MaxBytes}
	type message struct {
		id, created string
		data        []byte
	}
	var all []message
	err = f.each("storage/message/"+session, func(name string, data []byte) {
		var m openCodeMessage
		_ = json.Unmarshal(data, &m) // invalid messages are counted below
		all = append(all, message{name, string(m.Time.Created), data})
	})
	if err != nil {
		return err
	}
	order.Stable(all, func(a, b message) int { // times are milliseconds of equal length
		return cmp.Or(cmp.Compare(len(a.created), len(b.created)), cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	for i, m := range all {
		role := c.message(i+1, m.id, m.data)
		if isSession(m.id) {
			err = f.each("storage/part/"+m.id, func(_ string, data []byte) { c.part(role, data) })
		}
		if c.end(role); err != nil {
			return err
		}
	}
	return nil
}

// files reads small files, up to a number of files and of bytes.
type files struct {
	ctx   context.Context
	root  *os.Root
	head  *head
	left  int64 // bytes
	count int
}

// each calls do for the JSON files of a folder, in order, with their names
// without .json. A folder that is missing has none.
func (f *files) each(folder string, do func(name string, data []byte)) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if err := straight(f.root, folder+"/x"); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		f.head.unknown("not an ordinary folder")
		return nil
	}
	dir, err := f.root.OpenFile(filepath.FromSlash(folder), os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !isSession(name) {
			continue
		}
		if f.count++; f.count > maxFiles {
			return errTooLarge
		}
		if !e.Type().IsRegular() {
			f.head.unknown("not an ordinary file")
			continue
		}
		data, err := f.read(folder + "/" + e.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // it vanished
		case errors.Is(err, errTooLarge):
			return err
		case err != nil:
			f.head.unknown("not readable")
			continue
		}
		do(name, data)
	}
	return nil
}

// read reads a file; nil when it is too long for a record.
func (f *files) read(file string) ([]byte, error) {
	local := filepath.FromSlash(file)
	before, err := f.root.Lstat(local)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errNotPlain("not an ordinary file")
	}
	in, err := f.root.OpenFile(local, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close() // of a file that was only read
	if after, err := in.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, errNotPlain("it is being replaced")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxLine+1))
	if err != nil {
		return nil, err
	}
	if f.left -= int64(len(data)); f.left < 0 {
		return nil, errTooLarge
	}
	if len(data) > maxLine {
		return nil, nil
	}
	return data, nil
}
