package leaveout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// machine is a problem and its solution.
type machine struct {
	x       *matrix.Dense
	y, s    []float64
	loss    loss.Loss
	kernel  kernel.Kernel
	c       float64
	bias    problem.Bias
	problem *problem.Kernel
	w       []float64
}

func random(n int, noise float64, seed uint64) (*matrix.Dense, []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 2*n)}, make([]float64, n)
	for i := range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		x.Value[2*i], x.Value[2*i+1] = float32(a), float32(b)
		if y[i] = 1; a+b*b-1+noise*r.NormFloat64() < 0 {
			y[i] = -1
		}
	}
	return x, y
}

// solve trains the machine on the rows for which keep is true.
func (m *machine) solve(t *testing.T, keep func(i int) bool) {
	t.Helper()
	var rows []int
	var y, s []float64
	total := 0.0
	for i := range m.y {
		if keep(i) {
			rows, y, s = append(rows, i), append(y, m.y[i]), append(s, m.s[i])
			total += m.s[i]
		}
	}
	gram, err := gram.NewGram(m.kernel, matrix.Subset(m.x, rows), gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if m.problem, err = problem.NewKernel(gram, y, s, m.loss, 1/(m.c*total), m.bias); err != nil {
		t.Fatal(err)
	}
	name := "working"
	if loss.IsHinge(m.loss) {
		name = "active-set"
	}
	k, err := kernelsolver.New(name)
	if err != nil {
		t.Fatal(err)
	}
	solution, err := solver.Run(t.Context(), k, m.problem, solver.Options{Gap: 1e-10, Epochs: 300})
	if err != nil {
		t.Fatal(err)
	}
	if solution.Certificate.Relative() > 1e-9 {
		t.Fatalf("%s: the gap is %g", name, solution.Certificate.Relative())
	}
	m.w = solution.Point.W
}

// Where the rule says that its assumption holds, it gives the prediction of the machine that is trained
// without the row, and the errors are never more than its bound.
func TestSpanIsLeaveOneOut(t *testing.T) {
	const n = 40
	rbf := kernel.RBF{Gamma: 0.7}
	checked, rows := 0, 0
	for k, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, c := range []float64{0.05, 0.5, 20} {
				for _, of := range []kernel.Kernel{rbf, kernel.Linear{}} {
					if _, linear := of.(kernel.Linear); linear && k > 0 {
						continue
					}
					m := &machine{loss: l, kernel: of, c: c, bias: bias, s: make([]float64, n)}
					m.x, m.y = random(n, 0.7, uint64(k))
					for i := range m.s {
						m.s[i] = 1 + float64(i%2)
					}
					m.solve(t, func(int) bool { return true })
					where := fmt.Sprintf("%T, bias %v, C=%g, %T", l, bias, c, of)
					c := m.problem.Certify(problem.Point{W: m.w})
					span, err := NewSpan(m.problem, m.w, c.Facts.Violation)
					if err != nil {
						t.Fatal(where, err)
					}
					checked += n - span.Unchecked
					rows += n
					m.compare(t, where, span, append([]float64(nil), m.w...))
				}
			}
		}
	}
	if share := float64(checked) / float64(rows); share < 0.4 {
		t.Errorf("the assumption holds for a share %.2f of the rows, expected 0.4 at least: the test proves little", share)
	}
}

func (m *machine) compare(t *testing.T, where string, span *Span, whole []float64) {
	t.Helper()
	wrong := 0
	for p := range m.y {
		m.solve(t, func(i int) bool { return i != p })
		var prediction, at float64
		for i := range m.y {
			if i == p {
				continue
			}
			k := m.kernel.Eval(m.x.Row(i), m.x.Row(p))
			prediction += m.w[int(at)] * k
			at++
		}
		prediction += m.w[len(m.w)-1]
		if m.y[p]*prediction <= 0 {
			wrong++
		}
		if off := math.Abs(prediction - span.Prediction[p]); span.Checked[p] && off > 1e-4 {
			t.Errorf("%s, row %d: predicted %.8g without it, expected %.8g (coefficient %g)", where, p, span.Prediction[p], prediction, whole[p])
		}
	}
	if wrong > span.AtMost || span.AtMost > span.Wrong+span.Unchecked || span.Wrong-wrong > span.Unchecked {
		t.Errorf("%s: %d rows are wrong, found %d by the rule, %d not checked, at most %d", where, wrong, span.Wrong, span.Unchecked, span.AtMost)
	}
	t.Logf("%s: true %d, rule %d, unchecked %d, at most %d", where, wrong, span.Wrong, span.Unchecked, span.AtMost)
}

// What the theory says nothing of is refused.
func TestSpanRefuses(t *testing.T) {
	x, y := random(12, 0.5, 3)
	for _, c := range []struct {
		loss loss.Loss
		of   kernel.Kernel
		bad  float64
		want string
	}{
		{loss.Logistic{}, kernel.RBF{Gamma: 1}, 0, "found logistic"},
		{loss.HuberHinge{Width: 1}, kernel.RBF{Gamma: 1}, 0, "found huber-hinge"},
		{loss.Squared{}, kernel.RBF{Gamma: 1}, 0, "found squared"},
		{loss.Hinge{}, kernel.Sigmoid{Gamma: 1, Coef0: -1}, 0, "found sigmoid"},
		{loss.Hinge{}, kernel.RBF{Gamma: 1}, math.Inf(1), "expected another solver"},
	} {
		gram, err := gram.NewGram(c.of, x, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ones := make([]float64, 12)
		for i := range ones {
			ones[i] = 1
		}
		p, err := problem.NewKernel(gram, y, ones, c.loss, 0.1, problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = NewSpan(p, make([]float64, 13), c.bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found the error %v, expected %q", err, c.want)
		}
	}
}
