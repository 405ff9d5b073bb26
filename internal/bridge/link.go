package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/memoir-ai/memoir/internal/statedir"
)

// link is the call for a link to the page. It needs no digest: a page is the
// same for every client.
const link = "link"

// maxLink bounds a link, in bytes.
const maxLink = 2 << 10

// Linked answers [Link] with a new link, and hands all other calls on to next. It calls
// newLink from several goroutines.
func Linked(newLink func() string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+link {
			next.ServeHTTP(w, r)
			return
		}
		_, _ = io.WriteString(w, newLink()) // an error means that the caller has gone
	})
}

// Link returns a link that opens the page of the server at a socket, once, if
// the socket belongs to this user. It takes seconds at most. The link has the
// form that a server gives it: whatever answers, no other program is opened.
// [fs.ErrNotExist] is in the error if no server runs.
func Link(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://memoir/"+link, http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := over(path).Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxLink+1))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %s", res.Status)
	}
	if err != nil {
		return "", err
	}
	at, err := url.Parse(string(text))
	if err != nil || len(text) > maxLink || !opensPage(at) {
		return "", errors.New("it answered with no link")
	}
	return at.String(), nil
}

// opensPage reports whether an address has the form of a link to a page.
func opensPage(at *url.URL) bool {
	return (at.Scheme == "http" || at.Scheme == "https") && at.User == nil && at.Host != "" &&
		strings.HasSuffix(at.Path, "/") && strings.HasPrefix(at.RawQuery, "ticket=")
}

// Served reports whether a server of this user has the socket at path, as far
// as that can be told. It asks no server.
func Served(path string) bool { return statedir.Held(path + ".lock") }
