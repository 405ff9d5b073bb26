package app

import "github.com/memoir-ai/memoir/internal/vecmath"

// Facts are what a build and a machine bring along.
type Facts struct {
	Model   string // inside the binary; "" is none
	Kernels string // the routines that the processor gets, or why there are none
}

// About returns the facts. It reads no model.
func About() Facts {
	f := Facts{}
	kernels, err := vecmath.Best()
	if err != nil {
		f.Kernels = err.Error()
		return f
	}
	f.Kernels = kernels.String()
	return f
}
