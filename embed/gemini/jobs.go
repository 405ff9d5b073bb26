package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/memoir-ai/memoir/embed/remote"
)

// maxJob is how many texts a job takes. The job itself holds requests and
// answers, and may have 20 MB when it is sent.
const maxJob = 1000

// jobRequest is a text of a job. Its metadata comes back with its vector.
type jobRequest struct {
	Request  request           `json:"request"`
	Metadata map[string]string `json:"metadata"`
}

// jobs are Gemini's batches of embeddings: asyncBatchEmbedContent with the
// requests inside (ai.google.dev/api/embeddings, EmbedContentBatch).
func jobs(model string, document func(text string) request) *remote.JobAPI {
	submit := func(ctx context.Context, c *remote.Client, items []remote.Item) (string, error) {
		var list []jobRequest
		for _, item := range items {
			list = append(list, jobRequest{document(item.Text), map[string]string{"key": item.ID}})
		}
		body := map[string]any{"batch": map[string]any{
			"displayName": "memoir",
			"inputConfig": map[string]any{"requests": map[string]any{"requests": list}},
		}}
		var answer struct {
			Name string `json:"name"`
		}
		if err := c.Call(ctx, remote.Request{Path: []string{"models", model + ":asyncBatchEmbedContent"}, JSON: body}, &answer); err != nil {
			return "", err
		}
		if !strings.HasPrefix(answer.Name, "batches/") {
			return "", c.Refuse(errors.New("a batch without a name"))
		}
		return answer.Name, nil
	}
	return &remote.JobAPI{MaxTexts: maxJob, Submit: submit, Collect: collect, Delete: remove}
}

// operation is the state of a job.
type operation struct {
	Done     bool `json:"done"`
	Metadata struct {
		State  string `json:"state"`
		Output output `json:"output"`
	} `json:"metadata"`
	Response output `json:"response"`
	Error    struct {
		Message string `json:"message"`
	} `json:"error"`
}

type output struct {
	InlinedResponses struct {
		InlinedResponses []struct {
			Metadata map[string]string `json:"metadata"`
			Response struct {
				Embedding struct {
					Values json.RawMessage `json:"values"`
				} `json:"embedding"`
			} `json:"response"`
		} `json:"inlinedResponses"`
	} `json:"inlinedResponses"`
}

// collect reads the result of a job. A text with an error has no vector.
func collect(ctx context.Context, c *remote.Client, name string, dimensions int) (remote.Outcome, error) {
	body, err := c.Send(ctx, remote.Request{Method: http.MethodGet, Path: []string{name}, MaxAnswer: remote.MaxAnswer(maxJob, dimensions)})
	if err != nil {
		return remote.Outcome{}, err
	}
	var op operation
	if err := remote.Unmarshal(body, &op); err != nil {
		return remote.Outcome{}, c.Refuse(err)
	}
	// The documentation has names that begin with BATCH_STATE_. In older answers
	// they begin with JOB_STATE_.
	_, state, _ := strings.Cut(op.Metadata.State, "_STATE_")
	switch state {
	case "SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED":
	default:
		if !op.Done {
			return remote.Outcome{}, nil
		}
	}
	out := remote.Outcome{Done: true, Vectors: map[string][]float32{}, Failure: fmt.Sprintf("the batch %s: %s", strings.ToLower(state), op.Error.Message)}
	for _, o := range []output{op.Metadata.Output, op.Response} {
		for _, r := range o.InlinedResponses.InlinedResponses {
			if v, err := remote.Vector(r.Response.Embedding.Values); err == nil {
				out.Vectors[r.Metadata["key"]] = v
			}
		}
	}
	return out, nil
}

func remove(ctx context.Context, c *remote.Client, name string) error {
	return c.Call(ctx, remote.Request{Method: http.MethodDelete, Path: []string{name}}, &struct{}{})
}
