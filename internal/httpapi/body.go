package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// maxBody is the size of the largest body of a request.
const maxBody = 8 << 20 // bytes; a note may have them all

// decode reads the body of a request, a single JSON object, into value. It
// refuses unknown names, names that come twice, a required one that is not there,
// and anything after the object; the error names what is wrong.
func decode(w http.ResponseWriter, r *http.Request, value any) error {
	body, err := readBody(w, r, "application/json")
	if err != nil {
		return err
	}
	return read(body, value)
}

// read reads a body as [decode] does.
func read(body []byte, value any) error {
	if err := wire.CheckObject(body); err != nil {
		return err
	}
	const hint = "send one JSON object as GET /v1/openapi.json describes it"
	if err := decodeWhole(body, value); err != nil {
		if name, known := unknownField(body, value); name != "" {
			return invalid("use these names; GET /v1/openapi.json says what each means", "the body: unknown field %.80q; there are: %s", name, strings.Join(known, ", "))
		}
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return invalid(hint, "the body: %q is %s, and takes %s", fieldOf(other), sent(other.Value), taken(other.Type))
		}
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return invalid(hint, "the body: unknown field %.80q", strings.Trim(name, `"`))
		}
		return invalid(hint, "the body: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if name := missingField(body, value); name != "" {
		return invalid(hint, "the body: %q is missing", name)
	}
	return nil
}

// decodeWhole decodes an object and refuses unknown names. Where a whole number is wanted
// it takes 3.0 and 3e2, too, which are integers of JSON Schema and all that some clients
// can write.
func decodeWhole(body []byte, value any) error {
	for {
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		err := dec.Decode(value)
		var other *json.UnmarshalTypeError
		if !errors.As(err, &other) {
			return err
		}
		literal, isNumber := strings.CutPrefix(other.Value, "number ")
		number, parsed := strconv.ParseFloat(literal, 64)
		end := int(other.Offset)
		start := end - len(literal)
		// Up to 2^53 a float holds every whole number.
		if !isNumber || parsed != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 || taken(other.Type) != "a whole number" ||
			!strings.ContainsAny(literal, ".eE") || start < 0 || end > len(body) || string(body[start:end]) != literal {
			return err
		}
		body = slices.Concat(body[:start], strconv.AppendInt(nil, int64(number), 10), body[end:])
	}
}

// fieldOf returns the path of the field that an error is about, without the structs that
// are embedded, which JSON does not show.
func fieldOf(err *json.UnmarshalTypeError) string {
	parts := strings.Split(err.Field, ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p != "" && p[0] >= 'A' && p[0] <= 'Z' }), ".")
}

// sent says what a value of JSON is, as the decoder calls it.
func sent(value string) string {
	switch value {
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "number":
		return "a number"
	}
	return "the number " + strings.TrimPrefix(value, "number ") // one that does not fit, with its digits
}

// taken says what a field takes.
func taken(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

// unknownField returns the first member of an object that a struct has no field for, and
// the names of its fields; "" where what is unknown is in a part of the object.
func unknownField(body []byte, value any) (name string, known []string) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil {
		return "", nil
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(value).Elem()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && tag != "" && tag != "-" {
			known = append(known, tag)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(given)) {
		// The decoder takes names in any case.
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return n, known
		}
	}
	return "", nil
}

// missingField returns the first field of a struct that the description of the API calls
// required and that an object does not have, or has as null.
func missingField(body []byte, value any) string {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil {
		return ""
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(value).Elem()) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || !needed(options) {
			continue
		}
		there := false
		for n, v := range given {
			there = there || strings.EqualFold(n, name) && string(v) != "null"
		}
		if !there {
			return name
		}
	}
	return ""
}

// checked refuses what a decoder would pass over in an object of JSON that is sent to a
// handler: of a name that comes twice, two readers may take different ones for the one
// that is meant. What else is wrong with a body the handler says in its own protocol.
func (a *api) checked(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := whole(w, r)
			body = unmarked(body)
			if err == nil && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body) {
				err = wire.CheckObject(body)
			}
			if err != nil {
				a.fail(w, r, err)
				return
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		h.ServeHTTP(w, r)
	}
}

// readBody reads a body of one of the media types.
func readBody(w http.ResponseWriter, r *http.Request, types ...string) ([]byte, error) {
	found, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if set := params["charset"]; err != nil || !slices.Contains(types, found) || set != "" && !strings.EqualFold(set, "utf-8") {
		p := &problem{
			status: http.StatusUnsupportedMediaType, code: "media-type",
			message: fmt.Sprintf("the body is %q", r.Header.Get("Content-Type")), action: "send Content-Type: " + types[0],
		}
		if r.Header.Get("Content-Type") == "" {
			p.message = "the request has no Content-Type"
		}
		if len(types) > 1 {
			p.action = fmt.Sprintf("send Content-Type: %s or %s", types[0], types[1])
		}
		return nil, p
	}
	body, err := whole(w, r)
	if err == nil && found == "application/json" {
		body = unmarked(body)
	}
	return body, err
}

// unmarked returns JSON without the byte order mark that some programs of Windows write
// before it.
func unmarked(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")) }

// whole reads a body to its end.
func whole(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if packed := r.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		return nil, &problem{
			status: http.StatusUnsupportedMediaType, code: "media-type",
			message: fmt.Sprintf("the body is packed as %q", packed), action: "send the body as it is, without Content-Encoding",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil, errors.As(err, &tooLarge):
		return body, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, &problem{status: http.StatusRequestTimeout, code: "timeout", message: "the body did not come in time", action: "send the request again, all of it at once"}
	}
	return nil, invalid("send the request again", "the body did not arrive whole")
}

// invalid makes the error of a request that is wrong.
func invalid(action, format string, args ...any) error {
	return memoir.WithHint(fmt.Errorf(format+": %w", append(args, memoir.ErrInvalid)...), action)
}
