package linear

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/ablation"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

var ablate = flag.String("ablation", "", `solve the problems of the ablation without each of these mechanisms, "all" for every one`)

var ablateOnly = flag.String("ablation.only", "", "of these the problems whose name matches")

// mechanisms are what the ablation leaves out, by name.
var mechanisms = []struct {
	name string
	out  parts.Mechanism
}{
	{"faces", parts.WithoutFaces},
	{"proximal", parts.WithoutProximal},
	{"sample", parts.WithoutSample},
	{"leave", parts.WithoutLeave},
	{"blocks", parts.WithoutBlocks},
	{"sleep", parts.WithoutSleep},
}

// An ablated problem is data with a loss, a penalty and a goal.
type ablatedProblem struct {
	set    *ablatedSet
	loss   loss.Loss
	ratio  float64 // of l1 in the penalty; 0: l2
	lambda float64 // times n
	gap    float64
}

func (a ablatedProblem) String() string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", a.loss), "loss.")
	return fmt.Sprintf("%s %s lambda=%g/n ratio=%g gap=%g", a.set.name, name, a.lambda, a.ratio, a.gap)
}

// An ablatedSet is read when it is first asked for.
type ablatedSet struct {
	name    string
	real    bool
	classes bool
	least   float64 // lambda times n; 0: 0.01
	read    func(t *testing.T) (matrix.Matrix, []float64)

	rows *problem.Rows
	y    []float64
}

// TestAblation solves a list of problems as "auto" does, with all mechanisms and without
// each of those that -ablation names, and prints what each brings: see package ablation.
func TestAblation(t *testing.T) {
	if *ablate == "" {
		t.Skip("takes a quarter of an hour: asked for by -ablation all, or -ablation faces,sample")
	}
	only := regexp.MustCompile(*ablateOnly)
	problems := slices.DeleteFunc(ablatedProblems(t), func(a ablatedProblem) bool { return !only.MatchString(a.String()) })
	t.Logf("%d problems", len(problems))
	chosen := strings.Split(*ablate, ",")
	rows := make([]ablation.Row, len(mechanisms))
	for _, a := range problems {
		p := a.make(t)
		all := solveWithout(t, 0, p, a.gap)
		t.Logf("%s: %s", a, all)
		for k, m := range mechanisms {
			if *ablate == "all" || slices.Contains(chosen, m.name) {
				without := solveWithout(t, m.out, p, a.gap)
				if rows[k].Add(t, a.String(), a.set.real, all, without); !without.Same(all) {
					t.Logf("  without %s: %s", m.name, without)
				}
			}
		}
	}
	for k, m := range mechanisms {
		if !rows[k].Empty() {
			t.Logf("without %-10s %v", m.name, &rows[k])
		}
	}
}

// solveWithout solves p as "auto" does, without m.
func solveWithout(t *testing.T, m parts.Mechanism, p *problem.Linear, gap float64) ablation.Outcome {
	defer func() { parts.Ablated = 0 }()
	parts.Ablated = m
	name, _ := Choose(p, gap)
	s, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := ablation.Solve(t.Context(), s, func() problem.Problem { return p }, gap)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func (a ablatedProblem) make(t *testing.T) *problem.Linear {
	t.Helper()
	s := a.set
	if s.rows == nil {
		x, y := s.read(t)
		s.rows, s.y = problem.NewRows(x, 2), y
	}
	var p penalty.Penalty = penalty.L2{}
	if a.ratio > 0 {
		var err error
		if p, err = penalty.New(fmt.Sprintf("elastic-net:ratio=%g", a.ratio)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := problem.NewLinear(s.rows, s.y, nil, a.loss, p, a.lambda/float64(len(s.y)), problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ablatedProblems lists the problems, set by set.
func ablatedProblems(t *testing.T) (list []ablatedProblem) {
	classes := []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}}
	numbers := []loss.Loss{loss.Squared{}, loss.Absolute{}}
	for _, s := range ablatedSets(t) {
		losses := classes
		if !s.classes {
			losses = numbers
		}
		for _, l := range losses {
			for _, lambda := range []float64{0.01, 1, 10, 100} {
				if lambda < s.least {
					continue
				}
				list = append(list, ablatedProblem{s, l, 0, lambda, 1e-3})
			}
			list = append(list, ablatedProblem{s, l, 0, max(0.1, s.least), 1e-5})
		}
		for _, l := range losses[:2] {
			list = append(list, ablatedProblem{s, l, 0.5, 1, 1e-3})
		}
	}
	return list
}

// ablatedSets are those of the folder of real sets, and deformed and generated ones.
func ablatedSets(t *testing.T) []*ablatedSet {
	folder := cmp.Or(os.Getenv("FENCHEL_DATA"), "../../../../shared/data")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no real sets: %v", err)
	}
	file := func(name, path, class string) *ablatedSet {
		return &ablatedSet{name: name, real: true, classes: class != "number", read: func(t *testing.T) (matrix.Matrix, []float64) {
			return readAblated(t, filepath.Join(folder, path), class)
		}}
	}
	generated := func(name, spec string) *ablatedSet {
		return &ablatedSet{name: name, classes: true, read: func(t *testing.T) (matrix.Matrix, []float64) { return readAblated(t, spec, "") }}
	}
	deformed := func(name string, of *ablatedSet, deform func(x matrix.Matrix, y []float64) (matrix.Matrix, []float64)) *ablatedSet {
		return &ablatedSet{name: name, classes: of.classes, read: func(t *testing.T) (matrix.Matrix, []float64) {
			return deform(of.read(t))
		}}
	}
	a9a := file("a9a", "adult/a9a.gz", "")
	ijcnn1 := file("ijcnn1", "ijcnn1/ijcnn1.trn.bz2", "")
	news20 := file("news20", "news20/news20.bz2", "1")
	news20.least = 1 // counts of words: a run of half a minute with 0.01, for each mechanism
	mnist := file("mnist", "mnist/t10k-images-idx3-ubyte.gz", "8")
	return []*ablatedSet{
		a9a, ijcnn1,
		file("a1a", "adult/a1a.gz", ""),
		file("w1a", "web/w1a.gz", ""),
		file("w8a", "web/w8a.gz", ""),
		file("covtype2", "covtype/covtype_ramp_92962.svm.gz", "2"),
		file("20news1", "20newsgroups/20news_tfidf.train.svm.gz", "1"),
		file("imdb", "imdb/imdb_tfidf.train.svm.gz", ""),
		file("money-fx", "reuters-money-fx/reuters.trn.bz2", ""),
		file("sector1", "sector/sector.scale.bz2", "1"),
		news20,
		mnist,
		deformed("mnist, 1,000 rows", mnist, firstRows(1000)),
		file("abalone", "regression/abalone.csv.gz", "number"),
		file("cpusmall", "regression/cpu.small.arff.gz", "number"),
		generated("text of 800,000 rows", "@text:n=800000,d=20000,nnz=12,seed=3"),
		generated("wide text", "@text:n=20000,d=20000,nnz=60,seed=1"),
		oneHot("one-hot", 40000, 12, 60),
		drifting("drifting, 430 x 155", 430, 155),
		drifting("drifting, 100 x 2,000", 100, 2000),
		oneHot("one-hot, wide", 20000, 8, 4000),
		deformed("a9a sorted by class", a9a, sortByClass),
		deformed("a9a with its columns twice", a9a, columnsTwice),
		deformed("ijcnn1 badly scaled", ijcnn1, badlyScaled),
	}
}

// readAblated reads a set; class is the label that is +1 against all others, "" the greater
// of two, "number" the targets themselves.
func readAblated(t *testing.T, source, class string) (matrix.Matrix, []float64) {
	s, err := data.Read(t.Context(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if class == "number" {
		return s.X, s.Target.Number
	}
	y, greater := make([]float64, s.Rows()), 0.0
	if class == "" {
		greater = slices.Max(s.Target.Number)
	}
	for i, code := range s.Target.Code {
		if y[i] = -1; class != "" && s.Target.Label[code] == class || class == "" && s.Target.Number[i] == greater {
			y[i] = 1
		}
	}
	return s.X, y
}

// oneHot makes rows of fields, each of which has one of some values with a skewed
// distribution, and classes that depend on the values.
func oneHot(name string, n, fields, values int) *ablatedSet {
	return &ablatedSet{name: name, classes: true, read: func(*testing.T) (matrix.Matrix, []float64) {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		weight := make([]float64, fields*values)
		for j := range weight {
			weight[j] = random.NormFloat64()
		}
		x, y := &matrix.CSR{Cols: len(weight), Start: []int64{0}}, make([]float64, n)
		index, value := make([]uint32, fields), make([]float32, fields)
		for i := range y {
			sum := 0.5 * random.NormFloat64()
			for f := range fields {
				u := random.Float64()
				index[f], value[f] = uint32(f*values+int(u*u*u*float64(values))), 1
				sum += weight[index[f]]
			}
			x.Append(index, value)
			y[i] = math.Copysign(1, sum)
		}
		return x, y
	}}
}

// drifting makes dense rows each of whose columns is nearly the one before it, as in spectra and
// in expressions of genes, and classes.
func drifting(name string, n, d int) *ablatedSet {
	return &ablatedSet{name: name, classes: true, read: func(*testing.T) (matrix.Matrix, []float64) {
		const share = 0.99
		r := rand.New(rand.NewPCG(3, 5))
		x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
		for i := range n {
			before, score := 0.0, 0.3*r.NormFloat64()
			for j := range d {
				before = share*before + math.Sqrt(1-share*share)*r.NormFloat64()
				x.Value[i*d+j] = float32(before)
				score += before * math.Cos(float64(j))
			}
			y[i] = math.Copysign(1, score)
		}
		return x, y
	}}
}

// firstRows keeps the first n rows.
func firstRows(n int) func(x matrix.Matrix, y []float64) (matrix.Matrix, []float64) {
	return func(x matrix.Matrix, y []float64) (matrix.Matrix, []float64) {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return rebuilt(x, y, rows, 1, func(_ int, v float32) float32 { return v })
	}
}

// sortByClass puts the rows of the negative class first.
func sortByClass(x matrix.Matrix, y []float64) (matrix.Matrix, []float64) {
	order := make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(y[i], y[j]) })
	return rebuilt(x, y, order, 1, func(_ int, v float32) float32 { return v })
}

// columnsTwice appends the columns again.
func columnsTwice(x matrix.Matrix, y []float64) (matrix.Matrix, []float64) {
	return rebuilt(x, y, nil, 2, func(_ int, v float32) float32 { return v })
}

// badlyScaled multiplies columns by 1 to 1000.
func badlyScaled(x matrix.Matrix, y []float64) (matrix.Matrix, []float64) {
	return rebuilt(x, y, nil, 1, func(j int, v float32) float32 { return v * float32(math.Pow(10, float64(j%4))) })
}

// rebuilt returns the sparse rows of some places in their order, nil for all, with each column as
// often as copies says.
func rebuilt(x matrix.Matrix, y []float64, order []int, copies int, change func(j int, v float32) float32) (matrix.Matrix, []float64) {
	n, d := x.Dims()
	if order != nil {
		n = len(order)
	}
	out, target := &matrix.CSR{Cols: d * copies, Start: []int64{0}}, make([]float64, n)
	var index []uint32
	var value []float32
	for i := range n {
		k := i
		if order != nil {
			k = order[i]
		}
		row := x.Row(k)
		index, value = index[:0], value[:0]
		for c := range copies {
			for at, v := range row.Value {
				j := row.Column(at)
				index, value = append(index, uint32(c*d)+uint32(j)), append(value, change(int(j), v))
			}
		}
		out.Append(index, value)
		target[i] = y[k]
	}
	return out, target
}
