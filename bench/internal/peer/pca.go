package peer

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A Reducer is a program that finds principal components.
//
// Laws: what it finds captures as much variance of the rows as it can with k
// directions; time is that of finding, with rows in memory in single precision.
type Reducer interface {
	program
	// reducers are its ways to find k components of d columns.
	Reducers(p task.PcaProblem, d int) []ReducerMethod
	// load has the first rows of a task in memory; task nil: none, for products.
	Load(ctx context.Context, opt *task.Config, t *task.Task, rows int, dense bool) (Reduction, error)
}

// A ReducerMethod is one algorithm of a reducer. One that takes the rows in
// batches, each once, is of the race of streams.
type ReducerMethod struct {
	Name, Setting string
	code          string // for the reducer's own use
	Stream        bool
}

// A Reduction is a reducer with rows in memory.
type Reduction interface {
	Components(ctx context.Context, m ReducerMethod, k, d int) (seconds float64, component []float64, err error)
	// multiply times a product of matrices in single precision.
	Multiply(ctx context.Context, s task.ProductShape, threads int) (seconds float64, err error)
	Close()
}

//go:embed driver/pca.py
var pcaScript string

// Reducers of scikit-learn: all solvers of PCA with their defaults, also those of Intel's
// oneDAL where package scikit-learn-intelex is installed; for sparse rows
// those that keep them sparse, which is TruncatedSVD where nothing is centred.
func (*Sklearn) Reducers(p task.PcaProblem, d int) []ReducerMethod {
	way := func(class, key, value string) ReducerMethod {
		return ReducerMethod{Name: class, Setting: value, code: fmt.Sprintf(`%s {"n_components":%d,"%s":"%s","random_state":1}`, class, p.K, key, value)}
	}
	switch {
	case !p.Center:
		return []ReducerMethod{way("TruncatedSVD", "algorithm", "randomized"), way("TruncatedSVD", "algorithm", "arpack")}
	case !p.Dense:
		return []ReducerMethod{way("PCA", "svd_solver", "arpack")}
	}
	var all []ReducerMethod
	for _, solver := range []string{"covariance_eigh", "arpack", "randomized", "full"} {
		all = append(all, way("PCA", "svd_solver", solver))
	}
	for _, solver := range []string{"covariance_eigh", "full"} { // those of its solvers that Intel's library has
		all = append(all, way("oneDAL", "svd_solver", solver))
	}
	return append(all, ReducerMethod{Name: "IncrementalPCA", Setting: fmt.Sprintf("batch_size=%d", 5*d), Stream: true,
		code: fmt.Sprintf(`IncrementalPCA {"n_components":%d}`, p.K)})
}

func (p *Sklearn) Load(ctx context.Context, opt *task.Config, t *task.Task, rows int, dense bool) (Reduction, error) {
	script := filepath.Join(opt.Work, "pca_worker.py")
	if err := os.WriteFile(script, []byte(pcaScript), 0o666); err != nil {
		return nil, err
	}
	path, kind := "-", "sparse"
	if t != nil {
		path = t.Binary
	}
	if dense {
		kind = "dense"
	}
	w, err := startWorker(ctx, []string{p.python, script, path, strconv.Itoa(rows), kind, strconv.Itoa(p.threads)}, p.environment(p.threads))
	return &sklearnReduction{peer: &p.pythonPeer, worker: w, out: filepath.Join(opt.Work, "pca.f64")}, err
}

type sklearnReduction struct {
	peer   *pythonPeer
	worker *Worker
	out    string
}

func (s *sklearnReduction) Components(ctx context.Context, m ReducerMethod, k, d int) (float64, []float64, error) {
	reply, err := s.peer.ask(ctx, s.worker, s.out+"\t"+m.code)
	if err != nil {
		return 0, nil, err
	}
	found, err := readFloats(s.out, k*d)
	return reply.Seconds, found, err
}

func (s *sklearnReduction) Multiply(ctx context.Context, p task.ProductShape, threads int) (float64, error) {
	reply, err := s.peer.ask(ctx, s.worker, fmt.Sprintf("gram\t%d %d %d", p.Rows, p.Columns, threads))
	return reply.Seconds, err
}

func (s *sklearnReduction) Close() { s.worker.Close() }
