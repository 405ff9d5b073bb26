package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/wire"
)

// administrator does nothing, and notes what it was asked.
type administrator struct{ asked []string }

func (a *administrator) note(parts ...any) { a.asked = append(a.asked, fmt.Sprint(parts...)) }

func (a *administrator) Workspaces(context.Context) ([]wire.AdminEntry, error) {
	a.note("list")
	return []wire.AdminEntry{{Name: "sales", Kept: []wire.AdminKept{}, Tokens: []string{}}}, nil
}

func (a *administrator) Create(_ context.Context, name string, quota wire.Quota) (wire.AdminCreated, error) {
	a.note("create ", name, " ", quota)
	return wire.AdminCreated{Name: name, Permissions: []string{}}, nil
}

func (a *administrator) Delete(_ context.Context, name string, dryRun bool) (wire.AdminDeleted, error) {
	a.note("delete ", name, " ", dryRun)
	return wire.AdminDeleted{Name: name, Kept: []wire.AdminKept{}, Revoked: []string{}}, nil
}

func (a *administrator) SetQuota(_ context.Context, name string, quota wire.Quota) (wire.AdminQuota, error) {
	a.note("quota ", name, " ", quota)
	return wire.AdminQuota{Name: name, Quota: quota}, nil
}

func (a *administrator) CreateToken(_ context.Context, workspace, name string, permissions []string) (wire.TokenAnswer, error) {
	a.note("token ", workspace, " ", name, " ", permissions)
	return wire.TokenAnswer{Name: name, Permissions: permissions}, nil
}

func (a *administrator) RevokeToken(_ context.Context, workspace, name string) (wire.TokenEntry, error) {
	a.note("revoke ", workspace, " ", name)
	return wire.TokenEntry{Name: name, Permissions: []string{}}, nil
}

func (a *administrator) Export(_ context.Context, name string, w io.Writer) error {
	a.note("export ", name)
	if name == "none" {
		return fmt.Errorf("no workspace: %w", memoir.ErrNotFound)
	}
	if _, err := io.WriteString(w, "half"); err != nil {
		return err
	}
	if name == "broken" {
		return errors.New("the disk is gone")
	}
	return nil
}

// administered has an administrator, whose token is "admin", and one of a workspace.
func administered(o *httpapi.Options) {
	o.Admin = &administrator{}
	o.Guard.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
		switch d {
		case httpapi.DigestOf("admin"):
			return "boss", []httpapi.Permission{httpapi.MayAdmin}, true
		case httpapi.DigestOf("sales"):
			return "sales", httpapi.Permissions(), true
		}
		return "", nil, false
	}
}

// adminPaths is every request to /v1/admin.
var adminPaths = []string{
	"GET /v1/admin/workspaces", "POST /v1/admin/workspaces", "DELETE /v1/admin/workspaces/sales?yes=true", "PUT /v1/admin/workspaces/sales/quota",
	"POST /v1/admin/workspaces/sales/tokens", "DELETE /v1/admin/workspaces/sales/tokens/bot", "GET /v1/admin/workspaces/sales/export", "GET /v1/admin/metrics",
}

// Only an administrator's token opens /v1/admin, not the owner's, nor one of a workspace,
// and it opens nothing else.
func TestAdminToken(t *testing.T) {
	var admin *administrator
	s := start(t, func(o *httpapi.Options) {
		administered(o)
		admin = o.Admin.(*administrator)
	})
	for _, request := range append(adminPaths, "PATCH /v1/admin/workspaces") {
		method, path, _ := strings.Cut(request, " ")
		for bearer, want := range map[string]int{"": 403, "Bearer secret": 403, "Bearer sales": 403, "Bearer adminx": 401, "Bearer admi": 401, "Bearer": 401, "Basic admin": 401} {
			var headers []string
			if bearer != "" {
				headers = []string{"Authorization", bearer}
			}
			got := s.ask(method, path, `{}`, headers...)
			if got.status != want && got.status != 429 { // wrong tokens are looked at ten times a second
				t.Errorf("%s with %q: %d %s", request, bearer, got.status, got.body)
			}
			if want == 403 && !strings.Contains(got.body, "--allow admin") {
				t.Errorf("%s with %q does not say what would open it: %s", request, bearer, got.body)
			}
		}
	}
	if len(admin.asked) > 0 {
		t.Fatalf("who may not was handed on: %q", admin.asked)
	}
	for _, path := range []string{"/v1/status", "/v1/notes/MEMORY.md", "/v1/history", "/metrics", "/v1/openapi.json", "/v1/events", "/v1/nothing"} {
		if got := s.ask("GET", path, "", "Authorization", "Bearer admin"); got.status != 403 {
			t.Errorf("the administrator's token opens %s: %d", path, got.status)
		}
	}
	if got := s.ask("PATCH", "/v1/admin/workspaces", "", "Authorization", "Bearer admin"); got.status != 405 || got.header.Get("Allow") != "GET, POST" {
		t.Errorf("%d %v", got.status, got.header)
	}
}

// What an administrator asks is handed on as it was asked, once, and is in the audit.
func TestAdminAsks(t *testing.T) {
	var admin *administrator
	s := start(t, func(o *httpapi.Options) {
		administered(o)
		admin = o.Admin.(*administrator)
		o.Workspaces = func() []httpapi.WorkspaceUse { return []httpapi.WorkspaceUse{{Name: "sales", Limited: 3, Full: 2}} }
	})
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		method, path, body string
		status             int
		asked              string
	}{
		{"GET", "/v1/admin/workspaces", "", 200, "list"},
		{"POST", "/v1/admin/workspaces", `{"name":"sales"}`, 200, "create sales {0 0 0}"},
		{"POST", "/v1/admin/workspaces", `{"name":"sales","quota":{"notes":5}}`, 200, "create sales {5 0 0}"},
		{"POST", "/v1/admin/workspaces", `{"name":"` + long + `"}`, 200, "create " + long + " {0 0 0}"},
		{"POST", "/v1/admin/workspaces", `{"name":"a","name":"b"}`, 400, ""},
		{"POST", "/v1/admin/workspaces", `{"name":"a","dir":"/etc"}`, 400, ""},
		{"POST", "/v1/admin/workspaces", `{"name":"a","quota":{"notes":1e99}}`, 400, ""},
		{"POST", "/v1/admin/workspaces", `[]`, 400, ""},
		{"POST", "/v1/admin/workspaces", "", 415, ""},
		{"DELETE", "/v1/admin/workspaces/sales", "", 200, "delete sales true"},
		{"DELETE", "/v1/admin/workspaces/sales?yes=true", "", 200, "delete sales false"},
		{"DELETE", "/v1/admin/workspaces/sales?yes=maybe", "", 400, ""},
		{"DELETE", "/v1/admin/workspaces/sales?force=true", "", 400, ""},
		{"DELETE", "/v1/admin/workspaces/..%2F..%2Fetc?yes=true", "", 200, "delete ../../etc false"}, // it judges names itself
		{"PUT", "/v1/admin/workspaces/sales/quota", `{"requests":60}`, 200, "quota sales {0 0 60}"},
		{"POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot"}`, 200, "token sales bot [read write private]"},
		{"POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot","allow":["read"]}`, 200, "token sales bot [read]"},
		{"POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot","allow":["admin"]}`, 400, ""},
		{"POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot","allow":["read","read"]}`, 400, ""},
		{"POST", "/v1/admin/workspaces/sales/tokens", `{"name":"bot","allow":[]}`, 400, ""},
		{"DELETE", "/v1/admin/workspaces/sales/tokens/bot", "", 200, "revoke sales bot"},
		{"GET", "/v1/admin/workspaces/sales/export", "", 200, "export sales"},
		{"GET", "/v1/admin/workspaces/none/export", "", 404, "export none"},
	} {
		admin.asked = nil
		got := s.ask(c.method, c.path, c.body, "Authorization", "Bearer admin")
		if got.status != c.status || strings.Join(admin.asked, "|") != c.asked {
			t.Errorf("%s %.80s %.80s: %d %.200s, handed on %.200q", c.method, c.path, c.body, got.status, got.body, admin.asked)
		}
		if cached := got.header.Get("Cache-Control"); cached != "no-store" {
			t.Errorf("%s %s may be kept: %q", c.method, c.path, cached)
		}
	}
	s.mu.Lock()
	audited := slices.Clone(s.audited)
	s.mu.Unlock()
	if len(audited) != 21 {
		t.Errorf("%d lines in the audit: %+v", len(audited), audited)
	}
	exported := func(line httpapi.Written, status int, workspace string, bytes int64) {
		t.Helper()
		when, err := time.Parse(time.RFC3339, line.Time)
		if line.Who != "token boss" || line.Route != "GET /v1/admin/workspaces/{name}/export" || line.Status != status || line.Workspace != workspace || line.Bytes != bytes || err != nil || time.Since(when) > time.Hour {
			t.Errorf("%+v", line)
		}
	}
	exported(audited[19], 200, "sales", 4)
	exported(audited[20], 404, "none", 0)
	for _, line := range audited {
		if line.Who != "token boss" || len(line.Workspace) > 70 {
			t.Errorf("%+v", line)
		}
	}
	if got := s.ask("GET", "/v1/admin/metrics", "", "Authorization", "Bearer admin"); got.status != 200 || !strings.Contains(got.body, "memoir_workspace_limited_total{workspace=\"sales\"} 3\n") || !strings.Contains(got.body, "memoir_workspace_full_total{workspace=\"sales\"} 2\n") {
		t.Errorf("%d %s", got.status, got.body)
	}
	// Who was cut off in the middle of an archive does not take it for the whole.
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/admin/workspaces/broken/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer admin")
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		defer res.Body.Close()
		_, err = io.ReadAll(res.Body)
	}
	if err == nil {
		t.Error("an archive that broke off ends as if it were whole")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	exported(s.audited[len(s.audited)-1], 500, "broken", 4)
}

// A server whose workspaces are those of its command line has nothing to administer, and
// one that changes no notes changes no workspaces.
func TestNoAdmin(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		administered(o)
		o.Admin = nil
	})
	for _, request := range adminPaths {
		method, path, _ := strings.Cut(request, " ")
		if got := s.ask(method, path, `{"name":"a"}`, "Authorization", "Bearer admin"); got.status != 404 || !strings.Contains(got.body, "serve.workspaces") {
			t.Errorf("%s: %d %s", request, got.status, got.body)
		}
	}
	only := start(t, func(o *httpapi.Options) {
		administered(o)
		o.ReadOnly = true
	})
	for _, request := range adminPaths {
		method, path, _ := strings.Cut(request, " ")
		want := 200
		if method != "GET" {
			want = 403
		}
		if got := only.ask(method, path, `{"name":"a"}`, "Authorization", "Bearer admin"); got.status != want {
			t.Errorf("read-only, %s: %d %s", request, got.status, got.body)
		}
	}
}
