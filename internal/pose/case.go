package pose

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// A Case is the problems of a fit as its solver would get them, before it runs: for what follows
// their optima along C, or judges rows in another way than by a model.
type Case struct {
	Statement model.Statement // what the rows decide is written out
	Labels    *Labels
	Problems  *Problems
	First     Objective     // of output 0
	Features  matrix.Matrix // of the rows, scaled, or their images
	Single    bool          // there is one class, and nothing to learn
	C         float64       // 1/(lambda N)
	Solver    solver.Solver
	Why       string // the solver was chosen; "": it was asked for
	Threads   int    // for each output
}
