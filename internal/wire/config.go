package wire

// ConfigAnswer is the JSON of config.
type ConfigAnswer struct {
	Settings []ConfigSetting `json:"settings"` // all of them
	Files    []string        `json:"files"`    // settings files that were read, lowest layer first
	Index    string          `json:"index"`    // absolute path of the index
	Chosen   Chosen          `json:"chosen"`   // the provider that auto chooses, or the one that is set
}

// Chosen is the provider that the settings come to, and why.
type Chosen struct {
	Provider string `json:"provider"` // as in the setting provider
	Reason   string `json:"reason"`   // the end of a sentence that begins with "because"
}

// ConfigSetting is a setting in effect.
type ConfigSetting struct {
	Name   string `json:"name"`            // dotted, as in the files
	Value  string `json:"value"`           // as text; lists are separated by commas, secrets are hidden
	Origin string `json:"origin"`          // where it came from, one of [config.Layer]
	Place  string `json:"place,omitempty"` // file and line, the variable, the flag, or a short reason
}

// DocsAnswer is the JSON of config --docs.
type DocsAnswer struct {
	Keys      []DocsKey      `json:"keys"`      // every setting
	Variables []DocsVariable `json:"variables"` // the other variables of the environment that are read
}

// DocsKey explains a setting.
type DocsKey struct {
	Name    string   `json:"name"`            // dotted, as in the files
	Default string   `json:"default"`         // as text; empty where it is empty or depends on the machine
	Doc     string   `json:"doc"`             // what it does
	OneOf   []string `json:"oneOf,omitempty"` // the values that it takes, where they are few
	Env     string   `json:"env"`             // variable that sets it
}

// DocsVariable explains a variable of the environment.
type DocsVariable struct {
	Name string `json:"name"` // as the environment has it
	Doc  string `json:"doc"`  // what it does
}

// ConfigChange is the JSON of config set and config unset.
type ConfigChange struct {
	File    string        `json:"file"`    // the settings file
	Change  string        `json:"change"`  // what became of the file: changed, or unchanged when it said so already
	Setting ConfigSetting `json:"setting"` // what is in effect now; another layer may decide it. Of a key that is no setting, its name alone
}
