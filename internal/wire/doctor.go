package wire

// DoctorAnswer is the JSON of doctor.
type DoctorAnswer struct {
	OK      bool           `json:"ok"`      // nothing is broken; the exit code is 0
	Checks  []DoctorCheck  `json:"checks"`  // one for each part
	Servers []DoctorServer `json:"servers"` // model servers that run on this machine
	// What --fix did, or with --dry-run would do; absent without it.
	Repairs []DoctorRepair `json:"repairs,omitempty"`
}

// DoctorRepair is something that doctor does by itself.
type DoctorRepair struct {
	What  string `json:"what"`            // for people
	Done  bool   `json:"done"`            // it is done
	Error string `json:"error,omitempty"` // why it is not done; absent with --dry-run where nothing is in the way
}

// DoctorCheck is what was found of one part.
type DoctorCheck struct {
	Name   string `json:"name"`             // settings, workspace, state, clock, index, watch, sync, lease, collections, sessions, kernels, provider, rerank, agents or hooks; with --live a link of the chain
	Health string `json:"health"`           // one of [doctor.Health]
	Detail string `json:"detail"`           // for people
	Action string `json:"action,omitempty"` // the next command or step
}

// DoctorServer is a model server on this machine.
type DoctorServer struct {
	Provider string        `json:"provider"`       // ollama or llamacpp, as in the setting provider
	Address  string        `json:"address"`        // as in the setting baseURL of the provider
	Models   []DoctorModel `json:"models"`         // that compute vectors
	Note     string        `json:"note,omitempty"` // why there are no models
}

// DoctorModel is a model of such a server.
type DoctorModel struct {
	Name       string   `json:"name"`                 // as the server calls it
	Dimensions int      `json:"dimensions,omitempty"` // of its vectors, where that is known
	Settings   []string `json:"settings"`             // the lines that make memoir use it
}
