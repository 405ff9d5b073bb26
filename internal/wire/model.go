package wire

import "fmt"

// EmbedAnswer is the JSON of embed for one text.
type EmbedAnswer struct {
	Vector []float32 `json:"vector"` // as many numbers as the model has dimensions
}

// ConvertAnswer is the JSON of model convert.
type ConvertAnswer struct {
	Path  string `json:"path"`  // of the file, as it was named
	Model string `json:"model"` // name of the model, as the file says
	Bytes int    `json:"bytes"` // of the file
}

// ModelAnswer is the JSON of one model.
type ModelAnswer struct {
	Name       string   `json:"name"`              // as the setting model takes it
	Model      string   `json:"model"`             // as the file says
	Path       string   `json:"path,omitempty"`    // of the file; the model inside has none
	Bytes      int      `json:"bytes"`             // of the file
	Dimensions int      `json:"dimensions"`        // of its vectors
	Reranks    bool     `json:"reranks,omitempty"` // it is a reranker: it orders results anew, and computes no vectors
	Languages  []string `json:"languages"`         // ISO 639 codes; empty when they are not known
	Scripts    []string `json:"scripts"`           // writing systems that it reads, by their names in Unicode
	Licence    string   `json:"licence"`           // empty when it is not known
	Origin     string   `json:"origin"`            // where the model was published; empty when that is not known
	Checksum   string   `json:"checksum"`          // SHA-256 that the file states, in hexadecimal
	InUse      bool     `json:"inUse"`             // the settings name it
	Error      string   `json:"error,omitempty"`   // why it cannot be used
	Action     string   `json:"action,omitempty"`  // the next command or step, when it cannot be used
}

// AvailableAnswer is the JSON of a model that can be pulled.
type AvailableAnswer struct {
	Name       string `json:"name"`              // as memoir model pull takes it
	Repository string `json:"repository"`        // OWNER/NAME on the hub
	Revision   string `json:"revision"`          // commit or branch that is pulled
	Bytes      int64  `json:"bytes,omitempty"`   // of the download, where it is known
	Dimensions int    `json:"dimensions"`        // of its vectors
	Reranks    bool   `json:"reranks,omitempty"` // it is a reranker: it orders results anew, and computes no vectors
	Languages  string `json:"languages"`         // for people
	Licence    string `json:"licence"`           // by its SPDX identifier
}

// ListAnswer is the JSON of model list.
type ListAnswer struct {
	Models    []ModelAnswer     `json:"models"`    // the model inside, then the installed ones by name
	Available []AvailableAnswer `json:"available"` // known models that are not installed
	Folder    string            `json:"folder"`    // absolute path of the folder of models
}

// PullAnswer is the JSON of model pull.
type PullAnswer struct {
	ModelAnswer
	Already  bool            `json:"already"`            // it was installed before, and nothing was done
	Files    string          `json:"files,omitempty"`    // folder of the downloaded files, with --keep
	SelfTest *SelfTestAnswer `json:"selfTest,omitempty"` // of a model that was installed now
}

// UseAnswer is the JSON of model use.
type UseAnswer struct {
	Model   string `json:"model"`             // as the setting has it now
	File    string `json:"file"`              // the settings file that was changed
	Reranks bool   `json:"reranks,omitempty"` // it is a reranker: it orders results anew, and computes no vectors
}

// SelfTestAnswer is the JSON of a self-test.
type SelfTestAnswer struct {
	Kernels    string  `json:"kernels"`             // that computed
	Plain      float64 `json:"plain"`               // least cosine with what plain Go computes, 1 at most
	References int     `json:"references"`          // sentences with known vectors that were compared
	Reference  float64 `json:"reference,omitempty"` // least cosine with those, 1 at most
}

// VerifyAnswer is the JSON of model verify.
type VerifyAnswer struct {
	ModelAnswer
	SelfTest SelfTestAnswer `json:"selfTest"` // what was computed
}

// RemoveAnswer is the JSON of model remove.
type RemoveAnswer struct {
	Removed string `json:"removed"` // name of the model that was deleted
}

// String returns the result for people.
func (t *SelfTestAnswer) String() string {
	text := fmt.Sprintf("self-test passed with the kernels %s: cosine %.4f with plain Go", t.Kernels, t.Plain)
	if t.References > 0 {
		text += fmt.Sprintf(", %.4f with published vectors", t.Reference)
	}
	return text
}
