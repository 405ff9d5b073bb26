package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// arguments are the arguments of a call. The tool's schema decides whether a
// value is a string, an int or a float64. Absent arguments are missing.
type arguments map[string]any

func (a arguments) text(name string) string { s, _ := a[name].(string); return s }
func (a arguments) whole(name string) int   { n, _ := a[name].(int); return n }
func (a arguments) real(name string) float64 {
	f, _ := a[name].(float64)
	return f
}

// bind checks a call's arguments against the schema of its tool, which is an
// object of strings, integers and numbers. It is milder than the schema where
// models err without harm: a number may come as a string, and null counts as
// absent, as does an empty string unless the argument is required. Errors are
// written for the model and wrap [memoir.ErrInvalid].
func bind(schema *jsonschema.Schema, raw json.RawMessage) (arguments, error) {
	var given map[string]json.RawMessage
	if raw = bytes.TrimSpace(raw); len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, invalid("the arguments are not a JSON object")
		}
	}
	args := arguments{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		property, ok := schema.Properties[name]
		if !ok {
			return nil, invalid("there is no argument %q; there are: %s", wire.Cut(name, maxEcho), strings.Join(schema.PropertyOrder, ", "))
		}
		value, err := parse(name, property, given[name])
		if err != nil {
			return nil, err
		}
		if value != nil {
			args[name] = value
		}
	}
	for _, name := range schema.Required {
		if args[name] == nil {
			return nil, invalid("%s is required: %s", name, schema.Properties[name].Description)
		}
	}
	return args, nil
}

// parse returns the value of one argument, or nil when it counts as absent.
func parse(name string, property *jsonschema.Schema, raw json.RawMessage) (any, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, invalid("%s is not valid JSON", name)
	}
	if s, ok := value.(string); value == nil || ok && strings.TrimSpace(s) == "" {
		return nil, nil
	}
	if property.Type == "string" {
		return parseText(name, property, value)
	}
	return parseNumber(name, property, value)
}

func parseText(name string, property *jsonschema.Schema, value any) (any, error) {
	s, ok := value.(string)
	if !ok {
		return nil, invalid("%s is not a string: %s", name, echo(value))
	}
	if len(property.Enum) > 0 && !slices.Contains(property.Enum, value) {
		return nil, invalid("%s is %s and must be one of %s", name, echo(value), enumeration(property))
	}
	return s, nil
}

func parseNumber(name string, property *jsonschema.Schema, value any) (any, error) {
	kind := "a number"
	if property.Type == "integer" {
		kind = "a whole number"
	}
	f, ok := value.(float64)
	if s, isText := value.(string); isText {
		var err error
		f, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
		ok = err == nil && !math.IsNaN(f)
	}
	if !ok || property.Type == "integer" && f != math.Trunc(f) || outside(property, f) {
		return nil, invalid("%s is %s and must be %s %s", name, echo(value), kind, bounds(property))
	}
	if property.Type == "integer" {
		return int(f), nil
	}
	return f, nil
}

func outside(property *jsonschema.Schema, f float64) bool {
	return property.Minimum != nil && f < *property.Minimum || property.Maximum != nil && f > *property.Maximum
}

func bounds(property *jsonschema.Schema) string {
	return fmt.Sprintf("from %v to %.0f", *property.Minimum, *property.Maximum)
}

func enumeration(property *jsonschema.Schema) string {
	var b strings.Builder
	for i, v := range property.Enum {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

// maxEcho is how many characters of a wrong value an error repeats.
const maxEcho = 60

func echo(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "not a value"
	}
	return wire.Cut(string(data), maxEcho)
}

func invalid(format string, args ...any) error {
	return memoir.WithHint(
		&argumentError{fmt.Sprintf(format, args...)},
		"correct the argument and call the tool again")
}

// argumentError is a [memoir.ErrInvalid] without the text of that error.
type argumentError struct{ message string }

func (e *argumentError) Error() string { return e.message }
func (e *argumentError) Unwrap() error { return memoir.ErrInvalid }
