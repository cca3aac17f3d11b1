package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Leave-one-out predictions of ridge and kernel ridge regression for any number of values of C,
// from one factorisation.
//
// Problem: the squared loss with the penalty l2, of a linear model or a kernel machine, any
// bias. Row i is predicted by the model of all others with the same C, that is, lambda times
// the number of rows is the same.
//
// Symbols: Z, n x r, are orthogonal coordinates of the rows, centred if the bias is free, with a constant
// column if it is a feature, times the roots of the weights s of the rows; m_k the squared length of column k. With the matrix of inner products K =
// Q M Q^T (kernels, or more features than rows) Z = Q M^1/2, with the covariance X^T X = V M V^T Z = X V.
//
//	fitted_i  = mean(y) + sum_k z_ik (sum_j z_jk sqrt(s_j) (y_j - mean(y))) / (m_k + 1/C) / sqrt(s_i)
//	h_i       = s_i/N   + sum_k z_ik^2 / (m_k + 1/C)             the terms with N = sum s: of a free bias
//	left out  = y_i - (y_i - fitted_i) / (1 - h_i)
//
// Returned are these predictions. Cost: about 3 min(n,d)^3 + n d min(n,d) multiplications, and n r for each
// C. Source: Allen 1974 (PRESS); Rifkin and Lippert 2007, "Notes on regularized least squares".

// mostLeftOut is how many rows or columns a matrix may have that is factored.
const mostLeftOut = 4096

// PredictLeftOut returns for each C the prediction of every row by the model of the others, where state states the
// problem of a spec on all of them. Scalings are those of all rows.
func PredictLeftOut(ctx context.Context, state func(context.Context, fenchel.Spec) (*pose.Case, error), spec fenchel.Spec, c []float64) ([][]float64, error) {
	spec.Lambda, spec.C = 0, 1
	posed, err := state(ctx, spec)
	if err != nil {
		return nil, err
	}
	f, err := factored(posed)
	if err != nil {
		return nil, err
	}
	all := make([][]float64, len(c))
	for k := range c {
		all[k] = f.predict(1/c[k], posed.Threads)
		for i, x := range all[k] {
			if spec.TargetLog {
				all[k][i] = elementary.Exp(x)
			}
		}
	}
	return all, nil
}

// factors are the coordinates of the rows.
type factors struct {
	y      []float64 // less their mean, if the bias is free
	root   []float64 // of the weights of the rows; y are multiplied by them
	total  float64   // N
	mean   float64
	free   bool
	r      int
	z      []float64 // n x r
	square []float64 // m
	image  []float64 // Z^T y
}

// factored makes the factors of a case, or says why there are none.
func factored(c *pose.Case) (*factors, error) {
	o := c.First
	if !loss.IsQuadratic(o.Loss) {
		return nil, fmt.Errorf("leaving one row out has a closed form for the loss squared only, found %s: expected folds", c.Statement.Loss)
	}
	if c.Statement.Nu != 0 || c.Statement.Radius != 0 {
		return nil, fmt.Errorf("leaving one row out has a closed form without nu and radius only: expected folds")
	}
	n := len(o.Y)
	f := &factors{y: slices.Clone(o.Y), root: make([]float64, n), total: o.N, free: o.Bias == problem.Free}
	f.weigh(o.S)
	l, linear := o.Problem.(*problem.Linear)
	if linear && !penalty.IsRidge(l.Penalty) {
		return nil, fmt.Errorf("leaving one row out has a closed form for the penalty l2 only, found %s: expected folds", c.Statement.Penalty)
	}
	d := n
	if linear {
		_, d = l.Dims()
	}
	switch {
	case min(n, d) > mostLeftOut:
		return nil, fmt.Errorf("leaving one row out takes a matrix of %d rows, expected at most %d: expected folds", min(n, d), mostLeftOut)
	case linear && d < n:
		f.columns(l, c.Threads)
	default:
		k, err := innerProducts(c)
		if err != nil {
			return nil, err
		}
		f.rows(k, n, o.Bias == problem.Feature, c.Threads)
	}
	f.image = make([]float64, f.r)
	for i, y := range f.y {
		vec.Axpy64(f.image, y, f.z[i*f.r:(i+1)*f.r])
	}
	return f, nil
}

// weigh takes the mean off the targets if the bias is free, and multiplies them by the roots of the weights.
func (f *factors) weigh(weights []float64) {
	for i, s := range weights {
		f.root[i] = math.Sqrt(s)
		if f.free {
			f.mean += float64(s*f.y[i]) / f.total
		}
	}
	for i := range f.y {
		f.y[i] = (f.y[i] - f.mean) * f.root[i]
	}
}

// columns makes the coordinates from the covariance of the features.
func (f *factors) columns(p *problem.Linear, threads int) {
	n, d := p.Dims()
	wide := d
	if p.Bias == problem.Feature {
		wide++
	}
	mean := make([]float64, wide)
	x := make([]float64, n*wide)
	for i := range n {
		matrix.AddRows(x[i*wide:][:d], p.X, i, []float64{1})
		if wide > d {
			x[i*wide+d] = 1
		}
		if f.free {
			vec.Axpy64(mean, f.root[i]*f.root[i]/f.total, x[i*wide:(i+1)*wide])
		}
	}
	for i := range n {
		for k := range wide {
			x[i*wide+k] = (x[i*wide+k] - mean[k]) * f.root[i]
		}
	}
	covariance, v := make([]float64, wide*wide), make([]float64, wide*wide)
	block := func(v []float64, rows, cols int) blas.Block[float64] {
		return blas.Block[float64]{Value: v, Rows: rows, Cols: cols, Stride: cols}
	}
	blas.SyrkCols64(block(covariance, wide, wide), block(x, n, wide), threads)
	f.square, f.r = make([]float64, wide), wide
	lapack.Eigen(f.square, v, covariance, wide, threads)
	f.z = make([]float64, n*wide)
	parallel.Blocks(n, 256, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := range wide {
				f.z[i*wide+k] = vec.Dot64(x[i*wide:(i+1)*wide], v[k*wide:(k+1)*wide])
			}
		}
	})
}

// innerProducts returns those of all rows, n x n.
func innerProducts(c *pose.Case) ([]float64, error) {
	if m, ok := c.Problems.Family.(pose.MachineFamily); ok {
		return square(m), nil
	}
	x := c.First.Problem.(*problem.Linear).X
	if matrix.IsDouble(x) {
		n, d := x.Dims()
		rows, products := make([]float64, n*d), make([]float64, n*n)
		for i := range n {
			matrix.AddRows(rows[i*d:(i+1)*d], x, i, []float64{1})
		}
		blas.SyrkRows64(blas.Block[float64]{Value: products, Rows: n, Cols: n, Stride: n}, blas.Block[float64]{Value: rows, Rows: n, Cols: d, Stride: d}, c.Threads)
		return products, nil
	}
	m, err := pose.NewMachineFamily(kernel.Linear{}, x, gram.Options{Threads: c.Threads})
	if err != nil {
		return nil, err
	}
	return square(m), nil
}

// square is the whole matrix of a kernel, in double precision.
func square(m pose.MachineFamily) []float64 {
	n := m.Gram.Len()
	rows, all := make([]int, n), make([]float64, n*n)
	for i := range rows {
		rows[i] = i
	}
	m.Gram.InDouble(2).Square(all, rows)
	return all
}

// rows makes the coordinates from the inner products k of all rows.
func (f *factors) rows(k []float64, n int, constant bool, threads int) {
	if f.free {
		f.centre(k, n)
	}
	for i := range k {
		if constant {
			k[i]++
		}
		k[i] *= f.root[i/n] * f.root[i%n]
	}
	q := make([]float64, n*n)
	f.square, f.r = make([]float64, n), n
	lapack.Eigen(f.square, q, k, n, threads)
	f.z = k
	for c := range n {
		f.square[c] = max(f.square[c], 0)
		length := math.Sqrt(f.square[c])
		for i := range n {
			f.z[i*n+c] = q[c*n+i] * length
		}
	}
}

// centre takes the means of rows and columns off, so that the images have the mean 0.
func (f *factors) centre(k []float64, n int) {
	mean, all := make([]float64, n), 0.0
	for i := range n {
		for j, v := range k[i*n : (i+1)*n] {
			mean[i] += float64(f.root[j]*f.root[j]*v) / f.total
		}
		all += float64(f.root[i]*f.root[i]*mean[i]) / f.total
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += all - mean[i] - mean[j]
		}
	}
}

// predict returns the predictions of rows that are left out, ridge being 1/C.
func (f *factors) predict(ridge float64, threads int) []float64 {
	n := len(f.y)
	left := make([]float64, n)
	parallel.Blocks(n, 256, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			fitted, h := 0.0, 0.0
			if f.free {
				h = f.root[i] * f.root[i] / f.total
			}
			for k, z := range f.z[i*f.r : (i+1)*f.r] {
				share := z / (f.square[k] + ridge)
				fitted += float64(share * f.image[k])
				h += float64(share * z)
			}
			left[i] = f.mean + (f.y[i]-(f.y[i]-fitted)/max(1-h, 0x1p-50))/f.root[i]
		}
	})
	return left
}
