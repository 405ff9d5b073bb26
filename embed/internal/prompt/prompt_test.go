package prompt_test

import (
	"testing"

	"github.com/memoir-ai/memoir/embed/internal/prompt"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct{ model, query, document string }{
		{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
		{"embeddinggemma-300M-qat-Q8_0.gguf", "task: search result | query: ", "title: none | text: "},
		{"hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0", "search_query: ", "search_document: "},
		{"mxbai-embed-large:335m", "Represent this sentence for searching relevant passages: ", ""},
		{"snowflake-arctic-embed:xs", "Represent this sentence for searching relevant passages: ", ""},
		{"snowflake-arctic-embed2", "query: ", ""},
		{"Snowflake_snowflake-arctic-embed-l-v2.0-Q8_0.gguf", "query: ", ""},
		{"qwen3-embedding:0.6b", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""},
		{"bge-m3", "", ""},
		{"all-minilm", "", ""},
		{"jeffh/intfloat-multilingual-e5-large:f16", "query: ", "passage: "},
		{"something-new", "", ""},
		{"", "", ""},
	} {
		if got := prompt.Of(tt.model); got.Query != tt.query || got.Document != tt.document {
			t.Errorf("%q: got %+v", tt.model, got)
		}
	}
}

func TestReplace(t *testing.T) {
	own, none := "q: ", ""
	got := prompt.Of("nomic-embed-text").Replace(&own, &none)
	if want := (prompt.Prompts{Query: own}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := prompt.Of("nomic-embed-text").Replace(nil, nil); got != prompt.Of("nomic-embed-text") {
		t.Errorf("got %+v", got)
	}
}
