package wire

// VersionAnswer is the JSON of version.
type VersionAnswer struct {
	Version  string `json:"version"`            // of the module; (devel) when the build does not know it
	Revision string `json:"revision,omitempty"` // commit that was built
	Go       string `json:"go"`                 // version of Go that built it
	Platform string `json:"platform"`           // system and architecture, as Go names them
	Model    string `json:"model"`              // inside the binary; empty when there is none
	Kernels  string `json:"kernels"`            // that this processor gets
}
