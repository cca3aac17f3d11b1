package forget

import (
	"fmt"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/model"
)

// Of a kernel machine training begins with the support vectors that are left, by their numbers among the rows left.
func TestStartMachine(t *testing.T) {
	path := readtest.Put(t, t.TempDir(), "x", "1 1:1\n-1 2:1\n1 3:1\n-1 1:2\n1 2:2\n")
	all := readtest.MustRead(t, data.Options{}, path)
	trained, err := fenchel.Train(t.Context(), all, fenchel.Spec{Kernel: "rbf:gamma=0.5", Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := trained.Model
	if fmt.Sprint(m.Support.Index) != "[0 1 2 3 4]" {
		t.Fatalf("found the support vectors %d, expected all rows", m.Support.Index)
	}
	r, err := Read(t.Context(), path, []int{1, 3}, "f", data.Options{}, m)
	if err != nil {
		t.Fatal(err)
	}
	from, w := start(m, r), m.Outputs[0].Weights
	if n, _ := from.Support.Rows.Dims(); n != 3 || fmt.Sprint(from.Support.Index, from.Outputs[0].Weights) != fmt.Sprint([]uint32{0, 1, 2}, []float64{w[0], w[2], w[4]}) {
		t.Errorf("found the support vectors %d with %g, of all %g", from.Support.Index, from.Outputs[0].Weights, w)
	}
}

// The distance is that of the output of which least is proved; nothing bounds it where nothing is proved.
func TestDistance(t *testing.T) {
	m := &model.Model{Statement: model.Statement{Penalty: "l2", Lambda: 2}, Outputs: []model.Output{{Certificate: model.Certificate{Primal: 2, Dual: 1}}, {Certificate: model.Certificate{Primal: 1.25, Dual: 1}}}}
	if d := Distance(m); math.Abs(d-1) > 1e-12 {
		t.Errorf("found %g, expected 1", d)
	}
	if m.Outputs[1].Certificate.Dual = model.Bound(math.Inf(-1)); !math.IsNaN(Distance(m)) {
		t.Errorf("found %g, expected nothing", Distance(m))
	}
}
