package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
)

// Siblings finds vectors in the other indexes of a state folder, so that a text
// that stands in two workspaces is embedded only once. It opens files for a
// moment, for reading only. A file that is damaged, locked, behind a link, or
// made by another program or another version of memoir gives nothing. It is
// safe for concurrent use.
type Siblings struct {
	pattern, self string

	mu     sync.Mutex // guards the fields below, and keeps two calls from opening the same files
	listed time.Time
	files  []*sibling
}

var _ memoir.VectorSource = (*Siblings)(nil)

// sibling is one of the other indexes.
type sibling struct {
	path   string
	misses int // calls in a row that found nothing in it
}

const (
	// relist is how long the list of siblings is used.
	relist = time.Minute
	// maxMisses is how many calls may find nothing in a file before it is
	// ignored until the next list. Workspaces share many texts, or none.
	maxMisses = 4
)

// NewSiblings returns the indexes that match a pattern of [filepath.Glob],
// except the one at the path self. It opens nothing yet.
func NewSiblings(pattern, self string) *Siblings { return &Siblings{pattern: pattern, self: self} }

// Vectors implements [memoir.VectorSource].
func (s *Siblings) Vectors(ctx context.Context, space memoir.Space, hashes []memoir.Hash) map[memoir.Hash][]float32 {
	found := map[memoir.Hash][]float32{}
	if space == (memoir.Space{}) {
		return found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list()
	for _, file := range s.files {
		if len(found) == len(hashes) || ctx.Err() != nil {
			break
		}
		if file.misses == maxMisses {
			continue
		}
		var missing []string
		for _, h := range hashes {
			if found[h] == nil {
				missing = append(missing, string(h))
			}
		}
		before := len(found)
		if err := file.read(ctx, space, missing, found); err != nil {
			file.misses = maxMisses // a file that cannot be read now is not tried again and again
		} else if len(found) == before {
			file.misses++
		} else {
			file.misses = 0
		}
	}
	return found
}

// list looks for indexes, once in a while.
func (s *Siblings) list() {
	if time.Since(s.listed) < relist {
		return
	}
	s.listed, s.files = time.Now(), nil
	self, _ := os.Stat(s.self)
	paths, _ := filepath.Glob(s.pattern) // Glob fails only for a malformed pattern
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || path == s.self || os.SameFile(info, self) || regular.Folder(filepath.Dir(path)) != nil {
			continue
		}
		if st, err := inspect(path); err == nil && st == ours {
			s.files = append(s.files, &sibling{path: path})
		}
	}
}

// read adds the vectors that the file has for the hashes.
func (f *sibling) read(ctx context.Context, space memoir.Space, hashes []string, found map[memoir.Hash][]float32) error {
	p, err := newPool(f.path, borrowing, 1)
	if err != nil {
		return err
	}
	defer p.close() // of a file that was only read
	return p.do(ctx, beginRead, func(c *conn) error {
		var schema int
		if err := c.one(ctx, "PRAGMA user_version", nil, &schema); err != nil || schema != version {
			return err
		}
		return c.each(ctx, `SELECT j.value, v.vector FROM spaces s CROSS JOIN json_each(?) j CROSS JOIN texts t ON t.hash = unhex(j.value)
			CROSS JOIN vectors v ON v.space = s.id AND v.text = t.id
			WHERE s.key = ? AND length(v.vector) = 4 * ?`,
			[]any{jsonArray(hashes), space.Key(), space.Dimensions}, func(scan func(...any) error) error {
				var hash memoir.Hash
				var blob sql.RawBytes
				if err := scan(&hash, &blob); err != nil {
					return err
				}
				found[hash] = decode(nil, blob)
				return nil
			})
	})
}
