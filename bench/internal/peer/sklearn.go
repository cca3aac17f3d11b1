package peer

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
)

// Sklearn is scikit-learn. A method's code is the class and its arguments, in
// which the knob, C and lambda are filled in.
type Sklearn struct {
	python, script string
	env            []string
}

func init() { registerPeer(&Sklearn{}) }

//go:embed driver/sklearn.py
var sklearnScript string

func (*Sklearn) Name() string { return "scikit-learn" }

func (p *Sklearn) Find(ctx context.Context, opt *task.Config) (string, error) {
	why := errors.New("found no python in PATH")
	for _, name := range []string{opt.Python, "python3", "python"} {
		path, err := exec.LookPath(name)
		if err != nil || name == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", "import sklearn, scipy, numpy; print(sklearn.__version__, '(numpy', numpy.__version__ + ',', 'scipy', scipy.__version__ + ')')").Output()
		if err != nil {
			why = fmt.Errorf("%s cannot import sklearn", path)
			continue
		}
		p.python, p.script = path, filepath.Join(opt.Work, "sklearn_worker.py")
		for _, library := range []string{"OMP", "OPENBLAS", "MKL"} {
			p.env = append(p.env, library+"_NUM_THREADS="+strconv.Itoa(opt.Threads))
		}
		return strings.TrimSpace(string(out)), os.WriteFile(p.script, []byte(sklearnScript), 0o666)
	}
	return "", why
}

// sklearnMethods are the classes that minimise each loss. LinearSVC and the
// solver liblinear are scikit-learn's own copy of LIBLINEAR.
var sklearnMethods = map[string][]Method{
	"hinge": {
		{Name: "LinearSVC", code: `LinearSVC {"loss":"hinge","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "SGD", code: `SGDClassifier {"loss":"hinge","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, Knob: "max_iter", Ladder: doubling(1024)},
	},
	"squared-hinge": {
		{Name: "LinearSVC dual", code: `LinearSVC {"C":C,"tol":KNOB,"dual":true,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "LinearSVC primal", code: `LinearSVC {"C":C,"tol":KNOB,"dual":false,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(1, -8)},
	},
	"logistic": {
		{Name: "lbfgs", code: `LogisticRegression {"solver":"lbfgs","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(-1, -10)},
		{Name: "newton-cg", code: `LogisticRegression {"solver":"newton-cg","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(0, -10)},
		{Name: "liblinear", code: `LogisticRegression {"solver":"liblinear","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "saga", code: `LogisticRegression {"solver":"saga","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(0, -8)},
		{Name: "SGD", code: `SGDClassifier {"loss":"log_loss","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, Knob: "max_iter", Ladder: doubling(1024)},
	},
}

// sag is not raced by itself: saga has taken its place there.
var sag = Method{Name: "sag", code: `LogisticRegression {"solver":"sag","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(0, -8)}

// SameNames are the methods of a peer for the logistic loss that Fenchel has under the same names.
func SameNames(p Peer) []Method {
	if _, ok := p.(*Sklearn); !ok {
		return nil
	}
	named := func(m Method) bool { return m.Name != "lbfgs" && m.Name != "saga" }
	return append(slices.DeleteFunc(slices.Clone(sklearnMethods["logistic"]), named), sag)
}

// newtonCholesky forms a d x d matrix: for few columns only.
var newtonCholesky = Method{Name: "newton-cholesky", code: `LogisticRegression {"solver":"newton-cholesky","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":1000}`, Knob: "tol", Ladder: ladder(1, -8)}

func (*Sklearn) Methods(loss string, d int) []Method {
	all := sklearnMethods[loss]
	if loss == "logistic" && d <= 1000 {
		all = append(all[:len(all):len(all)], newtonCholesky)
	}
	return all
}

// estimator fills a job into its method's code.
func (*Sklearn) estimator(j Job) string {
	return strings.NewReplacer("KNOB", measure.Number(j.Knob), "LAMBDA", measure.Number(j.Lambda.Value(j.Task.Rows)), `"C":C`, `"C":`+measure.Number(j.Lambda.C())).Replace(j.Method.code)
}

func (p *Sklearn) Open(ctx context.Context, t *task.Task) (Session, error) {
	w, err := startWorker(ctx, []string{p.python, p.script, "serve", t.Binary}, p.env)
	return &sklearnSession{peer: p, worker: w, model: filepath.Join(t.Dir, "sklearn.f64")}, err
}

func (p *Sklearn) Command(j Job, model string) []string {
	return append(append([]string{"env"}, p.env...), p.python, p.script, "once", j.Task.Text, strconv.Itoa(j.Task.Cols), model, p.estimator(j))
}

func (p *Sklearn) Weights(j Job, model string) ([]float64, error) {
	return readFloats(model, j.Task.Cols)
}

// Machine trains an SVC, which is a copy of LIBSVM that has its own way with
// dense rows: those with more than a tenth of their values.
func (p *Sklearn) Machine(j MachineJob, model string) []string {
	dense := 10*j.Task.Nonzeros > int64(j.Task.Rows)*int64(j.Task.Cols)
	arguments := fmt.Sprintf(`{"C":%s,"gamma":%s,"tol":%s,"cache_size":1000}`, measure.Number(j.C), measure.Number(j.Gamma), measure.Number(j.Knob))
	return append(append([]string{"env"}, p.env...), p.python, p.script, "machine", j.Task.Text, strconv.Itoa(j.Task.Cols), model,
		strconv.FormatBool(dense), arguments)
}

// Learned reads the model, a pickle, by way of a file as LIBSVM has it.
func (p *Sklearn) Learned(ctx context.Context, path string) (*model.Model, error) {
	out := path + ".libsvm"
	if _, err := RunProcess(ctx, []string{p.python, p.script, "export", path, out}); err != nil {
		return nil, err
	}
	return model.ReadFile(out)
}

type sklearnSession struct {
	peer   *Sklearn
	worker *Worker
	model  string
}

func (s *sklearnSession) Solve(ctx context.Context, j Job) (got solved, err error) {
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
	got.Seconds = reply.Seconds
	got.Weights, err = readFloats(s.model, j.Task.Cols)
	return got, err
}

func (s *sklearnSession) Close() { s.worker.Close() }
