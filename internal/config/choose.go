package config

import (
	"fmt"
)

// A Choice is the provider that the settings amount to.
type Choice struct {
	Provider string // as in the setting, never "auto"
	Reason   string // for people, the end of a sentence that begins with "because"
}

// Choose decides who computes vectors. For "auto" that is the configured model,
// else a provider whose key is set if remote providers are allowed, else the
// model inside.
func Choose(settings *Loaded) Choice {
	if settings.Provider != "auto" {
		return Choice{settings.Provider, fmt.Sprintf("the setting provider says so: %s", settings.Origin("provider"))}
	}
	if settings.IsSet("model") {
		return Choice{"local", fmt.Sprintf("the setting model names a model: %s", settings.Origin("model"))}
	}
	if settings.AllowRemote {
		for _, name := range WithKeys() {
			if settings.Remote(name).APIKey != "" {
				return Choice{name, fmt.Sprintf("allowRemote is true and there is a key: %s", settings.Origin(name+".apiKey"))}
			}
		}
		return Choice{"local", "there is no key for a remote provider"}
	}
	return Choice{"local", "nothing else is set, and allowRemote is false"}
}
