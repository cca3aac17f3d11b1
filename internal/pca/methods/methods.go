// Package methods has all methods for principal components by name. It imports their rooms, of which
// each imports those before it:
//
//	view         rows, products with them, their second moment
//	method       what a method is, what it is given and returns; losses of bases
//	stream       methods of one pass: oja, block, spectral; schedule has their step sizes
//	batch        methods that read all rows again and again
//	certificate  the proof
//	learner      a stream of rows scaled, centred, split and merged
//
// One method lives in one file of its room, which registers a name and a one-line summary from init.
// There is no other list: the tests of this package examine every name.
package methods

import (
	_ "github.com/fenchel-ml/fenchel/internal/pca/batch" // the methods register themselves
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	_ "github.com/fenchel-ml/fenchel/internal/pca/stream"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// New makes the method that spec describes: a name, or "name:key=value,...".
func New(spec string) (method.Method, error) { return method.New(spec) }

// Entries lists the methods by name.
func Entries() []registry.Entry[method.Method] { return method.Entries() }
