package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// maxBody is the size of the largest body of a request.
const maxBody = 8 << 20 // bytes; a note may have them all

// decode reads the body of a request, a single JSON object, into value. It
// refuses unknown names, names that come twice, and anything after the object;
// the error names what is wrong.
func decode(w http.ResponseWriter, r *http.Request, value any) error {
	body, err := readBody(w, r, "application/json")
	if err != nil {
		return err
	}
	if err := wire.CheckObject(body); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		if name, known := unknownField(body, value); name != "" {
			return invalid("use these names; GET /v1/openapi.json says what each means", "the body: unknown field %.80q; there are: %s", name, strings.Join(known, ", "))
		}
		return invalid("send one JSON object as GET /v1/openapi.json describes it", "the body: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
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

// checked refuses what a decoder would pass over in an object of JSON that is sent to a
// handler: of a name that comes twice, two readers may take different ones for the one
// that is meant. What else is wrong with a body the handler says in its own protocol.
func (a *api) checked(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err == nil && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body) {
				err = wire.CheckObject(body)
			}
			if err != nil {
				a.fail(w, r, err)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		h.ServeHTTP(w, r)
	}
}

// readBody reads a body of one of the media types.
func readBody(w http.ResponseWriter, r *http.Request, types ...string) ([]byte, error) {
	found, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	known := false
	for _, t := range types {
		known = known || found == t
	}
	if set := params["charset"]; err != nil || !known || set != "" && !strings.EqualFold(set, "utf-8") {
		return nil, &problem{
			status: http.StatusUnsupportedMediaType, code: "media-type",
			message: fmt.Sprintf("the body is %q", r.Header.Get("Content-Type")), action: "send Content-Type: " + strings.Join(types, " or "),
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return nil, invalid("send the request again", "the body did not arrive whole")
	}
	return body, err
}

// invalid makes the error of a request that is wrong.
func invalid(action, format string, args ...any) error {
	return memoir.WithHint(fmt.Errorf(format+": %w", append(args, memoir.ErrInvalid)...), action)
}
