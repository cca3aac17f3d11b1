package scaling_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// momentRowsOf is a table with a constant feature, one that is all zero, one of
// mean 1e8 whose deviation is 8, rare ones and usual ones, dense or sparse.
func momentTable(n int, dense bool) matrix.Matrix {
	r := rand.New(rand.NewPCG(9, 1))
	d := &matrix.Dense{Rows: n, Cols: 7}
	s := &matrix.CSR{}
	for i := range n {
		row := []float32{3, 0, 1e8 - 8, float32(r.NormFloat64()), 0, 1e-20 * float32(r.NormFloat64()), 0}
		if i%2 == 0 {
			row[2] = 1e8 + 8
		}
		if r.IntN(50) == 0 {
			row[4] = 1000 * float32(r.NormFloat64())
		}
		if i == n/2 {
			row[6] = 1e30
		}
		d.Value = append(d.Value, row...)
		var index []uint32
		var value []float32
		for j, v := range row {
			if v != 0 {
				index, value = append(index, uint32(j)), append(value, v)
			}
		}
		s.Append(index, value)
	}
	if dense {
		return d
	}
	return s
}

// Moments are those of the definition, in two passes and with compensation.
func TestMoments(t *testing.T) {
	const n = 5000
	for _, dense := range []bool{true, false} {
		x := momentTable(n, dense)
		m := scaling.NewMoments(x, 2)
		mean, variance := make([]float64, 7), make([]float64, 7)
		second, fourth, most := 0.0, 0.0, 0.0
		for i := range n {
			x.Row(i).AddTo(mean, 1./n)
			q := x.Row(i).SquaredNorm()
			second, fourth, most = second+q/n, fourth+q*q/n, max(most, math.Sqrt(q))
		}
		mean[0], mean[2] = 3, 1e8
		for i := range n {
			row := make([]float64, 7)
			x.Row(i).AddTo(row, 1)
			for j, v := range row {
				variance[j] += (v - mean[j]) * (v - mean[j]) / n
			}
		}
		near := func(what string, j int, got, want float64) {
			if math.Abs(got-want) > 1e-11*math.Abs(want) {
				t.Errorf("dense %v: %s of feature %d: found %v, expected %v", dense, what, j, got, want)
			}
		}
		for j := range mean {
			near("mean", j, m.Mean[j], mean[j])
			near("variance", j, m.Squares[j]/float64(m.Rows), variance[j])
		}
		if m.Mean[0] != 3 || m.Squares[0] != 0 || m.Constants() != 2 || !m.Constant(0) || !m.Constant(1) || m.High[6] != 1e30 || m.Low[6] != 0 {
			t.Errorf("dense %v: found %+v", dense, m)
		}
		near("mean |x|^2", -1, m.SquaredNorm(), second)
		near("mean |x|^4", -1, m.Fourth/float64(m.Rows), fourth)
		near("largest |x|", -1, m.MaxNorm, most)
	}
}

// The bits are the same on any number of threads; what is merged differs by
// rounding alone.
func TestMomentsMerge(t *testing.T) {
	const n = 5000
	for _, dense := range []bool{true, false} {
		x := momentTable(n, dense)
		one := scaling.NewMoments(x, 1)
		for _, threads := range []int{0, 2, 3} {
			if got := scaling.NewMoments(x, threads); !reflect.DeepEqual(got, one) {
				t.Errorf("%d threads: other bits than with one", threads)
			}
		}
		merged := scaling.NewMoments(&matrix.CSR{Cols: 7, Start: []int64{0}}, 1)
		again := scaling.NewMoments(&matrix.CSR{Cols: 7, Start: []int64{0}}, 1)
		for lo := 0; lo < n; lo += 700 {
			var rows []int
			for i := lo; i < min(lo+700, n); i++ {
				rows = append(rows, i)
			}
			part, kept := scaling.NewMoments(matrix.Subset(x, rows), 1), &scaling.Moments{}
			text, err := json.Marshal(part)
			if err := errors.Join(err, json.Unmarshal(text, kept), merged.Merge(part), again.Merge(kept)); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(merged, again) {
			t.Error("moments kept as JSON merge to others")
		}
		for j := range 7 {
			if math.Abs(merged.Mean[j]-one.Mean[j]) > 1e-14*math.Abs(one.Mean[j])+1e-16*math.Sqrt(one.Squares[j]) || math.Abs(merged.Squares[j]-one.Squares[j]) > 1e-11*one.Squares[j] {
				t.Errorf("feature %d: found mean %v and squares %v merged, expected %v and %v", j, merged.Mean[j], merged.Squares[j], one.Mean[j], one.Squares[j])
			}
		}
		if merged.Rows != n || merged.MaxNorm != one.MaxNorm || merged.Constants() != one.Constants() {
			t.Errorf("found %+v merged, expected %+v", merged, one)
		}
	}
	if err := scaling.NewMoments(&matrix.CSR{Cols: 3, Start: []int64{0}}, 1).Merge(scaling.NewMoments(&matrix.CSR{Cols: 1, Start: []int64{0}}, 1)); err == nil || err.Error() != "moments: found those of 1 feature, expected 3" {
		t.Errorf("found %v", err)
	}
	if m := scaling.NewMoments(&matrix.CSR{Cols: 2, Start: []int64{0}}, 0); m.Rows != 0 || m.SquaredNorm() != 0 || m.Squares[1] != 0 {
		t.Errorf("no rows: found %+v", m)
	}
}

// After scaling the means are below 1e-12, the mean of |x|^2 is 1 to 1e-9 (or
// the largest |x|), and nothing is NaN where features are constant.
func TestMomentScaling(t *testing.T) {
	sets := map[string]matrix.Matrix{}
	for name, spec := range map[string]string{"sparse": "@heavy-tailed:n=3000,d=90,rank=9", "dense": "@blobs:n=3000"} {
		s, err := data.Read(t.Context(), []string{spec}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sets[name] = s.X
	}
	constants := &matrix.Dense{Rows: 500, Cols: 4}
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		constants.Value = append(constants.Value, 7, float32(r.NormFloat64()), 0, 1e8+8*float32(r.IntN(2)))
	}
	sets["constants"] = constants
	path := "../../../../shared/data/mnist/train-images-idx3-ubyte.gz"
	if _, err := os.Stat(path); err != nil || testing.Short() {
		t.Logf("MNIST is left out: %v", err)
	} else {
		s, err := data.Read(t.Context(), []string{path}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sets["mnist"] = s.X
	}
	for name, x := range sets {
		m := scaling.NewMoments(x, 0)
		m.MeasureCentred(x, 0)
		for _, kind := range scaling.MomentScalings() {
			for _, centred := range []bool{false, true} {
				s, err := m.Scaling(kind, centred)
				if err != nil {
					t.Fatal(err)
				}
				checkScaled(t, name, x, m, s, centred || kind == "thesis")
			}
		}
	}
}

func checkScaled(t *testing.T, name string, x matrix.Matrix, m *scaling.Moments, s *data.Scaling, centred bool) {
	n, d := x.Dims()
	mean, second, largest := make([]float64, d), 0.0, 0.0
	row := make([]float64, d)
	for i := range n {
		clear(row)
		x.Row(i).AddTo(row, 1)
		q := 0.0
		for j, v := range row {
			z := (v - s.Offset[j]) * s.Factor[j]
			mean[j] += z
			q += z * z
			if centred && m.Constant(j) && z != 0 {
				t.Fatalf("%s, %s: found %v for a constant feature, expected 0", name, s.Kind, z)
			}
		}
		second += q / float64(n)
		largest = max(largest, math.Sqrt(q))
	}
	if math.IsNaN(second) || math.IsInf(second, 0) {
		t.Errorf("%s, %s: found mean |x|^2 %v", name, s.Kind, second)
	}
	for j, sum := range mean {
		// A mean of 1e8 is itself known to a few units in the last place, of 1.5e-8.
		allowed := max(1e-12, 4*math.Abs(m.Mean[j])*0x1p-53*s.Factor[j])
		if got := math.Abs(sum / float64(n)); centred && !(got < allowed) && s.Kind != "none" {
			t.Errorf("%s, %s: feature %d: found mean %v, expected below %g", name, s.Kind, j, got, allowed)
		}
	}
	want := map[string]float64{"thesis": 1, "norm": 1, "std": float64(d - m.Constants())}[s.Kind]
	if s.Kind == "std" && !centred {
		want = 0
	}
	if want > 0 && math.Abs(second/want-1) > 1e-9 {
		t.Errorf("%s, %s, centred %v: found mean |x|^2 %.12f, expected %v", name, s.Kind, centred, second, want)
	}
	if s.Kind == "max-norm" && math.Abs(largest-1) > 1e-9 {
		t.Errorf("%s, centred %v: found largest |x| %.12f, expected 1", name, centred, largest)
	}
}

func TestMomentScalingRefused(t *testing.T) {
	m := scaling.NewMoments(momentTable(10, true), 1)
	if _, err := m.Scaling("max-norm", true); err == nil || err.Error() != `scaling "max-norm": found no largest distance from the mean, expected MeasureCentred before` {
		t.Errorf("found %v", err)
	}
	if _, err := m.Scaling("thesi", true); err == nil || err.Error() != `unknown scaling "thesi": did you mean "thesis"? known: none, std, thesis, norm, max-norm` {
		t.Errorf("found %v", err)
	}
	zeros := scaling.NewMoments(&matrix.Dense{Rows: 3, Cols: 2, Value: make([]float32, 6)}, 1)
	for _, kind := range scaling.MomentScalings() {
		if s, err := zeros.Scaling(kind, true); err != nil || s.Factor[0] != 0 || s.Offset[0] != 0 {
			t.Errorf("%s of zeros: found %+v, %v", kind, s, err)
		}
	}
}

// Distances from the mean are the same from sparse rows as from dense ones,
// though a mean of 1e8 is under them.
func TestMeasureCentred(t *testing.T) {
	dense, sparse := momentTable(3000, true), momentTable(3000, false)
	for _, x := range []matrix.Matrix{dense, sparse} {
		for i := range 3000 {
			if dense.Row(i).Value[6] != 0 {
				dense.Row(i).Value[6] = 0
			}
		}
		for k, v := range sparse.(*matrix.CSR).Value {
			if v == 1e30 {
				sparse.(*matrix.CSR).Value[k] = 0
			}
		}
		m := scaling.NewMoments(x, 0)
		m.MeasureCentred(x, 2)
		want := 0.0
		for i := range 3000 {
			row, q := make([]float64, 7), 0.0
			x.Row(i).AddTo(row, 1)
			for j, v := range row {
				q += (v - m.Mean[j]) * (v - m.Mean[j])
			}
			want = max(want, math.Sqrt(q))
		}
		if math.Abs(m.MaxCentred-want) > 1e-13*want {
			t.Errorf("%T: found %v, expected %v", x, m.MaxCentred, want)
		}
	}
}

func BenchmarkMoments(b *testing.B) {
	for name, spec := range map[string]string{"dense": "@blobs:n=20000,d=784", "sparse": "@text:n=20000"} {
		s, err := data.Read(b.Context(), []string{spec}, data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("rows="+name, func(b *testing.B) {
			b.SetBytes(4 * matrix.Nonzeros(s.X))
			for b.Loop() {
				scaling.NewMoments(s.X, 0)
			}
		})
	}
}
