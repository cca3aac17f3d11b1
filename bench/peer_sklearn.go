package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/model"
)

// sklearn is scikit-learn. A method's code is the class and its arguments, in
// which the knob, C and lambda are filled in.
type sklearn struct {
	python, script string
	env            []string
}

func init() { registerPeer(&sklearn{}) }

//go:embed driver/sklearn.py
var sklearnScript string

func (*sklearn) name() string { return "scikit-learn" }

func (p *sklearn) find(ctx context.Context, opt *config) (string, error) {
	why := errors.New("found no python in PATH")
	for _, name := range []string{opt.python, "python3", "python"} {
		path, err := exec.LookPath(name)
		if err != nil || name == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", "import sklearn, scipy, numpy; print(sklearn.__version__, '(numpy', numpy.__version__ + ',', 'scipy', scipy.__version__ + ')')").Output()
		if err != nil {
			why = fmt.Errorf("%s cannot import sklearn", path)
			continue
		}
		p.python, p.script = path, filepath.Join(opt.work, "sklearn_worker.py")
		for _, library := range []string{"OMP", "OPENBLAS", "MKL"} {
			p.env = append(p.env, library+"_NUM_THREADS="+strconv.Itoa(opt.threads))
		}
		return strings.TrimSpace(string(out)), os.WriteFile(p.script, []byte(sklearnScript), 0o666)
	}
	return "", why
}

// sklearnMethods are the classes that minimise each loss. LinearSVC and the
// solver liblinear are scikit-learn's own copy of LIBLINEAR.
var sklearnMethods = map[string][]method{
	"hinge": {
		{name: "LinearSVC", code: `LinearSVC {"loss":"hinge","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, knob: "tol", ladder: ladder(1, -8)},
		{name: "SGD", code: `SGDClassifier {"loss":"hinge","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, knob: "max_iter", ladder: doubling(1024)},
	},
	"squared-hinge": {
		{name: "LinearSVC dual", code: `LinearSVC {"C":C,"tol":KNOB,"dual":true,"fit_intercept":false,"max_iter":100000,"random_state":1}`, knob: "tol", ladder: ladder(1, -8)},
		{name: "LinearSVC primal", code: `LinearSVC {"C":C,"tol":KNOB,"dual":false,"fit_intercept":false,"max_iter":100000}`, knob: "tol", ladder: ladder(1, -8)},
	},
	"logistic": {
		{name: "lbfgs", code: `LogisticRegression {"solver":"lbfgs","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, knob: "tol", ladder: ladder(-1, -10)},
		{name: "newton-cg", code: `LogisticRegression {"solver":"newton-cg","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, knob: "tol", ladder: ladder(0, -10)},
		{name: "liblinear", code: `LogisticRegression {"solver":"liblinear","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, knob: "tol", ladder: ladder(1, -8)},
		{name: "saga", code: `LogisticRegression {"solver":"saga","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, knob: "tol", ladder: ladder(0, -8)},
		{name: "SGD", code: `SGDClassifier {"loss":"log_loss","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, knob: "max_iter", ladder: doubling(1024)},
	},
}

// newtonCholesky forms a d x d matrix: for few columns only.
var newtonCholesky = method{name: "newton-cholesky", code: `LogisticRegression {"solver":"newton-cholesky","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":1000}`, knob: "tol", ladder: ladder(1, -8)}

func (*sklearn) methods(loss string, d int) []method {
	all := sklearnMethods[loss]
	if loss == "logistic" && d <= 1000 {
		all = append(all[:len(all):len(all)], newtonCholesky)
	}
	return all
}

// estimator fills a job into its method's code.
func (*sklearn) estimator(j job) string {
	return strings.NewReplacer("KNOB", number(j.knob), "LAMBDA", number(j.lambda.value(j.task.rows)), `"C":C`, `"C":`+number(j.lambda.c())).Replace(j.method.code)
}

func (p *sklearn) open(ctx context.Context, t *task) (session, error) {
	w, err := startWorker(ctx, []string{p.python, p.script, "serve", t.binary}, p.env)
	return &sklearnSession{peer: p, worker: w, model: filepath.Join(t.dir, "sklearn.f64")}, err
}

func (p *sklearn) command(j job, model string) []string {
	return append(append([]string{"env"}, p.env...), p.python, p.script, "once", j.task.text, strconv.Itoa(j.task.cols), model, p.estimator(j))
}

func (p *sklearn) weights(j job, model string) ([]float64, error) {
	return readFloats(model, j.task.cols)
}

// machine trains an SVC, which is a copy of LIBSVM that has its own way with
// dense rows: those with more than a tenth of their values.
func (p *sklearn) machine(j machineJob, model string) []string {
	dense := 10*j.task.nonzeros > int64(j.task.rows)*int64(j.task.cols)
	arguments := fmt.Sprintf(`{"C":%s,"gamma":%s,"tol":%s,"cache_size":1000}`, number(j.c), number(j.gamma), number(j.knob))
	return append(append([]string{"env"}, p.env...), p.python, p.script, "machine", j.task.text, strconv.Itoa(j.task.cols), model,
		strconv.FormatBool(dense), arguments)
}

// learned reads the model, a pickle, by way of a file as LIBSVM has it.
func (p *sklearn) learned(ctx context.Context, path string) (*model.Model, error) {
	out := path + ".libsvm"
	if _, err := runProcess(ctx, []string{p.python, p.script, "export", path, out}); err != nil {
		return nil, err
	}
	return model.ReadFile(out)
}

type sklearnSession struct {
	peer   *sklearn
	worker *worker
	model  string
}

func (s *sklearnSession) solve(ctx context.Context, j job) (got solved, err error) {
	answer, err := s.worker.ask(ctx, s.model+"\t"+s.peer.estimator(j))
	if err != nil {
		return got, err
	}
	var reply struct {
		Seconds float64
		Error   string
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return got, fmt.Errorf("scikit-learn answered %q: %w", answer, err)
	}
	if reply.Error != "" {
		return got, fmt.Errorf("scikit-learn: %s", reply.Error)
	}
	got.seconds = reply.Seconds
	got.weights, err = readFloats(s.model, j.task.cols)
	return got, err
}

func (s *sklearnSession) close() { s.worker.close() }
