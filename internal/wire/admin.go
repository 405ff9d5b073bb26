package wire

// AdminEntry is the JSON of a workspace that is served for others.
type AdminEntry struct {
	Name      string      `json:"name"`            // in addresses and tokens
	Workspace string      `json:"workspace"`       // folder of the notes
	Kept      []AdminKept `json:"kept"`            // where there is anything of it
	Tokens    []string    `json:"tokens"`          // the names of those that let into it
	Quota     Quota       `json:"quota"`           // how much it may have
	Error     string      `json:"error,omitempty"` // why it could not be looked at
}

// AdminKept is a place where something of a workspace is kept.
type AdminKept struct {
	Place string `json:"place"` // a folder, or a tenant in Weaviate
	What  string `json:"what"`  // notes, state (history, questions), cache (indexes), or index (in Weaviate)
	Files int    `json:"files"` // 0 of what is in Weaviate
	Bytes int64  `json:"bytes"` // 0 of what is in Weaviate
}

// Quota is how much a workspace may have.
type Quota struct {
	Notes    int   `json:"notes"`    // how many; 0: any number
	Bytes    int64 `json:"bytes"`    // of all notes together; 0: any number
	Requests int   `json:"requests"` // a minute, over HTTP; 0: any number
}

// AdminQuota is the JSON of admin quota.
type AdminQuota struct {
	Name  string `json:"name"`  // of the workspace
	Quota Quota  `json:"quota"` // what holds from now on
}

// AdminCreated is the JSON of admin create.
type AdminCreated struct {
	Name        string   `json:"name"`        // of the workspace and of the token
	Workspace   string   `json:"workspace"`   // folder of the notes
	Token       string   `json:"token"`       // is not shown again
	Permissions []string `json:"permissions"` // what it allows
}

// AdminDeleted is the JSON of admin delete.
type AdminDeleted struct {
	Name      string      `json:"name"`      // of the workspace
	Workspace string      `json:"workspace"` // folder of the notes
	DryRun    bool        `json:"dryRun"`    // nothing was deleted
	Kept      []AdminKept `json:"kept"`      // what was there; all of it is deleted
	Revoked   []string    `json:"revoked"`   // tokens that were for it alone
}
