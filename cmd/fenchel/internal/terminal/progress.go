package terminal

import (
	"cmp"
	"math"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/solver"
)

// progress is what is known of how far a command is.
type progress struct {
	mutex  sync.Mutex
	name   string    // of the phase
	begun  time.Time // the phase
	start  time.Time // of the command
	told   time.Time // when the last plain line was made; zero: none was
	first  time.Time // training began; zero: it has not
	tally  *data.Tally
	rows   int     // of a stream, learned
	words  string  // of a phase that says itself how far it is
	done   float64 // the share of such a phase
	goal   float64
	epochs int           // at most; 0: no limit
	limit  time.Duration // 0: none

	outputs []standing // of all that are trained
	latest  int        // heard of last
	values  func() gram.Counts
	test    string // the error on the test data, in words; "": not known
}

// standing is how far the training of one class is.
type standing struct {
	begun     bool
	epoch     int
	gap       float64 // 0: not known
	estimated bool    // the gap is not proved
	proved    bool    // the goal is
	share     float64 // of the work that is done, by what the gap has fallen
	primal    float64 // and dual: of the last certificate
	dual      float64
}

func (p *progress) begin(now time.Time) { p.begun, p.start = now, now }

// enter begins a phase. Training goes on after a certificate.
func (p *progress) enter(name string, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.phase(name, now)
}

func (p *progress) phase(name string, now time.Time) {
	trains := func(name string) bool { return name == "training" || name == "certifying" }
	if p.name != name && !(trains(p.name) && trains(name)) {
		p.begun, p.words = now, ""
	}
	p.name = name
}

func (p *progress) watch(tally *data.Tally) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.tally = tally
}

// Aim says what is trained for.
func (p *progress) Aim(spec fenchel.Spec) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.goal, p.epochs, p.limit = cmp.Or(spec.Gap, solver.DefaultGap), spec.Epochs, spec.Time
}

// say begins a phase, which says itself how far it is, also as a share.
func (p *progress) say(name, words string, done float64, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.phase(name, now)
	p.words, p.done = words, done
}

// learned says how many rows of a stream were learned.
func (p *progress) learned(rows int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.rows = rows
}

// Step takes over where the training of an output is.
func (p *progress) Step(s fenchel.Step, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	o := p.output(s.Output, now)
	o.epoch, p.values = s.Epoch, s.Evaluations
	if s.Estimate > 0 && !math.IsInf(s.Estimate, 1) {
		o.gap, o.estimated = s.Estimate, true
		o.advance(s.Estimate, p.goal)
	}
	p.phase(map[bool]string{true: "certifying", false: "training"}[s.Certifying], now)
}

// Certified takes over what a certificate says.
func (p *progress) Certified(l fenchel.Progress, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	o, c := p.output(l.Output, now), l.Certificate
	o.epoch, o.primal, o.dual = l.Epoch, c.Primal, c.Dual
	if gap := c.Relative(); gap >= 0 && !math.IsInf(c.Dual, -1) {
		o.gap, o.estimated, o.proved = gap, false, gap <= p.goal
		o.advance(gap, p.goal)
	}
	p.phase("training", now)
}

// output returns the standing of one.
func (p *progress) output(of fenchel.Output, now time.Time) *standing {
	if p.outputs == nil {
		p.outputs, p.first = make([]standing, of.Classes), now
	}
	p.latest = of.Class
	p.outputs[of.Class].begun = true
	return &p.outputs[of.Class]
}

// advance estimates the share of the work that is done: gaps fall about geometrically, so it is
// linear in the logarithm.
func (o *standing) advance(gap, goal float64) {
	if goal < 1 && gap < 1 {
		o.share = max(o.share, min(math.Log(gap)/math.Log(goal), 1))
	}
}

// Tested takes over the error on the test data.
func (p *progress) Tested(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if text != "" {
		p.test = text
	}
}

// trains reports whether outputs are trained.
func (p *progress) trains() bool {
	return len(p.outputs) > 0 && (p.name == "training" || p.name == "certifying")
}

// left estimates the time until the goal or a limit; 0: it is not known.
func (p *progress) left(now time.Time) time.Duration {
	if !p.trains() {
		return 0
	}
	share := 0.0
	for _, o := range p.outputs {
		if done := o.share; p.epochs > 0 {
			share += max(done, float64(o.epoch)/float64(p.epochs))
		} else {
			share += done
		}
	}
	share /= float64(len(p.outputs))
	elapsed, left := now.Sub(p.first), time.Duration(0)
	if share >= leastShare && elapsed >= time.Second {
		left = time.Duration(float64(elapsed) * (1 - min(share, 1)) / share)
	}
	if rest := p.limit - elapsed; p.limit > 0 && rest > 0 && (left == 0 || rest < left) {
		left = rest
	}
	return left
}

// remaining estimates in words the time that is left when a share is done; "": it is not known.
func remaining(elapsed time.Duration, share float64) string {
	if elapsed < time.Second || share < leastShare {
		return ""
	}
	return leftOver(time.Duration(float64(elapsed) * (1 - share) / share))
}

// leastShare is the share of the work below which nothing is said of the rest.
const leastShare = 0.05
