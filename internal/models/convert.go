package models

import (
	"context"
	"io/fs"

	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

// Convert makes a model file out of a published folder, with samples that
// show whether a machine computes it rightly; see [modelfile.ConvertFolder] and
// [local.WithSamples].
func Convert(ctx context.Context, folder fs.FS, opts modelfile.Options) ([]byte, error) {
	file, err := modelfile.ConvertFolder(folder, opts)
	if err != nil {
		return nil, err
	}
	return local.WithSamples(ctx, file)
}
