package memorytool

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// whole is a whole number, which may be written with a fraction of nothing, as 3.0.
type whole int

func (n *whole) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return &json.UnmarshalTypeError{Value: kindOf(data), Type: reflect.TypeFor[int]()}
	}
	*n = whole(f)
	return nil
}

// kindOf says what a value of JSON is.
func kindOf(data []byte) string {
	switch data[0] {
	case '"':
		return "string"
	case '[':
		return "array"
	case '{':
		return "object"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// wrong says what is wrong with the input, without the words of the decoder.
func wrong(err error) error {
	other := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &other) {
		return failf("The input is not one of this tool: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	takes := "a whole number"
	switch other.Type.Kind() {
	case reflect.String:
		takes = "a text"
	case reflect.Slice:
		takes = "a list"
	case reflect.Struct:
		return failf("The input is not one of this tool: it is no object")
	}
	what, _, _ := strings.Cut(other.Value, " ")
	article := "a "
	if what == "array" || what == "object" {
		article = "an "
	}
	return failf("The input is not one of this tool: %s is %s%s, and takes %s", other.Field, article, what, takes)
}
