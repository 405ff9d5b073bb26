package trie_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/trie"
)

// find walks the whole text.
func find(t trie.Trie, text string) (id uint32, ok bool) {
	n := t.Root()
	for i := range len(text) {
		if i > 0 && n.IsLeaf() {
			return 0, false
		}
		if n, ok = t.Child(n, text[i]); !ok {
			return 0, false
		}
	}
	if !n.Ends() {
		return 0, false
	}
	return t.ID(n), true
}

func TestBuildAndFind(t *testing.T) {
	var keys []trie.Key
	for i := range 5000 {
		keys = append(keys, trie.Key{Text: fmt.Sprintf("%x", i*i), ID: uint32(i)})
	}
	keys = append(keys, trie.Key{Text: "数据", ID: 7001}, trie.Key{Text: "数据库", ID: 7002}, trie.Key{Text: "\xff", ID: 7003})
	units, err := trie.Build(keys)
	if err != nil {
		t.Fatal(err)
	}
	tr := trie.Open(units)
	for _, k := range keys {
		if id, ok := find(tr, k.Text); !ok || id != k.ID {
			t.Errorf("%q: got %d, %v, want %d", k.Text, id, ok, k.ID)
		}
	}
	for _, text := range []string{"数", "数据库库", "zz", "\xfe", "5ffffffff"} {
		if id, ok := find(tr, text); ok {
			t.Errorf("%q: got %d, want nothing", text, id)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, keys := range map[string][]trie.Key{
		"empty":        {{Text: "", ID: 1}},
		"a NUL":        {{Text: "a\x00", ID: 1}},
		"twice":        {{Text: "a", ID: 1}, {Text: "a", ID: 2}},
		"too large id": {{Text: "a", ID: trie.MaxUnits}},
	} {
		if _, err := trie.Build(keys); err == nil || !strings.HasPrefix(err.Error(), "trie: ") {
			t.Errorf("%s: got error %v, want one", name, err)
		}
	}
}

// FuzzDamaged walks tries that are nothing but bytes.
func FuzzDamaged(f *testing.F) {
	units, err := trie.Build([]trie.Key{{Text: "a", ID: 0}, {Text: "ab", ID: 1}, {Text: "b", ID: 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(units, "ab")
	f.Add([]byte(nil), "a")
	f.Fuzz(func(t *testing.T, units []byte, text string) { find(trie.Open(units), text) })
}
