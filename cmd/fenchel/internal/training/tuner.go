package training

import (
	"time"

	"github.com/fenchel-ml/fenchel/tune"
)

// Tuner is one run of the verb tune. The trainer reads, and makes the model of the best.
type Tuner struct {
	Trainer
	search, folds       string
	group, order, valid string
	spec                tune.Spec
	outer               int
	figure              string

	Found  *tune.Result
	nested *tune.Nested // of --outer; nil: none
	sought time.Duration
}
