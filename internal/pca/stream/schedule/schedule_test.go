package schedule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// ruled has the schedules as the parameters of a method.
var ruled = registry.New[schedule.Schedule]("method")

func init() {
	ruled.Register(registry.Entry[schedule.Schedule]{Name: "steps", New: func(p *registry.Params) (schedule.Schedule, error) {
		return schedule.Of(p, 1), p.Err()
	}})
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		spec string
		t    int
		want float64
	}{
		{"steps", 16, 0.25},
		{"steps:schedule=constant", 7, 1},
		{"steps:schedule=constant,c=0.25", 1, 0.25},
		{"steps:schedule=sqrt,c=2", 16, 0.5},
		{"steps:schedule=inverse,c=3", 6, 0.5},
		{"steps:schedule=inverse,c=3,burn=10", 4, 0.3},
		{"steps:schedule=inverse,c=3,burn=10", 30, 0.1},
		{"steps", 0, 1}, // before the first step
	} {
		s, err := ruled.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Step(c.t); math.Abs(got-c.want) > 1e-16 {
			t.Errorf("%s: step %d is %v, expected %v", c.spec, c.t, got, c.want)
		}
		// Law: steps are positive and do not grow.
		before := math.Inf(1)
		for _, step := range []int{1, 2, 3, 10, 1e6, math.MaxInt} {
			if eta := s.Step(step); !(eta > 0 && eta <= before) {
				t.Errorf("%s: step %d is %v after %v", c.spec, step, eta, before)
			} else {
				before = eta
			}
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"steps:schedule=square", "schedule=square: expected one of sqrt, constant, inverse"},
		{"steps:c=0", "c=0: expected a number from 1e-300 to 1e300"},
		{"steps:burn=1e-310", "burn=1e-310: expected a number from 1e-300"},
	} {
		if _, err := ruled.New(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.spec, err, c.want)
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
