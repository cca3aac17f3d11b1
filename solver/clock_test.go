package solver

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// ledger is a problem whose certificates count rows: each of the point's support takes a
// while, and is left out once a limit is reached.
type ledger struct {
	row  time.Duration
	over func() bool
	cut  bool
	rows int // that certificates took
}

func (p *ledger) StopWhen(over func() bool) { p.over, p.cut = over, false }
func (p *ledger) Cut() bool                 { return p.cut }

func (p *ledger) Dims() (rows, cols int) { return 1, 4000 }

func (p *ledger) Certify(pt problem.Point) problem.Certificate {
	for _, w := range pt.W {
		if w == 0 {
			continue
		}
		if p.over != nil && p.over() {
			p.cut = true
			return problem.Certificate{Primal: math.NaN(), Dual: math.Inf(-1), Zero: 100}
		}
		p.rows++
		time.Sleep(p.row)
	}
	return problem.Certificate{Primal: 50, Dual: 1, Zero: 100}
}

// hoarder is a run whose support grows by one each step, and whose epochs never end but
// by a limit.
type hoarder struct {
	script
	start   Start
	w       []float64
	support int
	step    time.Duration
	claims  float64 // the share of its support that it tells
}

func (s *hoarder) Start(_ problem.Problem, start Start) State {
	s.w, s.start = make([]float64, 4001), start
	start.Support.Rows = func() (all, spared int) { n := int(s.claims * float64(s.support)); return n, n }
	return s
}

func (s *hoarder) Point() problem.Point { return problem.Point{W: s.w} }

func (s *hoarder) Epoch() {
	for !s.start.Over() && s.support < len(s.w) {
		s.w[s.support] = 1
		s.support++
		time.Sleep(s.step)
	}
}

// TestTimeIsKeptForTheCertificate: a run in the middle of its first epoch ends so early
// that its point is certified, and long before its support is as large as it can be.
func TestTimeIsKeptForTheCertificate(t *testing.T) {
	p := &ledger{row: 200 * time.Microsecond}
	s := &hoarder{step: 200 * time.Microsecond, claims: 1}
	sol, err := Run(context.Background(), s, p, Options{Time: 400 * time.Millisecond})
	if err != nil || sol.Status != TimeLimit || sol.Certificate.Primal != 50 || s.support == len(s.w) {
		t.Errorf("%+v, error %v, support %d of %d", sol.Certificate, err, s.support, len(s.w))
	}
}

// TestLateCertificateIsCut: where the state says less than the truth, the certificate is
// cut short when the limit is passed, and the run returns zero, of which it knows all.
func TestLateCertificateIsCut(t *testing.T) {
	p := &ledger{row: 20 * time.Millisecond}
	s := &hoarder{claims: 0} // steps take no time, however busy the machine is: the point has 4,000 rows
	sol, err := Run(context.Background(), s, p, Options{Time: time.Second})
	if err != nil || sol.Status != TimeLimit || sol.Point.W[0] != 0 || sol.Certificate.Primal != 50 {
		t.Errorf("%+v at %v, error %v, expected the zero point", sol.Certificate, sol.Point.W[:1], err)
	}
	if p.rows >= s.support || p.rows > 100 {
		t.Errorf("certificates took %d rows, the point has %d", p.rows, s.support)
	}
	if p.over != nil {
		t.Error("the problem still asks when the run is over")
	}
}

// countdown is a context that ends when it was asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptionIsHeard: an interrupted run makes no step more, and its certificate is
// whole, however long it takes.
func TestInterruptionIsHeard(t *testing.T) {
	for _, asks := range []int{0, 1, 2, 7, 100} {
		p := &ledger{}
		s := &hoarder{claims: 1}
		sol, err := Run(&countdown{context.Background(), asks}, s, p, Options{})
		if err != nil || sol.Status != Interrupted || s.support > asks || sol.Certificate.Primal != 50 {
			t.Errorf("asked %d times: %s, support %d, %+v, error %v", asks, sol.Status, s.support, sol.Certificate, err)
		}
	}
}

// TestOverIsForGood: a limit that was reached stays so, also if less time is kept for the
// certificate later.
func TestOverIsForGood(t *testing.T) {
	c := clock{ctx: context.Background(), begun: time.Now(), limit: time.Hour}
	if c.over() {
		t.Error("over at once")
	}
	c.reserve.Store(int64(time.Hour))
	if !c.over() {
		t.Error("not over although all is kept for the certificate")
	}
	c.reserve.Store(0)
	if !c.over() || c.late() {
		t.Errorf("over is %v, late %v", c.over(), c.late())
	}
}
