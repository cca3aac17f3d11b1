package dual

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestLooksChangeNothing: sdca goes the same way however often it is judged.
func TestLooksChangeNothing(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}, loss.Logistic{}} {
		p := draw.Problem(l, "l2", problem.None, 40, 5, false)
		seen, unseen := SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca), SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca)
		for epoch := range 30 {
			seen.Epoch()
			unseen.Epoch()
			seen.Point()
			if !slices.Equal(seen.a, unseen.a) {
				t.Errorf("%T: other dual variables after %d looks", l, epoch+1)
				break
			}
		}
	}
}

// TestRest: a row that stays calm sleeps for ever longer, up to a limit that is nearer
// for one that was spared, and one that moves does not sleep.
func TestRest(t *testing.T) {
	for _, c := range []struct {
		most uint32
		want []uint32 // epochs until the next visit
	}{{longestRest, []uint32{0, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64}}, {longestSpare, []uint32{0, 2, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16}}} {
		s := &sdca{visits: visits{calmVisits: 1, epoch: 7, calm: make([]uint8, 2), wake: make([]uint32, 2)}}
		for visit, want := range c.want {
			s.wake[1] = s.epoch
			if s.rest(1, c.most); s.wake[1]-s.epoch != want || s.wake[0] != 0 {
				t.Errorf("at most %d epochs: after %d calm visits %v, want %d", c.most, visit+1, s.wake[1]-s.epoch, want)
			}
		}
	}
	p := draw.Problem(loss.Hinge{}, "l2", problem.None, 40, 5, false)
	s := SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca)
	asleep := 0
	for range 40 {
		before := slices.Clone(s.a)
		s.Epoch()
		for i, wake := range s.wake {
			if wake > s.epoch {
				asleep++
				if s.a[i] != before[i] {
					t.Errorf("row %d moved and sleeps", i)
				}
			}
		}
	}
	if asleep == 0 {
		t.Error("no row ever sleeps")
	}
}

// TestSpared: a step that brings little is not made within the domain, but is to
// an end of it; and steps go overRelaxed times as far as the best.
func TestSpared(t *testing.T) {
	p := documents(loss.Hinge{}, problem.None, 1)
	for _, c := range []struct {
		short float64 // of the corner
		spare float64
		moves bool
	}{{1e-3, 1, false}, {-1e-3, 1, false}, {-2, 10, true}, {1e-3, 0, true}} {
		s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
		const i, b = 5, 1e-3
		y := p.Y[i]
		s.a[i], s.spare = -y*b, c.spare
		v := visit{row: i, before: s.a[i], y: y, weight: 1, q: 10}
		s.move(&s.part[0], &v, y*(1-c.short))
		if moved := s.a[i] != v.before; moved != c.moves {
			t.Errorf("%g short, less than %g is spared: moved is %v", c.short, c.spare, moved)
		}
	}
	s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
	var v [1]visit
	s.look(v[:], nil, []uint32{7})
	if want := p.S[7] * s.sigma * s.factor * p.SquaredNorm[7] / overRelaxed; math.Abs(v[0].q-want) > 1e-12*want {
		t.Errorf("q = %g, want %g", v[0].q, want)
	}
}

// TestGroups: the rows of an epoch are all rows, in blocks; the blocks of a few groups
// come one after another, in an order that is not the same everywhere.
func TestGroups(t *testing.T) {
	s := SDCA{}.Start(documents(loss.Hinge{}, problem.None, 1), solver.Start{Seed: 3}).(*sdca)
	s.block, s.group = 4, 16
	s.arrange()
	const few = 16 * groupsAtATime // rows
	n, inOrder, groups := len(s.a), 0, map[uint32]bool{}
	seen := make([]bool, n)
	for k, i := range s.rows {
		seen[i] = true
		if i%4 != 0 && s.rows[k-1] != i-1 {
			t.Fatalf("row %d follows %d", i, s.rows[k-1])
		}
		if k > 0 && s.rows[k-1]+1 == i {
			inOrder++
		}
		if k%few == 0 {
			clear(groups)
		}
		if groups[i/16] = true; len(groups) > groupsAtATime {
			t.Fatalf("rows of %d groups after visit %d", len(groups), k)
		}
	}
	if len(s.rows) != n || slices.Contains(seen, false) {
		t.Errorf("%d rows, some not at all, want %d", len(s.rows), n)
	}
	if inOrder > 7*n/8 { // of 15/16 if they were not
		t.Errorf("%d rows follow the one before: blocks are not shuffled", inOrder)
	}
}

// TestRowsAlone: rows that are visited one by one come in the order that blocks of one
// would have.
func TestRowsAlone(t *testing.T) {
	s := SDCA{}.Start(documents(loss.Hinge{}, problem.None, 1), solver.Start{Seed: 3}).(*sdca)
	s.wake[17] = 1
	s.arrange()
	want := places(nil, 0, len(s.a)-1, 1)
	parts.Shuffle(want, rand.NewPCG(3, 0))
	for k, place := range want {
		if want[k] = s.active[place]; want[k] == 17 {
			t.Error("a row that sleeps is visited")
		}
	}
	if !slices.Equal(s.rows, want) || slices.IsSorted(s.rows) {
		t.Errorf("rows begin %v, want %v", s.rows[:5], want[:5])
	}
}
