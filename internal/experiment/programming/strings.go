package programming

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// English and French sentences told apart by their common subsequences of three letters (Y10),
// with the letters alone as what there is to beat; and how the size of a working set matters
// where a value of the kernel is expensive (Y5).
func init() {
	experiment.Plain("qp-strings", "CPSC 540 slides, kernels of strings", "sentences of two languages by a kernel of strings; size of working sets where values are expensive", qpStrings)
}

var english = strings.Split("the house is on the hill|she walks through the green field|we were waiting for the train|he has written a long letter|the children play with the dog|there is nothing that they want|this is what everybody thinks|the weather was very cold in winter|my brother works in the town|they should have known better|which of these things is yours|you must never forget the way home|a white ship sailed away|the old man with the hat|what have you done with it|our friends will come tomorrow", "|")

var french = strings.Split("la maison est sur la colline|elle marche dans le champ vert|nous attendions le prochain train|il a écrit une longue lettre|les enfants jouent avec le chien|il n'y a rien qu'ils veulent|c'est ce que tout le monde pense|le temps était très froid en hiver|mon frère travaille dans la ville|ils auraient dû le savoir|laquelle de ces choses est la vôtre|tu ne dois jamais oublier le chemin|un bateau blanc est parti au loin|le vieil homme avec le chapeau|qu'est-ce que vous en avez fait|nos amis viendront demain", "|")

// sentences are rows of symbols, English and French in turns, +1 and -1.
func sentences() (matrix.Matrix, []float64) {
	m, y := &matrix.CSR{Start: []int64{0}}, []float64{}
	for i := range english {
		for side, text := range []string{english[i], french[i]} {
			addText(m, text)
			y = append(y, float64(1-2*side))
		}
	}
	return m, y
}

// addText adds a row of symbols.
func addText(m *matrix.CSR, text string) {
	for k, symbol := range []byte(text) {
		m.Index, m.Value = append(m.Index, uint32(k)), append(m.Value, float32(symbol)+1)
		m.Cols = max(m.Cols, k+1)
	}
	m.Start = append(m.Start, int64(len(m.Index)))
}

// letters are the shares of each letter in the rows.
func letters(x matrix.Matrix) matrix.Matrix {
	n, _ := x.Dims()
	m := &matrix.Dense{Rows: n, Cols: 257, Value: make([]float32, n*257)}
	for i := range n {
		row := x.Row(i)
		for _, v := range row.Value {
			m.Value[i*257+int(v)] += 1 / float32(len(row.Value))
		}
	}
	return m
}

func qpStrings(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	progress := &experiment.Tally{Opt: opt, What: "parts", Of: 2}
	x, y := sentences()
	ssk, err := kernel.New("normalised(ssk:p=3,lambda=0.8)")
	if err != nil {
		return nil, err
	}
	bySubsequence, err := leaveOut(ctx, ssk, x, y, opt.Threads)
	if err != nil {
		return nil, err
	}
	byLetter, err := leaveOut(ctx, kernel.Linear{}, letters(x), y, opt.Threads)
	if err != nil {
		return nil, err
	}
	progress.Step()
	p, err := experiment.HingeMachine(ssk, x, y, 1000, problem.Free, opt.Threads)
	if err != nil {
		return nil, err
	}
	s, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-6})
	if err != nil {
		return nil, err
	}
	progress.Step()
	_, mean := p.Criteria(s.Point.W)
	r.Check("Y10", "sentences of two languages are separated by subsequences of three letters", "a hinge loss below 1e-6", mean < 1e-6, "%s", quantity(mean))
	r.Check("Y10", "sentences left out, one after the other", "fewer errors by subsequences than by letters", bySubsequence < byLetter, "%d of %d, by letters %d", bySubsequence, len(y), byLetter)
	return r, workingSets(ctx, r, opt)
}

// leaveOut counts the rows that a machine of all others has wrong.
func leaveOut(ctx context.Context, k kernel.Kernel, x matrix.Matrix, y []float64, threads int) (wrong int, err error) {
	all, err := gram.NewGram(k, x, gram.Options{Threads: threads})
	if err != nil {
		return 0, err
	}
	response := make([]float64, len(y))
	for out := range y {
		var rows []int
		for i := range y {
			if i != out {
				rows = append(rows, i)
			}
		}
		gram, err := all.Part(rows)
		if err != nil {
			return 0, err
		}
		p, err := problem.NewKernel(gram, experiment.Take(y, rows), nil, loss.Hinge{}, 1e-3, problem.Free)
		if err != nil {
			return 0, err
		}
		s, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-4})
		if err != nil {
			return 0, err
		}
		for i := range response {
			response[i] = s.Point.W[len(rows)]
		}
		all.Update(response, rows, s.Point.W[:len(rows)])
		if response[out]*y[out] <= 0 {
			wrong++
		}
	}
	return wrong, ctx.Err()
}

// workingSets measures decomposition with sets of several sizes, and caches of a hundredth and of all rows.
func workingSets(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	x, y := sentences()
	times := 12
	if opt.Quick {
		times = 3
	}
	x, y = shuffledWords(x, y, times, opt.Seed)
	ssk, err := kernel.New("normalised(ssk:p=3,lambda=0.8)")
	if err != nil {
		return err
	}
	best, at := math.Inf(1), 0
	var sizes, values []float64
	for _, q := range []int{2, 4, 10, 20, 50} {
		p, err := experiment.HingeMachine(ssk, x, y, 1, problem.Free, opt.Threads)
		if err != nil {
			return err
		}
		s := dual.Decomposition{Q: q}
		solution, err := experiment.Solve(ctx, s, p, solver.Options{Gap: 1e-4, Time: time.Minute})
		if err != nil {
			return err
		}
		computed := float64(p.Counts().Computed)
		r.Note("q = %d: %s after %d epochs, %.3g values asked for, %.3g computed, %.3g s", q, solution.Status, solution.Epochs, float64(p.Counts().Requested), computed, solution.Train.Seconds())
		sizes, values = append(sizes, float64(q)), append(values, float64(p.Counts().Requested))
		if seconds := solution.Train.Seconds(); seconds < best {
			best, at = seconds, q
		}
	}
	r.Curve(experiment.Point{Row: "working sets", Curve: "ssk", XAxis: "rows in a set" + experiment.LogAxis, YAxis: "kernel values asked for" + experiment.LogAxis}, sizes, values)
	r.Check("Y5", "the best size of a working set where values are expensive", "more than 2 rows", at > 2, "%d rows, on %d", at, len(y))
	return ctx.Err()
}

// shuffledWords makes more sentences of the words of each, in other orders.
func shuffledWords(x matrix.Matrix, y []float64, times int, seed uint64) (matrix.Matrix, []float64) {
	m, targets := &matrix.CSR{Start: []int64{0}}, []float64{}
	random := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	for range times {
		for i := range y {
			text := make([]byte, 0, 64)
			for _, v := range x.Row(i).Value {
				text = append(text, byte(v-1))
			}
			words := strings.Fields(string(text))
			random.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
			addText(m, strings.Join(words, " "))
			targets = append(targets, y[i])
		}
	}
	return m, targets
}
