package app_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

// TestForgetMoved: a session whose agent has moved it from a file to a database since it was
// archived is archived once, and forgotten with the entries that cite the file, whether that
// stayed or went.
func TestForgetMoved(t *testing.T) {
	for _, tt := range []struct{ agent, file, said, database, schema, name string }{
		{"cursor", "projects/p/agent-transcripts/c1/c1.jsonl",
			`{"role":"user","message":{"content":[{"type":"text","text":"We moved the ferry to Quixotlaria from nine to noon."}]}}` + "\n",
			".config/Cursor/User/globalStorage/state.vscdb", "cursor.sql", "c1"},
		{"opencode", "storage/session/p/ses_1.json", `{"id":"ses_1","projectID":"p","directory":"/d","title":"t","time":{"created":1772442000000,"updated":1772442000000}}`,
			".local/share/opencode/opencode.db", "opencode.sql", "ses_1"},
	} {
		for _, stays := range []bool{true, false} {
			t.Run(tt.agent, func(t *testing.T) {
				home := t.TempDir()
				root := map[string]string{"cursor": ".cursor", "opencode": ".local/share/opencode"}[tt.agent]
				put := func(name, text string) {
					t.Helper()
					file := filepath.Join(home, filepath.FromSlash(name))
					if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				put(root+"/"+tt.file, tt.said)
				if tt.agent == "opencode" {
					put(root+"/storage/message/ses_1/m1.json", `{"id":"m1","sessionID":"ses_1","role":"user","time":{"created":1772442000000}}`)
					put(root+"/storage/part/m1/p1.json", `{"id":"p1","messageID":"m1","sessionID":"ses_1","type":"text","text":"We moved the ferry to Quixotlaria from nine to noon."}`)
				}
				env := map[string]string{"HOME": home, "MEMOIR_STATE_DIR": t.TempDir(), "MEMOIR_SESSIONS_ENABLED": "true", "MEMOIR_SESSIONS_AGENTS": tt.agent, "MEMOIR_SESSIONS_ARCHIVE": "true", "MEMOIR_PROVIDER": "none"}
				workspace := t.TempDir()
				settings, err := config.Load(config.Environment{Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }, Dir: workspace, OS: "linux"}, config.Flags{"workspace": workspace})
				if err != nil {
					t.Fatal(err)
				}
				m, err := app.OpenMemory(t.Context(), &config.Memories{User: settings}, app.Options{Need: app.NeedWords, Write: true})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				log := func() (all string) {
					files, err := filepath.Glob(filepath.Join(workspace, "memory", "*"))
					for _, file := range files {
						data, readErr := os.ReadFile(file)
						all, err = all+string(data), errors.Join(err, readErr)
					}
					if err != nil {
						t.Fatal(err)
					}
					return all
				}
				ended := map[string]bool{tt.name: true}
				if n, err := m.User.Archive(t.Context(), ended); n != 1 || err != nil || !strings.Contains(log(), "Quixotlaria") {
					t.Fatalf("%d sentences are archived, %v:\n%s", n, err, log())
				}
				schema, err := os.ReadFile(filepath.Join("..", "..", "source", "session", "testdata", tt.schema))
				if err != nil {
					t.Fatal(err)
				}
				put(filepath.ToSlash(filepath.Dir(tt.database))+"/x", "")
				db, err := sql.Open("sqlite", filepath.Join(home, filepath.FromSlash(tt.database)))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.Exec(string(schema)); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if !stays {
					if err := os.Remove(filepath.Join(home, filepath.FromSlash(root+"/"+tt.file))); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := m.Sync(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				done, err := m.Forget(t.Context(), engine.Target{Session: "sessions/" + tt.agent + "/" + tt.name}, false)
				if err != nil || strings.Contains(log(), "Quixotlaria") {
					t.Errorf("%+v, %v:\n%s", done, err, log())
				}
				for _, x := range done.Sessions {
					if strings.HasSuffix(x.Path, tt.file) && (x.File != "") != stays {
						t.Errorf("the file stays at %q", x.File)
					}
				}
				if n, err := m.User.Archive(t.Context(), ended); n != 0 || err != nil {
					t.Errorf("%d sentences are archived after it was forgotten, %v", n, err)
				}
			})
		}
	}
}
