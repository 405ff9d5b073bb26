package remotetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// FileJobs says what the suite has to know about batch jobs in OpenAI's form.
type FileJobs struct {
	// Open opens the provider at a server, with [Key], and its jobs in a file.
	Open func(t *testing.T, server, file string) *remote.Batcher
	// CheckLine and CheckBatch return what is wrong with a line of the input
	// file, whose text is returned too, and with the body that begins the batch.
	CheckLine  func(line []byte) (id, text string, err error)
	CheckBatch func(body []byte) error
}

// batchServer has files and one batch, as platform.openai.com/docs/guides/batch
// describes.
type batchServer struct {
	t       *testing.T
	check   FileJobs
	mu      sync.Mutex
	status  string
	texts   map[string]string // by custom_id
	deleted []string
}

// RunFileJobs runs the suite of batch jobs.
func RunFileJobs(t *testing.T, p FileJobs) {
	s := &batchServer{t: t, check: p, status: "in_progress", texts: map[string]string{}}
	server := httptest.NewServer(s.routes())
	defer server.Close()
	file := filepath.Join(t.TempDir(), "jobs")
	var pending []memoir.PendingText
	for i := range 250 {
		text := fmt.Sprintf("笔记 %d", i)
		pending = append(pending, memoir.PendingText{Hash: memoir.HashText(text), Text: text})
	}
	underway, err := p.Open(t, server.URL, file).Submit(t.Context(), pending)
	if err != nil || len(underway) != 250 || len(s.texts) != 250 || s.texts[string(pending[7].Hash)] != "笔记 7" {
		t.Fatalf("%d texts under way, %d uploaded: %v", len(underway), len(s.texts), err)
	}
	collect := func() map[memoir.Hash][]float32 {
		t.Helper()
		got := map[memoir.Hash][]float32{}
		keep := func(v map[memoir.Hash][]float32) error { maps.Copy(got, v); return nil }
		if err := p.Open(t, server.URL, file).Collect(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, status := range []string{"validating", "in_progress", "finalizing"} {
		s.status = status
		if got := collect(); len(got) != 0 {
			t.Errorf("%s: got %d vectors", status, len(got))
		}
	}
	s.status = "expired" // what was done until then is kept
	got := collect()
	if _, failed := got[pending[0].Hash]; failed || len(got) != 249 {
		t.Errorf("got %d vectors, want 249: the first text failed", len(got))
	}
	slices.Sort(s.deleted)
	if diff := cmp.Diff([]string{"file-errors", "file-input", "file-output"}, s.deleted); diff != "" {
		t.Errorf("deleted: want -, got +:\n%s", diff)
	}
}

func (s *batchServer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/files", s.upload)
	mux.HandleFunc("POST /v1/batches", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = s.check.CheckBatch(body)
		}
		if err != nil {
			s.t.Errorf("batch %s: %v", body, err)
		}
		s.describe(w, r)
	})
	mux.HandleFunc("GET /v1/batches/batch_1", s.describe)
	mux.HandleFunc("GET /v1/files/file-output/content", s.output)
	mux.HandleFunc("DELETE /v1/files/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.deleted = append(s.deleted, r.PathValue("id"))
		fmt.Fprintf(w, `{"id":%q,"object":"file","deleted":true}`, r.PathValue("id"))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+Key {
			s.t.Errorf("%s %s without the key", r.Method, r.URL)
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *batchServer) upload(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("purpose") != "batch" {
		s.t.Errorf("the purpose is %q", r.FormValue("purpose"))
	}
	f, _, err := r.FormFile("file")
	if err != nil {
		s.t.Errorf("upload: %v", err)
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		id, text, err := s.check.CheckLine(lines.Bytes())
		if err != nil || s.texts[id] != "" {
			s.t.Errorf("line %s: %v", lines.Bytes(), err)
		}
		s.texts[id] = text
	}
	io.WriteString(w, `{"id":"file-input","object":"file","bytes":120000,"created_at":1677610602,"filename":"memoir.jsonl","purpose":"batch"}`)
}

func (s *batchServer) describe(w http.ResponseWriter, _ *http.Request) {
	output := `null`
	if s.status == "completed" || s.status == "expired" {
		output = `"file-output"`
	}
	fmt.Fprintf(w, `{"id":"batch_1","object":"batch","endpoint":"/v1/embeddings","errors":null,"input_file_id":"file-input","completion_window":"24h",
		"status":%q,"output_file_id":%s,"error_file_id":"file-errors","created_at":1711471533,"request_counts":{"total":250,"completed":249,"failed":1},"metadata":null}`, s.status, output)
}

// output writes the answers in another order than the texts came in.
func (s *batchServer) output(w http.ResponseWriter, _ *http.Request) {
	for id, text := range s.texts {
		if strings.HasSuffix(text, " 0") {
			fmt.Fprintf(w, `{"id":"r","custom_id":%q,"response":{"status_code":400,"request_id":"x","body":{"error":{"message":"no"}}},"error":null}`+"\n", id)
			continue
		}
		body, err := json.Marshal(map[string]any{"object": "list", "data": []any{map[string]any{"object": "embedding", "index": 0, "embedding": []float32{0, 1, 0}}}})
		if err != nil {
			s.t.Error(err)
		}
		fmt.Fprintf(w, `{"id":"batch_req_1","custom_id":%q,"response":{"status_code":200,"request_id":"req_1","body":%s},"error":null}`+"\n", id, body)
	}
}
