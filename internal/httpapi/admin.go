package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/memoir-ai/memoir/internal/wire"
)

// An Administrator makes, changes and deletes the workspaces that a server has beside
// its first. It must be safe for concurrent use, and judge every name itself.
type Administrator interface {
	// Workspaces lists them, with what is kept of each.
	Workspaces(ctx context.Context) ([]wire.AdminEntry, error)
	// Create makes one, which is served from then on, with a token for it.
	Create(ctx context.Context, name string, quota wire.Quota) (wire.AdminCreated, error)
	// Delete deletes one with all of its copies, or says what would be deleted.
	Delete(ctx context.Context, name string, dryRun bool) (wire.AdminDeleted, error)
	// SetQuota says how much one may have from now on.
	SetQuota(ctx context.Context, name string, quota wire.Quota) (wire.AdminQuota, error)
	// CreateToken makes a token for one alone.
	CreateToken(ctx context.Context, workspace, name string, permissions []string) (wire.TokenAnswer, error)
	// RevokeToken takes away a token that is for one alone.
	RevokeToken(ctx context.Context, workspace, name string) (wire.TokenEntry, error)
	// Export writes the notes of one to w, as memoir export does.
	Export(ctx context.Context, name string, w io.Writer) error
}

// AdminCreateRequest says what workspace is to be made.
type AdminCreateRequest struct {
	Name  string       `json:"name"`           // lower-case letters of English, digits and dashes, 63 at most
	Quota QuotaRequest `json:"quota,omitzero"` // what it may have; when left out, any amount
}

// QuotaRequest says how much a workspace may have from now on. What is left out has no
// limit.
type QuotaRequest struct {
	Notes    int   `json:"notes,omitempty"`    // how many
	Bytes    int64 `json:"bytes,omitempty"`    // of all notes together
	Requests int   `json:"requests,omitempty"` // a minute
}

// AdminTokenRequest says what token is to be made.
type AdminTokenRequest struct {
	Name  string   `json:"name"`            // lower-case letters of English, digits and dashes, 63 at most
	Allow []string `json:"allow,omitempty"` // read, write, private; when left out, all three
}

// What is not in the table of routes, because its answer is no JSON.
const (
	exportRoute         = "GET /v1/admin/workspaces/{name}/export"
	exportSummary       = "Give all notes of a workspace as an archive, a tar packed by gzip"
	adminMetricsRoute   = "GET /v1/admin/metrics"
	adminMetricsSummary = "What was counted of each workspace beside the first, for Prometheus"
)

func adminRoutes() []route {
	const all, one = "/v1/admin/workspaces", "/v1/admin/workspaces/{name}"
	return []route{
		{
			method: "GET", pattern: all, id: "listWorkspaces", summary: "List the workspaces beside the first, with what is kept of each", permission: MayAdmin,
			out: []wire.AdminEntry{}, handle: administered(false, func(r *request, a Administrator, _ string) (any, error) { return a.Workspaces(r.Context()) }),
		},
		{
			method: "POST", pattern: all, id: "createWorkspace", summary: "Make a workspace, with a token that is shown this once", permission: MayAdmin,
			in: AdminCreateRequest{}, out: wire.AdminCreated{}, handle: administered(true, createWorkspace),
		},
		{
			method: "DELETE", pattern: one, id: "deleteWorkspace", summary: "Say what there is of a workspace, or delete it with all of its copies and tokens", permission: MayAdmin,
			params: []param{{name: "yes", kind: "boolean", about: "delete it; when left out, nothing is deleted"}},
			out:    wire.AdminDeleted{}, handle: administered(true, deleteWorkspace),
		},
		{
			method: "PUT", pattern: one + "/quota", id: "setQuota", summary: "Say how much a workspace may have: notes, their bytes, requests a minute", permission: MayAdmin,
			in: QuotaRequest{}, out: wire.AdminQuota{}, handle: administered(true, setQuota),
		},
		{
			method: "POST", pattern: one + "/tokens", id: "createWorkspaceToken", summary: "Make a token for this workspace alone, which is shown this once", permission: MayAdmin,
			in: AdminTokenRequest{}, out: wire.TokenAnswer{}, handle: administered(true, createToken),
		},
		{
			method: "DELETE", pattern: one + "/tokens/{token}", id: "revokeWorkspaceToken", summary: "Take away a token that is for this workspace alone, at once", permission: MayAdmin,
			out: wire.TokenEntry{}, handle: administered(true, func(r *request, a Administrator, name string) (any, error) {
				return a.RevokeToken(r.Context(), name, r.PathValue("token"))
			}),
		},
	}
}

// administered hands a request to the administrator. What changes something leaves a
// line in the audit.
func administered(changes bool, handle func(r *request, a Administrator, name string) (any, error)) func(*request) (any, error) {
	return func(r *request) (any, error) {
		a, err := r.api.administrator()
		if err != nil {
			return nil, err
		}
		if changes {
			r.writes, r.about = true, shortened(r.PathValue("name"))
			if r.api.opts.ReadOnly {
				return nil, readOnly()
			}
		}
		return handle(r, a, r.PathValue("name"))
	}
}

// shortened keeps a name that somebody made up from filling a log.
func shortened(name string) string {
	if r := []rune(name); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return name
}

// administrator returns who administers, or the answer where nobody does.
func (a *api) administrator() (Administrator, error) {
	if a.opts.Admin == nil {
		return nil, &problem{status: http.StatusNotFound, code: "not-found", message: "this server's workspaces are those of its command line", action: "start it without --workspace, and have them in serve.workspaces"}
	}
	return a.opts.Admin, nil
}

func createWorkspace(r *request, a Administrator, _ string) (any, error) {
	var in AdminCreateRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	r.about = shortened(in.Name)
	return a.Create(r.Context(), in.Name, wire.Quota(in.Quota))
}

func deleteWorkspace(r *request, a Administrator, name string) (any, error) {
	yes, err := r.flag("yes")
	if err != nil {
		return nil, err
	}
	return a.Delete(r.Context(), name, !yes)
}

func setQuota(r *request, a Administrator, name string) (any, error) {
	var in QuotaRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	return a.SetQuota(r.Context(), name, wire.Quota(in))
}

func createToken(r *request, a Administrator, name string) (any, error) {
	var in AdminTokenRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	switch {
	case in.Allow == nil:
		for _, p := range Permissions() {
			in.Allow = append(in.Allow, string(p))
		}
	case len(in.Allow) == 0:
		return nil, invalid("allow read, write or private, or leave it out for all three", "the token would allow nothing")
	}
	for i, p := range in.Allow {
		if slices.Contains(in.Allow[:i], p) {
			return nil, invalid("name it once", "%.80q is there twice", p)
		}
		if !slices.Contains(Permissions(), Permission(p)) {
			return nil, invalid("allow read, write or private", "%.80q is no permission in a workspace", p)
		}
	}
	return a.CreateToken(r.Context(), name, in.Name, in.Allow)
}

// archiveTime is how long an archive may take to be read by who asked for it.
const archiveTime = 30 * time.Minute

// serveExport answers with an archive of all notes, and leaves a line in the audit. An
// error after its first bytes breaks the connection off, so that nobody takes what came
// for the whole.
func (a *api) serveExport(w http.ResponseWriter, r *http.Request) {
	admin, err := a.administrator()
	if err != nil {
		a.fail(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(archiveTime)) // none where it cannot be set
	body := &archive{ResponseWriter: w}
	err = admin.Export(r.Context(), r.PathValue("name"), body)
	who, _ := r.Context().Value(principalKey{}).(principal)
	done := written(who.name, exportRoute, Event{}, err)
	done.Workspace, done.Bytes = shortened(r.PathValue("name")), body.sent
	a.opts.Audit(done)
	switch {
	case err != nil && body.begun:
		a.log.Error("export", "id", requestID(r), "err", err)
		panic(http.ErrAbortHandler)
	case err != nil:
		a.fail(w, r, err)
	}
}

// archive is an answer that has its headers when its first bytes come.
type archive struct {
	http.ResponseWriter
	begun bool
	sent  int64 // bytes
}

// Write implements [io.Writer].
func (x *archive) Write(p []byte) (int, error) {
	if !x.begun {
		x.begun = true
		x.Header().Set("Content-Type", "application/gzip")
		x.Header().Set("Content-Disposition", `attachment; filename="notes.tar.gz"`)
	}
	n, err := x.ResponseWriter.Write(p)
	x.sent += int64(n)
	return n, err
}

// serveAdminMetrics answers with what was counted of each workspace.
func (a *api) serveAdminMetrics(w http.ResponseWriter, r *http.Request) {
	if _, err := a.administrator(); err != nil {
		a.fail(w, r, err)
		return
	}
	var b bytes.Buffer
	if a.opts.Workspaces != nil {
		writeWorkspaces(&b, a.opts.Workspaces())
	}
	answerMetrics(w, b.Bytes())
}
