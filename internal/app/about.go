package app

import (
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// Facts are what a build and a machine provide.
type Facts struct {
	Model   string // inside the binary; "" is none
	Kernels string // the routines that fit the processor, or why there are none
}

// About returns the facts. It computes nothing with the model.
func About() Facts {
	return Facts{Model: models.Inside(), Kernels: kernels()}
}

func kernels() string {
	best, err := vecmath.Best()
	if err != nil {
		return err.Error()
	}
	return best.String()
}
