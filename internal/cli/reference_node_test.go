package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// An object is JSON in the order in which it was written.
type object []member

type member struct {
	name  string
	value any // object, []any, string, json.Number, bool or nil
}

// parseJSON reads one value and nothing after it.
func parseJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	value, err := parseValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON: %w", err)
	}
	return value, nil
}

func parseValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), value})
		}
		_, err = dec.Token()
		return o, err
	}
	return token, nil
}

// jsonWidth is how long a line of shown JSON may be.
const jsonWidth = 110

// show writes JSON for people: what fits on a line stands on one.
func show(value any, indent string) string {
	line := compact(value)
	if len(indent)+len(line) <= jsonWidth {
		return line
	}
	deeper := indent + "  "
	var parts []string
	switch value := value.(type) {
	case []any:
		for _, x := range value {
			parts = append(parts, deeper+show(x, deeper))
		}
		return "[\n" + strings.Join(parts, ",\n") + "\n" + indent + "]"
	case object:
		for _, m := range value {
			parts = append(parts, fmt.Sprintf("%s%q: %s", deeper, m.name, show(m.value, deeper)))
		}
		return "{\n" + strings.Join(parts, ",\n") + "\n" + indent + "}"
	}
	return line
}

// compact writes JSON on one line, with a blank where a person would put one.
func compact(value any) string {
	switch value := value.(type) {
	case []any:
		parts := make([]string, len(value))
		for i, x := range value {
			parts[i] = compact(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case object:
		parts := make([]string, len(value))
		for i, m := range value {
			parts[i] = fmt.Sprintf("%q: %s", m.name, compact(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fits reports where JSON is not what a type says: members that the type does
// not have, members that it always has and that are missing, values of another
// kind.
func fits(t *testing.T, where string, value any, typ reflect.Type) {
	t.Helper()
	if want := kindOf(typ); want != "" && want != jsonKind(value) {
		t.Errorf("%s is %s, the type %s says %s", where, jsonKind(value), typ, want)
		return
	}
	switch value := value.(type) {
	case []any:
		for i, x := range value {
			fits(t, fmt.Sprintf("%s[%d]", where, i), x, typ.Elem())
		}
	case object:
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() == reflect.Map {
			for _, m := range value {
				fits(t, where+"."+m.name, m.value, typ.Elem())
			}
			return
		}
		given := map[string]any{}
		for _, m := range value {
			given[m.name] = m.value
		}
		for _, f := range jsonFields(typ) {
			x, ok := given[f.name]
			delete(given, f.name)
			switch {
			case ok && x == nil && f.Type.Kind() == reflect.Pointer && !f.omitted:
				// null
			case ok:
				fits(t, where+"."+f.name, x, f.Type)
			case !f.omitted:
				t.Errorf("%s has no %s, which %s always has", where, f.name, typ)
			}
		}
		for name := range given {
			t.Errorf("%s has %s, which %s does not have", where, name, typ)
		}
	}
}

// A jsonField is a field as JSON has it.
type jsonField struct {
	reflect.StructField
	owner   reflect.Type // the struct that declares it
	name    string
	omitted bool // when it is empty
}

// jsonFields returns the fields of a struct in the order of its JSON.
func jsonFields(of reflect.Type) []jsonField {
	var out []jsonField
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous && f.Tag.Get("json") == "" {
			out = append(out, jsonFields(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(out, jsonField{f, of, name, strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")})
	}
	return out
}

// kindOf returns what the values of a type are in JSON.
func kindOf(typ reflect.Type) string {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map:
		return "an object"
	case reflect.Struct:
		if typ == timeType {
			return "a string"
		}
		return "an object"
	}
	return ""
}

func jsonKind(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	case object:
		return "an object"
	}
	return "null"
}

// shownEntries is how many entries of a list are shown.
const shownEntries = 3

// shorten cuts long lists and rounds long numbers.
func shorten(value any) any {
	switch value := value.(type) {
	case []any:
		var out []any
		for _, x := range value[:min(len(value), shownEntries)] {
			out = append(out, shorten(x))
		}
		return append([]any{}, out...)
	case object:
		for i := range value {
			value[i].value = shorten(value[i].value)
		}
	case json.Number:
		if _, digits, ok := strings.Cut(value.String(), "."); ok && (len(digits) > 3 || strings.ContainsAny(digits, "eE")) {
			x, err := value.Float64()
			if err == nil {
				return json.Number(strconv.FormatFloat(round3(x), 'f', -1, 64))
			}
		}
	}
	return value
}

func round3(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 3, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// mask replaces what differs from one run to the next: by the names of members
// that are not empty, and in all strings.
func mask(value any, members map[string]any, text func(string) string) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = mask(value[i], members, text)
		}
	case object:
		for i, m := range value {
			instead, ok := members[m.name]
			if ok && m.value != "" && jsonKind(instead) == jsonKind(m.value) {
				value[i].value = instead
				continue
			}
			value[i].value = mask(m.value, members, text)
		}
	case string:
		return text(value)
	}
	return value
}
