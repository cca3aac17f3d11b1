// Package path follows the optimum of kernel machines while lambda = 1/(C N) changes: all
// breakpoints of C for losses with one corner, such as the hinge ([Costs]), and least squares
// for any number of lambdas from one eigensystem ([Ridge]).
//
// Every point that is handed out carries the certificate of package problem for its own lambda.
package path

import (
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
)

// Breakpoint is the optimum at one C. Its slices are valid during the call only.
type Breakpoint struct {
	C           float64
	Certificate problem.Certificate
	Free        int           // rows between their bounds
	Bounded     int           // rows at a bound that is not 0
	Point       problem.Point // n coefficients and the bias; dual variables
	Leaped      bool          // breakpoints before it may be missing: roundings do not tell them apart
	Predictions []float64     // of the rows
	LeftOut     []float64     // of each row by the machine of all others with the same C; nil: not known
}

// Squared returns |w|^2.
func (b Breakpoint) Squared() float64 {
	n := len(b.Predictions)
	bias, sum := b.Point.W[n], 0.0
	for i, beta := range b.Point.W[:n] {
		sum += float64(beta * (b.Predictions[i] - bias))
	}
	return max(0, sum)
}

// Each is told of every breakpoint, C increasing. An error of it ends the path.
type Each func(Breakpoint) error

// Follower is a way along the path.
type Follower interface {
	// Accepts returns why it cannot follow the optimum of the problem, nil if it can.
	Accepts(*problem.Kernel) error
	// Follow does so; the lambda of p does not matter.
	Follow(ctx context.Context, p *problem.Kernel, each Each) error
}

// MostRows is how many rows a path takes: their matrix has 2 GB.
const MostRows = 1 << 14

// checkRange refuses what is no range of C, and too many rows.
func checkRange(p *problem.Kernel, from, to float64) error {
	if !(from > 0 && to >= from && to <= 1e300) {
		return fmt.Errorf("path: C from %g to %g: expected 0 < from <= to", from, to)
	}
	if p.Len() > MostRows {
		return fmt.Errorf("path: found %d rows, expected at most %d, as the matrix of all pairs is stored", p.Len(), MostRows)
	}
	if !p.Definite() {
		return fmt.Errorf("path: found the kernel %s, expected one that is positive semidefinite", kernel.Name(p.Kernel))
	}
	return nil
}

// at returns the problem with another C.
func at(p *problem.Kernel, c float64) *problem.Kernel {
	other := *p
	other.Lambda = 1 / (c * p.N)
	return &other
}
