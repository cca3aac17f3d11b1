package stochastic

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// unitRows are n Gaussian rows of d features and norm 1, with labels of a logistic model of slope 5.
func unitRows(n, d int, seed uint64) (*problem.Rows, []float64) {
	r := rand.New(rand.NewPCG(seed, 75))
	truth := make([]float64, d)
	for j := range truth {
		truth[j] = r.NormFloat64()
	}
	unit(truth)
	values, y := make([]float32, 0, n*d), make([]float64, n)
	x := make([]float64, d)
	for i := range n {
		for j := range x {
			x[j] = r.NormFloat64()
		}
		unit(x)
		score := 0.0
		for j, v := range x {
			score += v * truth[j]
			values = append(values, float32(v))
		}
		y[i] = 1
		if r.Float64() > 1/(1+math.Exp(-5*score*math.Sqrt(float64(d)))) {
			y[i] = -1
		}
	}
	return problem.NewRows(must(matrix.NewDense(n, d, values)), 1), y
}

func unit(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	for j := range x {
		x[j] /= math.Sqrt(sum)
	}
}

func linear(rows *problem.Rows, y []float64, l loss.Loss, p penalty.Penalty, lambda float64, bias problem.Bias) *problem.Linear {
	return must(problem.NewLinear(rows, y, nil, l, p, lambda, bias))
}

// best is the optimum, proved to 1e-12.
func best(p *problem.Linear) float64 {
	s := must(solver.Linear.New("saga"))
	sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-13, Epochs: 400}))
	return sol.Certificate.Primal
}

// TestPasses: the passes over the rows until f - f* is below 1e-3, 1e-6 and 1e-9, n = 2000, D = 20,
// lambda = 1/n (linear.md 7.5), within 40 %, or a pass.
func TestPasses(t *testing.T) {
	rows, y := unitRows(2000, 20, 3)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 1./2000, problem.None)
	optimum := best(p)
	for _, c := range []struct {
		spec string
		want [3]int
	}{
		{"sag:step=lipschitz", [3]int{4, 12, 18}},
		{"sag:step=lipschitz,gamma=0.0625", [3]int{6, 15, 22}},
		{"sag", [3]int{4, 12, 18}},
		{"saga", [3]int{5, 10, 19}},
		{"svrg", [3]int{9, 15, 24}},
		{"s2gd", [3]int{11, 23, 33}},
		{"miso", [3]int{3, 6, 9}},
	} {
		state := must(solver.Linear.New(c.spec)).Start(p, solver.Start{Seed: 5})
		var got [3]int
		for epoch := 1; epoch <= 100 && got[2] == 0; epoch++ {
			state.Epoch()
			value, _ := p.Primal(state.Point().W)
			for k, goal := range []float64{1e-3, 1e-6, 1e-9} {
				if got[k] == 0 && value-optimum < goal {
					got[k] = epoch
				}
			}
		}
		t.Logf("%s: %v passes, reference %v", c.spec, got, c.want)
		for k, want := range c.want {
			if off := math.Abs(float64(got[k] - want)); off > max(1, 0.4*float64(want)) || got[k] == 0 {
				t.Errorf("%s: %v passes, want about %v", c.spec, got, c.want)
				break
			}
		}
	}
}

// TestPlainRanking: after 30 passes the t-weighted average of steps 1/(mu t) is the best plain
// method, the last iterate of 2/sqrt t the worst, and SAGA 1e4 times better than any (X6).
func TestPlainRanking(t *testing.T) {
	rows, y := unitRows(2000, 20, 3)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 1./2000, problem.None)
	optimum := best(p)
	specs := []string{"sgd:offset=0,output=weighted", "sgd:offset=0,output=last", "sgd:step=sqrt,gamma=2,output=last", "saga"}
	medians := make([]float64, len(specs))
	for k, spec := range specs {
		var values []float64
		for seed := range uint64(10) {
			state := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: seed})
			for range 30 {
				state.Epoch()
			}
			value, _ := p.Primal(state.Point().W)
			values = append(values, value-optimum)
		}
		slices.Sort(values)
		medians[k] = (values[4] + values[5]) / 2
	}
	t.Logf("%v: %.2g", specs, medians)
	if !(medians[0] < medians[1] && medians[1] < medians[2]) || medians[3] > 1e-4*medians[0] {
		t.Errorf("after 30 passes: %.2g", medians)
	}
}

// TestPGSBound: the mean suboptimality of the random iterate is below G^2 (1 + ln T)/(2 sigma T),
// with rows of norm G = 1 (Theorem 1).
func TestPGSBound(t *testing.T) {
	rows, y := unitRows(500, 10, 4)
	const sigma = 0.01
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, sigma, problem.None)
	optimum := best(p)
	for _, passes := range []int{1, 4, 16} {
		sum, steps := 0.0, float64(500*passes)
		for seed := range uint64(20) {
			state := must(solver.Linear.New("pgs:output=random")).Start(p, solver.Start{Seed: seed})
			for range passes {
				state.Epoch()
			}
			value, _ := p.Primal(state.Point().W)
			sum += (value - optimum) / 20
		}
		if bound := (1 + math.Log(steps)) / (2 * sigma * steps); sum > bound || sum < 0 {
			t.Errorf("%d passes: mean suboptimality %g, bound %g", passes, sum, bound)
		}
	}
}

// TestBall: with least squares and a tiny sigma all iterates are finite and within the ball, which
// contains the optimum; those of pegasos on the hinge are within 1/sqrt(lambda).
func TestBall(t *testing.T) {
	rows, y := unitRows(300, 8, 5)
	for _, c := range []struct {
		spec   string
		l      loss.Loss
		p      penalty.Penalty
		norm   float64
		lambda float64
	}{
		{"pgs", loss.Squared{}, penalty.L2{}, 2, 2e-5},
		{"pgs", loss.Squared{}, must(penalty.New("lp:p=1.5")), 1.5, 2e-5},
		{"pegasos", loss.Hinge{}, penalty.L2{}, 2, 1e-3},
	} {
		p := linear(rows, y, c.l, c.p, c.lambda, problem.None)
		radius := math.Sqrt((c.norm - 1) * p.Zero() / c.lambda)
		s := must(solver.Linear.New(c.spec)).Start(p, solver.Start{Seed: 1}).(*state)
		for range 3000 {
			s.step()
			s.iterate.Last(s.last)
			sum := 0.0
			for _, w := range s.last {
				sum += math.Pow(math.Abs(w), c.norm)
			}
			if size := math.Pow(sum, 1/c.norm); !(size <= radius*(1+1e-9)) {
				t.Fatalf("%s, %T: |w| = %g, radius %g", c.spec, c.l, size, radius)
			}
		}
	}
}

// TestBatchOfOne: a batch that is one row many times makes the step of that row.
func TestBatchOfOne(t *testing.T) {
	one, y := unitRows(1, 6, 6)
	row := one.X.Row(0).Value
	many := problem.NewRows(must(matrix.NewDense(300, 6, slices.Repeat(row, 300))), 1)
	for _, spec := range []string{"pgs", "sgd", "adagrad:gamma=1"} {
		var w [2][]float64
		for k, p := range []*problem.Linear{
			linear(one, y, loss.Logistic{}, penalty.L2{}, 0.1, problem.Feature),
			linear(many, slices.Repeat(y, 300), loss.Logistic{}, penalty.L2{}, 0.1, problem.Feature),
		} {
			m := must(solver.Linear.New(spec)).(Method)
			if k == 1 {
				m.batch = 300
			}
			s := m.start(p, solver.Start{Seed: 2})
			for range 20 {
				s.step()
			}
			w[k] = s.point(s.iterate.Last, 0)
		}
		for j := range w[0] {
			if math.Abs(w[0][j]-w[1][j]) > 1e-12 {
				t.Errorf("%s: %v with one row, %v with a batch of it", spec, w[0], w[1])
				break
			}
		}
	}
}

// TestBiasIsAColumn: a bias feature is a column of ones.
func TestBiasIsAColumn(t *testing.T) {
	rows, y := unitRows(50, 4, 7)
	var values []float32
	for i := range 50 {
		values = append(append(values, rows.X.Row(i).Value...), 1)
	}
	wide := problem.NewRows(must(matrix.NewDense(50, 5, values)), 1)
	for _, spec := range []string{"pgs", "pegasos", "sgd", "sag", "saga", "svrg", "miso", "adam:gamma=0.1"} {
		a := must(solver.Linear.New(spec)).Start(linear(rows, y, loss.Logistic{}, penalty.L2{}, 0.01, problem.Feature), solver.Start{Seed: 3})
		b := must(solver.Linear.New(spec)).Start(linear(wide, y, loss.Logistic{}, penalty.L2{}, 0.01, problem.None), solver.Start{Seed: 3})
		for range 3 {
			a.Epoch()
			b.Epoch()
		}
		v, w := a.Point().W, b.Point().W
		for j := range v {
			if math.Abs(v[j]-w[j]) > 1e-9 {
				t.Errorf("%s: %v as a feature, %v as a column", spec, v, w)
				break
			}
		}
	}
}

// TestConstantStepFloor: with a constant step the error settles at a floor in proportion to it.
func TestConstantStepFloor(t *testing.T) {
	rows, y := unitRows(500, 10, 8)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 0.01, problem.None)
	optimum := best(p)
	floor := func(spec string) float64 {
		state, sum := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: 1}), 0.0
		for epoch := range 300 {
			state.Epoch()
			if epoch >= 100 {
				value, _ := p.Primal(state.Point().W)
				sum += (value - optimum) / 200
			}
		}
		return sum
	}
	whole, half := floor("sgd:step=constant,gamma=0.8,output=last"), floor("sgd:step=constant,gamma=0.4,output=last")
	if ratio := whole / half; !(ratio > 1.5 && ratio < 2.7) {
		t.Errorf("floors %g and %g, ratio %g", whole, half, ratio)
	}
}

// TestAveragedLeastSquares: without strong convexity to speak of, averaged constant steps come
// down like 1/t.
func TestAveragedLeastSquares(t *testing.T) {
	rows, y := unitRows(2000, 20, 9)
	p := linear(rows, y, loss.Squared{}, penalty.L2{}, 1e-9, problem.None)
	optimum := best(p)
	passes := []int{4, 8, 16, 32, 64, 128}
	logs := make([]float64, len(passes))
	for seed := range uint64(8) {
		state, done := must(solver.Linear.New("asgd")).Start(p, solver.Start{Seed: seed}), 0
		for k, goal := range passes {
			for ; done < goal; done++ {
				state.Epoch()
			}
			value, _ := p.Primal(state.Point().W)
			logs[k] += math.Log(max(value-optimum, 1e-300)) / 8
		}
	}
	slope := (logs[len(logs)-1] - logs[0]) / math.Log(128./4)
	t.Logf("slope %g", slope)
	if !(slope > -1.2 && slope < -0.8) {
		t.Errorf("slope %g in logarithms, want -1: %v", slope, logs)
	}
}

// TestGrowth: growing batches converge linearly in steps, fixed ones stay at a floor.
func TestGrowth(t *testing.T) {
	rows, y := unitRows(2000, 20, 10)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 0.01, problem.None)
	optimum := best(p)
	run := func(spec string) float64 {
		state := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: 1})
		for range 200 {
			state.Epoch()
		}
		value, _ := p.Primal(state.Point().W)
		return value - optimum
	}
	fixed, factor, test := run("growing:growth=1"), run("growing:growth=1.1"), run("growing")
	if fixed < 1e-5 || factor > 5e-6 || test > 5e-6 {
		t.Errorf("suboptimality %g with fixed batches, %g growing by a factor, %g by the test", fixed, factor, test)
	}
}

// TestGrowthRate: on badly conditioned rows log(f - f*) falls along a line in steps while batches grow, and is flat with
// batches of one row; steps by the smoothness of the mean are longer than those of one row.
func TestGrowthRate(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	const n, d = 1000, 8
	values, y := make([]float32, 0, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			values = append(values, float32(r.NormFloat64()*math.Pow(0.7, float64(j))))
		}
		y[i] = math.Copysign(1, float64(values[i*d])+0.5*r.NormFloat64())
	}
	p := linear(problem.NewRows(must(matrix.NewDense(n, d, values)), 1), y, loss.Logistic{}, penalty.L2{}, 0.02, problem.Free)
	optimum := best(p)
	far := func(spec string) (logs []float64) {
		s := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: 1}).(*state)
		for range 5 {
			sum := 0.0
			for range 30 {
				s.Steps(1)
				value, _ := p.Primal(s.Point().W)
				sum += math.Log(value-optimum) / 30
			}
			logs = append(logs, sum)
		}
		return logs
	}
	grown, fixed := far("growing:growth=1.05"), far("growing:growth=1")
	t.Logf("log(f-f*) of 30 steps each: growing %.3g, one row %.3g", grown, fixed)
	for k := range 4 {
		if fall := grown[k] - grown[k+1]; fall < 0.8 || fall > 3 {
			t.Errorf("found log(f-f*) to fall by %g in 30 steps, expected a line that falls by about 30 log(1.05): %v", fall, grown)
		}
	}
	if fixed[1]-fixed[4] > 1.5 {
		t.Errorf("found log(f-f*) %v with batches of one row, expected it flat", fixed)
	}
}

// TestExpectedSmoothness: L_b is that of a row for one row and that of the mean for all; the bound on the latter is
// above the largest eigenvalue, and near to it.
func TestExpectedSmoothness(t *testing.T) {
	for _, positive := range []bool{true, false} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			r := rand.New(rand.NewPCG(5, 1))
			const n, d = 300, 12
			values, y := make([]float32, n*d), make([]float64, n)
			for k := range values {
				if values[k] = float32(r.NormFloat64()); positive {
					values[k] = float32(math.Abs(float64(values[k])))
				}
			}
			for i := range y {
				y[i] = float64(2*r.IntN(2) - 1)
			}
			p := linear(problem.NewRows(must(matrix.NewDense(n, d, values)), 2), y, loss.Logistic{}, penalty.L2{}, 0.1, bias)
			s := must(solver.Linear.New("growing")).Start(p, solver.Start{Seed: 3}).(*state)
			w, m, exact := make([]float64, d+1), make([]float64, n), 0.0
			for j := range w {
				w[j] = 1 + 0.1*float64(j)
			}
			for range 3000 {
				if bias == problem.None {
					w[d] = 0
				}
				unit(w)
				p.Predict(m, w)
				w, _ = p.Combine(m)
				if bias == problem.None {
					w[d] = 0
				}
				exact = 0
				for _, v := range w {
					exact += v * v
				}
				exact = math.Sqrt(exact) / n / 4
			}
			b := s.rule.batches
			if found := b.mean - 0.1; found < exact*(1-1e-9) || found > exact*2.2 || positive && found > 1.06*exact {
				t.Errorf("values above 0 %v, bias %s: found the bound %g on the largest eigenvalue %g", positive, bias, found, exact)
			}
			if want := s.smoothness() + 0.1; b.of(1) != want || b.of(n) != b.mean || b.of(2) >= b.of(1) || s.rule.Gamma != 1/want {
				t.Errorf("bias %s: found L_b %g of one row, %g of all, steps %g, expected %g, %g and %g", bias, b.of(1), b.of(n), s.rule.Gamma, want, b.mean, 1/want)
			}
			if want := (n*3/(4*(n-1.))*b.mean + (n-4)/(4*(n-1.))*b.row); math.Abs(b.of(4)-want) > 1e-12*want {
				t.Errorf("found L_4 = %g, expected %g", b.of(4), want)
			}
		}
	}
}

// TestDistinct: no row is twice in a batch of a permutation, however large it is.
func TestDistinct(t *testing.T) {
	rows, y := unitRows(10, 3, 2)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 0.1, problem.None)
	for _, spec := range []string{"growing:growth=1.2", "sgd:sampling=permuted,batch=7", "saga:sampling=cyclic,batch=7"} {
		s := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: 1}).(*state)
		for range 30 {
			s.Steps(1)
			if sorted := slices.Sorted(slices.Values(s.row)); len(slices.Compact(sorted)) != len(s.row) {
				t.Fatalf("%s: found the batch %v, expected no row twice", spec, s.row)
			}
		}
	}
}

// TestAdaGradOnRareFeatures: where features are scaled badly, and rare, AdaGrad beats stochastic
// gradient with a step that was chosen as its own.
func TestAdaGradOnRareFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	const n, d = 1000, 30
	values, y := make([]float32, 0, n*d), make([]float64, n)
	for i := range n {
		score := 0.3 * r.NormFloat64()
		for j := range d {
			v := 0.0
			if r.Float64() < 1/float64(1+j) {
				v = r.NormFloat64() * math.Pow(10, -2*float64(j%10)/9)
			}
			values = append(values, float32(v))
			score += v * math.Pow(10, 2*float64(j%10)/9) * math.Cos(float64(j))
		}
		y[i] = math.Copysign(1, score)
	}
	p := linear(problem.NewRows(must(matrix.NewDense(n, d, values)), 1), y, loss.Logistic{}, penalty.L2{}, 1e-5, problem.None)
	value := func(spec string) float64 {
		state := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: 1})
		for range 20 {
			state.Epoch()
		}
		v, _ := p.Primal(state.Point().W)
		return v
	}
	if ada, plain := value("adagrad"), value("sgd:step=sqrt"); ada > plain {
		t.Errorf("objective %g of AdaGrad, %g of stochastic gradient", ada, plain)
	}
}

// TestSAGGradient: the direction and the penalty are the gradient, when SAG stops, within a factor of
// 10; and the line search settles at the smoothness of the rows.
func TestSAGGradient(t *testing.T) {
	rows, y := unitRows(2000, 20, 3)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 1./2000, problem.None)
	s := must(solver.Linear.New("sag")).Start(p, solver.Start{Seed: 1}).(*state)
	for range 12 {
		s.Epoch()
	}
	w, h := make([]float64, 21), make([]float64, 21)
	s.iterate.Last(w)
	d := s.iterate.(interface{ Direction([]float64) })
	d.Direction(h)
	slope := make([]float64, 2000)
	s.p.Predict(s.prediction, w)
	for i, m := range s.prediction {
		slope[i] = p.Loss.Derivative(m, y[i])
	}
	g, _ := p.Combine(slope)
	estimate, exact := 0.0, 0.0
	for j := range 20 {
		estimate += math.Pow(h[j]/2000+p.Lambda*w[j], 2)
		exact += math.Pow(g[j]/2000+p.Lambda*w[j], 2)
	}
	if ratio := math.Sqrt(estimate / exact); !(ratio > 0.1 && ratio < 10) {
		t.Errorf("the norm of the estimate is %g times that of the gradient", ratio)
	}
	if s.rule.l < 0.125 || s.rule.l > 0.5 {
		t.Errorf("L = %g, expected about 0.25", s.rule.l)
	}
}

// TestRefusedSpecs: parts that do not go together are refused by name and value.
func TestRefusedSpecs(t *testing.T) {
	for spec, want := range map[string]string{
		"saga:gamma=-1":                            `solver "saga": gamma=-1: expected auto, or a number > 0`,
		"pgs:batch=0":                              `solver "pgs": batch=0: expected a whole number from 1 to 2147483647`,
		"stochastic:gradient=sgd":                  `solver "stochastic": gradient=sgd: expected one of row, sag, saga, svrg, s2gd, miso, newton`,
		"stochastic:gradient=saga,geometry=p-norm": `solver "stochastic": gradient=saga: expected geometry=euclidean, found geometry=p-norm`,
		"saga:output=average":                      `solver "saga": gradient=saga: expected output=last, as its iterates converge by themselves, found output=average`,
		"sag:batch=4":                              `solver "sag": step=search: expected steps of one row, found batches`,
		"saga:sampling=lipschitz,batch=2":          `solver "saga": sampling=lipschitz: expected steps of one row, found batches`,
		"stochastic:gradient=svrg,catalyst=auto":   `solver "stochastic": catalyst: expected gradient=saga, found gradient=svrg`,
		"adagrad:sampling=lipschitz":               `solver "adagrad": sampling=lipschitz: expected another geometry than diagonal, whose penalty counts on uniform sampling`,
		"stochastic:gradient=saga,ball=on":         `solver "stochastic": gradient=saga: expected ball=off, found ball=on`,
		"sgd:beta=2,step=power":                    `solver "sgd": beta=2: expected a number > 0, at most 1`,
	} {
		if _, err := solver.Linear.New(spec); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	rows, y := unitRows(10, 2, 1)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 1, problem.None)
	const want = "solver sgd needs batches of at most as many rows as there are: found batch=11, expected at most 10"
	if err := must(solver.Linear.New("sgd:batch=11")).Accepts(p); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
