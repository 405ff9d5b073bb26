package gemini_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/gemini"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

// batch is what asyncBatchEmbedContent is sent.
type batch struct {
	Batch struct {
		DisplayName string
		InputConfig struct {
			Requests struct {
				Requests []struct {
					Request struct {
						Model    string
						TaskType string
						Content  struct{ Parts []struct{ Text string } }
					}
					Metadata map[string]string
				}
			}
		}
	}
}

func TestJobs(t *testing.T) {
	var in batch
	state, deleted := "BATCH_STATE_RUNNING", 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1beta/models/{method}", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.PathValue("method") != "test:asyncBatchEmbedContent" || r.Header.Get("X-Goog-Api-Key") != remotetest.Key {
			t.Errorf("%s: %v", r.URL, err)
		}
		io.WriteString(w, `{"name":"batches/b-0","metadata":{"@type":"type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch","state":"BATCH_STATE_PENDING"}}`)
	})
	mux.HandleFunc("GET /v1beta/batches/b-0", func(w http.ResponseWriter, _ *http.Request) {
		if state != "BATCH_STATE_SUCCEEDED" {
			fmt.Fprintf(w, `{"name":"batches/b-0","metadata":{"state":%q}}`, state)
			return
		}
		var responses []string
		for i, r := range in.Batch.InputConfig.Requests.Requests {
			if i == 0 {
				responses = append(responses, fmt.Sprintf(`{"metadata":{"key":%q},"error":{"code":13,"message":"internal"}}`, r.Metadata["key"]))
				continue
			}
			responses = append(responses, fmt.Sprintf(`{"metadata":{"key":%q},"response":{"embedding":{"values":[0,2,0]}}}`, r.Metadata["key"]))
		}
		fmt.Fprintf(w, `{"name":"batches/b-0","metadata":{"state":%q},"done":true,"response":{"@type":"x","inlinedResponses":{"inlinedResponses":[%s]}}}`, state, strings.Join(responses, ","))
	})
	mux.HandleFunc("DELETE /v1beta/batches/b-0", func(w http.ResponseWriter, _ *http.Request) { deleted++; io.WriteString(w, "{}") })
	s := httptest.NewServer(mux)
	defer s.Close()
	file := filepath.Join(t.TempDir(), "jobs")
	open := func() *remote.Batcher {
		e, err := gemini.New(t.Context(), gemini.Options{BaseURL: s.URL + "/v1beta", APIKey: remotetest.Key, Model: "test", Dimensions: remotetest.Dimensions})
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.WithJobs(file, false)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var pending []memoir.PendingText
	for i := range 250 {
		text := fmt.Sprintf("note %d", i)
		pending = append(pending, memoir.PendingText{Hash: memoir.HashText(text), Text: text})
	}
	underway, err := open().Submit(t.Context(), pending)
	requests := in.Batch.InputConfig.Requests.Requests
	if err != nil || len(underway) != 250 || len(requests) != 250 {
		t.Fatalf("%d texts under way, %d sent: %v", len(underway), len(requests), err)
	}
	if r := requests[7]; r.Request.Model != "models/test" || r.Request.TaskType != "RETRIEVAL_DOCUMENT" || r.Request.Content.Parts[0].Text != "note 7" || r.Metadata["key"] != string(pending[7].Hash) {
		t.Errorf("sent %+v", r)
	}
	for _, tt := range []struct {
		state string
		want  int
	}{{"BATCH_STATE_RUNNING", 0}, {"BATCH_STATE_PENDING", 0}, {"BATCH_STATE_SUCCEEDED", 249}, {"BATCH_STATE_SUCCEEDED", 0}} {
		state = tt.state
		got := map[memoir.Hash][]float32{}
		if err := open().Collect(t.Context(), func(v map[memoir.Hash][]float32) error { maps.Copy(got, v); return nil }); err != nil || len(got) != tt.want {
			t.Errorf("%s: got %d vectors, %v, want %d", tt.state, len(got), err, tt.want)
		}
		if v := got[pending[7].Hash]; v != nil && v[1] != 1 {
			t.Errorf("got %v, want a vector of length 1", v)
		}
	}
	if deleted != 1 {
		t.Errorf("the job was deleted %d times", deleted)
	}
}
