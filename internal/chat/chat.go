// Package chat asks a language model behind an HTTP interface like OpenAI's
// (/chat/completions), once a request and without a conversation. Texts go to the server
// at the base address and nowhere else. Package embed/remote sends them.
package chat

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir/embed/remote"
)

// Options says which server and model to ask.
type Options struct {
	// Settings is the table of the settings, for hints: summaries.baseURL.
	Settings string
	BaseURL  string // up to the part before /chat/completions
	APIKey   string // "": the server needs none
	Model    string // "": whichever the server has
	remote.Options
}

// A Client asks one server. It is safe for concurrent use.
type Client struct {
	model  string
	client *remote.Client
}

// New checks the options and sends nothing. A wrong option is [memoir.ErrInvalid].
func New(opts Options) (*Client, error) {
	client, err := remote.NewClient(opts.Settings, opts.BaseURL, opts.APIKey, remote.Bearer(opts.APIKey), opts.Options)
	if err != nil {
		return nil, err
	}
	return &Client{opts.Model, client}, nil
}

// maxAnswer is how many bytes an answer may have.
const maxAnswer = 1 << 20

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Ask returns what the model answers to a text under an instruction, with at most so many
// tokens, and how many tokens both took; 0 when the server does not say. Errors of the
// server and the network wrap [memoir.ErrUnavailable]. A limit, a failure of the server or
// a broken connection is tried once more.
func (c *Client) Ask(ctx context.Context, instruction, text string, most int) (answer string, tokens int, err error) {
	body := struct {
		Model       string    `json:"model,omitempty"`
		Messages    []message `json:"messages"`
		MaxTokens   int       `json:"max_tokens"`
		Temperature float64   `json:"temperature"`
	}{c.model, []message{{"system", instruction}, {"user", text}}, most, 0}
	var got struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			Total int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := c.client.Ask(ctx, remote.Request{Path: []string{"chat", "completions"}, JSON: body, MaxAnswer: maxAnswer}, &got); err != nil {
		return "", 0, err
	}
	if len(got.Choices) != 1 {
		return "", max(got.Usage.Total, 0), c.client.Refuse(fmt.Errorf("%d answers to one question", len(got.Choices)))
	}
	return got.Choices[0].Message.Content, max(got.Usage.Total, 0), nil
}
