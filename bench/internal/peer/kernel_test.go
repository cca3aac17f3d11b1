package peer

import (
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// TestKernelFlags spells what peers are started with.
func TestKernelFlags(t *testing.T) {
	j := MachineJob{Task: &task.Task{Text: "data.svm", Rows: 10, Cols: 10, Nonzeros: 11}, C: 10, Gamma: 0.1, Knob: 0.03, Threads: 2}
	for _, c := range []struct {
		peer MachinePeer
		want string
	}{
		{&Libsvm{"svm-train"}, "svm-train -q -s 0 -t 2 -g 0.1 -c 10 -e 0.03 -m 1000 data.svm out"},
		{&thundersvm{"thundersvm-train"}, "thundersvm-train -o 2 -s 0 -t 2 -g 0.1 -c 10 -e 0.03 -m 1000 data.svm out"},
		{&Sklearn{pythonPeer{python: "python", script: "worker.py", threads: 2}}, "env OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 MKL_NUM_THREADS=2 " +
			`python worker.py machine data.svm 10 out true sklearn.svm.SVC {"C":10,"gamma":0.1,"tol":0.03,"cache_size":1000}`},
		{&Intelex{Sklearn{pythonPeer{python: "python", script: "worker.py", threads: 2}}}, "env OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 MKL_NUM_THREADS=2 " +
			`python worker.py machine data.svm 10 out true sklearnex.svm.SVC {"C":10,"gamma":0.1,"tol":0.03,"cache_size":1000}`},
	} {
		if got := strings.Join(c.peer.Machine(j, "out"), " "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.peer.Name(), got, c.want)
		}
	}
}
