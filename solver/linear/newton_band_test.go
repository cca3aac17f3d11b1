package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestBand: after a band the answer is proved as with all rows, what is certified is what is
// estimated, and threads change no bit.
func TestBand(t *testing.T) {
	for _, spec := range cornered {
		l := must(loss.New(spec)).(loss.Cornered)
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			p := generate(l, "l2", bias, 4*fewestRows, 6, bias == problem.Feature)
			p.Lambda = 1e-5
			s, two := newWorking(p, l, nil, 0), newWorking(p, l, nil, 0)
			band := false
			for range 45 {
				p.Threads = 1
				s.Epoch()
				p.Threads = 2
				two.Epoch()
				if band = band || s.band > 0; s.band > 0 && 2*len(s.near) > len(p.Y) {
					t.Errorf("%s, bias %v: %d rows in the band", spec, bias, len(s.near))
				}
			}
			estimate, point := s.Report().Gap, s.Point()
			if !slices.Equal(point.W, two.w) {
				t.Errorf("%s, bias %v: two threads give other bits", spec, bias)
			}
			if c := p.Certify(point); c.Relative() > 1e-9 || estimate > 1e-9 {
				t.Errorf("%s, bias %v: relative gap %g, estimated %g", spec, bias, c.Relative(), estimate)
			}
			if !band && spec != "huber" {
				t.Errorf("%s, bias %v: there was no band", spec, bias)
			}
		}
	}
}

// TestBandSums: the objective of the rows in a band and of those that stand for others is
// that of all where no row is past a bend; and a band may end at any time.
func TestBandSums(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Free} {
		p := generate(loss.Hinge{}, "l2", bias, 4*fewestRows, 6, true)
		p.Lambda = 1e-4
		s := newWorking(p, loss.Hinge{}, nil, 0)
		s.sample()
		if s.band == 0 {
			t.Fatal("there is no band")
		}
		want := p.Certify(problem.Point{W: s.w}).Primal
		primal := func() float64 {
			square := 0.0
			for _, w := range s.w[:p.Penalised()] {
				square += w * w
			}
			return s.inner.losses()/p.N + p.Lambda/2*square
		}
		if got := primal(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("bias %v: the primal is %v in the band, want %v", bias, got, want)
		}
		s.Epoch()
		band, mean := s.band, s.inner.mean
		if band == 0 {
			t.Fatal("the band ended in the first epoch")
		}
		s.widen()
		if got := s.inner.mean; math.Abs(got-bandAgain*mean) > 0.1*mean {
			t.Errorf("bias %v: m is %v after the band, want about %v times %v", bias, got, bandAgain, mean)
		}
		at, out := make([]float64, len(p.Y)), 0
		s.place(at)
		for i, away := range s.away {
			if math.IsInf(away, 1) {
				continue
			}
			out++
			if away != at[i] || s.distance(away) < bandGuard*band {
				t.Fatalf("bias %v: row %d is left out at %v, but is at %v, %v from a ramp", bias, i, away, at[i], s.distance(at[i]))
			}
		}
		if out+len(s.near) != len(p.Y) {
			t.Errorf("bias %v: %d rows in, %d out, want %d", bias, len(s.near), out, len(p.Y))
		}
		want = p.Certify(problem.Point{W: s.w}).Primal
		if got := primal(); math.Abs(got-want) > 1e-9*want || s.start != nil {
			t.Errorf("bias %v: the primal is %v after the band, want %v", bias, got, want)
		}
		for k, i := range s.near {
			if s.inner.p.S[k] != p.S[i] {
				t.Fatalf("bias %v: row %d has weight %v, want %v", bias, i, s.inner.p.S[k], p.S[i])
			}
		}
		point := s.Point()
		if c := p.Certify(point); !(c.Relative() < 2) {
			t.Errorf("bias %v: relative gap %v", bias, c.Relative())
		}
	}
}
