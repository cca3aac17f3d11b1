package pca

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
)

// rounded returns the numbers in single precision.
func rounded(value []float64) []float32 {
	single := make([]float32, len(value))
	for k, x := range value {
		single[k] = float32(x)
	}
	return single
}

// TestDoublePrecision: rows of double precision, dense and sparse, more and fewer than features, centred and not: every
// method that reads them so proves what the eigenvalues of their second moment are, which differ from those of the
// rounded rows, and only these rows verify it.
func TestDoublePrecision(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d   int
		sparse bool
		spec   Spec
		want   string
	}{
		{50, 2, false, Spec{K: 1}, "double"},
		{50, 2, true, Spec{K: 1, Center: "no"}, "double"},
		{50, 2, true, Spec{K: 1, Center: "yes", Method: "krylov"}, "double"},
		{50, 2, false, Spec{K: 1, Method: "power"}, "double"},
		{2, 50, false, Spec{K: 1, Center: "no"}, "double"},
		{2, 50, true, Spec{K: 1, Center: "no", Method: "randomized"}, "double"},
		{50, 2, false, Spec{K: 1, Method: "oja"}, ""},
		{50, 2, false, Spec{K: 1, Scale: "std"}, ""},
		{50, 20, false, Spec{K: 1, Kernel: "rbf"}, ""},
	} {
		value := make([]float64, c.n*c.d)
		for i := range value {
			value[i] = float64(1+i%c.d%2)*math.Sin(float64(i*i)) + 1/3.0
		}
		x, err := matrix.NewDense(c.n, c.d, rounded(value))
		if err != nil {
			t.Fatal(err)
		}
		var single matrix.Matrix = x
		if c.sparse {
			single = matrix.Transpose(matrix.Transpose(x))
		}
		wide, err := matrix.NewDouble(single, value)
		if err != nil {
			t.Fatal(err)
		}
		set := &data.Set{X: wide}
		c.spec.Gap = 1e-10
		r, err := Fit(ctx, set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Model.Data.Precision != c.want {
			t.Errorf("%+v: found the precision %q, expected %q", c, r.Model.Data.Precision, c.want)
		}
		if v, err := Verify(ctx, r.Model, set, 1); err != nil || len(v.Problems) > 0 || v.Unproved != "" {
			t.Errorf("%+v: found %+v, %v, expected the proof", c, v, err)
		}
		if c.want == "" {
			continue
		}
		if v, err := Verify(ctx, r.Model, set.Single(), 1); err != nil || v.Unproved != pose.LessPrecise {
			t.Errorf("%+v: found %+v, %v of the rounded rows, expected that they are less precise", c, v, err)
		}
		if want := largestOfTwo(value, c.n, c.d, r.Model.Mean != nil); math.Abs(r.Model.Eigenvalue[0]-want) > 1e-13*want ||
			float64(r.Model.Proof.Captured) > want*(1+1e-15) || float64(r.Model.Proof.Upper) < want*(1-1e-15) || float64(r.Model.Proof.Gap) > 1e-10 {
			t.Errorf("%+v: found the variance %.17g from %v to %v, expected %.17g", c, r.Model.Eigenvalue[0], r.Model.Proof.Captured, r.Model.Proof.Upper, want)
		}
	}
}

// largestOfTwo is the largest eigenvalue of the second moment of n rows of d numbers, one of which is 2.
func largestOfTwo(x []float64, n, d int, center bool) float64 {
	across, step, stride := n, d, 1 // two columns, of n numbers each
	if n == 2 {
		across, step, stride = d, 1, d
	}
	at := func(which, i int) float64 { return x[which*stride+i*step] }
	var mean [2]float64
	for which := range mean {
		for i := range across {
			if center {
				mean[which] += at(which, i) / float64(across)
			}
		}
	}
	var a, b, c float64
	for i := range across {
		p, q := at(0, i)-mean[0], at(1, i)-mean[1]
		a, b, c = a+p*p, b+p*q, c+q*q
	}
	half := (a + c) / 2
	return (half + math.Sqrt((a-c)*(a-c)/4+b*b)) / float64(n)
}
