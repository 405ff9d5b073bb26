package voyage_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
	"github.com/memoir-ai/memoir/embed/voyage"
)

func TestJobs(t *testing.T) {
	remotetest.RunFileJobs(t, remotetest.FileJobs{
		Open: func(t *testing.T, server, file string) *remote.Batcher {
			e, err := voyage.New(t.Context(), voyage.Options{BaseURL: server + "/v1", APIKey: remotetest.Key, Model: "test", Dimensions: remotetest.Dimensions})
			if err != nil {
				t.Fatal(err)
			}
			b, err := e.WithJobs(file, false)
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		CheckLine: func(line []byte) (id, text string, err error) {
			var in struct {
				ID   string `json:"custom_id"`
				Body map[string][]string
			}
			if err := json.Unmarshal(line, &in); err != nil {
				return "", "", err
			}
			if len(in.Body) != 1 || len(in.Body["input"]) != 1 {
				return "", "", fmt.Errorf("got %+v", in)
			}
			return in.ID, in.Body["input"][0], nil
		},
		CheckBatch: func(body []byte) error {
			const want = `{"completion_window":"12h","endpoint":"/v1/embeddings","input_file_id":"file-input",` +
				`"request_params":{"input_type":"document","model":"test","output_dimension":3,"truncation":true}}`
			if string(body) != want {
				return fmt.Errorf("want %s", want)
			}
			return nil
		},
	})
}
