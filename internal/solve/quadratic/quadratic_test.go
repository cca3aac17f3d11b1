package quadratic

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// program draws a program of n variables and m equations that x0 solves; Q has the given rank.
func program(seed uint64, n, m, rank int) (p *Program, v []float64) {
	r := rand.New(rand.NewPCG(seed, 13))
	v = make([]float64, n*rank)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	square := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range rank {
				square[i*n+j] += v[i*rank+k] * v[j*rank+k]
			}
		}
	}
	p = &Program{Q: &Dense{Value: square, N: n, Threads: 1}, C: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	x := make([]float64, n)
	for i := range n {
		p.C[i] = 3 * r.NormFloat64()
		p.Lower[i] = -r.Float64()
		p.Upper[i] = p.Lower[i] + 2*r.Float64()
		if r.IntN(10) == 0 {
			p.Upper[i] = p.Lower[i]
		}
		x[i] = p.Lower[i] + (p.Upper[i]-p.Lower[i])*r.Float64()
	}
	for range m {
		row := make([]float64, n)
		for i := range row {
			row[i] = r.NormFloat64()
		}
		p.A, p.B = append(p.A, row), append(p.B, dot(row, x))
	}
	return p, v
}

func interior(p *Program) (*Interior, Certificate) {
	r := NewInterior(p)
	for range 100 {
		if !r.Step() {
			break
		}
	}
	x, y := r.Point()
	return r, p.Certify(x, y)
}

// K13, K17: on random programs with 0 to 3 equations, singular ones and fixed variables among
// them, the interior point comes to a relative gap of 1e-9 in 30 steps, and decomposition with
// sets of m+1 and more finds the same optimum to 1e-6.
func TestSolvers(t *testing.T) {
	for seed := range uint64(120) {
		m := int(seed % 4)
		n := 6 + int(seed%30)
		p, _ := program(seed, n, m, 1+int(seed*7)%n)
		r, want := interior(p)
		if size := math.Abs(want.Value) + 1; want.Gap() > 1e-9*size || want.Infeasible > 1e-9 || r.Steps > 40 {
			t.Errorf("seed %d, n %d, m %d: interior point: %+v, gap %g after %d steps", seed, n, m, want, want.Gap(), r.Steps)
		}
		for _, size := range []int{m + 1, m + 6} {
			got, err := Decompose{Size: size, Steps: 20000}.Solve(context.Background(), p, nil)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			if c := got.Certificate; math.Abs(c.Value-want.Value) > 1e-6*(1+math.Abs(want.Value)) || c.Infeasible > 1e-6 || c.Lower > want.Value+1e-9 {
				t.Errorf("seed %d, n %d, m %d, q %d: %+v after %d steps, expected %.10g", seed, n, m, size, c, got.Steps, want.Value)
			}
		}
	}
}

// No certificate has a lower bound above the value of any feasible point.
func TestCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for seed := range uint64(40) {
		p, _ := program(seed, 12, int(seed%3), 5)
		_, best := interior(p)
		for range 20 {
			x, y := make([]float64, 12), make([]float64, len(p.A))
			for i := range x {
				x[i] = 3 * r.NormFloat64()
			}
			for k := range y {
				y[k] = r.NormFloat64()
			}
			if c := p.Certify(x, y); c.Lower > best.Value+1e-12 {
				t.Errorf("seed %d: lower bound %.15g above the optimum %.15g", seed, c.Lower, best.Value)
			}
		}
	}
}

// By hand: min x^2/2 + y^2/2 with x + y = 1 is (1/2, 1/2), value 1/4; with x <= 1/4, (1/4, 3/4).
func TestByHand(t *testing.T) {
	for most, want := range map[float64]float64{1: 0.25, 0.25: 0.5 * (1./16 + 9./16)} {
		p := &Program{Q: &Dense{Value: []float64{1, 0, 0, 1}, N: 2}, C: []float64{0, 0}, A: [][]float64{{1, 1}}, B: []float64{1}, Lower: []float64{0, 0}, Upper: []float64{most, 1}}
		r, c := interior(p)
		if x, _ := r.Point(); math.Abs(c.Value-want) > 1e-10 || math.Abs(x[0]-min(0.5, most)) > 1e-7 {
			t.Errorf("x <= %g: %v, %+v, expected %g", most, x, c, want)
		}
	}
}

// V V^T by its columns, and [K K; K K] by K, are the dense matrices.
func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	p, v := program(1, 30, 0, 4)
	dense := p.Q.(*Dense)
	twice := make([]float64, 60*60)
	for i := range 60 {
		for j := range 60 {
			twice[i*60+j] = dense.Value[i%30*30+j%30]
		}
	}
	for _, pair := range [][2]Matrix{{&LowRank{V: v, N: 30, K: 4}, dense}, {&Twice{K: dense}, &Dense{Value: twice, N: 60}}} {
		n := pair[0].Len()
		d, b := make([]float64, n), make([]float64, n)
		for i := range d {
			d[i], b[i] = math.Exp(8*r.NormFloat64()), r.NormFloat64()
		}
		var x, product [2][]float64
		for k, m := range pair {
			x[k], product[k] = make([]float64, n), make([]float64, n)
			m.Product(product[k], b)
			m.Factor(d)
			m.Solve(x[k], b)
		}
		for i := range d {
			if math.Abs(product[0][i]-product[1][i]) > 1e-12*(1+math.Abs(product[1][i])) || math.Abs(x[0][i]-x[1][i]) > 1e-7*(1+math.Abs(x[1][i])) {
				t.Errorf("%T, row %d: %g and %g, expected %g and %g", pair[0], i, product[0][i], x[0][i], product[1][i], x[1][i])
			}
		}
	}
}

// What is no program, and equations that the bounds contradict, are refused.
func TestRefusals(t *testing.T) {
	p, _ := program(1, 5, 2, 3)
	for _, change := range []func(p *Program){
		func(p *Program) { p.C = p.C[1:] }, func(p *Program) { p.Upper = append([]float64{math.Inf(1)}, p.Upper[1:]...) },
		func(p *Program) { p.A = [][]float64{p.A[0], {1}} }, func(p *Program) { p.Lower = append([]float64{9}, p.Lower[1:]...) },
	} {
		q := *p
		change(&q)
		if q.Check() == nil {
			t.Errorf("%+v: expected an error", q)
		}
	}
	q := *p
	q.B = []float64{1000, 0}
	if _, err := (Decompose{}).Solve(context.Background(), &q, nil); err == nil {
		t.Error("an equation without a solution: expected an error")
	}
	if _, err := (Decompose{Size: 2}).Solve(context.Background(), p, nil); err == nil {
		t.Error("sets of as many variables as equations: expected an error")
	}
}
