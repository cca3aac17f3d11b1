package gram

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MaxSample is the largest number of rows that [Check] takes.
const MaxSample = 2000

// Check looks for a reason why k is no inner product: a pair of rows with other
// values one way round than the other (to 1e-12 of their size), or a negative
// curvature, the smallest eigenvalue of the matrix K of the sample, below -1e-10
// of the mean of its diagonal. The sample is that many rows of x, evenly spread.
//
// The curvature is returned, and what was found as an error; none being found
// proves nothing about other rows. Cost: sample^2 values and sample^3 operations.
func Check(k kernel.Kernel, x matrix.Matrix, sample int) (curvature float64, err error) {
	if x, err = kernel.Prepare(k, x, 0); err != nil {
		return 0, err
	}
	rows, _ := x.Dims()
	n := min(sample, rows, MaxSample)
	if n <= 0 {
		return 0, fmt.Errorf("kernel: found %d rows and a sample of %d, expected at least one", rows, sample)
	}
	e, err := examine(k, x, n, false, 0)
	if err != nil {
		return 0, err
	}
	if !e.Definite() {
		return e.Smallest(), fmt.Errorf("kernel: found the curvature %.3g on a sample of %d rows with mean k(x,x) %.3g, expected none below 0: it is no inner product", e.Smallest(), n, e.Trace/float64(n))
	}
	return e.Smallest(), nil
}

// Alignment returns <K,yy^T>/(n |K|), the cosine of the angle between the matrix of the kernel and
// that of targets -1 and +1, from -1 to 1 (Cristianini, Shawe-Taylor, Elisseeff, Kandola 2002), of
// a sample of the prepared rows of x, evenly spread: all up to 32, then a quarter, at most 128.
// It is 0 where K is.
func Alignment(k kernel.Kernel, x matrix.Matrix, y []float64, threads int) (alignment float64, sample int) {
	n := min(len(y), 128, max(32, len(y)/4))
	values, at := sampled(k, x, n, threads, true)
	var product, squared float64
	for i := range n {
		for j, v := range values[i*n:][:i+1] {
			times := 2.0
			if j == i {
				times = 1
			}
			product += float64(times * v * y[at(i)] * y[at(j)])
			squared += float64(times * v * v)
		}
	}
	if !(squared > 0) || math.IsInf(squared, 1) {
		return 0, n
	}
	return product / (float64(n) * math.Sqrt(squared)), n
}

// MostExamined is the largest number of rows that [Examine] takes: its eigenvectors need as many
// numbers as the matrix.
const MostExamined = 5000

// Examined is the matrix of a kernel on rows, with its eigenvalues.
type Examined struct {
	N      int
	Matrix []float64 // N*N, row-major
	Values []float64 // eigenvalues, descending
	Trace  float64   // sum of the magnitudes on the diagonal

	vectors []float64 // row k: that of Values[k]; nil: not computed
	threads int
}

// Examine computes the matrix of k on all rows of x and its eigenvalues; at most MostExamined
// rows. It refuses values that are not finite, and other values one way round than the other (to
// 1e-12 of their size). The repairs clip and flip take the eigenvectors too. Cost: n^2 values and about
// 4 n^3/3 multiplications, with eigenvectors 10 n^3.
func Examine(k kernel.Kernel, x matrix.Matrix, vectors bool, threads int) (*Examined, error) {
	x, err := kernel.Prepare(k, x, 0)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if n == 0 || n > MostExamined {
		return nil, fmt.Errorf("kernel: found %d rows, expected from 1 to %d, as all eigenvalues are computed", n, MostExamined)
	}
	return examine(k, x, n, vectors, threads)
}

// examine is Examine for a sample of n of the prepared rows, see sampled.
func examine(k kernel.Kernel, x matrix.Matrix, n int, vectors bool, threads int) (*Examined, error) {
	values, at := sampled(k, x, n, threads, false)
	e := &Examined{N: n, Matrix: values, Values: make([]float64, n), threads: threads}
	if vectors {
		e.vectors = make([]float64, n*n)
	}
	for i := range n {
		e.Trace += math.Abs(values[i*n+i])
		for j := range i + 1 {
			there, back := values[j*n+i], values[i*n+j]
			if !(math.Abs(there-back) <= 1e-12*math.Max(math.Abs(there), math.Abs(back))) || math.IsInf(there, 0) {
				return nil, fmt.Errorf("kernel: rows %d and %d: found k(x,y) = %g and k(y,x) = %g, expected the same finite number", at(j)+1, at(i)+1, there, back)
			}
			values[j*n+i] = back
		}
	}
	lapack.Eigen(e.Values, e.vectors, slices.Clone(values), n, threads)
	return e, nil
}

// Smallest returns the smallest eigenvalue.
func (e *Examined) Smallest() float64 { return e.Values[e.N-1] }

// Negligible is how far below 0 an eigenvalue may be and is no reason to call the matrix
// indefinite: 1e-10 of the mean of the diagonal, and what roundings may make.
func (e *Examined) Negligible() float64 {
	n := float64(e.N)
	return (1e-10/n + float64(n*roundoff)) * e.Trace
}

// Definite reports whether no eigenvalue is below 0 by more than that.
func (e *Examined) Definite() bool { return e.Smallest() >= -e.Negligible() }

// Negative counts the eigenvalues that are.
func (e *Examined) Negative() int {
	count := 0
	for _, v := range e.Values {
		if v < -e.Negligible() {
			count++
		}
	}
	return count
}

// Repairs returns the names of the ways to make a matrix positive semidefinite.
func Repairs() []string { return []string{"clip", "flip", "shift"} }

// Repair returns the matrix with other eigenvalues v' (Wu, Chang, Zhang 2005; Chen, Garcia,
// Gupta, Rahimi, Cazzanti 2009):
//
//	clip   v' = max(v, 0): the nearest positive semidefinite matrix, in the sum of squares
//	flip   v' = |v|
//	shift  v' = v - min(0, smallest): the diagonal alone changes, and the values of rows
//	       with each other stay
func (e *Examined) Repair(name string) ([]float64, error) {
	if name == "shift" {
		out := slices.Clone(e.Matrix)
		for i := range e.N {
			out[i*e.N+i] -= min(0, e.Smallest())
		}
		return out, nil
	}
	of := map[string]func(v float64) float64{"clip": func(v float64) float64 { return max(0, v) }, "flip": math.Abs}[name]
	if of == nil {
		return nil, registry.Unknown("repair", name, Repairs())
	}
	if e.vectors == nil {
		return nil, fmt.Errorf("repair %s: found no eigenvectors, expected the matrix examined with them", name)
	}
	n := e.N
	out, scaled := make([]float64, n*n), make([]float64, n*n)
	for k, v := range e.Values {
		vec.Axpy64(scaled[k*n:k*n+n], math.Sqrt(of(v)), e.vectors[k*n:k*n+n])
	}
	blas.SyrkCols64(blas.Block[float64]{Value: out, Rows: n, Cols: n, Stride: n}, blas.Block[float64]{Value: scaled, Rows: n, Cols: n, Stride: n}, e.threads)
	return out, nil
}

// sampled returns the matrix of n of the prepared rows, evenly spread, and which these are;
// with half what is above its diagonal stays 0.
func sampled(k kernel.Kernel, x matrix.Matrix, n, threads int, half bool) (values []float64, at func(i int) int) {
	rows, _ := x.Dims()
	at = func(i int) int { return int(int64(i) * int64(rows) / int64(n)) }
	values = make([]float64, n*n)
	own := make([][]float64, n)
	for i := range own {
		own[i] = kernel.AppendSelf(nil, k, x.Row(at(i)))
	}
	parallel.Blocks(n, 32, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			columns := n
			if half {
				columns = i + 1
			}
			for j := range columns {
				values[i*n+j] = kernel.EvalWith(k, x.Row(at(i)), x.Row(at(j)), own[i], own[j])
			}
		}
	})
	return values, at
}
