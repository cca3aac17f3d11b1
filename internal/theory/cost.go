package theory

import (
	"fmt"
	"math"
)

// A Setting is what the work of a method depends on, for an objective that is a mean of
// losses of rows and a penalty.
type Setting struct {
	Rows      float64 // n
	Accuracy  float64 // of the objective: f - f* at the end
	Condition float64 // L/mu of the objective of one row, R^2/mu for a loss with kinks; 0: not known
	Kinked    bool    // the loss has kinks, so that no gradient method converges linearly
	Corner    bool    // the penalty has a corner, as l1
}

// Check refuses what is no setting.
func (s Setting) Check() error {
	switch {
	case !(s.Rows >= 1 && s.Rows <= math.MaxFloat64):
		return fmt.Errorf("n %g: expected a number of rows >= 1", s.Rows)
	case !(s.Accuracy > 0 && s.Accuracy < 1):
		return fmt.Errorf("accuracy %g: expected a number > 0 and < 1", s.Accuracy)
	case s.Condition != 0 && !(s.Condition >= 1 && s.Condition <= math.MaxFloat64):
		return fmt.Errorf("condition %g: expected a number >= 1", s.Condition)
	}
	return nil
}

// A Cost is the work of a kind of method, up to a constant that no table has.
type Cost struct {
	Method    string   `json:"method"`
	Formula   string   `json:"formula"`
	Gradients float64  `json:"gradients"` // of the objective of one row
	Passes    float64  `json:"passes"`    // Gradients/n
	Solvers   []string `json:"solvers"`   // names of such methods
}

// kinds are the kinds of methods, with the solvers that are such.
var (
	stochastic = Cost{Method: "stochastic gradient", Solvers: []string{"pgs", "sgd", "pegasos"}}
	gradient   = Cost{Method: "gradient", Solvers: []string{"proximal-gradient", "lbfgs"}}
	nesterov   = Cost{Method: "accelerated gradient", Solvers: []string{"accelerated", "lbfgs"}}
	variance   = Cost{Method: "SAG type", Solvers: []string{"sag", "saga", "svrg", "sdca"}}
	dual       = Cost{Method: "dual ascent", Solvers: []string{"sdca"}}
)

// at returns the kind with its work.
func (c Cost) at(s Setting, formula string, gradients float64) Cost {
	gradients = min(gradients, math.MaxFloat64)
	c.Formula, c.Gradients, c.Passes = formula, gradients, gradients/s.Rows
	return c
}

// Ulbrich is the table of section 4 of [Ulbrich], where conditions are constants, and SAG beside
// it, with a condition of 1 where it is not known. For a loss with kinks it has what is left.
func Ulbrich(s Setting) []Cost {
	digits, condition := math.Log(1/s.Accuracy), max(1, s.Condition)
	first := stochastic.at(s, "1/eps", 1/s.Accuracy)
	if s.Kinked {
		return []Cost{first, dual.at(s, "n + 1/eps", s.Rows+1/s.Accuracy)}
	}
	return []Cost{first, gradient.at(s, "n ln(1/eps)", s.Rows*digits),
		variance.at(s, "(n + L/mu) ln(1/eps)", (s.Rows+condition)*digits)}
}

// Lecture is the table of [Schmidt] with conditions; for losses with kinks that of [Lecture] and
// of dual ascent (Shalev-Shwartz and Zhang 2013). It is nil if the condition is not known.
func Lecture(s Setting) []Cost {
	digits, k := math.Log(1/s.Accuracy), s.Condition
	switch {
	case k == 0:
		return nil
	case s.Kinked:
		return []Cost{stochastic.at(s, "(R^2/mu)/eps", k/s.Accuracy),
			dual.at(s, "n + (R^2/mu)/eps", s.Rows+k/s.Accuracy)}
	}
	return []Cost{stochastic.at(s, "(L/mu)/eps", k/s.Accuracy),
		gradient.at(s, "n (L/mu) ln(1/eps)", s.Rows*k*digits),
		nesterov.at(s, "n sqrt(L/mu) ln(1/eps)", s.Rows*math.Sqrt(k)*digits),
		variance.at(s, "max(n, L/mu) ln(1/eps)", max(s.Rows, k)*digits)}
}
