package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/token"
)

// running is the JSON of a server that runs, and of the file by which others find it.
type running struct {
	URL       string `json:"url"`       // where it answers
	Workspace string `json:"workspace"` // whose notes it serves, absolute path
	PID       int    `json:"pid"`       // of its process
	// Others are the workspaces that it opens when they are asked for.
	Others []runningOther `json:"others,omitempty"`
}

// runningOther is a workspace that a server opens when it is asked for.
type runningOther struct {
	Name      string `json:"name"`      // in its address, and for memoir token create --only
	URL       string `json:"url"`       // below which it answers
	Workspace string `json:"workspace"` // absolute path
}

// newRunning describes this process as the server of workspaces.
func newRunning(at, workspace string, others []servedPlace) running {
	here := running{URL: at, Workspace: workspace, PID: os.Getpid()}
	for _, p := range others {
		here.Others = append(here.Others, runningOther{Name: p.name, URL: at + "/w/" + url.PathEscape(p.name), Workspace: p.dir})
	}
	return here
}

// An announcement records where the server is, for memoir ui and memoir admin.
type announcement struct {
	path string

	mu   sync.Mutex
	said []byte
}

// say records it in the place of what was said before.
func (x *announcement) say(here running) error {
	data, err := json.Marshal(here)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.said = append(data, '\n')
	return token.Secret(x.path, x.said)
}

// end removes the record, unless a later server has written it.
func (x *announcement) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now, err := regular.ReadFile(x.path); err == nil && bytes.Equal(now, x.said) {
		_ = os.Remove(x.path)
	}
}

// ask sends a request to the running server, as the owner, and reads the
// answer.
func (r *running) ask(ctx context.Context, method, path, secret string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return syserr.Reason(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %s", cmp.Or(res.Status, "nothing"))
	}
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	return err
}
