package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/source/session"
)

// TestVersions: transcripts are counted by the version that stands in them, and one whose
// version is none is read all the same.
func TestVersions(t *testing.T) {
	said := `"message":{"role":"user","content":"Who keeps the tide tables?"}`
	for _, tt := range []struct {
		agent string
		texts []string
		want  map[string]int
	}{
		{"claude-code", []string{
			`{"type":"user","uuid":"1","version":"2.1.300",` + said + `}` + "\n" + `{"type":"user","uuid":"2","parentUuid":"1","version":"2.1.329",` + said + `}`,
			`{"type":"user","uuid":"1","version":"2.1.329",` + said + `}`,
			`{"type":"user","uuid":"1","version":{"major":3},` + said + `}`,
			`{"type":"user","uuid":"1",` + said + `}`,
		}, map[string]int{"2.1.329": 2}},
		{"pi", []string{
			`{"type":"session","version":3,"id":"a"}` + "\n" + `{"type":"message","id":"1",` + said + `}`,
			`{"type":"session","version":"next","id":"b"}` + "\n" + `{"type":"message","id":"1",` + said + `}`,
		}, map[string]int{"3": 1, "next": 1}},
		{"codex", []string{
			`{"type":"session_meta","payload":{"id":"a","cli_version":"0.61.0"}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"Who?"}}`,
		}, map[string]int{"0.61.0": 1}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			dir := t.TempDir()
			first := filepath.Join(dir, filepath.FromSlash(usual[tt.agent]))
			if err := os.MkdirAll(filepath.Dir(first), 0o755); err != nil {
				t.Fatal(err)
			}
			for i, text := range tt.texts {
				path := first
				if i > 0 {
					path = filepath.Join(filepath.Dir(first), string(rune('a'+i))+filepath.Base(first))
				}
				if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			report, found, skipped, err := open(t, session.Options{Agent: tt.agent, Dir: dir}).Examine(t.Context(), 20)
			if err != nil || found != len(tt.texts) || skipped != 0 || report.Sessions != found || len(report.Unknown) != 0 {
				t.Fatalf("got %+v, %d found, %d skipped, error %v", report, found, skipped, err)
			}
			if diff := cmp.Diff(tt.want, report.Versions); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
