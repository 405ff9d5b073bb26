package config

import "time"

// The stores that can hold an index.
const (
	StoreSQLite   = "sqlite"
	StoreWeaviate = "weaviate"
)

// Weaviate says where an index in Weaviate is.
type Weaviate struct {
	URL       string
	APIKey    string // secret, as [Remote.APIKey]
	Namespace string // "": the index belongs to this machine
	Replicas  int
	Timeout   time.Duration
}

func storeKeys() []Key {
	return []Key{
		{Name: "store", Default: StoreSQLite, OneOf: []string{StoreSQLite, StoreWeaviate}, Doc: "What keeps indexes: sqlite is a file on this machine, weaviate a database on one machine or several, to which the text of the notes is sent.", yours: never,
			at: func(s *Settings) any { return &s.Store }},
		{Name: "weaviate.url", Default: "http://127.0.0.1:8080", Doc: "Address of Weaviate, up to the part before /v1.", yours: never,
			at: func(s *Settings) any { return &s.Weaviate.URL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return isWebAddress(s.Weaviate.URL) }},
		{Name: "weaviate.apiKey", Secret: true, Doc: "Key of the server, where it needs one. Write \"${NAME}\" to take it from another variable instead of keeping it in a file.", yours: never,
			at: func(s *Settings) any { return &s.Weaviate.APIKey }},
		{Name: "weaviate.namespace", Doc: "Machines with one namespace share the index of notes that stand at the same path, and have to have the same notes there; when not set, each has its own.", yours: never,
			at: func(s *Settings) any { return &s.Weaviate.Namespace }},
		{Name: "weaviate.replicas", Default: "1", Doc: "How many nodes keep each part of an index, for collections that memoir makes; those that are there keep their number.", yours: never,
			at: func(s *Settings) any { return &s.Weaviate.Replicas }, want: "between 1 and 9",
			ok: func(s *Settings) bool { return s.Weaviate.Replicas >= 1 && s.Weaviate.Replicas <= 9 }},
		{Name: "weaviate.timeout", Default: "10s", Doc: "How long one request may take.", yours: never,
			at: func(s *Settings) any { return &s.Weaviate.Timeout }, want: "more than 0",
			ok: func(s *Settings) bool { return s.Weaviate.Timeout > 0 }},
	}
}
