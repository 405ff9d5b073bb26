package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/openai"
)

func TestSpace(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts openai.Options
		want memoir.Space
	}{
		{"defaults", openai.Options{APIKey: "k"}, memoir.Space{Provider: "openai", Model: "text-embedding-3-small", Dimensions: 1536}},
		{"large", openai.Options{APIKey: "k", Model: "text-embedding-3-large"}, memoir.Space{Provider: "openai", Model: "text-embedding-3-large", Dimensions: 3072}},
		{"shortened", openai.Options{APIKey: "k", Dimensions: 512}, memoir.Space{Provider: "openai", Model: "text-embedding-3-small", Dimensions: 512}},
		{"through a gateway", openai.Options{BaseURL: "https://gateway.example/v1", Model: "openai/text-embedding-ada-002"}, memoir.Space{Provider: "openai", Model: "openai/text-embedding-ada-002", Dimensions: 1536}},
		{"local", openai.Options{BaseURL: "http://localhost:11434/v1/", Model: "bge-m3", Dimensions: 1024}, memoir.Space{Provider: "openai", Model: "bge-m3", Dimensions: 1024}},
		{"prefixes", openai.Options{BaseURL: "http://localhost:1", Model: "e5", Dimensions: 384, QueryPrefix: "query: ", DocumentPrefix: "passage: "},
			memoir.Space{Provider: "openai", Model: "e5", Version: "707ad539", Dimensions: 384}},
	} {
		e, err := openai.New(t.Context(), tt.opts)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, e.Space()); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", tt.name, diff)
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts openai.Options
		want error
		text string
	}{
		{"no key for OpenAI", openai.Options{}, memoir.ErrUnavailable, "there is no key"},
		{"blank key", openai.Options{APIKey: " \n"}, memoir.ErrUnavailable, "there is no key"},
		{"key of two lines", openai.Options{APIKey: "sk-a\nsk-b"}, memoir.ErrInvalid, "character that no key has"},
		{"key with a typographic hyphen", openai.Options{APIKey: "sk–a"}, memoir.ErrInvalid, "character that no key has"},
		{"too long for the model", openai.Options{APIKey: "sk-a", Dimensions: 2000}, memoir.ErrInvalid, "no vectors of 2000 dimensions"},
		{"model that does not shorten", openai.Options{APIKey: "sk-a", Model: "text-embedding-ada-002", Dimensions: 512}, memoir.ErrInvalid, "no vectors of 512 dimensions"},
		{"too many dimensions", openai.Options{APIKey: "sk-a", Model: "x", Dimensions: 1 << 30}, memoir.ErrInvalid, "are more than 65536"},
		{"negative", openai.Options{APIKey: "sk-a", MaxBatch: -1}, memoir.ErrInvalid, "negative"},
		{"no scheme", openai.Options{BaseURL: "localhost:11434/v1"}, memoir.ErrInvalid, "https:// or http://"},
		{"no host", openai.Options{BaseURL: "https:///v1"}, memoir.ErrInvalid, "https:// or http://"},
		{"a file", openai.Options{BaseURL: "file:///etc/passwd"}, memoir.ErrInvalid, "https:// or http://"},
		{"secret in the address", openai.Options{BaseURL: "https://user:sk-a@example.com"}, memoir.ErrInvalid, "holds a user"},
		{"malformed address", openai.Options{BaseURL: "https://sk-a\x7f/"}, memoir.ErrInvalid, "base URL"},
	} {
		_, err := openai.New(t.Context(), tt.opts)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want …%s…", tt.name, err, tt.text)
		}
		if err != nil && strings.Contains(err.Error()+memoir.Hint(err), "sk-a") {
			t.Errorf("%s: the secret stands in %q", tt.name, err)
		}
	}
}
