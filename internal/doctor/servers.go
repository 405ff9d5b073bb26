package doctor

import (
	"context"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/embed/llamacpp"
	"github.com/memoir-ai/memoir/embed/ollama"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/config"
)

// serverPatience is how long a server on this machine may take to answer.
const serverPatience = 2 * time.Second

// A Server is a model server that runs on this machine.
type Server struct {
	Provider string // as the setting names it
	Address  string // as in the setting baseURL
	Models   []ServerModel
	Note     string // why there are no models; "" when there are some
}

// ServerModel is a model that such a server has.
type ServerModel struct {
	Name       string
	Dimensions int      // 0 when not known
	Settings   []string // the lines that make memoir use it
}

// findServers looks for Ollama and llama.cpp's server on this machine. It looks at
// another machine only for the server that is the provider.
func findServers(ctx context.Context, settings *config.Loaded, ollamaHost string) []Server {
	var found []Server
	chosen := config.Choose(settings).Provider
	address := settings.Ollama.BaseURL
	if !settings.IsSet("ollama.baseURL") && ollamaHost != "" {
		address = ollamaAddress(ollamaHost)
	}
	if config.IsThisMachine(address) || chosen == "ollama" && address == settings.Ollama.BaseURL {
		opts := ollama.Options{BaseURL: address, APIKey: settings.Ollama.APIKey, Options: remote.Options{Timeout: serverPatience}}
		if models, err := ollama.Models(ctx, opts); err == nil {
			s := Server{Provider: "ollama", Address: address, Note: "it has no embedding model: ollama pull embeddinggemma"}
			for _, m := range models {
				s.add(m.Name, m.Dimensions, address != settings.Ollama.BaseURL)
			}
			found = append(found, s)
		}
	}
	if address := settings.LlamaCpp.BaseURL; config.IsThisMachine(address) || chosen == "llamacpp" {
		opts := llamacpp.Options{BaseURL: address, APIKey: settings.LlamaCpp.APIKey, Options: remote.Options{Timeout: serverPatience}}
		models, embeds, err := llamacpp.Probe(ctx, opts)
		if err == nil {
			s := Server{Provider: "llamacpp", Address: address, Note: "it gives no vectors: start it with llama-server --embeddings"}
			for _, m := range models {
				if embeds {
					s.add(m.Name, m.Dimensions, false)
				}
			}
			found = append(found, s)
		}
	}
	return found
}

// add adds a model, with the settings that choose it.
func (s *Server) add(name string, dimensions int, elsewhere bool) {
	lines := []string{`provider = "` + s.Provider + `"`, s.Provider + `.model = "` + name + `"`}
	if elsewhere {
		lines = append(lines, s.Provider+`.baseURL = "`+s.Address+`"`)
	}
	s.Models = append(s.Models, ServerModel{name, dimensions, lines})
	s.Note = ""
}

// ollamaAddress returns the address to ask. OLLAMA_HOST may be a host, a port, or an
// address to listen on.
func ollamaAddress(host string) string {
	const port = "11434"
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return ""
	}
	name := u.Hostname()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	at := u.Port()
	if at == "" {
		at = port
	}
	return u.Scheme + "://" + net.JoinHostPort(name, at)
}
