package fenchel_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// descent is gradient descent: a solver is these two methods, and the two of its states.
type descent struct{}

func (descent) Accepts(p problem.Problem) error {
	l, ok := p.(*problem.Linear)
	if !ok || l.Penalty != (penalty.L2{}) || math.IsInf(l.Loss.Smoothness(), 1) || l.Bias == problem.Free {
		return errors.New("descent needs a linear model, a smooth loss, the penalty l2, and no free bias")
	}
	return nil
}

func (descent) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	s := &descending{p: l, w: make([]float64, d+1), slopes: make([]float64, n)}
	if start.From != nil {
		copy(s.w, start.From.W)
	}
	curvature := l.Lambda
	for i, squared := range l.SquaredNorm {
		curvature += l.Loss.Smoothness() * l.S[i] / l.N * (squared + 1)
	}
	s.step = 1 / curvature
	return s
}

type descending struct {
	p         *problem.Linear
	w, slopes []float64 // the weights and the bias; the derivatives of the losses there
	step      float64
}

func (s *descending) Epoch() {
	weighted := s.Point().A
	for i := range weighted {
		weighted[i] *= s.p.S[i] / s.p.N
	}
	gradient, _ := s.p.Combine(weighted)
	for j := range s.w[:s.p.Penalised()] {
		s.w[j] -= s.step * (gradient[j] + s.p.Lambda*s.w[j])
	}
}

// Point returns the weights, and as dual variables the slopes there: with both the run proves
// how far the weights can be from the best ones.
func (s *descending) Point() problem.Point {
	s.p.Predict(s.slopes, s.w)
	for i, prediction := range s.slopes {
		s.slopes[i] = s.p.Loss.Derivative(prediction, s.p.Y[i])
	}
	return problem.Point{W: s.w, A: s.slopes}
}

// Train with a solver of the program's own, whose answers are proved as those of any other.
func ExampleTrain_solver() {
	rows := [][]float32{{1, 2}, {2, 3}, {2, 1}, {-1, -1}, {-2, -1}, {-1, -3}}
	set, err := data.FromDense(rows, data.Labels([]string{"spam", "spam", "spam", "ham", "ham", "ham"}))
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "logistic", Bias: "none", Solver: "descent", Custom: fenchel.Custom{Solver: descent{}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Model.Statement.Solver)
	// Output: converged foreign:descent
}
