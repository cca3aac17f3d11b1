package attack

import (
	"fmt"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Problem is rows and what is asked about them, but for the solver.
type Problem struct {
	Set    *data.Set
	Spec   fenchel.Spec
	kernel *exact.KernelTwin // nil: linear
}

// problem draws one.
func (r draw) problem() *Problem {
	p := &Problem{Spec: fenchel.Spec{Seed: uint64(r.IntN(3)), Run: fenchel.Run{Threads: 1}}}
	n, d := 1+r.size(mostRows-1), r.IntN(mostFeatures+1)
	if r.chance(40) {
		d = r.IntN(5)
	}
	if r.chance(45) {
		k := r.kernel(d)
		p.kernel = &k
		p.Spec.Kernel = k.Spec()
	}
	x := r.rowsFor(p.kernel, n, d)
	if len(x[0]) > 0 {
		d = len(x[0])
	}
	p.Set = &data.Set{X: r.matrixOf(x, d)}
	p.Spec.Task = one(r, "classification", "classification", "regression", "regression")
	r.statement(p, n)
	r.names(p.Set)
	p.Set.Target = r.target(p.Spec.Task, n)
	if r.chance(25) {
		p.Set.Weight = make([]float64, n)
		for i := range p.Set.Weight {
			p.Set.Weight[i] = r.power(-6, 6)
		}
	}
	return p
}

// names gives features names now and then, or columns of a table.
func (r draw) names(set *data.Set) {
	if !r.chance(20) {
		return
	}
	table := r.chance(50)
	for j := range set.Cols() {
		name := fmt.Sprintf("f%d", j+1)
		set.Feature = append(set.Feature, name)
		if table {
			if set.Schema == nil {
				set.Schema = &data.Schema{Target: -1, Weight: -1, Header: true}
			}
			set.Schema.Columns = append(set.Schema.Columns, data.Column{Name: name, Fill: mean(set.X, j)})
		}
	}
}

// mean is that of a column, which stands for its missing numbers.
func mean(x matrix.Matrix, column int) float64 {
	n, _ := x.Dims()
	total := exact.Zero()
	for _, row := range dense(x) {
		total = exact.Add(total, exact.Num(row[column]))
	}
	return exact.Float(total) / float64(n)
}

// rowsFor draws rows that a kernel takes.
func (r draw) rowsFor(k *exact.KernelTwin, n, d int) [][]float64 {
	wild := r.chance(50)
	switch {
	case k == nil:
		return r.rows(n, d, wild)
	case k.Has("precomputed"):
		return r.gram(n)
	case k.Has("wl", "random-walk"):
		return r.graphs(n)
	case k.Has("spectrum", "mismatch", "ssk"):
		return r.strings(n, 1+r.IntN(12))
	}
	x := r.rows(n, d, wild && r.chance(40))
	if k.Has("chi2", "intersection") {
		notNegative(x)
	}
	return x
}

// kernel draws one, as a rule a single one.
func (r draw) kernel(d int) exact.KernelTwin {
	if r.chance(25) {
		return one(r, exact.KernelTwin{Name: "precomputed"}, exact.KernelTwin{Name: "precomputed"},
			exact.KernelTwin{Name: "sum", Parts: []exact.KernelTwin{{Name: "precomputed"}, {Name: "constant", Coef0: 0.5}}})
	}
	if r.chance(12) {
		return exact.KernelTwin{Name: one(r, "spectrum", "mismatch", "ssk", "wl", "random-walk"), Power: 1 + r.IntN(3), Gamma: one(r, 0.05, 0.1, 0.11)}
	}
	return r.tree(d, 0)
}

// tree draws a kernel of formulas.
func (r draw) tree(d, depth int) exact.KernelTwin {
	if depth < 2 && r.chance(20) {
		name := one(r, "sum", "product")
		return exact.KernelTwin{Name: name, Parts: []exact.KernelTwin{r.tree(d, depth+1), r.tree(d, depth+1)}}
	}
	if depth < 2 && r.chance(8) {
		if k := r.tree(d, depth+1); !k.IsIndefinite() {
			return exact.KernelTwin{Name: "normalised", Parts: []exact.KernelTwin{k}}
		}
	}
	if depth > 0 && r.chance(15) {
		return exact.KernelTwin{Name: "constant", Coef0: float64(float32(r.power(-3, 3)))}
	}
	gamma := one(r, 1/float64(max(1, d)), 1, r.power(-3, 3), r.power(-10, 10))
	return exact.KernelTwin{Name: one(r, "linear", "rbf", "rbf", "poly", "sigmoid", "laplacian", "chi2", "intersection"),
		Gamma: gamma, Coef0: one(r, 0, 0, 1, r.power(-3, 3), -r.power(-3, 0)), Power: 1 + r.IntN(4)}
}

// target draws labels or numbers.
func (r draw) target(task string, n int) data.Target {
	if task == "regression" {
		return r.numbers(n)
	}
	names := one(r, []string{"-1", "1"}, []string{"-1", "1"}, []string{"1", "-1"}, []string{"b", "a"}, []string{"1", "2", "3"}, []string{"c", "a", "d", "b"})
	rare := r.chance(30)
	t := data.Target{Code: make([]uint32, n)}
	place := map[string]uint32{}
	for i := range t.Code {
		c := names[r.IntN(len(names))]
		if rare && i >= len(names) {
			c = names[0]
		} else if i < len(names) {
			c = names[i]
		}
		if _, ok := place[c]; !ok {
			place[c] = uint32(len(t.Label))
			t.Label = append(t.Label, c)
		}
		t.Code[i] = place[c]
	}
	if names[0] == "b" || names[0] == "c" {
		return t
	}
	t.Number = make([]float64, n)
	for i, c := range t.Code {
		fmt.Sscan(t.Label[c], &t.Number[i])
	}
	return t
}

// numbers draws targets of a regression.
func (r draw) numbers(n int) data.Target {
	t := data.Target{Number: make([]float64, n)}
	value := r.values()
	size := 1.0
	if r.chance(6) {
		size = one(r, 1e-170, 1e-100, 1e100, 1e150)
	}
	if r.chance(8) {
		constant := value()
		value = func() float64 { return constant }
	}
	for i := range t.Number {
		t.Number[i] = size * value()
	}
	return t
}

// String says all there is to know, so that a program can be made of it.
func (p *Problem) String() string {
	var b strings.Builder
	n, d := p.Set.X.Dims()
	s := p.Spec
	fmt.Fprintf(&b, "task=%q loss=%q penalty=%q kernel=%q map=%q lambda=%g C=%g radius=%g slack=%g nu=%g scheme=%q bias=%q scale=%q class-weight=%v balanced=%t seed=%d no-dual=%t; %d rows of %d features, %T",
		s.Task, s.Loss, s.Penalty, s.Kernel, s.Map, s.Lambda, s.C, s.Radius, s.Slack, s.Nu, s.Scheme, s.Bias, s.Scaling, s.ClassWeight, s.Balanced, s.Seed, s.NoDual, n, d, p.Set.X)
	for i, row := range dense(p.Set.X) {
		fmt.Fprintf(&b, "\n  row %d: %g", i+1, row)
		if t := p.Set.Target; t.Number != nil {
			fmt.Fprintf(&b, " target %g", t.Number[i])
		} else if t.Code != nil {
			fmt.Fprintf(&b, " label %s", t.Label[t.Code[i]])
		}
		if p.Set.Weight != nil {
			fmt.Fprintf(&b, " weight %g", p.Set.Weight[i])
		}
	}
	return b.String()
}

// mapSpec draws an approximation.
func (r draw) mapSpec() string {
	entries := featuremap.Approximations()
	name := entries[r.IntN(len(entries))].Name
	switch name {
	case "fourier":
		return fmt.Sprintf("fourier:dim=%d", 2*(1+r.IntN(10)))
	case "nystrom", "cholesky":
		return fmt.Sprintf("%s:rank=%d", name, 1+r.IntN(10))
	}
	return name
}
