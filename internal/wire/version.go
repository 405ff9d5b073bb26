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

// UpdateAnswer is the JSON of update --check.
type UpdateAnswer struct {
	Version string `json:"version"` // of this program, as version says it
	Latest  string `json:"latest"`  // newest release; empty when there is none yet
	Newer   bool   `json:"newer"`   // the newest release is newer than this program
	Page    string `json:"page"`    // of that release, or of all when there is none
}
