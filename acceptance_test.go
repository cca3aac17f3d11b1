package fenchel_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/solver"
)

// realData reads a file of the shared data folder (beside the checkout, or
// where FENCHEL_DATA says), or skips the test where there is none.
func realData(t *testing.T, opt data.Options, path string) *data.Set {
	t.Helper()
	folder := os.Getenv("FENCHEL_DATA")
	if folder == "" {
		folder = filepath.Join("..", "shared", "data")
	}
	full := filepath.Join(folder, path)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("real data not found at %s (set FENCHEL_DATA)", full)
	}
	set, err := data.Read(context.Background(), []string{full}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// optima are minima of P with lambda = 1/n, found once by an independent
// solver.
var optima = []struct {
	file, loss, bias string
	value            float64
	digits           float64 // half a unit of the last digit known
}{
	{"adult/a9a.gz", "hinge", "none", 0.3511503853, 5e-11},
	{"adult/a9a.gz", "squared-hinge", "none", 0.4220508370, 5e-11},
	{"adult/a9a.gz", "logistic", "none", 0.3233795825, 5e-11},
	{"web/w8a.gz", "hinge", "none", 0.1327642088, 5e-11},
	{"web/w8a.gz", "squared-hinge", "none", 0.1571120971, 5e-11}, // L-BFGS to a gradient of 2e-10
	{"web/w8a.gz", "logistic", "none", 0.1261806865, 5e-11},
	{"ijcnn1/ijcnn1.trn.bz2", "hinge", "none", 0.17195448, 5e-9},
	{"ijcnn1/ijcnn1.trn.bz2", "squared-hinge", "none", 0.2205079026, 5e-11},
	{"ijcnn1/ijcnn1.trn.bz2", "logistic", "none", 0.1881201046, 5e-11},
	{"imdb/imdb_tfidf.train.svm.gz", "hinge", "none", 0.2130586726, 5e-11},
	{"imdb/imdb_tfidf.train.svm.gz", "squared-hinge", "none", 0.1652403372, 5e-11},
	{"imdb/imdb_tfidf.train.svm.gz", "logistic", "none", 0.3371635830, 5e-11},
	{"adult/a9a.gz", "logistic", "free", 0.3233491733, 5e-11},
	{"adult/a9a.gz", "squared-hinge", "free", 0.4220479543, 5e-11},
	{"ijcnn1/ijcnn1.trn.bz2", "logistic", "free", 0.1878223828, 5e-11},
	{"ijcnn1/ijcnn1.trn.bz2", "squared-hinge", "free", 0.2204725658, 5e-11},
	{"adult/a1a.gz", "hinge", "free", 0.336807, 5e-7},
}

// TestOptimaOfRealData trains to the proved gap 1e-6. The objective must then
// be within 2e-6 of the optimum, and the lower bound below it: the bounds are
// compared with margins of 1e-7 because the stored optima are themselves
// approximations from above.
func TestOptimaOfRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some twenty seconds")
	}
	sets := map[string]*data.Set{}
	for k, c := range optima {
		if k%2 != 0 && !*fenchel.Long {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/%s", filepath.Base(c.file), c.loss, c.bias), func(t *testing.T) {
			if sets[c.file] == nil {
				sets[c.file] = realData(t, data.Options{}, c.file)
			}
			r, err := fenchel.Train(context.Background(), sets[c.file], fenchel.Spec{Loss: c.loss, Bias: c.bias, Gap: 1e-6, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("P %.10f, D %.10f, optimum %.10f, %d epochs, %.2f s", r.Summary.Primal, r.Summary.Dual, c.value, r.Epochs, r.Train.Seconds())
			if r.Status != solver.Converged || r.Summary.Gap > 1e-6 {
				t.Errorf("%s with gap %g, want converged with 1e-6", r.Status, r.Summary.Gap)
			}
			if d := r.Summary.Primal - c.value; d > 2e-6*c.value+c.digits || d < -1e-7*c.value-c.digits {
				t.Errorf("P = %.10f, want %.10f within 2e-6 (and not below)", r.Summary.Primal, c.value)
			}
			if r.Summary.Dual > c.value*(1+1e-7)+c.digits {
				t.Errorf("D = %.10f, above the optimum %.10f", r.Summary.Dual, c.value)
			}
		})
	}
}

// TestAccuracyOfRealData compares test accuracy with what the field reports.
func TestAccuracyOfRealData(t *testing.T) {
	for _, c := range []struct {
		train, test string
		spec        fenchel.Spec
		want, slack float64 // percent
	}{
		{"adult/a9a.gz", "adult/a9a.t.gz", fenchel.Spec{}, 85.0, 0.2},
		{"imdb/imdb_tfidf.train.svm.gz", "imdb/imdb_tfidf.test.svm.gz", fenchel.Spec{}, 88.1, 0.2},
		{"imdb/imdb_tfidf.train.svm.gz", "imdb/imdb_tfidf.test.svm.gz", fenchel.Spec{Loss: "logistic"}, 89.2, 0.2},
		{"news20/news20.bz2", "news20/news20.t.dat.gz", fenchel.Spec{Loss: "squared-hinge", C: 0.01}, 84.8, 0.3},
	} {
		t.Run(filepath.Base(c.train)+"/"+c.spec.Loss, func(t *testing.T) {
			if (testing.Short() || !*fenchel.Long && c.spec.Loss == "squared-hinge") && c.train != "adult/a9a.gz" {
				t.Skip("takes some seconds")
			}
			set := realData(t, data.Options{}, c.train)
			test := realData(t, data.Options{Columns: set.Cols()}, c.test)
			r, err := fenchel.Train(context.Background(), set, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			e, err := fenchel.Evaluate(t.Context(), r.Model, test, fenchel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := 100 * *e.Accuracy; math.Abs(got-c.want) > c.slack {
				t.Errorf("accuracy %.2f %%, want %.1f within %.1f", got, c.want, c.slack)
			}
		})
	}
}

// TestTablesWithDefaults trains on raw tables without saying anything but the
// target: the task must be found, and the result be as good as least squares
// or a linear classifier can be there.
func TestTablesWithDefaults(t *testing.T) {
	for _, c := range []struct {
		file, target, task string
		least              float64 // accuracy or R2
	}{
		{"adult/adult-train.csv.gz", "", "classification", 0.85},
		{"regression/california-housing.csv.gz", "median_house_value", "regression", 0.64}, // least squares: 0.6454
		{"regression/cpu.small.arff.gz", "", "regression", 0.71},
		{"regression/abalone.csv.gz", "", "regression", 0.53},
		{"regression/diabetes_x_y.csv.gz", "", "regression", 0.51}, // least squares: 0.5177
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			set := realData(t, data.Options{Target: c.target}, c.file)
			r, err := fenchel.Train(context.Background(), set, fenchel.Spec{})
			if err != nil {
				t.Fatal(err)
			}
			e, err := fenchel.Evaluate(t.Context(), r.Model, set, fenchel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			task, figure := "regression", e.R2
			if r.Model.Classes != nil {
				task, figure = "classification", e.Accuracy
			}
			if task != c.task || r.Status != solver.Converged || !(*figure >= c.least) {
				t.Errorf("%s, %s, figure %.4f; want %s, converged, at least %.2f", task, r.Status, *figure, c.task, c.least)
			}
		})
	}
}

// TestTasksOfRealData checks the rule of fenchel.Decide on every set at hand.
func TestTasksOfRealData(t *testing.T) {
	for file, want := range map[string]string{
		"adult/a1a.gz": "classification", "sector/sector.scale.bz2": "classification", "news20/news20.bz2": "classification",
		"covtype/covtype_ramp_92962.svm.gz": "classification", "mnist/t10k-images-idx3-ubyte.gz": "classification",
		"regression/abalone.csv.gz": "regression", "regression/cpu.small.arff.gz": "regression",
	} {
		if file == "news20/news20.bz2" && !*fenchel.Long {
			continue
		}
		set := realData(t, data.Options{}, file)
		if got := pose.Decide(set.Target); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
