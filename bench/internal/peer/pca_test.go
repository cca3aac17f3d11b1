package peer

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestReducers spells what scikit-learn is asked for.
func TestReducers(t *testing.T) {
	for _, c := range []struct {
		problem task.PcaProblem
		want    []string
	}{
		{task.PcaProblem{K: 8, Center: true, Dense: true}, []string{
			`PCA {"n_components":8,"svd_solver":"covariance_eigh","random_state":1}`, `PCA {"n_components":8,"svd_solver":"arpack","random_state":1}`,
			`PCA {"n_components":8,"svd_solver":"randomized","random_state":1}`, `PCA {"n_components":8,"svd_solver":"full","random_state":1}`,
			`oneDAL {"n_components":8,"svd_solver":"covariance_eigh","random_state":1}`, `oneDAL {"n_components":8,"svd_solver":"full","random_state":1}`,
			`IncrementalPCA {"n_components":8}`}},
		{task.PcaProblem{K: 5}, []string{`TruncatedSVD {"n_components":5,"algorithm":"randomized","random_state":1}`,
			`TruncatedSVD {"n_components":5,"algorithm":"arpack","random_state":1}`}},
		{task.PcaProblem{K: 5, Center: true}, []string{`PCA {"n_components":5,"svd_solver":"arpack","random_state":1}`}},
	} {
		var got []string
		for _, m := range (&Sklearn{}).Reducers(c.problem, 10) {
			got = append(got, m.code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.problem, got, c.want)
		}
	}
}

var long = flag.Bool("long", false, "ask scikit-learn, where it is installed")

// TestPCAWorker asks scikit-learn, where it is installed.
func TestPCAWorker(t *testing.T) {
	if !*long {
		t.Skip("starts scikit-learn again and again: -long does it")
	}
	opt := &task.Config{Work: t.TempDir(), Threads: 1, Python: os.Getenv("FENCHEL_PYTHON")}
	p := &Sklearn{}
	if _, err := p.Find(context.Background(), opt); err != nil {
		t.Skipf("no scikit-learn: %v (FENCHEL_PYTHON names a python that has it)", err)
	}
	if err := exec.Command(p.python, "-c", "import threadpoolctl").Run(); err != nil {
		t.Skip("no threadpoolctl")
	}
	x := &matrix.Dense{Rows: 4, Cols: 2, Value: []float32{1, 0, -1, 0, 5, 1, 5, -1}}
	rows := &task.Task{Binary: filepath.Join(opt.Work, "data.bin")}
	file, err := os.Create(rows.Binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.WriteTask(file, x, make([]float64, 4)), file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, dense := range []bool{true, false} {
		s, err := p.Load(context.Background(), opt, rows, 3, dense)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		problem := task.PcaProblem{K: 1, Center: true, Dense: dense}
		took, found, err := s.Components(context.Background(), p.Reducers(problem, 2)[0], 1, 2)
		if err != nil || !(took > 0) || len(found) != 2 || !(found[0]*found[0] > found[1]*found[1]) {
			t.Errorf("dense %t: %v in %g s, %v", dense, found, took, err)
		}
		if took, err := s.Multiply(context.Background(), task.ProductShape{Rows: 9, Columns: 3}, 1); err != nil || !(took > 0) {
			t.Errorf("X^T X: %g s, %v", took, err)
		}
		if _, _, err := s.Components(context.Background(), ReducerMethod{code: "Nothing {}"}, 1, 2); err == nil {
			t.Error("no such class: want an error")
		}
	}
}
