package weaviate

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// uuid names an object.
type uuid [16]byte

// newUUID returns an id that was never used before.
func newUUID() (id uuid) {
	rand.Read(id[:])
	return id.marked(4)
}

// uuidOf returns an id made from a text. No other text gives the same id.
func uuidOf(text string) uuid {
	sum := sha256.Sum256([]byte(text))
	return uuid(sum[:16]).marked(8)
}

// chunkID returns the id of a chunk of a revision of a document. Each revision
// has its own ids, so no id is ever used again.
func (id uuid) chunkID(ordinal int) uuid { return uuidOf(string(id[:]) + strconv.Itoa(ordinal)) }

func (id uuid) marked(version byte) uuid {
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	return id
}

// String returns the id as Weaviate writes it.
func (id uuid) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// MarshalText implements [encoding.TextMarshaler].
func (id uuid) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *uuid) UnmarshalText(text []byte) error {
	got, ok := parseUUID(string(text))
	if !ok {
		return errNoID
	}
	*id = got
	return nil
}

func parseUUID(s string) (id uuid, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return uuid(b), true
}
