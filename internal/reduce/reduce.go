// Package reduce makes kernel machines of few support vectors from trained ones of many: a
// prediction costs one value of the kernel for each.
//
// What the trained machine w says of each row becomes a band, in which the predictions of the
// small machine v are to stay (see Classes, Numbers and OneClass). With a trained machine of
// two classes this is problem 3.1 of Cotter's thesis,
//
//	f(v) = max over rows i of (lo_i - v(x_i), v(x_i) - hi_i)  ->  min over v
//
// of which f(w) <= 0: whoever stays above E of f in all rows can step towards w. Methods, one
// in each file:
//
//	auto         random rows and those of greedy on a sample: the lower refit objective
//	aggressive   subgradients of f, of support vectors while these suffice
//	basic        subgradients of f
//	osuna-girosi regression onto the predictions of w
//	random       random rows
//	greedy       rows that lower a squared hinge most, of a few random ones
//	merge        pairs of support vectors become one between them
//	reduced-set  vectors that are no rows, of which one after another is fitted to w
//	cutting-plane a vector for each cutting plane of the hinge
//	zhan-shen    fewer rows to train on, then osuna-girosi
//	separate     a perceptron of the rows that w has right by its margin
//
// Refit then gives the vectors that were chosen the best coefficients for the problem that w
// was trained for, with the certificate of that restricted problem.
//
// Several outputs, as of several classes, choose rows together: a row that one of them has
// costs the others nothing.
package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// Target is a trained machine as a method sees it.
type Target struct {
	Gram    *gram.Gram // of the rows to choose from, and then of rows that are only watched
	Rows    int        // how many to choose from; 0: all
	Outputs []Output
	Risks   []Risk  // the problem of each output, for methods that train anew; nil: none is known
	Below   float64 // at most the sum of the least objectives of Risks; -Inf: not known

	// Support and Coefficients, outputs x support, are the machine itself, for methods that
	// begin with it.
	Support      matrix.Matrix
	Coefficients [][]float64
}

// Output is one function of a trained machine.
type Output struct {
	Band
	Response []float64 // n values of the trained function, with its bias
	Bias     float64
}

// Choice is what a method found: vectors, and for each output their coefficients.
type Choice struct {
	Rows         []int         // which of the rows; nil: vectors of its own
	Vectors      matrix.Matrix // these; nil: rows
	Coefficients [][]float64   // outputs x vectors
	Bias         []float64     // of each output
	Loss         float64       // f, the largest distance from a band; NaN: not known
	Steps        int
	Reached      bool // the accuracy that was asked for

	// GaveUp says at what a method ended before what it was asked for; "": it did not.
	GaveUp string
	// Auto says what it tried. Fitted are the certificates of a refit that was made for it; nil: none.
	Tried  []Tried
	Fitted []problem.Certificate

	// Regression is that of methods which minimise another objective than f, before any refit; nil: none.
	Regression *Objective

	gram   *gram.Gram
	span   span // of the last refit
	points []*problem.Point
}

// Len returns the number of vectors.
func (c *Choice) Len() int {
	if c.Vectors != nil {
		n, _ := c.Vectors.Dims()
		return n
	}
	return len(c.Rows)
}

// Matrix returns the vectors.
func (c *Choice) Matrix() matrix.Matrix {
	if c.Vectors != nil {
		return c.Vectors
	}
	return matrix.Subset(c.gram.X, c.Rows)
}

// Options say when a method ends, and what it may do.
type Options struct {
	Support  int     // at most so many vectors; 0: as few as the accuracy takes
	Accuracy float64 // E: f is to be at most this; 0: DefaultAccuracy. With Support: where that is not used up, less
	KeepBias bool    // that of the trained machine stays; else it is chosen with the vectors
	Seed     uint64
	Refit    float64 // the relative gap of the refit that follows, for Auto; 0: none does

	// Visit is shown the choice of each number of vectors before the next one is added, and
	// the last. It may not keep it. Methods that do not pass through them show the last alone.
	Visit func(*Choice, *View) error
}

// View is what a path shows beside a choice.
type View struct {
	Response [][]float64 // outputs x n: the predictions for all rows, with bias
}

// DefaultAccuracy is E of the thesis: what is right by the margin 1 stays right by 1/2, for
// which the guarantee is about the slant loss.
const DefaultAccuracy = 0.5

// Method chooses vectors.
type Method interface {
	Choose(ctx context.Context, t *Target, opt Options) (*Choice, error)
}

var methods = registry.New[Method]("sparsifying method")

// New makes the method that spec describes: a name, or "name:key=value,...".
func New(spec string) (Method, error) { return methods.New(spec) }

// Entries lists the methods by name.
func Entries() []registry.Entry[Method] { return methods.Entries() }

func register(name, summary string, make func(*registry.Params) (Method, error)) {
	methods.Register(registry.Entry[Method]{Name: name, Summary: summary, New: make})
}

// check refuses options and targets that no method can serve.
func (t *Target) check(opt Options) error {
	switch {
	case t == nil || t.Gram == nil || len(t.Outputs) == 0:
		return errors.New("sparsify: found no trained machine, expected rows and predictors")
	case opt.Support < 0:
		return fmt.Errorf("support=%d: expected a number of vectors > 0", opt.Support)
	case !(opt.Accuracy >= 0) || math.IsInf(opt.Accuracy, 1):
		return fmt.Errorf("accuracy=%g: expected a finite number >= 0", opt.Accuracy)
	}
	n := t.Gram.Len()
	if t.Rows == 0 {
		t.Rows = n
	}
	for _, o := range t.Outputs {
		if len(o.Lo) != n || len(o.Hi) != n {
			return fmt.Errorf("sparsify: found bands of %d and %d rows, expected %d", len(o.Lo), len(o.Hi), n)
		}
	}
	return nil
}

// rows returns the rows to choose from.
func (t *Target) rows() matrix.Matrix {
	if t.Rows == t.Gram.Len() {
		return t.Gram.X
	}
	return matrix.Subset(t.Gram.X, firsts(t.Rows))
}

// part is the matrix of the rows to choose from.
func (t *Target) part() (*gram.Gram, error) {
	if t.Rows == t.Gram.Len() {
		return t.Gram, nil
	}
	return t.Gram.Part(firsts(t.Rows))
}

// firsts returns the numbers below n.
func firsts(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// finish shows a choice that no path led to.
func (t *Target) finish(c *Choice, opt Options) (*Choice, error) {
	c.gram = t.Gram
	view := t.view(c)
	c.Loss = t.loss(view)
	c.Reached = opt.Accuracy == 0 || c.Loss <= opt.Accuracy
	if opt.Visit == nil {
		return c, nil
	}
	return c, opt.Visit(c, view)
}

// loss is f of predictions.
func (t *Target) loss(view *View) float64 {
	most := math.Inf(-1)
	for o, p := range view.Response {
		most = max(most, t.Outputs[o].Loss(p))
	}
	return most
}

// view computes the predictions of a choice for all rows.
func (t *Target) view(c *Choice) *View { return &View{c.Predictions(t.Gram)} }

// Predictions returns what a choice predicts for the rows of a matrix, outputs x rows.
func (c *Choice) Predictions(g *gram.Gram) [][]float64 {
	n, k := g.Len(), len(c.Coefficients)
	all := make([][]float64, k)
	for o := range all {
		all[o] = slices.Repeat([]float64{c.Bias[o]}, n)
	}
	if c.Len() == 0 {
		return all
	}
	scorer := gram.NewScorer(g.Kernel, c.Matrix(), c.Coefficients)
	parallel.Blocks(n, 512, g.Threads(), func(_, lo, hi int) {
		rows, scores := make([]matrix.Vector, hi-lo), make([]float64, (hi-lo)*k)
		for i := range rows {
			rows[i] = g.X.Row(lo + i)
		}
		scorer.Scores(scores, rows)
		for i := range rows {
			for o := range k {
				all[o][lo+i] += scores[i*k+o]
			}
		}
	})
	return all
}

// single refuses several outputs, for methods that move vectors by the coefficients of one.
func (t *Target) single(name string) error {
	if len(t.Outputs) > 1 {
		return fmt.Errorf("%s: found %d predictors, expected one: a vector of this method is made for one function", name, len(t.Outputs))
	}
	return nil
}

// gaussian returns the kernel, for methods that make vectors of their own.
func (t *Target) gaussian(name string) (kernel.RBF, error) {
	k, ok := t.Gram.Kernel.(kernel.RBF)
	if !ok {
		return k, fmt.Errorf("%s: found the kernel %s, expected rbf, of which the best vector between others is known", name, kernel.Name(t.Gram.Kernel))
	}
	return k, t.single(name)
}

// size refuses to guess how many vectors a method is to make that has no other end.
func (opt Options) size(name string) error {
	if opt.Support == 0 {
		return fmt.Errorf("%s: found no number of support vectors, expected one, as the method has no accuracy to end at", name)
	}
	return nil
}

// biases returns those of the trained machine.
func (t *Target) biases() []float64 {
	b := make([]float64, len(t.Outputs))
	for c, o := range t.Outputs {
		b[c] = o.Bias
	}
	return b
}
