package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
)

// FileJobs are the batch jobs that OpenAI made common: a file of JSON lines is
// uploaded, a batch names it, and another file holds the answers
// (platform.openai.com/docs/guides/batch).
type FileJobs struct {
	MaxTexts int
	// Line returns a line of the input for a text.
	Line func(Item) any
	// Batch returns the body that begins the batch.
	Batch func(inputFile string) any
}

// API returns the jobs as an embedder takes them.
func (j FileJobs) API() *JobAPI {
	return &JobAPI{MaxTexts: j.MaxTexts, Submit: j.submit, Collect: collectFiles, Delete: deleteFiles}
}

func (j FileJobs) submit(ctx context.Context, c *Client, items []Item) (string, error) {
	body, kind, err := j.upload(items)
	if err != nil {
		return "", err
	}
	var file, batch struct {
		ID string `json:"id"`
	}
	if err := c.Call(ctx, Request{Path: []string{"files"}, Raw: body, ContentType: kind}, &file); err != nil {
		return "", fmt.Errorf("upload the texts: %w", err)
	}
	if err := c.Call(ctx, Request{Path: []string{"batches"}, JSON: j.Batch(file.ID)}, &batch); err != nil {
		return "", err
	}
	if batch.ID == "" {
		return "", c.Refuse(errors.New("a batch without an id"))
	}
	return batch.ID, nil
}

// upload returns the form that uploads a file with the texts.
func (j FileJobs) upload(items []Item) (body []byte, kind string, err error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.WriteField("purpose", "batch"); err != nil {
		return nil, "", err
	}
	w, err := form.CreateFormFile("file", "memoir.jsonl")
	if err != nil {
		return nil, "", err
	}
	lines := json.NewEncoder(w)
	for _, item := range items {
		if err := lines.Encode(j.Line(item)); err != nil {
			return nil, "", err
		}
	}
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), form.FormDataContentType(), nil
}

// fileBatch is the object that describes a batch.
type fileBatch struct {
	Status     string `json:"status"`
	InputFile  string `json:"input_file_id"`
	OutputFile string `json:"output_file_id"`
	ErrorFile  string `json:"error_file_id"`
	Errors     struct {
		Data []struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"errors"`
}

func getBatch(ctx context.Context, c *Client, id string) (fileBatch, error) {
	var b fileBatch
	err := c.Call(ctx, Request{Method: http.MethodGet, Path: []string{"batches", id}}, &b)
	return b, err
}

// collectFiles reads what a batch gave. One that expired or was cancelled keeps
// the answers that it had.
func collectFiles(ctx context.Context, c *Client, id string, dimensions int) (Outcome, error) {
	b, err := getBatch(ctx, c, id)
	if err != nil {
		return Outcome{}, err
	}
	switch b.Status {
	case "completed", "failed", "expired", "cancelled":
	case "validating", "in_progress", "finalizing", "cancelling":
		return Outcome{}, nil
	default:
		return Outcome{}, c.Refuse(fmt.Errorf("unknown status %q of a batch", b.Status))
	}
	out := Outcome{Done: true, Failure: "the batch " + b.Status}
	for _, e := range b.Errors.Data {
		out.Failure += ": " + e.Message
	}
	if b.OutputFile == "" {
		return out, nil
	}
	most := MaxAnswer(1, dimensions)
	err = c.stream(ctx, Request{Method: http.MethodGet, Path: []string{"files", b.OutputFile, "content"}}, func(r io.Reader) error {
		out.Vectors, err = readLines(r, most)
		return err
	})
	return out, err
}

// readLines reads the vectors of an output file. A line with an error has none.
func readLines(r io.Reader, most int64) (map[string][]float32, error) {
	vectors := map[string][]float32{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, int(most))
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line struct {
			ID       string `json:"custom_id"`
			Response struct {
				Status int             `json:"status_code"`
				Body   json.RawMessage `json:"body"`
			} `json:"response"`
		}
		if err := Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		if line.Response.Status != http.StatusOK {
			continue
		}
		if v, err := DecodeData(line.Response.Body); err == nil && len(v) == 1 {
			vectors[line.ID] = v[0]
		}
	}
	return vectors, lines.Err()
}

// deleteFiles removes the texts and the vectors from the provider's disk.
func deleteFiles(ctx context.Context, c *Client, id string) error {
	b, err := getBatch(ctx, c, id)
	for _, file := range []string{b.InputFile, b.OutputFile, b.ErrorFile} {
		if file != "" {
			err = errors.Join(err, c.Call(ctx, Request{Method: http.MethodDelete, Path: []string{"files", file}}, &struct{}{}))
		}
	}
	return err
}
