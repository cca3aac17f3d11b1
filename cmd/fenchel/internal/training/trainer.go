package training

import (
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/tune"
)

// Trainer is one run of the verb train.
type Trainer struct {
	In     option.Input
	Spec   fenchel.Spec
	kernel option.KernelFlags
	spelled
	notes       []string // NAME=TEXT
	init        string   // model file to begin with; "": none
	Out         string   // model file; "": not saved
	test        []string // sources
	trace       string
	JSON, Quiet bool
	verbose     bool
	force       bool // -o may replace any file

	live         string            // where a page is served; "": nowhere
	shown        *terminal.Display // nil: nothing is
	page         *live.Page        // nil: none is served
	Set, TestSet *data.Set
	Result       *fenchel.Result
	evaluation   *fenchel.Evaluation // on the test data
	learned      *fenchel.Evaluation // on rows that it learned from

	validation // on rows that it does not learn from
	Durations  // of its steps
}

// spelled are flags as they were written.
type spelled struct {
	hidden      string // units of hidden layers, such as 100,50
	classWeight string
	cost        string // LABEL=COST,...
	threshold   string
	image       string // rows x columns
	lower       string // least value of a weight

	probabilities string // the calibrator; "": none
}

// validation is what --folds or --holdout ask for, and what they found.
type validation struct {
	folds   int            // 0: none
	valid   string         // rows that judge instead of folds; "": none
	holdout float64        // share of the rows; 0: none
	crossed *tune.Result   // of --folds
	judged  string         // by these folds, or rows
	held    []fenchel.Fold // of --holdout
}

// Durations are how long the steps of a run took.
type Durations struct {
	Read, Fitted time.Duration
	Total        time.Duration
}

// Tuner is one run of the verb tune. The trainer reads, and makes the model of the best.
type Tuner struct {
	Trainer
	search, folds string
	group, order  string
	spec          tune.Spec
	outer         int
	figure        string
	prove         bool
	within        float64

	Found  *tune.Result
	nested *tune.Nested     // of --outer; nil: none
	bound  *tune.ErrorBound // of --prove; nil: none
	sought time.Duration
}
