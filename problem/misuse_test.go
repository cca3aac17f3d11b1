package problem

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestMisuse: parts that are not there are refused, and a point of another shape proves
// nothing.
func TestMisuse(t *testing.T) {
	x, y := &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, -1}}, []float64{1, -1}
	rows, l, l2 := NewRows(x, 0), loss.Hinge{}, penalty.L2{}
	gram, err := gram.NewGram(kernel.RBF{Gamma: 1}, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, problem := range map[string]func() (Problem, error){
		"nil rows":        func() (Problem, error) { return NewLinear(nil, y, nil, l, l2, 1, Free) },
		"zero rows":       func() (Problem, error) { return NewLinear(&Rows{}, y, nil, l, l2, 1, Free) },
		"rows of nil":     func() (Problem, error) { return NewLinear(NewRows(nil, 0), y, nil, l, l2, 1, Free) },
		"nil loss":        func() (Problem, error) { return NewLinear(rows, y, nil, nil, l2, 1, Free) },
		"nil penalty":     func() (Problem, error) { return NewLinear(rows, y, nil, l, nil, 1, Free) },
		"nil gram":        func() (Problem, error) { return NewKernel(nil, y, nil, l, 1, Free) },
		"kernel nil loss": func() (Problem, error) { return NewKernel(gram, y, nil, nil, 1, Free) },
		"ball":            func() (Problem, error) { return NewNormConstrained(nil, y, nil, l, 1, None) },
		"ball nil loss":   func() (Problem, error) { return NewNormConstrained(gram, y, nil, nil, 1, None) },
		"nu":              func() (Problem, error) { return NewNuClassification(nil, y, nil, 0.5) },
		"nu regression":   func() (Problem, error) { return NewNuRegression(nil, y, nil, 0.5, 1) },
		"one class":       func() (Problem, error) { return NewOneClass(nil, nil, 0.5) },
		"slack":           func() (Problem, error) { return NewSlack(nil, y, 1, Free) },
		"linear slack":    func() (Problem, error) { return NewLinearSlack(nil, y, 1, Free) },
	} {
		if _, err := problem(); err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	for name, made := range map[string]func() (Problem, error){
		"linear":       func() (Problem, error) { return NewLinear(rows, y, nil, l, l2, 1, Free) },
		"kernel":       func() (Problem, error) { return NewKernel(gram, y, nil, l, 1, Free) },
		"ball":         func() (Problem, error) { return NewNormConstrained(gram, y, nil, l, 1, None) },
		"nu":           func() (Problem, error) { return NewNuClassification(gram, y, nil, 0.5) },
		"slack":        func() (Problem, error) { return NewSlack(gram, y, 0.1, Free) },
		"linear slack": func() (Problem, error) { return NewLinearSlack(rows, y, 0.1, Free) },
	} {
		p, err := made()
		if err != nil {
			t.Fatal(name, err)
		}
		n, d := p.Dims()
		for _, pt := range []Point{{}, {W: []float64{1}}, {W: make([]float64, d+2)}, {W: make([]float64, d+1), A: make([]float64, n+1)}} {
			if c := p.Certify(pt); c.Primal != math.Inf(1) || c.Dual != math.Inf(-1) || len(c.Warnings) != 1 {
				t.Errorf("%s: %d weights, %d dual variables: found %+v, expected nothing proved and a warning", name, len(pt.W), len(pt.A), c)
			}
		}
	}
}
