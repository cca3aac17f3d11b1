package survey

import (
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestPlanHasABias: classes that only a threshold tells apart are learned, as train learns them; and what judges is
// not what is learned: labels without meaning are told half of the time at most.
func TestPlanHasABias(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 43))
	x, told, noise := &matrix.Dense{Rows: 2000, Cols: 1}, make([]float64, 2000), make([]float64, 2000)
	for i := range told {
		v := 2 * random.Float32()
		x.Value = append(x.Value, v)
		if told[i], noise[i] = -1, float64(2*random.IntN(2)-1); v > 1 {
			told[i] = 1
		}
	}
	plan, err := newPlan(t.Context(), Sample{x, told}, loss.Logistic{}, penalty.L2{}, 0.9, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if last := plan.Pilots[len(plan.Pilots)-1]; last.Reached != last.Runs || last.Rows != 1250 || plan.Least == nil {
		t.Errorf("found %+v, expected that all runs reach the accuracy", plan)
	}
	if plan, err = newPlan(t.Context(), Sample{x, noise}, loss.Logistic{}, penalty.L2{}, 0.7, 1, 2); err != nil || plan.Least != nil || plan.Pilots[0].Reached != 0 {
		t.Errorf("labels without meaning: found %+v, %v", plan, err)
	}
}
