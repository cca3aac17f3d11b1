package peer

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/model"
)

// Sklearn is scikit-learn.
type Sklearn struct{ pythonPeer }

func init() {
	registerPeer(&Sklearn{pythonPeer{name: "scikit-learn", modules: "sklearn.linear_model sklearn.svm", methods: sklearnMethodsOf,
		probe: "import sklearn, scipy, numpy; print(sklearn.__version__, '(numpy', numpy.__version__ + ',', 'scipy', scipy.__version__ + ')')"}})
}

// sklearnMethods are the classes that minimise each loss. LinearSVC and the
// solver liblinear are scikit-learn's own copy of LIBLINEAR.
var sklearnMethods = map[string][]Method{
	"hinge": {
		{Name: "LinearSVC", code: `sklearn.svm.LinearSVC {"loss":"hinge","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "SGD", code: `sklearn.linear_model.SGDClassifier {"loss":"hinge","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, Knob: "max_iter", Ladder: doubling(1024)},
	},
	"squared-hinge": {
		{Name: "LinearSVC dual", code: `sklearn.svm.LinearSVC {"C":C,"tol":KNOB,"dual":true,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "LinearSVC primal", code: `sklearn.svm.LinearSVC {"C":C,"tol":KNOB,"dual":false,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(1, -8)},
	},
	"logistic": {
		{Name: "lbfgs", code: `sklearn.linear_model.LogisticRegression+ {"solver":"lbfgs","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(-1, -10)},
		{Name: "newton-cg", code: `sklearn.linear_model.LogisticRegression+ {"solver":"newton-cg","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(0, -10)},
		{Name: "liblinear", code: `sklearn.linear_model.LogisticRegression {"solver":"liblinear","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000}`, Knob: "tol", Ladder: ladder(1, -8)},
		{Name: "saga", code: `sklearn.linear_model.LogisticRegression {"solver":"saga","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(0, -8)},
		{Name: "SGD", code: `sklearn.linear_model.SGDClassifier {"loss":"log_loss","alpha":LAMBDA,"max_iter":KNOB,"tol":null,"fit_intercept":false,"random_state":1}`, Knob: "max_iter", Ladder: doubling(1024)},
	},
}

// sag is not raced by itself: saga has taken its place there.
var sag = Method{Name: "sag", code: `sklearn.linear_model.LogisticRegression {"solver":"sag","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":100000,"random_state":1}`, Knob: "tol", Ladder: ladder(0, -8)}

// SameNames are the methods of a peer for the logistic loss that Fenchel has under the same names.
func SameNames(p Peer) []Method {
	if _, ok := p.(*Sklearn); !ok {
		return nil
	}
	named := func(m Method) bool { return m.Name != "lbfgs" && m.Name != "saga" }
	return append(slices.DeleteFunc(slices.Clone(sklearnMethods["logistic"]), named), sag)
}

// newtonCholesky forms a d x d matrix: for few columns only.
var newtonCholesky = Method{Name: "newton-cholesky", code: `sklearn.linear_model.LogisticRegression+ {"solver":"newton-cholesky","C":C,"tol":KNOB,"fit_intercept":false,"max_iter":1000}`, Knob: "tol", Ladder: ladder(1, -8)}

func sklearnMethodsOf(loss string, d int) []Method {
	all := sklearnMethods[loss]
	if loss == "logistic" && d <= 1000 {
		all = append(all[:len(all):len(all)], newtonCholesky)
	}
	return all
}

// Machine trains an SVC, which is a copy of LIBSVM that has its own way with
// dense rows: those with more than a tenth of their values.
func (p *Sklearn) Machine(j MachineJob, model string) []string {
	dense := 10*j.Task.Nonzeros > int64(j.Task.Rows)*int64(j.Task.Cols)
	arguments := fmt.Sprintf(`{"C":%s,"gamma":%s,"tol":%s,"cache_size":1000}`, measure.Number(j.C), measure.Number(j.Gamma), measure.Number(j.Knob))
	return append(p.command(p.threads), "machine", j.Task.Text, strconv.Itoa(j.Task.Cols), model, strconv.FormatBool(dense), "sklearn.svm.SVC "+arguments)
}

// Learned reads the model, a pickle, by way of a file as LIBSVM has it.
func (p *Sklearn) Learned(ctx context.Context, path string) (*model.Model, error) {
	out := path + ".libsvm"
	if _, err := RunProcess(ctx, []string{p.python, p.script, "export", path, out}); err != nil {
		return nil, err
	}
	return model.ReadFile(out)
}
