package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// A reducer is a program that finds principal components.
//
// Laws: what it finds captures as much variance of the rows as it can with k
// directions; time is that of finding, with rows in memory in single precision.
type reducer interface {
	program
	// reducers are its ways to find k components of d columns.
	reducers(p pcaProblem, d int) []reducerMethod
	// load has the first rows of a task in memory; task nil: none, for products.
	load(ctx context.Context, opt *config, t *task, rows int, dense bool) (reduction, error)
}

// A reducerMethod is one algorithm of a reducer. One that takes the rows in
// batches, each once, is of the race of streams.
type reducerMethod struct {
	name, setting string
	code          string // for the reducer's own use
	stream        bool
}

// A reduction is a reducer with rows in memory.
type reduction interface {
	components(ctx context.Context, m reducerMethod, k, d int) (seconds float64, component []float64, err error)
	// multiply times a product of matrices in single precision.
	multiply(ctx context.Context, s productShape, threads int) (seconds float64, err error)
	close()
}

//go:embed driver/pca.py
var pcaScript string

// reducers of scikit-learn: all solvers of PCA with their defaults, also those of Intel's
// oneDAL where package scikit-learn-intelex is installed; for sparse rows
// those that keep them sparse, which is TruncatedSVD where nothing is centred.
func (*sklearn) reducers(p pcaProblem, d int) []reducerMethod {
	way := func(class, key, value string) reducerMethod {
		return reducerMethod{name: class, setting: value, code: fmt.Sprintf(`%s {"n_components":%d,"%s":"%s","random_state":1}`, class, p.k, key, value)}
	}
	switch {
	case !p.center:
		return []reducerMethod{way("TruncatedSVD", "algorithm", "randomized"), way("TruncatedSVD", "algorithm", "arpack")}
	case !p.dense:
		return []reducerMethod{way("PCA", "svd_solver", "arpack")}
	}
	var all []reducerMethod
	for _, solver := range []string{"covariance_eigh", "arpack", "randomized", "full"} {
		all = append(all, way("PCA", "svd_solver", solver))
	}
	for _, solver := range []string{"covariance_eigh", "full"} { // those of its solvers that Intel's library has
		all = append(all, way("oneDAL", "svd_solver", solver))
	}
	return append(all, reducerMethod{name: "IncrementalPCA", setting: fmt.Sprintf("batch_size=%d", 5*d), stream: true,
		code: fmt.Sprintf(`IncrementalPCA {"n_components":%d}`, p.k)})
}

func (p *sklearn) load(ctx context.Context, opt *config, t *task, rows int, dense bool) (reduction, error) {
	script := filepath.Join(opt.work, "pca_worker.py")
	if err := os.WriteFile(script, []byte(pcaScript), 0o666); err != nil {
		return nil, err
	}
	path, kind := "-", "sparse"
	if t != nil {
		path = t.binary
	}
	if dense {
		kind = "dense"
	}
	w, err := startWorker(ctx, []string{p.python, script, path, strconv.Itoa(rows), kind}, p.env)
	return &sklearnReduction{worker: w, out: filepath.Join(opt.work, "pca.f64")}, err
}

type sklearnReduction struct {
	worker *worker
	out    string
}

// ask returns the seconds of one piece of work.
func (s *sklearnReduction) ask(ctx context.Context, question string) (float64, error) {
	answer, err := s.worker.ask(ctx, question)
	if err != nil {
		return 0, err
	}
	var reply struct {
		Seconds float64
		Error   string
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return 0, fmt.Errorf("scikit-learn answered %q: %w", answer, err)
	}
	if reply.Error != "" {
		return 0, fmt.Errorf("scikit-learn: %s", reply.Error)
	}
	return reply.Seconds, nil
}

func (s *sklearnReduction) components(ctx context.Context, m reducerMethod, k, d int) (float64, []float64, error) {
	took, err := s.ask(ctx, s.out+"\t"+m.code)
	if err != nil {
		return 0, nil, err
	}
	found, err := readFloats(s.out, k*d)
	return took, found, err
}

func (s *sklearnReduction) multiply(ctx context.Context, p productShape, threads int) (float64, error) {
	if p.gram {
		return s.ask(ctx, fmt.Sprintf("gram\t%d %d %d", p.k, p.m, threads))
	}
	return s.ask(ctx, fmt.Sprintf("product\t%d %d %d %d", p.m, p.n, p.k, threads))
}

func (s *sklearnReduction) close() { s.worker.close() }
