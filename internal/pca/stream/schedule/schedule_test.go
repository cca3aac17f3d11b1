package schedule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
)

func TestNewSchedule(t *testing.T) {
	for _, c := range []struct {
		spec string
		t    int
		want float64
	}{
		{"constant", 7, 1},
		{"constant:c=0.25", 1, 0.25},
		{"sqrt:c=2", 16, 0.5},
		{"sqrt", 1, 1},
		{"inverse:c=3", 6, 0.5},
		{"inverse:c=3,burn=10", 4, 0.3},
		{"inverse:c=3,burn=10", 30, 0.1},
		{"strong:lambda=0.5", 8, 0.25},
		{"sqrt", 0, 1}, // before the first step
	} {
		s, err := schedule.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Step(c.t); math.Abs(got-c.want) > 1e-16 {
			t.Errorf("%s: step %d is %v, expected %v", c.spec, c.t, got, c.want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"square", `unknown schedule "square": known: constant, inverse, sqrt, strong`},
		{"sqrt:c=0", `schedule "sqrt": c=0: expected a number from 1e-300 to 1e300`},
		{"strong:lambda=1e-310", `lambda=1e-310: expected a number from 1e-300`},
		{"sqrt:burn=1", `unknown parameter "burn"`},
	} {
		if _, err := schedule.New(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.spec, err, c.want)
		}
	}
}

// Law: steps are positive and do not grow.
func TestSchedulesFall(t *testing.T) {
	for _, e := range schedule.Entries() {
		s, err := schedule.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		before := math.Inf(1)
		for _, step := range []int{1, 2, 3, 10, 1e6, math.MaxInt} {
			if eta := s.Step(step); !(eta > 0 && eta <= before) {
				t.Errorf("%s: step %d is %v after %v", e.Name, step, eta, before)
			} else {
				before = eta
			}
		}
	}
}

func TestGrids(t *testing.T) {
	for _, c := range []struct {
		grid     []float64
		n        int
		from, to float64
	}{{schedule.SimulationGrid(), 18, 0x1p-12, 32}, {schedule.ImageGrid(), 27, 0x1p-20, 64}} {
		if len(c.grid) != c.n || c.grid[0] != c.from || c.grid[c.n-1] != c.to {
			t.Errorf("grid %v, expected %d values from %v to %v", c.grid, c.n, c.from, c.to)
		}
	}
}

func TestSelectionOfDiverged(t *testing.T) {
	var s schedule.Selection
	if i, _ := s.Best(); i != -1 {
		t.Errorf("selected %d of none", i)
	}
	for range 2 {
		if err := s.Add([]float64{math.NaN(), 2, 2}); err != nil {
			t.Fatal(err)
		}
	}
	if i, mean := s.Best(); i != 1 || mean != 2 {
		t.Errorf("selected %d with mean %v", i, mean)
	}
	if s.Add([]float64{1}) == nil {
		t.Error("another number of candidates was accepted")
	}
}

func TestTheorySteps(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"MSG", schedule.StepMSG(2, 100, 1).Step(1), 0.2},
		{"MSG, |x|^4 = 16", schedule.StepMSG(2, 100, 16).Step(1), 0.05},
		{"anytime", schedule.StepAnytime(4, 16).Step(4), 0.25},
		{"entropy", schedule.StepEntropy(4, 2, 100, 0.5).Step(1), math.Log(1 + math.Sqrt(2*2*math.Ln2/50))},
		{"mirror", schedule.StepMirror(4, 2, 100).Step(1), math.Sqrt(math.Ln2 / 100)},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%s: %v, expected %v", c.name, c.got, c.want)
		}
	}
	if eta := schedule.StepEntropy(4, 2, 100, 0).Step(1); !(eta > 0 && eta < 10) {
		t.Errorf("a step of %v where the best subspace leaves nothing", eta)
	}
}
