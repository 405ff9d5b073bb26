package remember

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// vectors keeps the vectors of entries, by the digests of their words, so that
// a new text need not be compared with all of them by the model. The file holds
// records of one size: 16 bytes of digest, a scale, and a byte for each
// dimension. It may be deleted at any time. A file that was cut short is
// deleted.
type vectors struct {
	dir   string
	space memoir.Space
	mu    sync.Mutex // guards cached
	cached
}

type cached struct {
	*table
	info fs.FileInfo // of the file as it was read
	size int64
}

// table is what the file holds. It is safe for concurrent use.
type table struct {
	dimensions int
	mu         sync.RWMutex   // guards the rest
	at         map[string]int // digest -> record
	records    []byte
}

// maxVectors is how large the file may grow, in bytes: to some 40,000 entries.
const maxVectors = 16 << 20

// digestSize is how long a digest is, in bytes.
const digestSize = 16

// How the names of such files begin and end, one for each space.
const (
	vectorsBegin = "entries-"
	vectorsEnd   = ".vec"
)

func (v *vectors) path() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", v.space))
	return filepath.Join(v.dir, vectorsBegin+hex.EncodeToString(sum[:4])+vectorsEnd)
}

func (v *vectors) record() int { return digestSize + 4 + v.space.Dimensions }

// load reads the file if it has changed: only what was added, if that is all. A file that
// cannot be read counts as empty.
func (v *vectors) load() *table {
	v.mu.Lock()
	defer v.mu.Unlock()
	info, err := os.Lstat(v.path())
	if err != nil {
		return nil
	}
	if v.table != nil && (info.Size() == v.size || v.grown(info)) {
		return v.table
	}
	all, err := regular.ReadFile(v.path())
	if err != nil {
		return nil
	}
	if size := v.record(); len(all)%size != 0 || len(all) > maxVectors {
		all = nil
		_ = os.Remove(v.path()) // it is made again
	}
	t := &table{dimensions: v.space.Dimensions, at: map[string]int{}}
	t.add(all)
	v.cached = cached{t, info, int64(len(all))}
	return t
}

// grown reads what was added to the file since it was read. It reports false when the file
// is another one, or is to be read as a whole.
func (v *vectors) grown(info fs.FileInfo) bool {
	record := int64(v.record())
	known := v.size - record // what tells whether the file is as it was
	if v.info == nil || !os.SameFile(info, v.info) || known < 0 || info.Size() < v.size || info.Size()%record != 0 || info.Size() > maxVectors {
		return false
	}
	f, err := regular.Open(v.path())
	if err != nil {
		return false
	}
	defer f.Close() // of a file that was only read
	added := make([]byte, info.Size()-known)
	if _, err := f.ReadAt(added, known); err != nil || !bytes.Equal(added[:record], v.records[known:]) {
		return false
	}
	v.add(added[record:])
	v.size = info.Size()
	return true
}

// add adds records.
func (t *table) add(records []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := len(t.records)
	t.records = append(t.records, records...)
	for record := digestSize + 4 + t.dimensions; at+record <= len(t.records); at += record {
		t.at[string(t.records[at:at+digestSize])] = at
	}
}

// of returns the vector of a digest, nil when none is known.
func (t *table) of(digest string) []float32 {
	if t == nil {
		return nil
	}
	key, err := hex.DecodeString(digest)
	if err != nil {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	at, ok := t.at[string(key)]
	if !ok {
		return nil
	}
	rest := t.records[at+digestSize:]
	scale := math.Float32frombits(binary.LittleEndian.Uint32(rest))
	vector := make([]float32, t.dimensions)
	for i := range vector {
		vector[i] = scale * float32(int8(rest[4+i]))
	}
	return vector
}

// put adds a vector that the file does not have. If it cannot be written, only
// time is lost.
func (v *vectors) put(digest string, vector []float32) {
	key, err := hex.DecodeString(digest)
	if err != nil || len(key) != digestSize || len(vector) != v.space.Dimensions || makeFolder(v.dir) != nil {
		return
	}
	most := float32(0)
	for _, x := range vector {
		most = max(most, x, -x)
	}
	if !(most > 0) || math.IsInf(float64(most), 0) {
		return
	}
	record := binary.LittleEndian.AppendUint32(key, math.Float32bits(most/127))
	for _, x := range vector {
		record = append(record, byte(int8(math.Round(float64(x/most*127)))))
	}
	f, err := regular.OpenFile(v.path(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(record)
	_ = f.Close()
}

// drop removes vectors from the files of all spaces: who forgets need not have the model.
// It also removes what killed processes have left of doing so.
func (v *vectors) drop(digests map[string]bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cached = cached{}
	files, err := os.ReadDir(v.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range files {
		name, left := strings.CutPrefix(file.Name(), ".")
		base, mark, found := strings.Cut(name, vectorsEnd)
		switch path := filepath.Join(v.dir, base+vectorsEnd); {
		case !found || !strings.HasPrefix(base, vectorsBegin):
		case left: // the file itself may be gone
			err = errors.Join(err, atomicfile.Sweep(path))
		case mark == "":
			err = errors.Join(err, dropFrom(path, digests))
		}
	}
	return err
}

// dimensions is the length of the vectors: no other model's than those of the one inside
// are kept.
const dimensions = 384

// dropFrom removes vectors from a file. One that was cut short is removed.
func dropFrom(file string, digests map[string]bool) error {
	const record = digestSize + 4 + dimensions
	records, err := regular.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(records)%record != 0:
		return os.Remove(file)
	}
	var kept []byte
	for one := range slices.Chunk(records, record) {
		if !digests[hex.EncodeToString(one[:digestSize])] {
			kept = append(kept, one...)
		}
	}
	if len(kept) == len(records) {
		return nil
	}
	return atomicfile.Write(file, 0o600, func(w io.Writer) error {
		_, err := w.Write(kept)
		return err
	})
}
