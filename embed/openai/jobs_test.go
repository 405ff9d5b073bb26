package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

func TestJobs(t *testing.T) {
	remotetest.RunFileJobs(t, remotetest.FileJobs{
		Open: func(t *testing.T, server, file string) *remote.Batcher {
			b, err := open(t, openai.Options{BaseURL: server + "/v1", APIKey: remotetest.Key, Dimensions: remotetest.Dimensions}).WithJobs(file, false)
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		CheckLine: func(line []byte) (id, text string, err error) {
			var in struct {
				ID     string `json:"custom_id"`
				Method string
				URL    string
				Body   request
			}
			if err := json.Unmarshal(line, &in); err != nil {
				return "", "", err
			}
			if in.Method != "POST" || in.URL != "/v1/embeddings" || in.Body.Model != openai.DefaultModel || in.Body.Dimensions != remotetest.Dimensions || len(in.Body.Input) != 1 {
				return "", "", fmt.Errorf("got %+v", in)
			}
			return in.ID, in.Body.Input[0], nil
		},
		CheckBatch: func(body []byte) error {
			const want = `{"completion_window":"24h","endpoint":"/v1/embeddings","input_file_id":"file-input"}`
			if string(body) != want {
				return fmt.Errorf("want %s", want)
			}
			return nil
		},
	})
}
