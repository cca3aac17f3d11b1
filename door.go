package fenchel

import (
	"context"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// DataError says why nothing can be learned from the data, or judged with it. Other errors of
// Train are about the Spec.
type DataError = pose.DataError

// Read makes one set of the rows of files, globs, standard input ("-") and generators ("@name"): see
// [data.Read].
func Read(ctx context.Context, sources []string, opt data.Options) (*data.Set, error) {
	return data.Read(ctx, sources, opt)
}

// Load reads the model in path.
func Load(path string) (*model.Model, error) { return model.ReadFile(path) }
