package app_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
)

// An index that is in Weaviate and cannot be reached is told with the next command, and
// what reads notes alone does without it.
func TestWeaviateAway(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	settings := loadAs(t, "store = \"weaviate\"\nweaviate.url = \""+server.URL+"\"\n", "", nil)
	if _, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "start Weaviate") {
		t.Errorf("opened for searches: %v, hint %q", err, memoir.Hint(err))
	}
	if a, err := app.Open(t.Context(), settings, app.Options{Need: app.NeedNotes}); err != nil {
		t.Errorf("opened for notes: %v", err)
	} else if err := a.Close(); err != nil {
		t.Error(err)
	}
	a, err := app.Open(t.Context(), settings, app.Options{Need: app.NeedStatus, Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	st, err := a.Status(t.Context())
	if err != nil || len(st.Degraded) == 0 || st.Degraded[0].Part != "index" || !strings.Contains(st.Degraded[0].Action, "start Weaviate") || !strings.Contains(st.Index, server.URL) {
		t.Errorf("status: %+v, %v", st, err)
	}
}

// The tenant of an index is by chance, and the same the next time; in a namespace it is
// made of what machines share.
func TestTenant(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tenant, ok := strings.CutPrefix(r.URL.Path, "/v1/schema/MemoirWords2/tenants/"); ok {
			asked = append(asked, tenant)
			io.WriteString(w, `{"name":"x","activityStatus":"HOT"}`)
			return
		}
		io.WriteString(w, `{"class":"MemoirWords2","description":"memoir index, format 1","vectorizer":"none","multiTenancyConfig":{"enabled":true,"autoTenantCreation":true,"autoTenantActivation":true},
			"replicationConfig":{"factor":1,"deletionStrategy":"DeleteOnConflict"},"properties":[{"name":"data","tokenization":"field"},{"name":"of","tokenization":"field","indexFilterable":true},
			{"name":"terms","tokenization":"whitespace","indexSearchable":true}]}`)
	}))
	defer server.Close()
	own := "store = \"weaviate\"\nweaviate.url = \"" + server.URL + "\"\n"
	settings := loadAs(t, own, "", nil)
	if _, err := app.OpenWeaviate(t.Context(), settings, app.StoreUse{Reads: true}); !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) != "memoir index" {
		t.Errorf("for reading, before there is one: %v, hint %q", err, memoir.Hint(err))
	}
	for range 2 {
		s, err := app.OpenWeaviate(t.Context(), settings, app.StoreUse{})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if len(asked) != 2 || asked[0] != asked[1] || len(asked[0]) != 39 {
		t.Errorf("tenants %q", asked)
	}
	if err := os.WriteFile(app.TenantFile(settings), []byte("../else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.OpenWeaviate(t.Context(), settings, app.StoreUse{}); !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
		t.Errorf("a file that holds something else: %v", err)
	}
	asked = nil
	shared := loadAs(t, own+"weaviate.namespace = \"ours\"\n", "", nil)
	for _, agent := range []string{"main", "main", "other"} {
		loaded := *shared
		loaded.Agent = agent
		s, err := app.OpenWeaviate(t.Context(), &loaded, app.StoreUse{Reads: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if len(asked) != 3 || asked[0] != asked[1] || asked[1] == asked[2] {
		t.Errorf("tenants of a namespace %q", asked)
	}
}
