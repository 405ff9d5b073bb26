// Package prompt knows what open embedding models want to read before a query
// and before a document. They were trained with it, and find less without.
package prompt

import "strings"

// Prompts stand before the texts that a model reads.
type Prompts struct{ Query, Document string }

// The prompts that several models share.
const (
	arctic = "Represent this sentence for searching relevant passages: "
	// The task is that of the example in the model's card. The query follows it
	// without a blank.
	qwen = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// families are the known models by a part of their name, the more specific part
// first. They are taken from each model's card and its
// config_sentence_transformers.json on huggingface.co.
func families() []family {
	return []family{
		{"embeddinggemma", Prompts{"task: search result | query: ", "title: none | text: "}}, // google/embeddinggemma-300m
		{"embedding-gemma", Prompts{"task: search result | query: ", "title: none | text: "}},
		{"nomic-embed-text", Prompts{"search_query: ", "search_document: "}}, // nomic-ai/nomic-embed-text-v1.5, -v2-moe
		{"mxbai-embed", Prompts{Query: arctic}},                              // mixedbread-ai/mxbai-embed-large-v1
		{"snowflake-arctic-embed2", Prompts{Query: "query: "}},               // Ollama's name of -m- and -l-v2.0
		{"snowflake-arctic-embed-m-v2", Prompts{Query: "query: "}},
		{"snowflake-arctic-embed-l-v2", Prompts{Query: "query: "}},
		{"snowflake-arctic-embed", Prompts{Query: arctic}}, // v1 and v1.5
		{"qwen3-embedding", Prompts{Query: qwen}},          // Qwen/Qwen3-Embedding-0.6B, -4B, -8B
		{"bge-m3", Prompts{}}, // BAAI/bge-m3: no instruction
		{"multilingual-e5", Prompts{"query: ", "passage: "}},
		{"e5-small", Prompts{"query: ", "passage: "}},
		{"e5-base", Prompts{"query: ", "passage: "}},
		{"e5-large", Prompts{"query: ", "passage: "}},
		{"all-minilm", Prompts{}},
	}
}

type family struct {
	name    string
	prompts Prompts
}

// Of returns the prompts of a model by the name that Ollama or llama.cpp's
// server gives it: "nomic-embed-text:v1.5", "hf.co/Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0",
// "models/embeddinggemma-300M-Q8_0.gguf". An unknown model has none.
func Of(model string) Prompts {
	name := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(model))
	for _, f := range families() {
		if strings.Contains(name, f.name) {
			return f.prompts
		}
	}
	return Prompts{}
}

// Replace returns the prompts, or in their place those that a person has set.
// nil leaves the model's own.
func (p Prompts) Replace(query, document *string) Prompts {
	if query != nil {
		p.Query = *query
	}
	if document != nil {
		p.Document = *document
	}
	return p
}
