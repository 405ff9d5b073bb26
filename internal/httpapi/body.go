package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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
		return invalid("send one JSON object as GET /v1/openapi.json describes it", "the body: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
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
