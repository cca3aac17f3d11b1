package fenchel_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// A value of the size of its own rounding errors may be found another by other
// means; beyond them every difference is false, however small beside P(0).
func TestVerifyAllowsRoundingAlone(t *testing.T) {
	rows, constant, offset := make([][]float32, 50), make([]float64, 50), make([]float64, 50)
	for i := range rows {
		rows[i] = []float32{float32(i), float32(i%7) * 0.3}
		constant[i], offset[i] = 5, 1e6+float64(i%3)
	}
	constant[0] = math.Nextafter(5, 6) // targets that are all equal are learned exactly
	for _, c := range []struct {
		name    string
		targets []float64
		loss    string
		forge   func(*model.Certificate)
		want    string // part of a problem; "": none
	}{
		// P(0) = 12.5. Residuals of r = 1e-11 make P = r^2/2, about 1e-22, and D about
		// -1e-19; predictions off by 1e-15 make an error of 1e-15 r = 1e-26, of which
		// the bound is some ten times as much. 1e-9 of D is less than that.
		{"as it is", constant, "squared", func(*model.Certificate) {}, ""},
		{"P within rounding", constant, "squared", func(c *model.Certificate) { c.Primal *= 1.01 }, ""},
		{"D within rounding", constant, "squared", func(c *model.Certificate) { c.Dual *= 1 - 1e-5 }, ""},
		{"a smaller D", constant, "squared", func(c *model.Certificate) { c.Dual *= 2 }, ""}, // it is below 0
		{"P(0) summed otherwise", constant, "squared", func(c *model.Certificate) { c.Zero *= 1 + 1e-14 }, ""},
		{"P beyond rounding", constant, "squared", func(c *model.Certificate) { c.Primal *= 2 }, "claims the objective"},
		{"D beyond rounding", constant, "squared", func(c *model.Certificate) { c.Dual *= 1 - 1e-3 }, "claims the lower bound"},
		{"P(0) beyond rounding", constant, "squared", func(c *model.Certificate) { c.Zero *= 1 + 1e-8 }, "zero weights"},
		// P(0) = 5, the error of a prediction of 5 about 1e-15: D can be shown to
		// be above -1e-13, a fiftieth of the smallest scale of gaps, 1e-12 P(0).
		// That a bound within rounding passes makes no gap: that found counts.
		{"stalled at rounding", constant, "absolute", func(*model.Certificate) {}, ""},
		{"the gap is all rounding", constant, "absolute", func(c *model.Certificate) { c.Dual, c.Status = c.Primal, "converged" }, "claims to have converged"},
		// P(0) = 5e11, P about 1/3, and its error 1e-9: 1e-12 P(0) would be too much.
		{"small beside P(0)", offset, "squared", func(*model.Certificate) {}, ""},
		{"P halved", offset, "squared", func(c *model.Certificate) { c.Primal, c.Dual = c.Primal/2, c.Dual/2 }, "claims the objective"},
		{"P off by 1e-6", offset, "squared", func(c *model.Certificate) { c.Primal *= 1 + 1e-6 }, "claims the objective"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := data.FromDense(rows, data.Numbers(c.targets))
			if err != nil {
				t.Fatal(err)
			}
			m, _ := fit(t, set, fenchel.Spec{Task: "regression", Loss: c.loss, Run: fenchel.Run{Epochs: 2000}})
			m.Outputs = slices.Clone(m.Outputs)
			c.forge(&m.Outputs[0].Certificate)
			v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Join(v.Problems, "\n")
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("%+v: found the problems %q, expected %q", m.Outputs[0].Certificate, found, c.want)
			}
		})
	}
}

// Rows of the size of 1e6, with a distance that is off by more than it decides: the values of
// kernels between them are as good as 0, and those of a row with itself are exact.
func TestFarRowsAreProved(t *testing.T) {
	var rows [][]float32
	var labels []string
	for i := range 60 {
		x := float64(i)
		rows = append(rows, []float32{float32(1e6 * math.Sin(7*x)), float32(-3e6 * math.Cos(3*x)), float32(1e6 * math.Cos(x))})
		labels = append(labels, []string{"a", "b"}[i*i%5%2])
	}
	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range []string{"rbf:gamma=0.25", "rbf:gamma=30", "laplacian:gamma=1"} {
		for _, loss := range []string{"hinge", "logistic"} {
			m, _ := fit(t, set, fenchel.Spec{Kernel: kernel, Loss: loss, Gap: 1e-6})
			if c := m.Outputs[0].Certificate; c.Status != "converged" {
				t.Errorf("%s, %s: found %+v", kernel, loss, c)
			}
		}
	}
}
