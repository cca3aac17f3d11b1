package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Simulation is a distribution whose second moment is known.
type Simulation struct {
	Name string // of the column of the figure
	spec string // of the generator, without k, rows and seed
}

// The distributions of figures 6.3 and 6.4, in 32 dimensions.
var Gaussian = Simulation{"Gaussian", "@pca-gaussian:d=32"}

// Orthogonal is the other one, in one of the three readings of what is printed.
func Orthogonal(kind string) Simulation {
	return Simulation{"orthogonal", "@pca-orthogonal:d=32,kind=" + kind}
}

// TwoPoint is the distribution on which the incremental algorithm ends wrong more often than not.
var TwoPoint = Simulation{"two points", "@two-point:scale=print"}

// Course draws rows of the simulation, to be judged after each. Step sizes are
// as printed, for the rows as they are.
func (s Simulation) Course(ctx context.Context, k, rows int, seed uint64) (*Course, error) {
	spec := fmt.Sprintf("%s,k=%d,n=%d,seed=%d", s.spec, k, rows, seed)
	if s == TwoPoint {
		spec = fmt.Sprintf("%s,n=%d,seed=%d", s.spec, rows, seed)
	}
	set, err := data.Read(ctx, []string{spec}, data.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	second, err := generate.SecondMomentOf(spec)
	if err != nil {
		return nil, err
	}
	_, d := set.X.Dims()
	c := &Course{Rows: view.Rows{X: set.X}, Problem: method.Problem{Cols: d, K: k, Seed: seed, Threads: 1, Squared: 1, Fourth: 1}}
	c.Judges = []judge{Against(second.Diagonal, k, d, 1)}
	for t := range rows {
		c.At = append(c.At, t+1)
	}
	return c, nil
}

// Courses draws the rows of several runs.
func (s Simulation) Courses(ctx context.Context, k, rows, runs int, seed uint64) ([]*Course, error) {
	all := make([]*Course, runs)
	for run := range all {
		var err error
		if all[run], err = s.Course(ctx, k, rows, seed+uint64(run)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FillNormal sets x to independent standard normal numbers (Marsaglia's polar
// method), the same on every machine.
func FillNormal(x []float32, seed uint64) {
	random := rand.NewPCG(seed, normalStream)
	symmetric := func() float64 { return float64(random.Uint64()>>11)*0x1p-52 - 1 }
	for i := 0; i < len(x); {
		a, b := symmetric(), symmetric()
		s := float64(a*a) + float64(b*b)
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * elementary.Log(s) / s)
		x[i] = float32(a * f)
		if i+1 < len(x) {
			x[i+1] = float32(b * f)
		}
		i += 2
	}
}

// normalStream names the random numbers of normal deviates among those of a seed.
const normalStream = 0x6e6f726d616c // "normal"

// DrawStream names the random numbers of a sample among those of a seed.
const DrawStream = 0x64726177 // "draw"

// Sphere draws n rows of d features on the unit sphere, and labels of a logistic model of slope 5
// on features of variance 1.
func Sphere(n, d int, seed uint64) (matrix.Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, DrawStream))
	direction := func(x []float64) {
		sum := 0.0
		for j := range x {
			x[j] = r.NormFloat64()
			sum += x[j] * x[j]
		}
		for j := range x {
			x[j] /= math.Sqrt(sum)
		}
	}
	truth, x := make([]float64, d), make([]float64, d)
	direction(truth)
	m, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, 0, n*d)}, make([]float64, n)
	for i := range y {
		direction(x)
		score := 0.0
		for j, v := range x {
			score += v * truth[j]
			m.Value = append(m.Value, float32(v))
		}
		y[i] = 1
		if r.Float64() > 1/(1+math.Exp(-5*score*math.Sqrt(float64(d)))) {
			y[i] = -1
		}
	}
	return m, y
}
