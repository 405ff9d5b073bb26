package config

import (
	"fmt"
	"strings"
	"time"
)

// Remote configures a provider that is asked over HTTP. Not every provider has
// every field; [Keys] says which.
type Remote struct {
	BaseURL    string
	APIKey     string // secret: [Loaded.Entries] never shows it
	Model      string
	Dimensions int // 0: the model's own
	// QueryPrefix and DocumentPrefix stand before each text.
	QueryPrefix, DocumentPrefix string
	KeepAlive                   string
	Timeout                     time.Duration
	Batch                       bool
}

// Remote returns the settings of a provider that is asked over HTTP, nil for
// any other name.
func (s *Settings) Remote(provider string) *Remote {
	switch provider {
	case "openai":
		return &s.OpenAI
	case "gemini":
		return &s.Gemini
	case "voyage":
		return &s.Voyage
	case "mistral":
		return &s.Mistral
	case "ollama":
		return &s.Ollama
	case "llamacpp":
		return &s.LlamaCpp
	}
	return nil
}

// LeavesMachine reports whether a provider sends texts to another machine.
func (s *Settings) LeavesMachine(provider string) bool {
	r := s.Remote(provider)
	return r != nil && !IsThisMachine(r.BaseURL)
}

// WithKeys returns the providers on other machines that need a key, in the
// order in which "auto" tries them.
func WithKeys() []string {
	var names []string
	for _, p := range remotes() {
		if len(p.keys) > 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// remote is what the settings of one such provider have of their own.
type remote struct {
	name    string
	baseURL string
	path    string // that requests add to the address
	model   string
	keys    []string // variables that people have the key in
	about   string   // of the model
	lengths string   // of the vectors
	prompts bool     // it can have prefixes
	batch   string   // what its batch jobs are; "" is none
}

func remotes() []remote {
	return []remote{
		{name: "openai", baseURL: "https://api.openai.com/v1", path: "/embeddings", model: "text-embedding-3-small", keys: []string{"OPENAI_API_KEY"},
			about: "text-embedding-3-small, text-embedding-3-large, or what another server calls its own", lengths: "shorter ones for text-embedding-3", prompts: true, batch: "done within a day, for half the price"},
		{name: "gemini", baseURL: "https://generativelanguage.googleapis.com/v1beta", path: "/models", model: "gemini-embedding-001", keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			about: "gemini-embedding-001 or newer", lengths: "128 to 3072", batch: "done within a day, for half the price"},
		{name: "voyage", baseURL: "https://api.voyageai.com/v1", path: "/embeddings", model: "voyage-3.5", keys: []string{"VOYAGE_API_KEY"},
			about: "voyage-3.5, voyage-3.5-lite, voyage-4, voyage-code-3 and others", lengths: "256, 512, 1024 or 2048", batch: "done within twelve hours, for two thirds of the price"},
		{name: "mistral", baseURL: "https://api.mistral.ai/v1", path: "/embeddings", model: "mistral-embed", keys: []string{"MISTRAL_API_KEY"},
			about: "mistral-embed or codestral-embed", lengths: "up to 3072 for codestral-embed"},
		{name: "ollama", baseURL: "http://127.0.0.1:11434", path: "/api/embed", model: "embeddinggemma",
			about: "as ollama list shows it", lengths: "for models that can shorten their vectors", prompts: true},
		{name: "llamacpp", baseURL: "http://127.0.0.1:8080/v1", path: "/embeddings",
			about: "when not set, the first that the server lists", lengths: "known without asking the server", prompts: true},
	}
}

func remoteKeys() []Key {
	var keys []Key
	for _, p := range remotes() {
		keys = append(keys, p.settings()...)
	}
	return keys
}

// settings returns the rows of one provider.
func (p remote) settings() []Key {
	of := func(s *Settings) *Remote { return s.Remote(p.name) }
	key := "Key of the server, where it needs one."
	if len(p.keys) > 0 {
		key = fmt.Sprintf("Key of the server; when not set, the variable %s, if you chose this provider or allowed remote ones. Write \"${NAME}\" to take it from another variable instead of keeping it in a file.", strings.Join(p.keys, " or "))
	}
	keys := []Key{
		{Name: p.name + ".baseURL", Default: p.baseURL, Doc: fmt.Sprintf("Address of the server, up to the part before %s. Notes are sent there.", p.path), yours: never,
			at: func(s *Settings) any { return &of(s).BaseURL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return isWebAddress(of(s).BaseURL) }},
		{Name: p.name + ".apiKey", Secret: true, Doc: key, yours: never,
			at: func(s *Settings) any { return &of(s).APIKey }},
		{Name: p.name + ".model", Default: p.model, Doc: fmt.Sprintf("Model to ask the server for: %s.", p.about),
			at: func(s *Settings) any { return &of(s).Model }, want: "a name",
			ok: func(s *Settings) bool { return of(s).Model != "" || p.model == "" }},
		{Name: p.name + ".dimensions", Default: "0", Doc: fmt.Sprintf("Length of the vectors (%s); 0 is the model's own, for which a server is asked when memoir does not know it.", p.lengths),
			at: func(s *Settings) any { return &of(s).Dimensions }, want: "between 0 and 16384",
			ok: func(s *Settings) bool { return of(s).Dimensions >= 0 && of(s).Dimensions <= 16384 }},
	}
	if p.prompts {
		keys = append(keys,
			Key{Name: p.name + ".queryPrefix", Doc: "Text that the model wants before a query, such as \"query: \" for the E5 family" + p.ownPrompts(),
				at: func(s *Settings) any { return &of(s).QueryPrefix }},
			Key{Name: p.name + ".documentPrefix", Doc: "Text that the model wants before a passage, such as \"passage: \" for the E5 family" + p.ownPrompts(),
				at: func(s *Settings) any { return &of(s).DocumentPrefix }})
	}
	if p.name == "ollama" {
		keys = append(keys, Key{Name: "ollama.keepAlive", Doc: "How long Ollama keeps the model loaded, such as \"30m\"; when not set, as the server does.",
			at: func(s *Settings) any { return &of(s).KeepAlive }})
	}
	if p.batch != "" {
		keys = append(keys, Key{Name: p.name + ".batch", Default: "false", Doc: fmt.Sprintf("Lets memoir index hand 200 texts and more over as a batch job, %s; words find them meanwhile, and a later memoir index takes the vectors.", p.batch), yours: notTrue,
			at: func(s *Settings) any { return &of(s).Batch }})
	}
	return append(keys, Key{Name: p.name + ".timeout", Default: "30s", Doc: "How long one request may take.",
		at: func(s *Settings) any { return &of(s).Timeout }, want: "more than 0",
		ok: func(s *Settings) bool { return of(s).Timeout > 0 }})
}

// ownPrompts ends the documentation of a prefix.
func (p remote) ownPrompts() string {
	if p.name == "openai" {
		return "."
	}
	return "; when not set, what the model is known to want."
}

// keys takes the keys that people have in variables anyway: only those of a
// provider that was chosen, or of all when remote ones are allowed.
func (l *loader) keys() error {
	for _, p := range remotes() {
		r, name := l.out.Remote(p.name), p.name+".apiKey"
		chosen := l.out.Provider == p.name || l.out.Provider == "auto" && l.out.AllowRemote
		if !chosen || l.out.IsSet(name) {
			continue
		}
		for _, variable := range p.keys {
			if value := l.env.get(variable); value != "" {
				r.APIKey = value
				l.out.origins[name] = Origin{LayerEnv, variable}
				l.out.references[name] = variable
				break
			}
		}
	}
	return nil
}
