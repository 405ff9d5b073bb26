package weaviate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// FuzzParse reads what a server, or who has written to it, may hand us.
func FuzzParse(f *testing.F) {
	for _, v := range []any{
		state{Format: 1, Revision: 7, Pages: []uuid{newUUID()}, Spaces: []spaceState{{Space: memoir.Space{Model: "m"}}}},
		page{Documents: []*record{{DocumentMeta: memoir.DocumentMeta{ID: "a.md"}, Chunks: []chunkRecord{{Length: 3}}}}},
		page{Vectors: map[memoir.Hash]vectorRecord{"a": {Of: newUUID()}, "b": {}}},
		page{Terms: tallyWith(map[uint64]memoir.Holders{7: {Chunks: 2, Documents: 1}, 9: {Chunks: -1, Documents: -1}})},
		forward{Terms: []string{"a", "b"}, Chunks: [][memoir.NumFields][]int32{{{0, 1}, nil, nil, {1}}}},
	} {
		text, err := pack(v)
		if err != nil {
			f.Fatal(err)
		}
		plain, _ := json.Marshal(v)
		f.Add(text, plain)
	}
	f.Add("%", []byte("[]"))
	f.Add(`{"Terms":["a"],"Chunks":[[[0],[],[],[]]]}`, []byte("{"))
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		packed, err := pack(json.RawMessage(plain))
		if err != nil {
			packed = text
		}
		for _, data := range []string{text, packed} {
			if st, err := parseState(data); err == nil {
				st.named()
			}
			if p, err := parsePage(data); err == nil {
				id := newUUID()
				k := newContents(state{Pages: []uuid{id}}, map[uuid]page{id: p})
				if k.words < 0 || len(k.records) != len(p.Documents) {
					t.Errorf("%d words, %d records of %d", k.words, len(k.records), len(p.Documents))
				}
			}
			for chunks := range 3 {
				if w, err := parseForward(data, chunks); err == nil {
					for ordinal := range chunks {
						w.holds(ordinal, w.Terms, nil)
					}
					for _, term := range w.Terms {
						w.holding(term)
					}
				}
			}
		}
		var a answer
		if json.Unmarshal(plain, &a) == nil {
			for _, list := range a.Data.Get {
				for _, o := range list {
					if id, ok := o.id(); ok && id.String() != o.Additional.ID && len(o.Additional.ID) != 36 {
						t.Errorf("%q is read as %s", o.Additional.ID, id)
					}
				}
			}
		}
	})
}

// A term is one token of Weaviate's, and no other term is the same.
func TestEncodeTerm(t *testing.T) {
	for term, plain := range map[string]bool{"word": true, "WORD": true, "数据": true, "db_password": true, "v1.2": true, "a b": false, "": true, "~x": false, "e\u0301": false, "\x00": false, "\"": false, "a*": false, "\xff": false} {
		got := encodeTerm(term)
		if (got == term) != plain || len(got) > maxPlain+1 {
			t.Errorf("%q is %q, as it is: want %v", term, got, plain)
		}
	}
}

// No request is about more tenants than Weaviate takes.
func TestTenantsAtOnce(t *testing.T) {
	var sizes []int
	c, err := newClient(Options{URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	c.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		var all []json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(all))
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	})
	s := &Store{client: c}
	all := make([]tenant, 250)
	for i := range all {
		all[i].Name = fmt.Sprint("t", i)
	}
	if err := s.setTenants(t.Context(), http.MethodPut, wordsClass, all); err != nil || fmt.Sprint(sizes) != "[100 100 50]" {
		t.Errorf("got %v, %v", sizes, err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The figures that words are ranked by are those of the formula's own store.
func TestWeights(t *testing.T) {
	chunk := memoir.IndexedChunk{}
	chunk.Terms[memoir.FieldHeading], chunk.Terms[memoir.FieldBody] = []string{"a"}, []string{"a", "a", ""}
	text, err := pack(forwardOf([]memoir.IndexedChunk{chunk}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseForward(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.holding("a"); len(got) != 1 || got[0].count != float32(rank.FieldWeights[memoir.FieldHeading]+2*rank.FieldWeights[memoir.FieldBody]) {
		t.Errorf("got %+v", got)
	}
}

// tallyWith returns a tally of some numbers.
func tallyWith(all map[uint64]memoir.Holders) (t tally) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		t = t.plus(tally{[]uint64{key}, []memoir.Holders{all[key]}})
	}
	return t
}

// A tally is read as it was written, and nothing else is read as one.
func TestTallyText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[uint64]memoir.Holders{0: {Chunks: 1, Documents: 1}, 1<<keyBits - 1: {Chunks: -3, Documents: -1}, 5: {Chunks: 2}}
	for range 1000 {
		all[r.Uint64N(1<<keyBits)] = memoir.Holders{Chunks: r.IntN(2000), Documents: r.IntN(9) - 4}
	}
	want := tallyWith(all)
	text, err := want.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var got tally
	if err := got.UnmarshalText(text); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if want.of(6) != (memoir.Holders{}) || want.of(5) != (memoir.Holders{Chunks: 2}) || want.of(1<<keyBits) != (memoir.Holders{}) {
		t.Error("numbers are of other keys")
	}
	for name, text := range map[string]string{
		"empty":                   "",
		"not Base64":              "%",
		"more keys than bytes":    "/////w8=",
		"a key twice":             "AgEAAgICAgIC",
		"a key that is too large": "AYCAgICAIAIC",
		"cut off":                 "AQEC",
		"a number too large":      "AQGAgICAgCAC",
		"something behind":        "AQECAgI=",
	} {
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
	if err := got.UnmarshalText([]byte("AQECAg==")); err != nil || got.of(1) != (memoir.Holders{Chunks: 1, Documents: 1}) {
		t.Errorf("one key: %v, %v", got, err)
	}
}

// Of the objects that were sent as many have to be there as were kept, whatever their texts say.
func TestBatchAnswer(t *testing.T) {
	const kept = `{"properties":{"data":"a"},"result":{"status":"SUCCESS"}}`
	said := func(text string) string {
		return `{"properties":{"data":` + quote(text) + `},"result":{"status":"FAILED"}}`
	}
	for name, test := range map[string]struct {
		answer string
		parsed int // -1: an error
	}{
		"all kept":                   {"[" + kept + "," + kept + "]", 0},
		"spaces":                     {"[ " + kept + `, {"result": {"status": "SUCCESS"}} ]`, 2},
		"one not":                    {"[" + kept + `,{"result":{"errors":{"error":[{"message":"full"}]},"status":"FAILED"}}]`, 2},
		"one not, whose text is odd": {"[" + kept + "," + said(kept) + "]", 2},
		"one without a word":         {"[" + kept + ",{}]", 2},
		"one too many":               {"[" + kept + "," + kept + "," + kept + "]", -1},
		"one too many, not kept":     {"[" + kept + "," + kept + "," + said("a") + "]", -1},
		"one missing":                {"[" + kept + "]", -1},
		"cut off":                    {"[" + kept + ",", -1},
		"another":                    {"{}", -1},
	} {
		a := batchAnswer{sent: 2}
		if err := a.read([]byte(test.answer)); (err != nil) != (test.parsed < 0) || err == nil && len(a.results) != test.parsed {
			t.Errorf("%s: %d results, %v", name, len(a.results), err)
		}
	}
}

// FuzzPut writes objects, which say the same as those that encoding/json writes.
func FuzzPut(f *testing.F) {
	for i, text := range []string{"", "a", "\x00\x1f\x7f\"\\/<&>", "\u2028 \u9e6d \U0001f426", "\xff\xc3", `{"Text":"a\n"}`} {
		f.Add(text, text, text, []uint32{0, 1 << 31, 1, 0x7f7fffff, 0x3dcccccd, 0xbf800000}[i])
	}
	f.Fuzz(func(t *testing.T, data, of, terms string, bits uint32) {
		number := math.Float32frombits(bits)
		if number != number || math.IsInf(float64(number), 0) {
			number = 1
		}
		p := put{class: "C", id: newUUID(), tenant: "one", properties: properties{data, of, terms}, vector: []float32{number, .1, number}}
		type object struct {
			Class      string            `json:"class"`
			ID         uuid              `json:"id"`
			Tenant     string            `json:"tenant"`
			Properties map[string]string `json:"properties"`
			Vector     []float32         `json:"vector"`
		}
		properties := map[string]string{"data": data}
		if of != "" {
			properties["of"] = of
		}
		if terms != "" {
			properties["terms"] = terms
		}
		other, err := json.Marshal(object{p.class, p.id, p.tenant, properties, p.vector})
		if err != nil {
			t.Fatal(err)
		}
		var want, got object
		if err := errors.Join(json.Unmarshal(other, &want), json.Unmarshal(p.appendTo(nil), &got)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %s, %v, want %s", p.appendTo(nil), err, other)
		}
		if math.Float32bits(got.Vector[0]) != math.Float32bits(number) {
			t.Errorf("%x is read as %x", math.Float32bits(number), math.Float32bits(got.Vector[0]))
		}
	})
}
